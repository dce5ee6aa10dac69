// Suite: the rows of a published benchmark beside ours, and how many of them
// fit, as text and markdown show it. Everything comes from the annotations, so
// a saved result prints the same again.
#pragma once

#include "report/facts.hh"
#include "report/layout.hh"
#include "report/result.hh"

namespace dyno {

Table suite_table(const RunResult& run);
// One line per client: rows, fits, medians.
Table suite_summary(const RunResult& run);
// The rows that do not fit, the worst first.
Table suite_misfits(const RunResult& run);
// What is said once under the tables; the total comes first.
Facts suite_facts(const RunResult& run);

}  // namespace dyno
