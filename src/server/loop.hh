// Loop: one server thread's event loop, its listening socket and all the
// connections that it accepted. Made on any thread, run on its own; only stop()
// crosses threads.
#pragma once

#include <event2/event.h>
#include <event2/event_struct.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/ring.hh"
#include "base/status.hh"
#include "net/socket.hh"
#include "server/connection.hh"
#include "server/kit.hh"

namespace dyno::server {

class Loop : Keeper, DueSink {
 public:
  // `most_connections` is this thread's share of the limit.
  static Result<std::unique_ptr<Loop>> make(Common& common, Counters& counters,
                                            Fd listener,
                                            int64_t most_connections);
  ~Loop();

  int listener() const { return listener_.get(); }
  // Serves until stop(); then all connections are closed.
  void run();
  // Any thread; more than once.
  void stop();

 private:
  struct BaseFree {
    void operator()(event_base* base) const { event_base_free(base); }
  };
  using Base = std::unique_ptr<event_base, BaseFree>;

  Loop(Base base, Common& common, Counters& counters, Fd listener, Fd wake,
       int64_t most_connections);

  static void on_acceptable(evutil_socket_t, short, void* self) noexcept;
  static void on_accept_again(evutil_socket_t, short, void* self) noexcept;
  static void on_sweep(evutil_socket_t, short, void* self) noexcept;
  static void on_wake(evutil_socket_t, short, void* self) noexcept;

  void accept_some();
  void pause_accept();
  void add(int fd);
  void arm_sweep();

  void closed(Connection& connection) override;
  void due(const Ticket& ticket) override;
  void all_due() override;

  Base base_;
  Common& common_;
  Counters& counters_;
  Kit kit_;
  Fd listener_;
  Fd wake_;
  int64_t most_connections_;
  int64_t active_ = 0;  // connections that are being read
  bool is_stopping_ = false;
  uint32_t idle_ticks_ = 0;

  std::deque<Connection> connections_;
  std::vector<Connection*> free_;
  Ring<Connection*> held_;
  std::vector<Connection*> marked_;

  event acceptable_;
  event accept_again_;
  event sweep_;
  event wake_event_;
};

}  // namespace dyno::server
