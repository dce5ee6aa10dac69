// Kit: what the connections of one server thread share. That thread's only, but
// for what the constructor is given by reference.
#pragma once

#include <event2/event.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "http/request_head.hh"
#include "net/tls.hh"
#include "server/clock.hh"
#include "server/delays.hh"
#include "server/outbox.hh"
#include "server/reply.hh"
#include "server/stats.hh"

namespace dyno::server {

inline constexpr size_t kHeadLimit = 64 * 1024;
inline constexpr size_t kInputBytes = 256 * 1024;

// What all the threads of a server share. `connections` numbers them.
struct Common {
  explicit Common(size_t threads) : stats(threads) {}

  ServerConfig config;
  Stats stats;
  std::shared_ptr<const TlsContext> tls;  // null: in the clear
  std::atomic<uint64_t> connections = 0;
};

// Told by connections.
class Keeper {
 public:
  virtual void closed(Connection& connection) = 0;

 protected:
  ~Keeper() = default;
};

struct Kit {
  Kit(event_base* event_loop, const Common& common, Counters& own_counters,
      Keeper& its_keeper, DueSink& sink)
      : base(event_loop),
        config(common.config),
        tls(common.tls),
        counters(own_counters),
        keeper(its_keeper),
        replies(common.config, common.stats),
        delays(event_loop, sink),
        input(kInputBytes) {}

  // The clock is read at most once per event, and only where time matters.
  int64_t now_ns() {
    if (now_ns_ == 0) now_ns_ = monotonic_ns();
    return now_ns_;
  }
  void begin_event() { now_ns_ = 0; }

  event_base* base;
  const ServerConfig& config;
  const std::shared_ptr<const TlsContext>& tls;
  Counters& counters;
  Keeper& keeper;
  RequestHeadParser parser{kHeadLimit};
  Replies replies;
  Delays delays;
  Parcel parcel;
  std::vector<char> input;
  std::vector<char> output;  // what one TLS record is made of
  uint32_t tick = 0;         // of the sweep for idle connections

 private:
  int64_t now_ns_ = 0;
};

}  // namespace dyno::server
