// SimHost: the modelled machine of the client: some processors that take up
// work first in, first out. Pure arithmetic on time. One per simulated loop.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/loop.hh"

namespace dyno {

struct SimHostOptions {
  int64_t cpus = 1;
  int64_t completed_cost_ns = 0;
  int64_t failed_cost_ns = 0;
};

class SimHost {
 public:
  explicit SimHost(const SimHostOptions& options);

  // When work that comes now is done, by the processor that is free first. It
  // takes 1 ns at least, so that no loop of failures stops the time; work of
  // the same kind ends in the order in which it came.
  int64_t charge(Work work, int64_t now_ns) noexcept;

  // Processor time that was used until now; work without a cost uses none.
  int64_t used_ns(int64_t now_ns) const noexcept;

 private:
  void take_front(int64_t free_ns) noexcept;

  int64_t completed_cost_ns_;
  int64_t failed_cost_ns_;
  int64_t charged_ns_ = 0;
  std::vector<int64_t> free_ns_;  // a heap: the processor free first in front
};

}  // namespace dyno
