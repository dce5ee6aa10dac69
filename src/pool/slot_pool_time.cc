// SlotPool: what time alone does: waits, time-outs, rests and idle connections.
#include <algorithm>

#include "base/units.hh"
#include "pool/slot_pool.hh"

namespace dyno {
namespace {

// Requests and idle connections are looked at this many times per time-out.
constexpr int64_t kSweepsPerTimeout = 20;

bool is_time_for(int64_t& next_ns, int64_t timeout_ns, int64_t now_ns) {
  if (timeout_ns == kUnlimited || now_ns < next_ns) return false;
  next_ns = now_ns + timeout_ns / kSweepsPerTimeout;
  return true;
}

}  // namespace

void SlotPool::sweep(int64_t now_ns) {
  if (!rules_.is_serial) expire_waiters(now_ns);
  const bool looks_at_requests =
      is_time_for(next_request_sweep_ns_, rules_.request_timeout_ns, now_ns);
  const bool looks_at_idle =
      is_time_for(next_idle_sweep_ns_, rules_.idle_timeout_ns, now_ns);
  if (!looks_at_requests && !looks_at_idle && down_ == 0) return;
  for (SlotId id = first_; id < end(); ++id) {
    const Slot& slot = at(id);
    if (slot.state == State::down && slot.up_at_ns <= now_ns)
      end_rest(id, now_ns);
    if (looks_at_requests && !slot.queue.is_empty())
      expire_requests(id, now_ns);
    if (looks_at_idle) close_if_idle(id, now_ns);
  }
}

int64_t SlotPool::gives_up_at(RequestId request) const {
  if (rules_.wait_ns == kUnlimited) return kUnlimited;
  return requests_[request].asked_ns + rules_.wait_ns;
}

// All waits are equally long, so the queue is in the order of its deadlines.
void SlotPool::expire_waiters(int64_t now_ns) {
  while (!waiters_.is_empty() && gives_up_at(waiters_.front().id) <= now_ns)
    grants_.expired(waiters_.pop().id, now_ns);
}

bool SlotPool::has_expired(const Slot& slot, size_t place,
                           int64_t now_ns) const {
  if (is_late(slot.queue[place])) return false;
  const Request& request = requests_[slot.queue[place]];
  const int64_t oldest_ns = now_ns - rules_.request_timeout_ns;
  switch (rules_.budget) {
    case Budget::separate:
      return slot.state == State::open &&
             std::max(request.granted_ns, slot.opened_ns) <= oldest_ns;
    case Budget::shared:
      return request.asked_ns <= oldest_ns;
    case Budget::active_only:
      return place < slot.on_wire && request.sent_ns <= oldest_ns;
  }
  return false;
}

void SlotPool::expire_requests(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  bool is_hit = false;
  for (size_t i = 0; i < slot.queue.size(); ++i) {
    if (!has_expired(slot, i, now_ns)) continue;
    is_hit = true;
    const RequestId request = forsake(slot, i);
    if (rules_.on_timeout != OnTimeout::abandon_id) give_back(id, now_ns);
    grants_.refused(request, Failure::request_timeout, "", now_ns);
  }
  if (!is_hit) return;
  drop_unsent(slot);
  after_timeout(id, now_ns);
}

// The time-out is the request's own where it takes the connection along; the
// ones behind it are its loss.
void SlotPool::after_timeout(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  if (rules_.on_timeout == OnTimeout::abandon_id) return;
  const bool is_for_one = rules_.open == Open::per_request;
  const bool stays = rules_.on_timeout == OnTimeout::abandon;
  if (stays && is_for_one && rules_.leaks) {
    if (slot.state == State::open) slot.state = State::leaked;
    return;
  }
  if (stays && !is_for_one) return make_room(id, now_ns);
  if (slot.state != State::open && slot.state != State::opening) return;
  transport_.close(id);
  Ended ended;
  ended.detail = "a request before it timed out";
  closed(id, ended, now_ns);
}

void SlotPool::end_rest(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  --down_;
  slot.state = State::empty;
  const bool opens_by_itself = rules_.on_close == OnClose::reopen_now ||
                               rules_.on_close == OnClose::fail_fast ||
                               rules_.open == Open::eager;
  if (opens_by_itself || !slot.queue.is_empty()) start_opening(id, now_ns);
  serve_waiters(id, now_ns);
  list(id);
}

void SlotPool::close_if_idle(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  const bool is_idle = slot.state == State::open && slot.queue.is_empty() &&
                       rules_.load(slot) == 0;
  if (!is_idle || now_ns - slot.idle_since_ns < rules_.idle_timeout_ns) return;
  transport_.close(id);
  slot.state = State::empty;
  slot.has_served = false;
  list(id);
}

}  // namespace dyno
