// ScriptServer: a raw-socket server that does with every request what a script
// says: which bytes it answers, in which pieces, when, and what becomes of the
// connection. It judges nothing. Each connection's requests are answered one
// after another. One thread of its own, with a bounded life; the port is taken
// before the constructor returns.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace dyno::test {

// What becomes of the connection after an answer's bytes.
enum class Then : uint8_t {
  keep,   // the next request is answered
  close,  // FIN; RST where the kernel holds unread bytes
  rst,    // RST
  hold,   // stays open, whatever else arrives is dropped
  shut,   // the same after a FIN
  down,   // the whole server closes: every connection and the port
};

struct Reply {
  std::string bytes;
  Then then = Then::keep;
  size_t piece = 0;      // bytes per write; 0: all at once
  int64_t delay_ms = 0;  // from the request, or the answer before, to the first
  int64_t pause_us = 0;  // between two pieces
};

// A request that was read.
struct Heard {
  int connection = 0;  // from 0, in the order of accepting
  int request = 0;     // from 0, on its connection
  int total = 0;       // from 0, on all of them
  std::string head;    // with the empty line
  size_t body = 0;     // bytes that belong to it
};

using Script = std::function<Reply(const Heard&)>;

// The same for every request.
Script always(Reply reply);
// A complete answer with a Content-Length.
std::string answer(const std::string& body, const std::string& fields = "");

struct ServeOptions {
  const char* host = "127.0.0.1";  // or ::1
  int port = 0;                    // 0: a free one
  int backlog = 1024;
  bool accepts = true;         // else connections stay in the backlog
  bool answers_heads = false;  // a request's body is not waited for
  int64_t down_ms = 0;  // after Then::down the port opens again; 0: never
  int64_t life_ms = 30'000;
  // Asked for every connection before a byte is read; keep, close, rst, hold.
  std::function<Then(int connection)> greet = nullptr;
};

class ScriptServer {
 public:
  explicit ScriptServer(Script script, ServeOptions options = {});
  ~ScriptServer();
  ScriptServer(const ScriptServer&) = delete;
  ScriptServer& operator=(const ScriptServer&) = delete;

  // 0: the port could not be taken.
  int port() const { return port_; }
  std::string url(const std::string& target = "/") const;

  // Accepts what still waits to be accepted, closes everything and ends the
  // thread: then the numbers are final.
  void stop();

  int64_t accepted() const { return accepted_; }
  int64_t requests() const { return requests_; }
  int64_t open_peak() const { return open_peak_; }
  std::vector<std::string> heads() const;  // of the first requests
  std::set<std::string> peers() const;     // IPv4 addresses that connected

 private:
  struct Connection;

  void main();
  int64_t next_due_ns(int64_t now_ns) const;
  void poll_until(int64_t due_ns);
  bool listen_on_port();
  void accept_all();
  void read_from(Connection& connection);
  void take_requests(Connection& connection);
  void begin(Connection& connection, Reply reply, int64_t now_ns);
  void write_due(Connection& connection, int64_t now_ns);
  void after_reply(Connection& connection);
  void close_all();
  void go_down(int64_t now_ns);

  Script script_;
  ServeOptions options_;
  int wanted_port_ = 0;
  int port_ = 0;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  int64_t accept_again_ns_ = 0;  // after a failed accept
  int64_t up_again_ns_ = 0;      // after Then::down
  std::vector<std::unique_ptr<Connection>> connections_;

  std::atomic<bool> is_stopping_ = false;
  std::atomic<int64_t> accepted_ = 0;
  std::atomic<int64_t> requests_ = 0;
  std::atomic<int64_t> open_peak_ = 0;
  mutable std::mutex mutex_;  // guards heads_ and peers_
  std::set<std::string> peers_;
  std::vector<std::string> heads_;
  std::thread thread_;
};

}  // namespace dyno::test
