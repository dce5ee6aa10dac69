#include "record/recorder.hh"

namespace dyno {

void Recorder::flush() {
  if (pending_count_ == 0) return;
  if (pending_.response == pending_.service &&
      pending_.first_byte == pending_.service) {
    alike_.record(pending_.service, pending_count_);
  } else {
    at(Latency::response).record(pending_.response, pending_count_);
    at(Latency::service).record(pending_.service, pending_count_);
    at(Latency::first_byte).record(pending_.first_byte, pending_count_);
  }
  if (pending_.pool_wait == 0)
    no_wait_ += pending_count_;
  else
    at(Latency::pool_wait).record(pending_.pool_wait, pending_count_);
  pending_count_ = 0;
}

// What was recorded in short is in every histogram then.
void Recorder::settle() {
  flush();
  for (const Latency metric :
       {Latency::response, Latency::service, Latency::first_byte})
    at(metric).add(alike_);
  alike_.clear();
  if (no_wait_ > 0) at(Latency::pool_wait).record(0, no_wait_);
  no_wait_ = 0;
}

void Recorder::fail(Failure kind, std::string_view sample) {
  if (++counts.failures[static_cast<size_t>(kind)] == 1 && !sample.empty())
    samples_.emplace(kind, sample);
}

void Recorder::restart(int64_t in_flight) {
  settle();
  const Counters before = counts;
  counts = Counters{};
  counts.issued = in_flight;
  counts.warmup = before.warmup + before.completed + before.failed();
  counts.opened = before.opened;
  counts.closed = before.closed;
  counts.dial_failed = before.dial_failed;
  counts.tls_full = before.tls_full;
  counts.tls_resumed = before.tls_resumed;
  for (const LatencyRow& row : kLatencyTable)
    if (!is_of_connections(row.metric)) at(row.metric).clear();
  samples_.clear();
}

Tally Recorder::finish() {
  settle();
  Tally tally;
  tally.counts = counts;
  for (size_t i = 0; i < kLatencies; ++i)
    tally.latency[i] = histograms_[i].finish();
  tally.failure_samples = samples_;
  return tally;
}

}  // namespace dyno
