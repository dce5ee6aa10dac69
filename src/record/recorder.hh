// Recorder: what one worker counts and times. It reads no clock; runs of equal
// samples (pipelined answers that were sent and read together) are recorded at
// the cost of one. One per worker, used by its thread alone.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "record/tally.hh"

namespace dyno {

class Recorder {
 public:
  Counters counts;

  // A completed request. Equal neighbours are gathered; flush() ends a run.
  void complete(const Sample& sample) {
    const Spans spans{sample.done - sample.intended, sample.done - sample.sent,
                      sample.granted - sample.submitted,
                      sample.first_byte - sample.sent};
    if (spans == pending_) {
      ++pending_count_;
      return;
    }
    flush();
    pending_ = spans;
    pending_count_ = 1;
  }
  void flush();

  void connected(int64_t took_ns) { at(Latency::connect).record(took_ns, 1); }
  void handshaken(int64_t took_ns, bool was_resumed) {
    at(Latency::tls).record(took_ns, 1);
    ++(was_resumed ? counts.tls_resumed : counts.tls_full);
  }

  void paced(int64_t late_ns) { at(Latency::pacing_error).record(late_ns, 1); }

  // Counts one failure and keeps the first sample text of its kind.
  void fail(Failure kind, std::string_view sample);

  // Measuring begins: what was counted so far was warm-up, except for
  // connections; `in_flight` requests go over into the measured ones.
  void restart(int64_t in_flight);

  Tally finish();  // a copy of everything so far

 private:
  struct Spans {
    int64_t response, service, pool_wait, first_byte;
    bool operator==(const Spans&) const = default;
  };

  Histogram& at(Latency metric) {
    return histograms_[static_cast<size_t>(metric)];
  }

  void settle();

  std::array<Histogram, kLatencies> histograms_;
  // Response, service and first byte where they are one: a request that was
  // sent when it was wanted, and whose answer came whole. Recorded once, added
  // to each in settle().
  Histogram alike_;
  int64_t no_wait_ = 0;  // samples of pool_wait that are 0
  Spans pending_{};
  int64_t pending_count_ = 0;
  std::map<Failure, std::string> samples_;
};

}  // namespace dyno
