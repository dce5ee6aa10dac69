// SlotPool: connections that are dialed and that end, and what becomes of the
// requests that they take with them.
#include <algorithm>
#include <utility>

#include "pool/slot_pool.hh"

namespace dyno {
namespace {

// With a budget that includes the wait, a request is sent again only while this
// share of it is left (ibrowse@v4.4.1 src/ibrowse.erl).
constexpr int64_t kLeastPercentLeft = 5;

// What the requests behind the one that was hit fail with.
Failure behind(const Ended& ended) {
  return ended.kind == Failure::reset ? Failure::reset : Failure::closed;
}

}  // namespace

// --- dials -------------------------------------------------------------------

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
  slot.age = ++connections_;
  transport_.open(id, now_ns);
}

void SlotPool::opened(SlotId id, int64_t now_ns) {
  Slot& slot = at(id);
  untried_ -= !slot.was_tried;
  slot.was_tried = slot.had_connection = true;
  slot.state = State::open;
  slot.has_served = false;
  slot.on_wire = 0;
  slot.opened_ns = slot.idle_since_ns = now_ns;
  if (!rules_.has_late_news) slot.backoff_ns = 0;
  make_room(id, now_ns);
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
  list(id);
}

// A request that had its place in the slot fails.
void SlotPool::refuse(SlotId id, RequestId request, Failure kind,
                      std::string_view detail, int64_t now_ns) {
  requests_[request].is_granted = false;
  give_back(id, now_ns);
  grants_.refused(request, kind, detail, now_ns);
}

void SlotPool::refuse_all(SlotId id, Failure kind, std::string_view detail,
                          int64_t now_ns) {
  Slot& slot = at(id);
  slot.on_wire = 0;
  slot.late = 0;
  while (!slot.queue.is_empty()) {
    const RequestId place = slot.queue.pop();
    became_free(slot);
    if (!is_late(place)) refuse(id, place, kind, detail, now_ns);
  }
}

// --- closes ------------------------------------------------------------------

void SlotPool::closed(SlotId id, const Ended& ended, int64_t now_ns) {
  Slot& slot = at(id);
  if (rules_.is_serial) give_back_taken(id, now_ns);
  const bool was_seen = slot.on_wire > slot.late;  // somebody's request failed
  slot.state = State::empty;
  settle_pending(id, ended, now_ns);
  if (rules_.on_close == OnClose::next_use_error && !was_seen &&
      slot.queue.is_empty() && slot.has_served)
    slot.state = State::stale;
  after_close(id, now_ns);
  slot.has_served = false;
  submit_again(ended.detail, now_ns);
}

// What becomes of the requests that the connection took with it.
void SlotPool::settle_pending(SlotId id, const Ended& ended, int64_t now_ns) {
  Slot& slot = at(id);
  const uint32_t on_wire = std::exchange(slot.on_wire, 0);
  const size_t queued = slot.queue.size();
  slot.late = 0;
  for (size_t i = 0; i < queued; ++i) {
    const RequestId place = slot.queue.pop();
    if (is_late(place)) continue;
    if (i >= on_wire) {
      keep_unsent(id, place, now_ns);
      continue;
    }
    const bool is_cut = ended.in_answer && i == 0;
    if (is_cut || !sends_again(id, place, ended, i, now_ns))
      refuse(id, place, is_cut ? ended.kind : behind(ended), ended.detail,
             now_ns);
  }
  if (queued > 0) became_free(slot);
}

// It had not been sent yet: it waits for the slot's next connection, or for
// another slot where those are chosen by load.
void SlotPool::keep_unsent(SlotId id, RequestId request, int64_t now_ns) {
  if (!rules_.selects_by_load()) return at(id).queue.push(request);
  ++counters_.resubmit;
  go_back(id, request, now_ns);
}

// From its slot back to the pool, once the slot is settled.
void SlotPool::go_back(SlotId id, RequestId request, int64_t now_ns) {
  requests_[request].is_granted = false;
  give_back(id, now_ns);
  resubmitted_.push_back(request);
}

// A request that got no byte of an answer: back into the slot's queue or to the
// pool, if the discipline does that. `place` 0 was the oldest on the wire.
bool SlotPool::sends_again(SlotId id, RequestId request, const Ended& ended,
                           size_t place, int64_t now_ns) {
  Slot& slot = at(id);
  if (place > 0 || ended.announced) ++counters_.pipelined_discarded;
  switch (rules_.pending) {
    case Pending::fail:
      return false;
    case Pending::resubmit:
      // A server that accepts and closes would be asked for ever.
      if (place == 0 && !ended.announced && !slot.has_served) return false;
      ++counters_.resubmit;
      go_back(id, request, now_ns);
      return true;
    case Pending::retry:
      break;
  }
  Request& again = requests_[request];
  if (!may_retry(slot, again, ended, now_ns)) return false;
  again.retries += !ended.announced;
  ++counters_.retry;
  // A slot that fails fast keeps nothing for its next connection, and one that
  // is chosen by load is chosen anew.
  if (rules_.on_close == OnClose::fail_fast || rules_.selects_by_load())
    go_back(id, request, now_ns);
  else
    slot.queue.push(request);
  return true;
}

// Behind an announced close nothing was processed (RFC 9112 section 9.6): to
// send that again is no attempt at something that failed.
bool SlotPool::may_retry(const Slot& slot, const Request& request,
                         const Ended& ended, int64_t now_ns) const {
  if (!slot.has_served) return false;
  if (!ended.announced && request.retries >= rules_.retry_closed) return false;
  if (rules_.budget != Budget::shared ||
      rules_.request_timeout_ns == kUnlimited)
    return true;
  const int64_t left_ns = request.asked_ns + rules_.request_timeout_ns - now_ns;
  return left_ns >= rules_.request_timeout_ns / 100 * kLeastPercentLeft;
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

void SlotPool::submit_again(std::string_view detail, int64_t now_ns) {
  std::vector<RequestId> again;
  again.swap(resubmitted_);
  for (const RequestId request : again) {
    const int64_t asked_ns = requests_[request].asked_ns;
    const Admission admission = submit(request, now_ns);
    if (rules_.budget == Budget::shared) requests_[request].asked_ns = asked_ns;
    if (admission.what == Admission::failed)
      grants_.refused(request, admission.kind, detail, now_ns);
  }
}

}  // namespace dyno
