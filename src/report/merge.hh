// Merge: the parts of one measurement (hosts, processes or halves) as one
// result. Exact: counters and histogram buckets add up.
#pragma once

#include <span>

#include "base/status.hh"
#include "report/result.hh"

namespace dyno {

// Cells are merged in order, each with the cells of the same place; their
// options, annotations and server limits must be equal, else Code::value says
// which is not. Parts that were measured at the same time count their time
// once (the longest), parts that followed one another add it up.
Result<RunResult> merge(std::span<const RunResult* const> parts);

}  // namespace dyno
