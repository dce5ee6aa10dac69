// ClosedLoop: which callers may start their next request, and how many more
// requests there may be. Pure arithmetic on time: it never sleeps, reads no
// clock and knows no HTTP. One per worker.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/ring.hh"
#include "base/units.hh"

namespace dyno {

class ClosedLoop {
 public:
  explicit ClosedLoop(int64_t error_pause_ns)
      : error_pause_ns_(error_pause_ns) {}

  // kUnlimited: no budget.
  void set_budget(int64_t requests) { budget_ = requests; }
  // Takes one request off the budget; false when there is none left.
  bool take() {
    if (!has(1)) return false;
    take(1);
    return true;
  }
  bool has(size_t requests) const {
    return static_cast<uint64_t>(budget_) >= requests;
  }
  // As many as there are.
  void take(size_t requests) {
    if (budget_ != kUnlimited) budget_ -= static_cast<int64_t>(requests);
  }

  // As many of these as the budget still has.
  int64_t within_budget(int64_t requests) const {
    return std::min(requests, budget_);
  }

  // The whole budget was taken; never without one.
  bool is_spent() const { return budget_ == 0; }

  // The caller goes to the back of the queue of those that are ready.
  void ready(uint32_t caller) { ready_.push(caller); }
  // After a failure it rests first, and is not ready before the host has done
  // the work of that failure at `done_ns`, which never lies before the last
  // one.
  void rest(uint32_t caller, int64_t now_ns, int64_t done_ns) {
    const int64_t until_ns = std::max(now_ns + error_pause_ns_, done_ns);
    if (until_ns <= now_ns) return ready(caller);
    resting_.push({caller, until_ns});
  }

  size_t ready_count() const { return ready_.size(); }
  uint32_t next() { return ready_.pop(); }

  // Callers that have rested enough become ready.
  void wake(int64_t now_ns) {
    while (!resting_.is_empty() && resting_.front().until_ns <= now_ns)
      ready(resting_.pop().caller);
  }
  int64_t next_wake_ns() const {
    return resting_.is_empty() ? kUnlimited : resting_[0].until_ns;
  }

 private:
  struct Resting {
    uint32_t caller;
    int64_t until_ns;  // rests are equally long, work ends in order: so do they
  };

  int64_t error_pause_ns_;
  int64_t budget_ = kUnlimited;
  Ring<uint32_t> ready_;
  Ring<Resting> resting_;
};

}  // namespace dyno
