// Preflight: what can be known before any load: do the cells fit into this
// process's descriptors, the local ports, the processors that are named?
#pragma once

#include <vector>

#include "base/status.hh"
#include "plan/plan.hh"

namespace dyno {

// A single cell that does not fit is an error; of several, it becomes a skipped
// row. Raises the limit of open files first where host.raise_nofile asks for
// it.
Status check_host(std::vector<Cell>& cells);

}  // namespace dyno
