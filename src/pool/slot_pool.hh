// SlotPool: one pool of slots under one discipline. It decides which slot a
// request gets, who waits, who fails, and what a slot does after its connection
// ended. It knows no socket and no engine: bytes go through Transport, news
// come in as calls, time is an argument. One per shard, its worker's thread
// only.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ring.hh"
#include "base/rng.hh"
#include "engine/transport.hh"
#include "pool/grants.hh"
#include "pool/request.hh"
#include "pool/rules.hh"

namespace dyno {

// What became of a request at submit().
struct Admission {
  enum What : uint8_t { granted, waiting, failed } what = granted;
  Failure kind = Failure::busy;  // of failed
};

// What a pool counts beside its requests' fates.
struct PoolCounters {
  int64_t reconnect = 0;
  int64_t retry = 0;
  int64_t resubmit = 0;
  int64_t pipelined_discarded = 0;
  int64_t queue_peak = 0;

  // Sums; the peak is the highest of any pool.
  void add(const PoolCounters& other);
};

class SlotPool {
 public:
  // The pool's slots are first … first + size - 1 of the transport. All
  // references must outlive the pool.
  SlotPool(const Rules& rules, SlotId first, uint32_t size, uint64_t seed,
           Requests& requests, Transport& transport, Grants& grants);

  // Finds a slot for a request, or a place to wait, or refuses it.
  Admission submit(RequestId id, int64_t now_ns);

  // Answers came for a slot: take() once for each, in order; kNobody is the
  // place of a request that had timed out. Then release() or closed().
  RequestId take(SlotId slot);
  void take(SlotId slot, std::span<RequestId> places);  // one or more at once
  void release(SlotId slot, int64_t now_ns);
  // submit() for requests that came from this slot, all at once: the short way
  // where each has a connection of its own. False: nothing was done.
  bool submit_home(SlotId slot, std::span<const RequestId> requests,
                   int64_t now_ns);
  // True from the second answer on a connection on.
  bool was_used(SlotId slot) const { return at(slot).has_served; }

  void opened(SlotId slot, int64_t now_ns);
  void dial_failed(SlotId slot, Failure kind, std::string_view detail,
                   int64_t now_ns);
  void closed(SlotId slot, const Ended& ended, int64_t now_ns);

  // Ends waits and requests that have lasted too long, and slots' rests.
  void sweep(int64_t now_ns);

  // Starts up to `count` connections that do not exist yet; how many it did.
  uint32_t open_some(uint32_t count, int64_t now_ns);
  // Slots that have never been dialed to an end.
  uint32_t untried() const { return untried_; }
  uint32_t size() const { return static_cast<uint32_t>(slots_.size()); }

  const PoolCounters& counters() const { return counters_; }
  uint32_t in_use() const { return in_use_; }

 private:
  enum class State : uint8_t { empty, opening, open, down };

  struct Slot {
    State state = State::empty;
    bool is_in_idle = false;
    bool is_in_fresh = false;
    bool has_served = false;  // this connection has answered before
    bool had_connection = false;
    bool was_tried = false;
    uint32_t on_wire = 0;  // the first ones of the queue are on the wire
    Ring<RequestId> queue;
    int64_t up_at_ns = 0;    // end of a rest
    int64_t backoff_ns = 0;  // the last one; 0 after a success
  };

  Slot& at(SlotId slot) { return slots_[slot - first_]; }
  const Slot& at(SlotId slot) const { return slots_[slot - first_]; }
  bool has_room(const Slot& slot) const {
    return slot.queue.size() < rules_.room;
  }
  bool selects_idle() const {
    return rules_.select == Select::idle_lifo ||
           rules_.select == Select::idle_fifo;
  }

  Admission offer(SlotId id, RequestId request, int64_t now_ns);
  Admission enqueue(RequestId request, int64_t now_ns);
  bool take_idle(SlotId& slot);
  SlotId draw(const Request& request);
  void admit(SlotId id, RequestId request, int64_t now_ns);
  void pump(SlotId id, int64_t now_ns);
  void serve_waiters(SlotId id, int64_t now_ns);
  void list(SlotId id);
  void start_opening(SlotId id, int64_t now_ns);
  void rest(SlotId id, int64_t backoff_ns, int64_t now_ns);
  void end_rest(SlotId id, int64_t now_ns);
  int64_t grown_backoff(Slot& slot);
  void refuse_all(SlotId id, Failure kind, std::string_view detail,
                  int64_t now_ns);
  void settle_pending(SlotId id, const Ended& ended, int64_t now_ns);
  bool sends_again(Slot& slot, RequestId request, const Ended& ended,
                   size_t place);
  void after_close(SlotId id, int64_t now_ns);
  void expire_waiters(int64_t now_ns);
  void expire_requests(SlotId id, int64_t now_ns);
  void became_busy(const Slot& slot) { in_use_ += slot.queue.size() == 1; }
  void became_free(const Slot& slot) { in_use_ -= slot.queue.is_empty(); }

  Rules rules_;
  SlotId first_;
  std::vector<Slot> slots_;
  Rng rng_;
  Requests& requests_;
  Transport& transport_;
  Grants& grants_;
  // Open slots with room, and those without a connection yet. Every one of them
  // is there, once; entries may be out of date.
  Ring<SlotId> idle_;
  Ring<SlotId> fresh_;
  Ring<RequestId> waiters_;
  std::vector<RequestId> resubmitted_;
  uint32_t turn_ = 0;
  uint32_t untried_;
  uint32_t next_open_ = 0;
  uint32_t in_use_ = 0;
  uint32_t down_ = 0;
  int64_t next_request_sweep_ns_ = 0;
  PoolCounters counters_;
};

inline void SlotPool::take(SlotId id, std::span<RequestId> places) {
  Slot& slot = at(id);
  assert(!places.empty() && slot.on_wire >= places.size());
  slot.has_served = true;
  slot.on_wire -= static_cast<uint32_t>(places.size());
  slot.queue.pop(places);
  became_free(slot);
}

inline RequestId SlotPool::take(SlotId id) {
  RequestId place = kNobody;
  take(id, {&place, 1});
  return place;
}

}  // namespace dyno
