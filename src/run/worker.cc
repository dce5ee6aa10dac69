#include "run/worker.hh"

#include <algorithm>
#include <new>

#include "base/units.hh"
#include "pool/rules.hh"

namespace dyno {
namespace {

// Time-outs, rests and a cancel are looked at this often.
constexpr int64_t kTick = 10 * kMillisecond;

// Ticks are finer where a time-out is so short that 10 ms would show.
int64_t tick_for(const Config& config) {
  const int64_t shortest =
      std::min({config.request_timeout_ns, config.wait_ns,
                config.connect_timeout_ns, config.backoff_ns});
  return std::clamp(shortest / 20, kMillisecond, kTick);
}

}  // namespace

Worker::Worker(const Config& config, const Assignment& assignment, Loop& loop,
               const MakeTransport& make_transport, CellSignals& signals,
               std::function<void()> on_ready)
    : config_(config),
      loop_(loop),
      signals_(signals),
      on_ready_(std::move(on_ready)),
      slots_per_pool_(assignment.slots_per_pool),
      budget_(assignment.budget),
      connect_concurrency_(assignment.connect_concurrency),
      tick_ns_(tick_for(config)),
      phases_(config.warmup_ns, config.duration_ns, config.requests > 0),
      load_(config.error_pause_ns),
      requests_(assignment.homes.size()),
      transport_(make_transport(*this)),
      rng_(assignment.seed) {
  const Rules rules = make_rules(config);
  has_owners_ = rules.is_serial;
  Grants& grants = *this;
  pools_.reserve(assignment.pools);
  for (uint32_t i = 0; i < assignment.pools; ++i)
    pools_.emplace_back(rules, i * slots_per_pool_, slots_per_pool_,
                        rng_.next(), requests_, *transport_, grants);
  for (size_t i = 0; i < requests_.size(); ++i)
    requests_[i].home = assignment.homes[i];
  freed_.reserve(requests_.size());
  taken_.reserve(requests_.size());
}

void Worker::run() {
  born_ns_ = loop_.now_ns();
  try {
    loop_.run(*this);
  } catch (const std::bad_alloc&) {
    abort(Code::memory);
  } catch (...) {
    abort(Code::internal);
  }
}

// What was counted so far stays; nothing here allocates.
void Worker::abort(Code code) {
  status_.code = code;
  phases_.stop();
  ended_ns_ = loop_.now_ns();
  recorder_.counts.abandoned = out_;
  close_all();
  tell_ready();
}

void Worker::start(int64_t start_ns) {
  loop_.post([this, start_ns] { start_here(start_ns); });
}

void Worker::start_here(int64_t start_ns) {
  if (phases_.now() == Phase::stopped) return;
  phases_.start(start_ns);
  begin_load();
}

bool Worker::snapshot(std::function<void(WorkerReport)> deliver) {
  return loop_.post([this, deliver = std::move(deliver)] {
    deliver(make_report(loop_.now_ns()));
  });
}

WorkerReport Worker::report() {
  return make_report(ended_ns_);
}

// --- the turn ----------------------------------------------------------------

int64_t Worker::turn(int64_t now_ns) {
  if (now_ns >= next_tick_ns_) tick(now_ns);
  if (phases_.now() == Phase::opening) check_opening(now_ns);
  advance(now_ns);
  advance_pools(now_ns);
  if (phases_.is_loading()) start_callers(now_ns);
  transport_->flush();
  if (phases_.now() == Phase::measuring && is_used_up()) stop(now_ns);
  return next_turn_ns();
}

int64_t Worker::next_turn_ns() const {
  if (!again_.empty() || !mailed_.empty()) return 0;
  int64_t next_ns = std::min(next_tick_ns_, phases_.next_change_ns());
  if (has_owners_)
    for (const SlotPool& pool : pools_)
      next_ns = std::min(next_ns, pool.next_due_ns());
  if (!phases_.is_loading()) return next_ns;
  if (load_.ready_count() > 0) return 0;
  return std::min(next_ns, load_.next_wake_ns());
}

void Worker::tick(int64_t now_ns) {
  next_tick_ns_ = now_ns + tick_ns_;
  if (signals_.is_canceled->load(std::memory_order_relaxed) ||
      signals_.is_aborted.load(std::memory_order_relaxed)) {
    was_canceled_ = true;
    return stop(now_ns);
  }
  check_connected(now_ns);
  if (phases_.now() == Phase::stopped) return;
  transport_->sweep(now_ns);
  for (SlotPool& pool : pools_) pool.sweep(now_ns);
  if (phases_.now() == Phase::measuring) add_series(now_ns);
}

void Worker::advance(int64_t now_ns) {
  const Phase before = phases_.now();
  const Phase after = phases_.advance(now_ns, out_ == 0);
  if (before == after) return;
  if (after == Phase::measuring) begin_measuring(now_ns);
  if (after == Phase::stopped) stop(now_ns);
}

// --- opening -----------------------------------------------------------------

void Worker::check_opening(int64_t now_ns) {
  if (config_.open == Open::eager) {
    open_more(now_ns);
    for (const SlotPool& pool : pools_)
      if (pool.untried() > 0) return;
    if (!signals_.has_connected.load(std::memory_order_relaxed)) return;
  }
  phases_.wait();
  tell_ready();
}

void Worker::open_more(int64_t now_ns) {
  for (SlotPool& pool : pools_) {
    if (opening_ >= connect_concurrency_) return;
    opening_ += pool.open_some(connect_concurrency_ - opening_, now_ns);
  }
}

// Nothing has ever connected: there is no point in going on.
void Worker::check_connected(int64_t now_ns) {
  if (phases_.now() == Phase::stopped) return;
  if (signals_.has_connected.load(std::memory_order_relaxed)) return;
  if (now_ns - born_ns_ < config_.connect_give_up_ns) return;
  const std::string waited = format_duration(config_.connect_give_up_ns);
  if (last_dial_error_.empty())
    status_ = fail(Code::connect, "no connection within " + waited +
                                      "; is the server there and reachable?");
  else
    status_ = fail(last_dial_code_,
                   last_dial_error_ + " (tried for " + waited +
                       "); is the server running on that address and port?");
  stop(now_ns);
}

// --- load --------------------------------------------------------------------

void Worker::begin_load() {
  born_ns_ = loop_.now_ns();
  for (RequestId id = 0; id < requests_.size(); ++id) load_.ready(id);
}

void Worker::begin_measuring(int64_t now_ns) {
  started_ns_ = now_ns;
  cpu_start_ns_ = loop_.cpu_ns();
  recorder_.restart(out_);
  asked_again_ = 0;
  load_.set_budget(budget_);
  traffic_at_start_ = transport_->traffic();
  pools_at_start_ = pool_counters();
}

// Callers that are ready now get their turn; those that fail at once come back
// to the end of the queue and wait until the sockets have been looked at.
void Worker::start_callers(int64_t now_ns) {
  load_.wake(now_ns);
  for (size_t left = load_.ready_count(); left > 0; --left)
    start(load_.next(), now_ns);
}

void Worker::start(RequestId caller, int64_t now_ns) {
  if (phases_.now() == Phase::draining) return load_.ready(caller);
  if (!load_.take()) return;
  submit(caller, now_ns);
}

void Worker::begin(Request& request, int64_t now_ns) {
  request.intended_ns = request.submitted_ns = now_ns;
  request.retries = request.waits = 0;
  request.is_out = true;
}

void Worker::issued(size_t requests) {
  out_ += static_cast<uint32_t>(requests);
  recorder_.counts.issued += static_cast<int64_t>(requests);
}

void Worker::submit(RequestId caller, int64_t now_ns) {
  begin(requests_[caller], now_ns);
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

bool Worker::is_used_up() const {
  return load_.is_spent() && out_ == 0;
}

void Worker::stop(int64_t now_ns) {
  phases_.stop();
  ended_ns_ = now_ns;
  if (started_ns_ == 0) {
    recorder_.restart(0);  // nothing was measured
  } else {
    cpu_ns_ = loop_.cpu_ns() - cpu_start_ns_;
    add_series(now_ns);
    recorder_.counts.abandoned = out_;
    for (const Request& request : requests_)
      if (request.is_out)
        oldest_abandoned_ns_ =
            std::max(oldest_abandoned_ns_, now_ns - request.intended_ns);
  }
  close_all();
  tell_ready();
  loop_.stop();
}

void Worker::close_all() {
  const auto slots = static_cast<SlotId>(pools_.size()) * slots_per_pool_;
  for (SlotId slot = 0; slot < slots; ++slot) transport_->close(slot);
}

void Worker::tell_ready() {
  if (is_ready_told_) return;
  is_ready_told_ = true;
  on_ready_();
}

// --- what the transport tells ------------------------------------------------

void Worker::opened(SlotId slot, int64_t took_ns, int64_t now_ns) {
  signals_.has_connected.store(true, std::memory_order_relaxed);
  recorder_.connected(took_ns);
  pool_of(slot).opened(slot, now_ns);
  dial_ended(now_ns);
}

void Worker::dial_failed(SlotId slot, Failure kind, std::string_view detail,
                         int64_t now_ns) {
  ++recorder_.counts.dial_failed;
  last_dial_error_ = detail;
  const bool is_ours =
      kind == Failure::fd_exhausted || kind == Failure::address_exhausted;
  last_dial_code_ = is_ours ? Code::system : Code::connect;
  pool_of(slot).dial_failed(slot, kind, detail, now_ns);
  dial_ended(now_ns);
}

// While opening: the next slot's turn. Slots that dial again after a rest were
// counted the first time only.
void Worker::dial_ended(int64_t now_ns) {
  if (phases_.now() != Phase::opening || opening_ == 0) return;
  --opening_;
  open_more(now_ns);
}

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
  if (!phases_.is_loading() || !load_.has(count)) return false;
  if (!pool.submit_home(slot, freed_, now_ns)) return false;
  load_.take(count);
  issued(count);
  for (const RequestId caller : freed_) begin(requests_[caller], now_ns);
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

// --- what the pools tell
// -------------------------------------------------------

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

// --- numbers
// -------------------------------------------------------------------

PoolCounters Worker::pool_counters() const {
  PoolCounters sum;
  for (const SlotPool& pool : pools_) sum.add(pool.counters());
  return sum;
}

void Worker::add_series(int64_t now_ns) {
  const Counters& counts = recorder_.counts;
  const int64_t failed = counts.failed();
  // What ended since the last tick belongs to the interval that ends now.
  const int64_t at_ns = std::max<int64_t>(now_ns - started_ns_ - 1, 0);
  series_.add(at_ns, counts.completed - in_series_completed_,
              failed - in_series_failed_);
  in_series_completed_ = counts.completed;
  in_series_failed_ = failed;
  int64_t in_use = 0;
  for (const SlotPool& pool : pools_) in_use += pool.in_use();
  in_use_peak_ = std::max(in_use_peak_, in_use);
}

// Before measuring begins there is nothing but warm-up.
Tally Worker::make_tally() {
  if (started_ns_ > 0) return recorder_.finish();
  Recorder before = recorder_;
  before.restart(0);
  return before.finish();
}

WorkerReport Worker::make_report(int64_t now_ns) {
  WorkerReport report;
  report.tally = make_tally();
  report.tally.series = series_;
  report.tally.oldest_abandoned_ns = oldest_abandoned_ns_;
  const Traffic& traffic = transport_->traffic();
  const PoolCounters pools = pool_counters();
  Counters& counts = report.tally.counts;
  counts.opened = traffic.opened;
  counts.closed = traffic.closed;
  counts.bytes_in = traffic.bytes_in - traffic_at_start_.bytes_in;
  counts.bytes_out = traffic.bytes_out - traffic_at_start_.bytes_out;
  counts.reconnect = pools.reconnect - pools_at_start_.reconnect;
  counts.retry = pools.retry - pools_at_start_.retry;
  counts.resubmit = pools.resubmit - pools_at_start_.resubmit + asked_again_;
  counts.pipelined_discarded =
      pools.pipelined_discarded - pools_at_start_.pipelined_discarded;
  report.started_ns = started_ns_;
  report.ended_ns = ended_ns_ > 0 ? ended_ns_ : now_ns;
  report.cpu_ns = cpu_ns_;
  report.requests_sent = traffic.requests_sent;
  report.queue_peak = pools.queue_peak;
  report.in_use_peak = in_use_peak_;
  report.saw_own_server = saw_own_server_;
  report.was_canceled = was_canceled_;
  report.status = status_;
  report.notes = transport_->notes();
  return report;
}

}  // namespace dyno
