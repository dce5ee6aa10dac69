#include "engine/sim/host.hh"

#include <algorithm>

namespace dyno {

SimHost::SimHost(const SimHostOptions& options)
    : completed_cost_ns_(options.completed_cost_ns),
      failed_cost_ns_(options.failed_cost_ns),
      free_ns_(static_cast<size_t>(options.cpus)) {}

int64_t SimHost::charge(Work work, int64_t now_ns) noexcept {
  const int64_t cost_ns =
      work == Work::completed ? completed_cost_ns_ : failed_cost_ns_;
  charged_ns_ += cost_ns;
  const int64_t done_ns =
      std::max(now_ns, free_ns_.front()) + std::max<int64_t>(cost_ns, 1);
  take_front(done_ns);
  return done_ns;
}

// The processor that was free first becomes free at another time.
void SimHost::take_front(int64_t free_ns) noexcept {
  const size_t count = free_ns_.size();
  size_t place = 0;
  while (2 * place + 1 < count) {
    size_t child = 2 * place + 1;
    if (child + 1 < count && free_ns_[child + 1] < free_ns_[child]) ++child;
    if (free_ns_[child] >= free_ns) break;
    free_ns_[place] = free_ns_[child];
    place = child;
  }
  free_ns_[place] = free_ns;
}

int64_t SimHost::used_ns(int64_t now_ns) const noexcept {
  int64_t still_to_do_ns = 0;
  for (const int64_t free_ns : free_ns_)
    still_to_do_ns += std::max<int64_t>(free_ns - now_ns, 0);
  return std::max<int64_t>(charged_ns_ - still_to_do_ns, 0);
}

}  // namespace dyno
