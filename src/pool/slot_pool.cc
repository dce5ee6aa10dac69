#include "pool/slot_pool.hh"

#include <algorithm>
#include <cassert>
#include <utility>

namespace dyno {
namespace {

// Requests are looked at for time-outs this many times per time-out.
constexpr int64_t kSweepsPerTimeout = 20;

// What the requests behind the one that was hit fail with.
Failure behind(const Ended& ended) {
  return ended.kind == Failure::reset ? Failure::reset : Failure::closed;
}

}  // namespace

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
      untried_(size) {
  for (uint32_t i = 0; i < size; ++i) list(first_ + i);
}

// --- from a request to a slot ----------------------------------------------

Admission SlotPool::submit(RequestId id, int64_t now_ns) {
  SlotId slot = 0;
  if (!selects_idle()) return offer(draw(requests_[id]), id, now_ns);
  if (take_idle(slot)) return offer(slot, id, now_ns);
  if (rules_.full == Full::fail) return {Admission::failed, rules_.full_kind};
  return enqueue(id, now_ns);
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

// The open slot that the discipline prefers, else an empty one. Entries whose
// slot has changed since it was listed are dropped on the way.
bool SlotPool::take_idle(SlotId& slot) {
  while (!idle_.is_empty()) {
    slot = rules_.select == Select::idle_lifo ? idle_.pop_back() : idle_.pop();
    at(slot).is_in_idle = false;
    if (at(slot).state == State::open && has_room(at(slot))) return true;
  }
  while (!fresh_.is_empty()) {
    slot = fresh_.pop();
    at(slot).is_in_fresh = false;
    const State state = at(slot).state;
    const bool is_fresh = state == State::empty || state == State::opening;
    if (is_fresh && has_room(at(slot))) return true;
  }
  return false;
}

Admission SlotPool::offer(SlotId id, RequestId request, int64_t now_ns) {
  Slot& slot = at(id);
  if (slot.state == State::down && rules_.on_close == OnClose::fail_fast)
    return {Admission::failed, Failure::no_connection};
  if (!has_room(slot)) return {Admission::failed, rules_.full_kind};
  admit(id, request, now_ns);
  return {};
}

Admission SlotPool::enqueue(RequestId request, int64_t now_ns) {
  if (static_cast<int64_t>(waiters_.size()) >= rules_.queue_limit)
    return {Admission::failed, Failure::queue_full};
  requests_[request].deadline_ns =
      rules_.wait_ns == kUnlimited ? kUnlimited : now_ns + rules_.wait_ns;
  waiters_.push(request);
  counters_.queue_peak =
      std::max(counters_.queue_peak, static_cast<int64_t>(waiters_.size()));
  return {Admission::waiting, {}};
}

void SlotPool::admit(SlotId id, RequestId request, int64_t now_ns) {
  Slot& slot = at(id);
  requests_[request].granted_ns = now_ns;
  slot.queue.push(request);
  became_busy(slot);
  if (slot.state == State::open) pump(id, now_ns);
  if (slot.state == State::empty) start_opening(id, now_ns);
  list(id);
}

// Puts what the slot's queue holds on the wire, up to the depth.
void SlotPool::pump(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  const auto wanted = static_cast<uint32_t>(
      std::min<uint64_t>(slot.queue.size(), rules_.depth));
  if (wanted <= slot.on_wire) return;
  for (uint32_t i = slot.on_wire; i < wanted; ++i)
    requests_[slot.queue[i]].sent_ns = now_ns;
  transport_.send(id, wanted - slot.on_wire);
  slot.on_wire = wanted;
}

// Makes a slot that has room known to the idle disciplines.
void SlotPool::list(SlotId id) {
  Slot& slot = at(id);
  if (!selects_idle() || !has_room(slot) || slot.state == State::down) return;
  const bool is_open = slot.state == State::open;
  bool& is_listed = is_open ? slot.is_in_idle : slot.is_in_fresh;
  if (is_listed) return;
  is_listed = true;
  (is_open ? idle_ : fresh_).push(id);
}

// --- from an answer to the next request ------------------------------------

// For each of them the same as offer(), where that ends on the wire.
bool SlotPool::submit_home(SlotId id, std::span<const RequestId> requests,
                            int64_t now_ns) {
  Slot& slot = at(id);
  const bool is_simple =
      rules_.select == Select::own && slot.state == State::open &&
      slot.queue.size() == slot.on_wire &&
      slot.on_wire + requests.size() <= rules_.depth && !requests.empty();
  if (!is_simple) return false;
  in_use_ += slot.queue.is_empty();
  for (const RequestId request : requests) {
    requests_[request].granted_ns = requests_[request].sent_ns = now_ns;
    slot.queue.push(request);
  }
  const auto count = static_cast<uint32_t>(requests.size());
  transport_.send(id, count);
  slot.on_wire += count;
  return true;
}

void SlotPool::release(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  if (rules_.open == Open::per_request) {
    transport_.close(id);
    slot.state = State::empty;
    slot.has_served = false;
    if (!slot.queue.is_empty()) start_opening(id, now_ns);
  } else {
    pump(id, now_ns);
  }
  serve_waiters(id, now_ns);
  list(id);
}

void SlotPool::serve_waiters(SlotId id, int64_t now_ns) {
  while (!waiters_.is_empty() && has_room(at(id)) &&
         at(id).state != State::down) {
    const RequestId request = waiters_.pop();
    if (requests_[request].deadline_ns <= now_ns) {
      grants_.expired(request, now_ns);
      continue;
    }
    admit(id, request, now_ns);
    grants_.granted(request, now_ns);
  }
}

// --- connections -----------------------------------------------------------

uint32_t SlotPool::open_some(uint32_t count, int64_t now_ns) {
  uint32_t started = 0;
  while (started < count && next_open_ < size()) {
    const SlotId id = first_ + next_open_++;
    if (at(id).state != State::empty) continue;
    start_opening(id, now_ns);
    ++started;
  }
  return started;
}

void SlotPool::start_opening(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  counters_.reconnect += slot.had_connection;
  slot.state = State::opening;
  transport_.open(id, now_ns);
}

void SlotPool::opened(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  untried_ -= !slot.was_tried;
  slot.was_tried = slot.had_connection = true;
  slot.state = State::open;
  slot.has_served = false;
  slot.on_wire = 0;
  slot.backoff_ns = 0;
  pump(id, now_ns);
  serve_waiters(id, now_ns);
  list(id);
}

void SlotPool::dial_failed(SlotId id, Failure kind, std::string_view detail,
                           int64_t now_ns) {
  Slot& slot = at(id);
  untried_ -= !slot.was_tried;
  slot.was_tried = true;
  rest(id, grown_backoff(slot), now_ns);
  refuse_all(id, kind, detail, now_ns);
}

// Fail-fast disciplines grow by U(0, current/2), the others double.
int64_t SlotPool::grown_backoff(Slot& slot) {
  const int64_t last = slot.backoff_ns;
  if (rules_.on_close == OnClose::fail_fast) {
    const int64_t base = last > 0 ? last : rules_.backoff_ns;
    const double grown = static_cast<double>(base) * (1 + rng_.real() / 2);
    slot.backoff_ns =
        std::min(static_cast<int64_t>(grown), rules_.backoff_max_ns);
  } else {
    const int64_t doubled = last > 0 ? last * 2 : rules_.connect_backoff_ns;
    slot.backoff_ns = std::min(doubled, rules_.connect_backoff_max_ns);
  }
  return slot.backoff_ns;
}

void SlotPool::rest(SlotId id, int64_t backoff_ns, int64_t now_ns) {
  Slot& slot = at(id);
  slot.state = State::down;
  slot.up_at_ns = now_ns + backoff_ns;
  ++down_;
}

void SlotPool::end_rest(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  --down_;
  slot.state = State::empty;
  const bool opens_by_itself =
      rules_.on_close != OnClose::honour || rules_.open == Open::eager;
  if (opens_by_itself || !slot.queue.is_empty()) start_opening(id, now_ns);
  serve_waiters(id, now_ns);
  list(id);
}

void SlotPool::refuse_all(SlotId id, Failure kind, std::string_view detail,
                          int64_t now_ns) {
  Slot& slot = at(id);
  slot.on_wire = 0;
  while (!slot.queue.is_empty()) {
    const RequestId request = slot.queue.pop();
    became_free(slot);
    if (request != kNobody) grants_.refused(request, kind, detail, now_ns);
  }
}

void SlotPool::closed(SlotId id, const Ended& ended, int64_t now_ns) {
  at(id).state = State::empty;
  settle_pending(id, ended, now_ns);
  after_close(id, now_ns);
  at(id).has_served = false;
  std::vector<RequestId> again;
  again.swap(resubmitted_);
  for (const RequestId request : again) {
    const Admission admission = submit(request, now_ns);
    if (admission.what == Admission::failed)
      grants_.refused(request, admission.kind, ended.detail, now_ns);
  }
}

// What becomes of the requests that the connection took with it.
void SlotPool::settle_pending(SlotId id, const Ended& ended, int64_t now_ns) {
  Slot& slot = at(id);
  const uint32_t on_wire = std::exchange(slot.on_wire, 0);
  const size_t queued = slot.queue.size();
  for (size_t i = 0; i < queued; ++i) {
    const RequestId request = slot.queue.pop();
    if (i >= on_wire) {
      slot.queue.push(request);  // it had not been sent yet
    } else if (request != kNobody) {
      const bool is_cut = ended.in_answer && i == 0;
      if (is_cut || !sends_again(slot, request, ended, i))
        grants_.refused(request, is_cut ? ended.kind : behind(ended),
                        ended.detail, now_ns);
    }
  }
  if (queued > 0) became_free(slot);
}

// A request that got no byte of an answer: back into the slot's queue or to the
// pool, if the discipline does that. `place` 0 was the oldest on the wire.
bool SlotPool::sends_again(Slot& slot, RequestId request, const Ended& ended,
                           size_t place) {
  if (place > 0 || ended.announced) ++counters_.pipelined_discarded;
  Request& again = requests_[request];
  switch (rules_.pending) {
    case Pending::fail:
      return false;
    case Pending::resubmit:
      // A server that accepts and closes would be asked for ever.
      if (place == 0 && !ended.announced && !slot.has_served) return false;
      ++counters_.resubmit;
      resubmitted_.push_back(request);
      return true;
    case Pending::retry:
      break;
  }
  // Behind an announced close nothing was processed (RFC 9112 section 9.6): to
  // send that again is no attempt at something that failed.
  const bool may = ended.announced || again.retries < rules_.retry_closed;
  if (!slot.has_served || !may) return false;
  again.retries += !ended.announced;
  ++counters_.retry;
  // A slot that fails fast keeps nothing for its next connection.
  if (rules_.on_close == OnClose::fail_fast)
    resubmitted_.push_back(request);
  else
    slot.queue.push(request);
  return true;
}

void SlotPool::after_close(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  if (rules_.on_close == OnClose::fail_fast) {
    slot.backoff_ns = 0;
    rest(id, grown_backoff(slot), now_ns);
    refuse_all(id, Failure::no_connection, "its connection was closed", now_ns);
    return;
  }
  const bool opens_by_itself = rules_.on_close == OnClose::reopen_now;
  // One that never answered is no better than a failed dial.
  if (opens_by_itself && !slot.has_served)
    return rest(id, grown_backoff(slot), now_ns);
  if (opens_by_itself || !slot.queue.is_empty()) start_opening(id, now_ns);
  serve_waiters(id, now_ns);
  list(id);
}

// --- time ------------------------------------------------------------------

void SlotPool::sweep(int64_t now_ns) {
  expire_waiters(now_ns);
  const bool looks_at_requests = now_ns >= next_request_sweep_ns_ &&
                                 rules_.request_timeout_ns != kUnlimited;
  if (looks_at_requests)
    next_request_sweep_ns_ =
        now_ns + rules_.request_timeout_ns / kSweepsPerTimeout;
  if (!looks_at_requests && down_ == 0) return;
  for (SlotId id = first_; id < first_ + size(); ++id) {
    const Slot& slot = at(id);
    if (slot.state == State::down && slot.up_at_ns <= now_ns)
      end_rest(id, now_ns);
    if (looks_at_requests && slot.on_wire > 0) expire_requests(id, now_ns);
  }
}

// All waits are equally long, so the queue is in the order of its deadlines.
void SlotPool::expire_waiters(int64_t now_ns) {
  while (!waiters_.is_empty() &&
         requests_[waiters_.front()].deadline_ns <= now_ns)
    grants_.expired(waiters_.pop(), now_ns);
}

// Those that are overdue are at the front. Theirs is the time-out also where it
// takes the connection along; the ones behind them are its loss.
void SlotPool::expire_requests(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  const int64_t oldest_ns = now_ns - rules_.request_timeout_ns;
  bool has_expired = false;
  for (uint32_t i = 0; i < slot.on_wire; ++i) {
    RequestId& place = slot.queue[i];
    if (place == kNobody) continue;
    if (requests_[place].sent_ns > oldest_ns) break;
    has_expired = true;
    const RequestId request = std::exchange(place, kNobody);
    grants_.refused(request, Failure::request_timeout, "", now_ns);
  }
  if (!has_expired || rules_.on_timeout != OnTimeout::close) return;
  transport_.close(id);
  Ended ended;
  ended.detail = "a request before it timed out";
  closed(id, ended, now_ns);
}

}  // namespace dyno
