// An own server around a measurement: a child process on a free loopback port.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "handles.hh"

namespace cli {

// Starts it with these flags of `serve`, points the plan at its `path`, calls
// `go` and ends it. The exit code of `go`, or kFailed if the server did not
// last.
int with_own_server(dyno_plan* plan, const char* path,
                    const std::vector<std::string>& flags, bool is_quiet,
                    const std::function<int()>& go);

}  // namespace cli
