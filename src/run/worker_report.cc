// The numbers of a worker, while it runs and at its end.
#include <algorithm>

#include "run/worker.hh"

namespace dyno {

bool Worker::snapshot(std::function<void(WorkerReport)> deliver) {
  return loop_.post([this, deliver = std::move(deliver)] {
    deliver(make_report(loop_.now_ns()));
  });
}

WorkerReport Worker::report() {
  return make_report(ended_ns_);
}

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
  counts.retry = pools.retry - pools_at_start_.retry + traffic.retried -
                 traffic_at_start_.retried;
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
