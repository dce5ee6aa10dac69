// The life of a worker: opening, warm-up, measuring, the end.
#include "run/worker.hh"

#include <algorithm>
#include <new>

#include "base/units.hh"
#include "pool/rules.hh"

namespace dyno {
namespace {

// Time-outs, rests and a cancel are looked at this often.
constexpr int64_t kTick = 10 * kMillisecond;

// Arrivals draw from numbers of their own.
constexpr uint64_t kArrivalSeed = 0x6172726976616c73;

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
      arrivals_({config.rate, config.arrivals, assignment.workers,
                 assignment.index, assignment.seed ^ kArrivalSeed}),
      requests_(assignment.homes.size()),
      transport_(make_transport(*this)),
      has_late_news_(config.has_late_news()),
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

// --- the turn ----------------------------------------------------------------

int64_t Worker::turn(int64_t now_ns) {
  if (now_ns >= next_tick_ns_) tick(now_ns);
  if (phases_.now() == Phase::opening) check_opening(now_ns);
  advance(now_ns);
  // What was counted as abandoned must not fail as well.
  if (phases_.now() == Phase::stopped) return now_ns;
  advance_pools(now_ns);
  if (phases_.is_loading())
    arrivals_.is_on() ? start_due(now_ns) : start_callers(now_ns);
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
  if (arrivals_.is_on())
    return load_.ready_count() > 0 && !load_.is_spent()
               ? std::min(next_ns, arrivals_.next_ns())
               : std::min(next_ns, load_.next_wake_ns());
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
    if (!has_late_news_ &&
        !signals_.has_connected.load(std::memory_order_relaxed))
      return;
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
  if (has_late_news_ && transport_->traffic().usable > 0)
    signals_.has_connected.store(true, std::memory_order_relaxed);
  if (signals_.has_connected.load(std::memory_order_relaxed)) return;
  if (now_ns - born_ns_ < config_.connect_give_up_ns) return;
  const std::string waited = format_duration(config_.connect_give_up_ns);
  if (last_dial_error_.empty())
    status_ = fail(Code::connect, "no connection within " + waited +
                                      "; is the server there and reachable?");
  else
    status_ = fail(last_dial_code_,
                   last_dial_error_ + " (tried for " + waited + "); " +
                       (last_dial_kind_ == Failure::tls
                            ? failure_row(Failure::tls).hint
                            : "is the server running on that address and "
                              "port?"));
  stop(now_ns);
}

void Worker::opened(SlotId slot, int64_t took_ns, int64_t now_ns) {
  if (!has_late_news_)
    signals_.has_connected.store(true, std::memory_order_relaxed);
  if (config_.select != Select::native) recorder_.connected(took_ns);
  pool_of(slot).opened(slot, now_ns);
  dial_ended(now_ns);
}

void Worker::handshaken(SlotId, int64_t took_ns, bool was_resumed, int64_t) {
  recorder_.handshaken(took_ns, was_resumed);
}

void Worker::dial_failed(SlotId slot, Failure kind, std::string_view detail,
                         int64_t now_ns) {
  ++recorder_.counts.dial_failed;
  last_dial_error_ = detail;
  last_dial_kind_ = kind;
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

// --- measuring ---------------------------------------------------------------

void Worker::begin_load() {
  born_ns_ = loop_.now_ns();
  for (RequestId id = 0; id < requests_.size(); ++id) load_.ready(id);
  if (arrivals_.is_on()) arrivals_.start(phases_.starts_at_ns());
}

void Worker::begin_measuring(int64_t now_ns) {
  started_ns_ = now_ns;
  cpu_start_ns_ = loop_.cpu_ns();
  recorder_.restart(out_);
  asked_again_ = 0;
  load_.set_budget(budget_);
  if (arrivals_.is_on()) arrivals_.start(now_ns);
  blocked_until_ns_ = 0;
  traffic_at_start_ = transport_->traffic();
  pools_at_start_ = pool_counters();
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
    count_unsent(now_ns);
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
  transport_->end();
}

void Worker::tell_ready() {
  if (is_ready_told_) return;
  is_ready_told_ = true;
  on_ready_();
}

}  // namespace dyno
