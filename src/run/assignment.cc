#include "run/assignment.hh"

#include <algorithm>
#include <numeric>

#include "load/split.hh"

namespace dyno {
namespace {

// A worker's callers own its slots in turn.
std::vector<uint32_t> own_homes(int64_t callers, uint32_t slots) {
  std::vector<uint32_t> homes;
  const auto callers_of_slot = split_evenly(callers, slots);
  for (uint32_t slot = 0; slot < slots; ++slot)
    homes.insert(homes.end(), static_cast<size_t>(callers_of_slot[slot]), slot);
  return homes;
}

}  // namespace

std::vector<Assignment> assign(const Config& config) {
  const auto workers = static_cast<size_t>(config.threads);
  std::vector<Assignment> all(workers);
  const bool by_connections = config.connections > 0;
  const auto spread = split_evenly(
      by_connections ? config.connections : config.pool_count, workers);
  std::vector<int64_t> slots;
  for (size_t i = 0; i < workers; ++i) {
    const auto mine = static_cast<uint32_t>(spread[i]);
    all[i].pools = by_connections ? 1 : mine;
    all[i].slots_per_pool =
        by_connections ? mine : static_cast<uint32_t>(config.pool_size);
    slots.push_back(all[i].slots());
  }

  const auto callers = split(config.callers, slots);
  for (size_t i = 0; i < workers; ++i) {
    if (config.select == Select::own)
      all[i].homes = own_homes(callers[i], all[i].slots());
    else
      all[i].homes.assign(static_cast<size_t>(callers[i]), 0);
  }

  if (config.select == Select::native)
    for (size_t i = 0; i < workers; ++i) {
      all[i].connections = all[i].slots();
      all[i].pools = 1;
      all[i].slots_per_pool = static_cast<uint32_t>(callers[i]);
      std::iota(all[i].homes.begin(), all[i].homes.end(), 0U);
    }

  if (config.grows())
    for (size_t i = 0; i < workers; ++i)
      all[i].slots_per_pool =
          std::max(all[i].slots_per_pool, static_cast<uint32_t>(callers[i]));

  const auto concurrency = split(config.connect_concurrency, slots);
  for (size_t i = 0; i < workers; ++i) {
    all[i].connect_concurrency =
        static_cast<uint32_t>(std::max<int64_t>(concurrency[i], 1));
    all[i].index = static_cast<uint32_t>(i);
    all[i].workers = static_cast<uint32_t>(workers);
    all[i].seed = static_cast<uint64_t>(config.seed) * 1000003 + i;
  }
  if (config.nofile > 0) {
    const auto descriptors = split(config.nofile, slots);
    for (size_t i = 0; i < workers; ++i) all[i].descriptors = descriptors[i];
  }
  if (config.requests == 0) return all;
  const auto budgets = split(config.requests, callers);
  for (size_t i = 0; i < workers; ++i) all[i].budget = budgets[i];
  return all;
}

}  // namespace dyno
