#include "record/tally.hh"

#include <algorithm>
#include <numeric>

namespace dyno {

int64_t Counters::failed() const {
  return std::accumulate(failures.begin(), failures.end(), int64_t{0});
}

void Counters::add(const Counters& other) {
  issued += other.issued;
  completed += other.completed;
  abandoned += other.abandoned;
  unsent += other.unsent;
  blocked += other.blocked;
  warmup += other.warmup;
  late_reply += other.late_reply;
  misdelivered += other.misdelivered;
  reconnect += other.reconnect;
  retry += other.retry;
  resubmit += other.resubmit;
  pipelined_discarded += other.pipelined_discarded;
  opened += other.opened;
  closed += other.closed;
  dial_failed += other.dial_failed;
  tls_full += other.tls_full;
  tls_resumed += other.tls_resumed;
  reused += other.reused;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  bytes_body += other.bytes_body;
  for (size_t i = 0; i < failures.size(); ++i) failures[i] += other.failures[i];
  for (size_t i = 0; i < status.size(); ++i) status[i] += other.status[i];
}

void Tally::add(const Tally& other) {
  counts.add(other.counts);
  for (size_t i = 0; i < latency.size(); ++i)
    latency[i].merge(other.latency[i]);
  series.merge(other.series);
  for (const auto& [kind, text] : other.failure_samples)
    failure_samples.emplace(kind, text);
  oldest_abandoned_ns =
      std::max(oldest_abandoned_ns, other.oldest_abandoned_ns);
}

}  // namespace dyno
