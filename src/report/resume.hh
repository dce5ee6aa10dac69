// Resume: what an earlier result already has of the cells of a plan.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "report/result.hh"

namespace dyno {

// For each cell its result, where `before` has it whole: measured to its end
// without an error, with the same options and annotations. Of our own server
// the port, and of this machine which processors, may differ.
std::vector<std::optional<CellResult>> whole_cells(std::span<const Cell> cells,
                                                   const RunResult& before);

}  // namespace dyno
