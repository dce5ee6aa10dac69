// Phases: what part of a cell a worker is in. Pure arithmetic on time: it reads
// no clock and knows no request. One per worker.
//
//   opening -> waiting -> warmup -> (draining) -> measuring -> stopped
//
// Draining is there for a budget of requests: its count must be exact, so no
// request of the warm-up may be left when it begins.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.hh"

namespace dyno {

enum class Phase : uint8_t {
  opening,
  waiting,
  warmup,
  draining,
  measuring,
  stopped
};

class Phases {
 public:
  // duration_ns 0: until stop(). `drains` after the warm-up.
  Phases(int64_t warmup_ns, int64_t duration_ns, bool drains)
      : warmup_ns_(warmup_ns), duration_ns_(duration_ns), drains_(drains) {}

  Phase now() const { return phase_; }
  bool is_loading() const {
    return phase_ == Phase::warmup || phase_ == Phase::measuring;
  }

  void wait() { phase_ = Phase::waiting; }
  // All workers are ready; the load begins at `start_ns`.
  void start(int64_t start_ns) {
    starts_at_ns_ = start_ns;
    ends_at_ns_ = kUnlimited;
    phase_ = Phase::warmup;
  }
  int64_t starts_at_ns() const { return starts_at_ns_; }
  void stop() { phase_ = Phase::stopped; }

  // The phase at a time; `is_idle`: no request is out. One step at a time.
  Phase advance(int64_t now_ns, bool is_idle) {
    if (phase_ == Phase::warmup && now_ns >= starts_at_ns_ + warmup_ns_)
      phase_ = drains_ && warmup_ns_ > 0 ? Phase::draining : begin(now_ns);
    if (phase_ == Phase::draining && is_idle) phase_ = begin(now_ns);
    if (phase_ == Phase::measuring && now_ns >= ends_at_ns_)
      phase_ = Phase::stopped;
    return phase_;
  }

  // When advance() could change something by time alone.
  int64_t next_change_ns() const {
    if (phase_ == Phase::warmup) return starts_at_ns_ + warmup_ns_;
    if (phase_ == Phase::measuring) return ends_at_ns_;
    return kUnlimited;
  }

 private:
  Phase begin(int64_t now_ns) {
    if (duration_ns_ > 0) ends_at_ns_ = now_ns + duration_ns_;
    return Phase::measuring;
  }

  int64_t warmup_ns_;
  int64_t duration_ns_;
  bool drains_;
  Phase phase_ = Phase::opening;
  int64_t starts_at_ns_ = 0;
  int64_t ends_at_ns_ = kUnlimited;
};

}  // namespace dyno
