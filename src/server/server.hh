// Server: the built-in test server. Options, then start(), then numbers that
// may be read from any thread until it is destroyed. set() and start() are one
// thread's at a time; the const functions anybody's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/status.hh"
#include "net/address.hh"
#include "net/socket.hh"
#include "server/kit.hh"

namespace dyno::server {

class Loop;

class Server {
 public:
  Server();
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Status set(std::string_view key, std::string_view text);
  // The port is taken and served when this returns.
  Status start();
  // Closes everything and waits for the threads; the numbers stay. More than
  // once, from several threads: each returns when it is done.
  void stop() const;

  int port() const { return port_.load(); }  // 0 unless it was started
  std::optional<int64_t> stat(std::string_view name) const;
  std::string stats_json() const;

 private:
  enum class Phase : uint8_t { fresh, running, stopped };

  Status make_loops();
  Status make_tls();
  Result<Fd> make_listener(int64_t thread);
  Status launch();
  void end_threads() const;

  std::atomic<int> port_ = 0;
  mutable std::mutex mutex_;  // guards all that follows
  ServerConfig config_;
  Address address_;
  std::unique_ptr<Common> common_;
  mutable Phase phase_ = Phase::fresh;
  mutable std::vector<std::unique_ptr<Loop>> loops_;
  mutable std::vector<std::thread> threads_;
};

}  // namespace dyno::server
