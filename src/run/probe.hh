// Probe: reads /stats of our own server, before and after a cell, on the thread
// that runs the cells. Never while a cell is measured.
#pragma once

#include "base/status.hh"
#include "report/server_stats.hh"
#include "run/target.hh"

namespace dyno {

// One GET /stats on a connection of its own, at most `timeout_ns`.
Result<ServerStats> read_stats(const Target& target, int64_t timeout_ns);

// Reads until two readings are equal (answers may still be on their way when a
// run has stopped), at most 500 ms.
Result<ServerStats> read_stable_stats(const Target& target);

}  // namespace dyno
