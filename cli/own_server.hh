// An own server around a measurement: a child process on a free loopback port.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "handles.hh"

namespace cli {

struct OwnServer {
  std::string path;                // of what is asked
  std::vector<std::string> flags;  // of `serve`, and what two of them say:
  bool has_tls = false;
  std::string unix_socket;
};

// Starts it, points the plan at it, calls `go` and ends it. The exit code of
// `go`, or kFailed if the server did not last.
int with_own_server(dyno_plan* plan, const OwnServer& own, bool is_quiet,
                    const std::function<int()>& go);

}  // namespace cli
