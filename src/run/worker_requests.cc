// The way of a request: from its caller to a pool, and from the transport's or
// the pool's word back to its caller.
#include <algorithm>

#include "run/worker.hh"

namespace dyno {

// Callers that are ready now get their turn; those that fail at once come back
// to the end of the queue and wait until the sockets have been looked at.
void Worker::start_callers(int64_t now_ns) {
  load_.wake(now_ns);
  for (size_t left = load_.ready_count(); left > 0; --left)
    start(load_.next(), now_ns);
}

// Open loop: what is due by now gets the places of those that are not out.
void Worker::start_due(int64_t now_ns) {
  load_.wake(now_ns);
  while (arrivals_.is_due(now_ns) && !load_.is_spent()) {
    if (load_.ready_count() == 0) {
      blocked_until_ns_ = now_ns;
      return;
    }
    (void)load_.take();
    const int64_t intended_ns = arrivals_.take();
    if (intended_ns <= blocked_until_ns_)
      ++recorder_.counts.blocked;
    else
      recorder_.paced(now_ns - intended_ns);
    submit(load_.next(), intended_ns, now_ns);
  }
}

void Worker::count_unsent(int64_t now_ns) {
  if (!arrivals_.is_on() || load_.is_spent()) return;
  recorder_.counts.unsent = load_.within_budget(arrivals_.skip_until(now_ns));
}

void Worker::start(RequestId caller, int64_t now_ns) {
  if (phases_.now() == Phase::draining || arrivals_.is_on())
    return load_.ready(caller);
  if (!load_.take()) return;
  submit(caller, now_ns, now_ns);
}

void Worker::begin(Request& request, int64_t intended_ns, int64_t now_ns) {
  request.intended_ns = intended_ns;
  request.submitted_ns = now_ns;
  request.retries = request.waits = 0;
  request.is_out = true;
}

void Worker::issued(size_t requests) {
  out_ += static_cast<uint32_t>(requests);
  recorder_.counts.issued += static_cast<int64_t>(requests);
}

void Worker::submit(RequestId caller, int64_t intended_ns, int64_t now_ns) {
  begin(requests_[caller], intended_ns, now_ns);
  issued(1);
  ask_pool(caller, now_ns);
}

void Worker::ask_pool(RequestId id, int64_t now_ns) {
  Request& request = requests_[id];
  const Admission admission = draw_pool(request).submit(id, now_ns);
  if (admission.what == Admission::failed)
    failed(id, admission.kind, {}, now_ns);
  else if (admission.what == Admission::granted && request.mail > 0)
    mailed_.push_back(id);
}

// What the pools did since the last turn, and what they could not be asked from
// inside their own calls.
void Worker::advance_pools(int64_t now_ns) {
  if (has_owners_)
    for (SlotPool& pool : pools_) pool.advance(now_ns);
  if (!again_.empty()) ask_again(now_ns);
  if (!mailed_.empty()) deliver_mail(now_ns);
}

void Worker::ask_again(int64_t now_ns) {
  std::vector<RequestId> again;
  again.swap(again_);
  for (const RequestId request : again) ask_pool(request, now_ns);
}

SlotPool& Worker::draw_pool(const Request& request) {
  if (pools_.size() == 1) return pools_.front();
  if (config_.select == Select::own) return pool_of(request.home);
  const auto count = static_cast<uint32_t>(pools_.size());
  return pools_[config_.shard == Shard::random ? rng_.below(count)
                                               : shard_turn_++ % count];
}

// --- what the transport tells ------------------------------------------------

void Worker::done(SlotId slot, std::span<const Answer> answers,
                  const Ended* ended, int64_t now_ns) {
  SlotPool& pool = pool_of(slot);
  freed_.clear();
  for (const Answer& answer : answers) take_answers(pool, slot, answer, now_ns);
  if (ended != nullptr)
    pool.closed(slot, *ended, now_ns);
  else
    pool.release(slot, now_ns);
  if (phases_.now() == Phase::stopped) return;
  if (starts_again(pool, slot, now_ns)) return;
  for (const RequestId caller : freed_) start(caller, now_ns);
}

// The callers whose answers came, all at once.
bool Worker::starts_again(SlotPool& pool, SlotId slot, int64_t now_ns) {
  const size_t count = freed_.size();
  if (!phases_.is_loading() || !load_.has(count) || arrivals_.is_on())
    return false;
  if (!pool.submit_home(slot, freed_, now_ns)) return false;
  load_.take(count);
  issued(count);
  for (const RequestId caller : freed_)
    begin(requests_[caller], now_ns, now_ns);
  return true;
}

void Worker::take_answers(SlotPool& pool, SlotId slot, const Answer& answer,
                          int64_t now_ns) {
  int64_t reused = pool.was_used(slot) ? 0 : -1;
  int64_t completed = 0;
  taken_.resize(answer.count);
  pool.take(slot, taken_);
  for (const RequestId id : taken_) {
    if (is_late(id)) {
      put_in_mail(caller_of(id), answer);
      continue;
    }
    requests_[id].is_out = false;
    complete(requests_[id], answer.first_byte_ns, now_ns);
    ++completed;
    freed_.push_back(id);
  }
  out_ -= static_cast<uint32_t>(completed);
  Counters& counts = recorder_.counts;
  counts.completed += completed;
  counts.late_reply += answer.count - completed;
  counts.reused += std::max<int64_t>(completed + reused, 0);
  counts.status[answer.status] += completed;
  counts.bytes_body += completed * static_cast<int64_t>(answer.body_bytes);
  saw_own_server_ |= answer.own_server;
}

void Worker::complete(const Request& request, int64_t first_byte_ns,
                      int64_t now_ns) {
  recorder_.complete({request.intended_ns, request.submitted_ns,
                      request.granted_ns, request.sent_ns,
                      std::max(first_byte_ns, request.sent_ns), now_ns});
}

// A reply without an id goes to its caller, whatever that waits for by then.
void Worker::put_in_mail(RequestId caller, const Answer& answer) {
  if (config_.correlate != Correlate::none) return;
  Request& request = requests_[caller];
  ++request.mail;
  request.mail_status = answer.status;
  mailed_.push_back(caller);
}

void Worker::deliver_mail(int64_t now_ns) {
  std::vector<RequestId> mailed;
  mailed.swap(mailed_);
  for (const RequestId id : mailed) {
    Request& request = requests_[id];
    if (request.mail == 0 || !request.is_out || !request.is_granted) continue;
    --request.mail;
    pool_of(request.slot).abandon(id, now_ns);
    if (config_.verify_id)
      failed(id, Failure::misdelivered,
             "the late answer to an earlier request of the same caller",
             now_ns);
    else
      take_mail(id, now_ns);
  }
}

void Worker::take_mail(RequestId id, int64_t now_ns) {
  Request& request = requests_[id];
  request.is_out = false;
  --out_;
  // Its own request may not have been sent yet.
  request.sent_ns = std::max(request.sent_ns, request.granted_ns);
  complete(request, now_ns, now_ns);
  ++recorder_.counts.completed;
  ++recorder_.counts.misdelivered;
  ++recorder_.counts.status[request.mail_status];
  load_.ready(id);
}

void Worker::closed(SlotId slot, const Ended& ended, int64_t now_ns) {
  pool_of(slot).closed(slot, ended, now_ns);
}

// --- what the pools tell -----------------------------------------------------

void Worker::granted(RequestId request, int64_t) {
  if (requests_[request].mail > 0) mailed_.push_back(request);
}

void Worker::refused(RequestId request, Failure kind, std::string_view detail,
                     int64_t now_ns) {
  failed(request, kind, detail, now_ns);
}

void Worker::expired(RequestId id, int64_t now_ns) {
  Request& request = requests_[id];
  if (request.waits >= config_.retry_wait)
    return failed(id, Failure::pool_timeout, {}, now_ns);
  ++request.waits;
  ++asked_again_;
  again_.push_back(id);
}

void Worker::failed(RequestId request, Failure kind, std::string_view detail,
                    int64_t now_ns) {
  requests_[request].is_out = false;
  --out_;
  recorder_.fail(kind, detail);
  load_.rest(request, now_ns, loop_.charge(Work::failed));
}

}  // namespace dyno
