// Slot: a place for one connection, as its pool sees it. Owned by SlotPool.
#pragma once

#include <cstdint>

#include "base/ring.hh"
#include "pool/request.hh"

namespace dyno {

inline constexpr SlotId kNoSlot = UINT32_MAX;

enum class SlotState : uint8_t {
  empty,    // no connection
  opening,  // being dialed
  open,     // can carry requests
  down,     // rests after a failure
  stale,    // closed by the server; its next request finds out
  leaked    // open, left to the server
};

struct Slot {
  SlotState state = SlotState::empty;
  bool is_in_idle = false;
  bool is_in_fresh = false;
  bool has_served = false;  // this connection has answered before
  bool had_connection = false;
  bool was_tried = false;
  uint32_t on_wire = 0;     // the first ones of the queue are on the wire
  uint32_t late = 0;        // places of the queue that are nobody's any more
  uint32_t taken = 0;       // answered, the owner not told yet
  uint32_t unreturned = 0;  // given up by their callers, not by the owner yet
  uint32_t age = 0;         // the number of its connection, counted by the pool
  Ring<RequestId> queue;
  int64_t opened_ns = 0;
  int64_t idle_since_ns = 0;  // kept only where connections idle out
  int64_t up_at_ns = 0;       // end of a rest
  int64_t backoff_ns = 0;     // the last one; 0 after a success

  bool can_serve() const {
    return state != SlotState::down && state != SlotState::leaked;
  }
};

}  // namespace dyno
