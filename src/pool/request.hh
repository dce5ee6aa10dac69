// Request: what a worker knows of one request on its way. The requests of a
// worker stand in one table; a request is named by its index there, which in a
// closed loop is its caller.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/transport.hh"

namespace dyno {

using RequestId = uint32_t;
// In a slot's queue: a request that timed out; its answer is still to come.
inline constexpr RequestId kNobody = UINT32_MAX;

struct Request {
  int64_t intended_ns = 0;
  int64_t submitted_ns = 0;
  int64_t granted_ns = 0;
  int64_t sent_ns = 0;
  int64_t deadline_ns = 0;  // of its wait in the pool's queue
  SlotId home = 0;          // its own slot under pool.select=own
  uint32_t retries = 0;
  bool is_out = false;  // between submitted and done, failed or abandoned
};

using Requests = std::vector<Request>;

}  // namespace dyno
