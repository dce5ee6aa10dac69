// SlotPool: one pool of slots under one discipline. It decides which slot a
// request gets, who waits, who fails, and what a slot does after its connection
// ended. It knows no socket and no engine: bytes go through Transport, news
// come in as calls, time is an argument. One per shard, its worker's thread
// only.
//
// In slot_pool.cc: from a request to a slot, and from an answer to the next
// request. In slot_pool_close.cc: dials and closes. In slot_pool_time.cc:
// time-outs and rests. In slot_pool_owner.cc: the messages of a serial owner.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/rng.hh"
#include "engine/transport.hh"
#include "pool/candidates.hh"
#include "pool/grants.hh"
#include "pool/owner.hh"
#include "pool/request.hh"
#include "pool/rules.hh"
#include "pool/slot.hh"
#include "pool/waiters.hh"

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

  // Answers came for a slot: take() once for each, in order; it gives the place
  // of the request, is_late() where that was over. Then release() or closed().
  RequestId take(SlotId slot);
  void take(SlotId slot, std::span<RequestId> places);  // one or more at once
  void release(SlotId slot, int64_t now_ns);
  // submit() for requests that came from this slot, all at once: the short way
  // where each has a connection of its own. False: nothing was done.
  bool submit_home(SlotId slot, std::span<const RequestId> requests,
                   int64_t now_ns);
  // True from the second answer on a connection on.
  bool was_used(SlotId slot) const { return at(slot).has_served; }
  // A granted request has its answer from elsewhere (pool.correlate=none); its
  // place stays until its own answer comes.
  void abandon(RequestId id, int64_t now_ns);

  void opened(SlotId slot, int64_t now_ns);
  void dial_failed(SlotId slot, Failure kind, std::string_view detail,
                   int64_t now_ns);
  void closed(SlotId slot, const Ended& ended, int64_t now_ns);

  // Ends waits and requests that have lasted too long, and slots' rests.
  void sweep(int64_t now_ns);
  // What a serial owner has done until now; to be called again at
  // next_due_ns() at the latest, which is kUnlimited without such an owner.
  void advance(int64_t now_ns);
  int64_t next_due_ns() const;

  // Starts up to `count` connections that do not exist yet; how many it did.
  uint32_t open_some(uint32_t count, int64_t now_ns);
  // Slots that have never been dialed to an end.
  uint32_t untried() const { return untried_; }
  uint32_t size() const { return static_cast<uint32_t>(slots_.size()); }

  const PoolCounters& counters() const { return counters_; }
  uint32_t in_use() const { return in_use_; }

 private:
  using State = SlotState;

  Slot& at(SlotId slot) { return slots_[slot - first_]; }
  const Slot& at(SlotId slot) const { return slots_[slot - first_]; }
  SlotId end() const { return first_ + size(); }

  // slot_pool.cc
  Admission check_out(RequestId request, int64_t now_ns);
  bool choose(const Request& request, SlotId& slot);
  SlotId draw(const Request& request);
  Admission offer(SlotId id, RequestId request, int64_t now_ns);
  Admission grant(SlotId id, RequestId request, int64_t now_ns);
  Admission enqueue(Waiters::Entry entry);
  void admit(SlotId id, RequestId request, int64_t now_ns);
  void pump(SlotId id, int64_t now_ns);
  void end_connection(SlotId id, int64_t now_ns);
  RequestId forsake(Slot& slot, size_t place);
  void drop_unsent(Slot& slot);
  void make_room(SlotId id, int64_t now_ns);
  void serve_waiters(SlotId id, int64_t now_ns);
  void list(SlotId id) { candidates_.update(slots_, id - first_); }

  // slot_pool_close.cc
  void start_opening(SlotId id, int64_t now_ns);
  int64_t grown_backoff(Slot& slot);
  void rest(SlotId id, int64_t backoff_ns, int64_t now_ns);
  void refuse(SlotId id, RequestId request, Failure kind,
              std::string_view detail, int64_t now_ns);
  void refuse_all(SlotId id, Failure kind, std::string_view detail,
                  int64_t now_ns);
  void settle_pending(SlotId id, const Ended& ended, int64_t now_ns);
  void keep_unsent(SlotId id, RequestId request, int64_t now_ns);
  void go_back(SlotId id, RequestId request, int64_t now_ns);
  bool sends_again(SlotId id, RequestId request, const Ended& ended,
                   size_t place, int64_t now_ns);
  bool may_retry(const Slot& slot, const Request& request, const Ended& ended,
                 int64_t now_ns) const;
  void after_close(SlotId id, int64_t now_ns);
  void submit_again(std::string_view detail, int64_t now_ns);

  // slot_pool_time.cc
  int64_t gives_up_at(RequestId request) const;
  void expire_waiters(int64_t now_ns);
  bool has_expired(const Slot& slot, size_t place, int64_t now_ns) const;
  void expire_requests(SlotId id, int64_t now_ns);
  void after_timeout(SlotId id, int64_t now_ns);
  void end_rest(SlotId id, int64_t now_ns);
  void close_if_idle(SlotId id, int64_t now_ns);

  // slot_pool_owner.cc
  void ask_owner(RequestId id, int64_t now_ns);
  bool has_gone(Waiters::Entry who) const;
  void expire_patience(int64_t now_ns);
  void give_back(SlotId id, int64_t now_ns);
  void give_back_taken(SlotId id, int64_t now_ns);
  void post(Message message, int64_t now_ns);
  void take_message();
  int64_t cost_of(const Message& message) const;
  void handle(const Message& message, int64_t now_ns);
  void handle_checkout(Waiters::Entry who, int64_t now_ns);
  void handle_cancel(Waiters::Entry who, int64_t now_ns);
  void hold(SlotId id, RequestId request);
  void returned(SlotId id, int64_t now_ns);

  void became_busy(const Slot& slot) { in_use_ += slot.queue.size() == 1; }
  void became_free(const Slot& slot) { in_use_ -= slot.queue.is_empty(); }

  const Rules rules_;
  const SlotId first_;
  std::vector<Slot> slots_;
  Rng rng_;
  Requests& requests_;
  Transport& transport_;
  Grants& grants_;
  Candidates candidates_;
  Waiters waiters_;
  std::vector<RequestId> resubmitted_;
  Owner owner_;
  Patience patience_;             // of those that ask a serial owner
  std::vector<SlotId> held_for_;  // slots given to callers that had gone
  uint32_t turn_ = 0;
  uint32_t connections_ = 0;  // dialed so far
  uint32_t untried_;
  uint32_t next_open_ = 0;
  uint32_t in_use_ = 0;
  uint32_t down_ = 0;
  int64_t next_request_sweep_ns_ = 0;
  int64_t next_idle_sweep_ns_ = 0;
  PoolCounters counters_;
};

inline void SlotPool::take(SlotId id, std::span<RequestId> places) {
  Slot& slot = at(id);
  assert(!places.empty() && slot.on_wire >= places.size());
  slot.has_served = true;
  slot.backoff_ns = 0;
  slot.on_wire -= static_cast<uint32_t>(places.size());
  slot.queue.pop(places);
  became_free(slot);
  if (slot.late == 0 && !rules_.is_serial) return;
  for (const RequestId place : places)
    if (is_late(place))
      --slot.late;
    else
      slot.taken += rules_.is_serial;
}

inline RequestId SlotPool::take(SlotId id) {
  RequestId place = kLate;
  take(id, {&place, 1});
  return place;
}

}  // namespace dyno
