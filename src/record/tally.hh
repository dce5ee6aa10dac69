// Tally: the numbers of one cell that add up over workers: counters, statuses,
// failures, latencies. Every counter is defined here, once.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "base/failure.hh"
#include "record/histogram.hh"
#include "record/sample.hh"
#include "record/series.hh"

namespace dyno {

// What is counted while measuring. issued = completed + failed + abandoned.
struct Counters {
  int64_t issued = 0;     // handed to a pool, or in flight when measuring began
  int64_t completed = 0;  // a whole final answer was read, whatever its status
  int64_t abandoned = 0;  // in flight when the run stopped
  int64_t unsent = 0;     // due in open loop, never issued
  int64_t blocked = 0;    // issued late, since load.max_outstanding were out
  int64_t warmup = 0;     // ended before measuring began; in no other number

  int64_t late_reply = 0;  // answers to requests that had timed out
  // Completed with the answer to an earlier request of the same caller
  // (pool.correlate=none); the bytes of such answers are in no bytes_body.
  int64_t misdelivered = 0;
  int64_t reconnect = 0;  // connections opened by a slot that had had one
  int64_t retry = 0;      // requests sent again after their connection closed
  int64_t resubmit = 0;   // given back to the pool for that reason, or asked
                          // again after a pool time-out (pool.retry_wait)
  int64_t pipelined_discarded = 0;  // on the wire behind the answer that closed

  int64_t opened = 0;       // connections, warm-up included
  int64_t closed = 0;       // by either side, the end of the run included
  int64_t dial_failed = 0;  // attempts that did not connect
  int64_t tls_full = 0;     // handshakes of connections, warm-up included
  int64_t tls_resumed = 0;  // with the session of an earlier connection
  int64_t reused = 0;       // completed on a connection that had served before

  int64_t bytes_in = 0;    // read: heads, framing and bodies
  int64_t bytes_out = 0;   // written
  int64_t bytes_body = 0;  // bodies of completed answers, decoded

  std::array<int64_t, kFailureKinds> failures{};
  std::array<int64_t, 1000> status{};  // by status code

  int64_t failed() const;  // the sum over the kinds
  void add(const Counters& other);
};

struct Tally {
  Counters counts;
  std::array<Distribution, kLatencies> latency;
  Series series;
  // One example per kind: the first that was seen, address and errno text.
  std::map<Failure, std::string> failure_samples;
  int64_t oldest_abandoned_ns = 0;  // age of the oldest one at the stop

  const Distribution& of(Latency metric) const {
    return latency[static_cast<size_t>(metric)];
  }
  void add(const Tally& other);
};

}  // namespace dyno
