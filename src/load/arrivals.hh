// Arrivals: when the requests of an open loop are due, whatever became of the
// ones before. Pure arithmetic on time: it reads no clock. One per worker;
// those of all workers of a cell together have the rate of the plan.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/rng.hh"
#include "base/units.hh"
#include "plan/config.hh"

namespace dyno {

struct ArrivalOptions {
  double per_s = 0;  // of all workers; 0: no open loop
  ArrivalKind kind = ArrivalKind::constant;
  uint32_t workers = 1;
  uint32_t index = 0;  // of this worker
  uint64_t seed = 1;
};

class Arrivals {
 public:
  explicit Arrivals(const ArrivalOptions& options)
      : options_(options), rng_(options.seed) {}

  bool is_on() const { return options_.per_s > 0; }

  void start(int64_t now_ns) {
    start_ns_ = now_ns;
    count_ = 0;
    offset_s_ = 0;
    plan_next();
  }
  // kUnlimited before start().
  int64_t next_ns() const { return next_ns_; }
  bool is_due(int64_t now_ns) const { return next_ns_ <= now_ns; }
  // Takes the next one; its time.
  int64_t take() {
    const int64_t due_ns = next_ns_;
    plan_next();
    return due_ns;
  }
  // How many more there are before a time. They are taken.
  int64_t skip_until(int64_t end_ns) {
    int64_t count = 0;
    if (options_.kind == ArrivalKind::constant && next_ns_ < end_ns) {
      // All but the last few at once.
      const long double passed_s =
          static_cast<long double>(end_ns - next_ns_) / 1e9L;
      const auto most =
          static_cast<int64_t>(passed_s * options_.per_s / options_.workers);
      count = std::max<int64_t>(most - 2, 0);
      count_ += static_cast<uint64_t>(count);
      if (count > 0) {
        --count_;
        plan_next();
      }
    }
    for (; next_ns_ < end_ns; ++count) plan_next();
    return count;
  }

 private:
  // Of a constant rate each worker takes its turn, so that the sum is exact and
  // no rounding adds up. Poisson: the sum of independent processes is one.
  void plan_next() {
    const double per_s = options_.per_s;
    long double at_s = 0;
    if (options_.kind == ArrivalKind::constant) {
      const uint64_t number = count_ * options_.workers + options_.index;
      at_s = static_cast<long double>(number) / per_s;
    } else {
      const double gap = -std::log1p(-rng_.real());
      offset_s_ += static_cast<long double>(gap) * options_.workers / per_s;
      at_s = offset_s_;
    }
    ++count_;
    const long double at_ns = at_s * 1e9L;
    // Beyond the end of the clock: never.
    next_ns_ = at_ns < 9e18L - static_cast<long double>(start_ns_)
                   ? start_ns_ + static_cast<int64_t>(std::llround(at_ns))
                   : kUnlimited;
  }

  ArrivalOptions options_;
  Rng rng_;
  int64_t start_ns_ = 0;
  int64_t next_ns_ = kUnlimited;
  uint64_t count_ = 0;
  long double offset_s_ = 0;
};

}  // namespace dyno
