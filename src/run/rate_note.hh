// Whether an open loop had the rate that was asked for, and if not, what was in
// its way.
#pragma once

#include <string>

#include "report/result.hh"

namespace dyno {

// A sentence for the notes of the cell; "" for a closed loop, or where nothing
// was measured.
std::string rate_note(const CellResult& cell);

}  // namespace dyno
