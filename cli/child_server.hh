// ChildServer: this program once more, as `serve` on a free loopback port. It
// has a process group of its own, so that a terminal's Ctrl-C does not reach
// it, and it ends by itself when its pipe to us closes, however we end.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace cli {

class ChildServer {
 public:
  // Returns once it listens. `flags` are further ones of `serve`. Throws Stop.
  explicit ChildServer(const std::vector<std::string>& flags);
  ~ChildServer();
  ChildServer(const ChildServer&) = delete;
  ChildServer& operator=(const ChildServer&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }

  // Ends it. How it had ended before it was told to, or "".
  std::string stop();

 private:
  pid_t pid_ = -1;
  int life_fd_ = -1;  // our end of the pipe whose closing ends it
  int port_ = -1;     // until it has said it; 0: a Unix socket
};

}  // namespace cli
