// Request: what a worker knows of one request on its way. The requests of a
// worker stand in one table; a request is named by its index there, which in a
// closed loop is its caller.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/transport.hh"

namespace dyno {

using RequestId = uint32_t;  // below kLate

// In a slot's queue: the place of a request that is over for its caller; its
// answer is still to come.
inline constexpr RequestId kLate = 0x80000000;
constexpr bool is_late(RequestId place) {
  return (place & kLate) != 0;
}
constexpr RequestId caller_of(RequestId place) {
  return place & ~kLate;
}

struct Request {
  int64_t intended_ns = 0;
  int64_t submitted_ns = 0;
  int64_t asked_ns = 0;  // when its present pool was asked
  int64_t granted_ns = 0;
  int64_t sent_ns = 0;
  SlotId home = 0;       // its own slot under pool.select=own
  SlotId slot = 0;       // while it is granted
  uint32_t ticket = 0;   // of its present question to a pool
  uint16_t retries = 0;  // after closes
  uint16_t waits = 0;    // repeated after pool time-outs
  uint16_t mail = 0;     // pool.correlate=none: late answers nobody took yet
  uint16_t mail_status = 0;  // of the last one
  bool is_out = false;       // between submitted and done, failed or abandoned
  bool is_granted = false;
};
static_assert(sizeof(Request) == 64, "a cache line per request");

using Requests = std::vector<Request>;

}  // namespace dyno
