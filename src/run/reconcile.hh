// Reconcile: our numbers of a cell beside those of our own server.
#pragma once

#include <optional>

#include "report/result.hh"
#include "report/server_stats.hh"

namespace dyno {

// Fills result.server from two readings. Without one from before the cell the
// counters can only be compared if the server has served this cell alone.
void compare_with_server(const std::optional<ServerStats>& before,
                         const ServerStats& after, int64_t requests_sent,
                         CellResult& result);

}  // namespace dyno
