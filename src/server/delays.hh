// Delays: tells when requests are due. Requests with the same delay become due
// in the order in which they came, so each distinct delay has a first-in-
// first-out queue of its own with one precise timer, armed for its head;
// whatever is out of order (jitter, too many distinct delays) goes to a heap.
// One per thread.
#pragma once

#include <event2/event.h>
#include <event2/event_struct.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ring.hh"

namespace dyno::server {

class Connection;

// A request that waits, or something else that a connection waits for. The
// connection may have been closed and used again meanwhile: then its generation
// differs.
struct Ticket {
  int64_t due_ns = 0;
  Connection* connection = nullptr;
  uint64_t sequence = 0;
  uint32_t generation = 0;
};

// Told by Delays.
class DueSink {
 public:
  virtual void due(const Ticket& ticket) = 0;
  // After all that are due at one wake-up.
  virtual void all_due() = 0;

 protected:
  ~DueSink() = default;
};

class Delays {
 public:
  Delays(event_base* base, DueSink& sink);
  ~Delays();
  Delays(const Delays&) = delete;
  Delays& operator=(const Delays&) = delete;

  // Due at ticket.due_ns, which is now_ns + delay_ns.
  void add(const Ticket& ticket, int64_t delay_ns, int64_t now_ns);
  // The same for a delay that hardly any other ticket has.
  void add_odd(const Ticket& ticket, int64_t now_ns);

 private:
  // A timer and what it is for; `event` is libevent's.
  struct Queue {
    event timer;
    Delays* owner = nullptr;
    int64_t delay_ns = 0;
    Ring<Ticket> tickets;
  };

  static void on_queue(evutil_socket_t, short, void* queue) noexcept;
  static void on_heap(evutil_socket_t, short, void* self) noexcept;
  Queue* queue_for(int64_t delay_ns);

  static constexpr size_t kQueues = 32;

  event_base* base_;
  DueSink& sink_;
  std::vector<std::unique_ptr<Queue>> queues_;
  size_t last_ = 0;  // the queue used last
  std::vector<Ticket> heap_;
  event heap_timer_;
};

}  // namespace dyno::server
