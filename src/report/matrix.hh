// Matrix: the table of several cells, one row each, as text and markdown show
// it.
#pragma once

#include <string>

#include "report/facts.hh"
#include "report/layout.hh"
#include "report/result.hh"

namespace dyno {

Table matrix_table(const RunResult& run);
// What is said once under the table.
Facts matrix_facts(const RunResult& run);

// The slots of each pool: "32", or "1-2" where connections do not divide.
std::string pool_size_text(const Config& config);
std::string annotation_text(const Annotation& annotation);
// A failed share's paint.
Paint failure_paint(double percent);

}  // namespace dyno
