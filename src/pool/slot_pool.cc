#include "pool/slot_pool.hh"

#include <algorithm>

namespace dyno {

void PoolCounters::add(const PoolCounters& other) {
  reconnect += other.reconnect;
  retry += other.retry;
  resubmit += other.resubmit;
  pipelined_discarded += other.pipelined_discarded;
  queue_peak = std::max(queue_peak, other.queue_peak);
}

SlotPool::SlotPool(const Rules& rules, SlotId first, uint32_t size,
                   uint64_t seed, Requests& requests, Transport& transport,
                   Grants& grants)
    : rules_(rules),
      first_(first),
      slots_(size),
      rng_(seed),
      requests_(requests),
      transport_(transport),
      grants_(grants),
      candidates_(rules, size),
      waiters_(requests.size()),
      held_for_(rules.is_serial ? requests.size() : 0, kNoSlot),
      untried_(size) {
  for (SlotId id = first_; id < end(); ++id) list(id);
}

// --- from a request to a slot ----------------------------------------------

Admission SlotPool::submit(RequestId id, int64_t now_ns) {
  Request& request = requests_[id];
  request.asked_ns = now_ns;
  request.is_granted = false;
  request.ticket += request.ticket == UINT32_MAX ? 2 : 1;
  if (!rules_.is_serial) return check_out(id, now_ns);
  ask_owner(id, now_ns);
  return {Admission::waiting, {}};
}

Admission SlotPool::check_out(RequestId id, int64_t now_ns) {
  SlotId slot = 0;
  if (choose(requests_[id], slot)) return offer(slot, id, now_ns);
  if (rules_.full == Full::wait) return enqueue({id, requests_[id].ticket});
  return {Admission::failed, rules_.full_kind};
}

bool SlotPool::choose(const Request& request, SlotId& slot) {
  if (rules_.draws()) {
    slot = draw(request);
    for (uint32_t i = 0; i < rules_.down_tries; ++i)
      if (at(slot).state == State::down) slot = draw(request);
    return true;
  }
  uint32_t index = 0;
  if (!candidates_.take(slots_, index)) return false;
  slot = first_ + index;
  return true;
}

SlotId SlotPool::draw(const Request& request) {
  switch (rules_.select) {
    case Select::random:
      return first_ + rng_.below(size());
    case Select::round_robin:
      return first_ + turn_++ % size();
    default:
      return request.home;
  }
}

Admission SlotPool::offer(SlotId id, RequestId request, int64_t now_ns) {
  const Slot& slot = at(id);
  if (slot.state == State::down && rules_.on_close == OnClose::fail_fast)
    return {Admission::failed, Failure::no_connection};
  if (!rules_.has_room(slot) || slot.state == State::leaked)
    return {Admission::failed, rules_.full_kind};
  return grant(id, request, now_ns);
}

// The slot is the request's, for better or worse.
Admission SlotPool::grant(SlotId id, RequestId request, int64_t now_ns) {
  Slot& slot = at(id);
  const bool is_stale = slot.state == State::stale;
  const bool is_late =
      rules_.budget == Budget::shared &&
      rules_.request_timeout_ns != kUnlimited &&
      now_ns - requests_[request].asked_ns >= rules_.request_timeout_ns;
  if (!is_stale && !is_late) {
    admit(id, request, now_ns);
    return {};
  }
  if (is_stale) slot.state = State::empty;
  give_back(id, now_ns);
  list(id);
  return {Admission::failed,
          is_late ? Failure::budget_exhausted : Failure::closed};
}

Admission SlotPool::enqueue(Waiters::Entry entry) {
  if (static_cast<int64_t>(waiters_.size()) >= rules_.queue_limit)
    return {Admission::failed, Failure::queue_full};
  waiters_.push(entry);
  counters_.queue_peak =
      std::max(counters_.queue_peak, static_cast<int64_t>(waiters_.size()));
  return {Admission::waiting, {}};
}

void SlotPool::admit(SlotId id, RequestId request, int64_t now_ns) {
  Slot& slot = at(id);
  requests_[request].granted_ns = now_ns;
  requests_[request].slot = id;
  requests_[request].is_granted = true;
  slot.queue.push(request);
  became_busy(slot);
  if (slot.state == State::open) pump(id, now_ns);
  if (slot.state == State::empty) start_opening(id, now_ns);
  list(id);
}

// Puts what the slot's queue holds on the wire, up to the depth.
void SlotPool::pump(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  const auto wanted = static_cast<uint32_t>(std::min<uint64_t>(
      slot.queue.size(), rules_.depth + rules_.forgotten(slot)));
  if (wanted <= slot.on_wire) return;
  for (uint32_t i = slot.on_wire; i < wanted; ++i)
    requests_[slot.queue[i]].sent_ns = now_ns;
  transport_.send(id, wanted - slot.on_wire);
  slot.on_wire = wanted;
}

// --- from an answer to the next request ------------------------------------

// For each of them the same as offer(), where that ends on the wire.
bool SlotPool::submit_home(SlotId id, std::span<const RequestId> requests,
                           int64_t now_ns) {
  Slot& slot = at(id);
  const bool is_simple =
      rules_.select == Select::own && !rules_.is_serial &&
      slot.state == State::open && slot.queue.size() == slot.on_wire &&
      slot.on_wire + requests.size() <= rules_.depth && !requests.empty();
  if (!is_simple) return false;
  in_use_ += slot.queue.is_empty();
  for (const RequestId request : requests) {
    Request& granted = requests_[request];
    granted.asked_ns = granted.granted_ns = granted.sent_ns = now_ns;
    granted.slot = id;
    granted.is_granted = true;
    slot.queue.push(request);
  }
  const auto count = static_cast<uint32_t>(requests.size());
  transport_.send(id, count);
  slot.on_wire += count;
  return true;
}

void SlotPool::release(SlotId id, int64_t now_ns) {
  at(id).idle_since_ns = now_ns;
  if (rules_.is_serial) give_back_taken(id, now_ns);
  if (rules_.open == Open::per_request)
    end_connection(id, now_ns);
  else
    pump(id, now_ns);
  serve_waiters(id, now_ns);
  list(id);
}

// It was for one request.
void SlotPool::end_connection(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  if (rules_.leaks) {
    slot.state = State::leaked;
    return;
  }
  transport_.close(id);
  slot.state = State::empty;
  slot.has_served = false;
  if (!slot.queue.is_empty()) start_opening(id, now_ns);
}

void SlotPool::abandon(RequestId request, int64_t now_ns) {
  const SlotId id = requests_[request].slot;
  Slot& slot = at(id);
  for (size_t i = 0; i < slot.queue.size(); ++i)
    if (slot.queue[i] == request) {
      forsake(slot, i);
      break;
    }
  drop_unsent(slot);
  give_back(id, now_ns);
  make_room(id, now_ns);
}

// The request is over for its caller; its place waits for the answer, unless
// drop_unsent() finds that it was never sent.
RequestId SlotPool::forsake(Slot& slot, size_t place) {
  const RequestId request = slot.queue[place];
  slot.queue[place] = request | kLate;
  ++slot.late;
  requests_[request].is_granted = false;
  return request;
}

void SlotPool::drop_unsent(Slot& slot) {
  const size_t queued = slot.queue.size();
  if (slot.late == 0 || queued == slot.on_wire) return;
  for (size_t i = 0; i < queued; ++i) {
    const RequestId place = slot.queue.pop();
    if (is_late(place) && i >= slot.on_wire)
      --slot.late;
    else
      slot.queue.push(place);
  }
  became_free(slot);
}

// The slot may have got room.
void SlotPool::make_room(SlotId id, int64_t now_ns) {
  if (at(id).state == State::open) pump(id, now_ns);
  serve_waiters(id, now_ns);
  list(id);
}

void SlotPool::serve_waiters(SlotId id, int64_t now_ns) {
  const Slot& slot = at(id);
  while (!waiters_.is_empty() && slot.can_serve() && rules_.has_room(slot)) {
    const Waiters::Entry who = waiters_.pop();
    if (has_gone(who)) {
      if (rules_.cancels_eagerly) hold(id, who.id);
      continue;
    }
    if (!rules_.is_serial && gives_up_at(who.id) <= now_ns) {
      grants_.expired(who.id, now_ns);
      continue;
    }
    const Admission admission = grant(id, who.id, now_ns);
    if (admission.what == Admission::failed)
      grants_.refused(who.id, admission.kind, {}, now_ns);
    else
      grants_.granted(who.id, now_ns);
  }
}

}  // namespace dyno
