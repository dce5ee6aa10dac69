// The counters of our own server, as its /stats route tells them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hh"

namespace dyno {

struct ServerStats {
  int64_t accepted = 0;  // connections
  int64_t read = 0;      // requests
  int64_t written = 0;   // responses
  std::vector<std::pair<std::string, std::string>> limits;

  bool same_counts(const ServerStats& other) const {
    return accepted == other.accepted && read == other.read &&
           written == other.written;
  }
};

Result<ServerStats> parse_server_stats(std::string_view json);

}  // namespace dyno
