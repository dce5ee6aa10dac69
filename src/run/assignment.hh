// Assignment: a worker's share of a cell. Shares are by largest remainder, so
// that they add up to what the plan says.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/config.hh"

namespace dyno {

struct Assignment {
  uint32_t pools = 1;
  uint32_t slots_per_pool = 1;
  int64_t budget = kUnlimited;  // requests
  uint32_t connect_concurrency = 1;
  int64_t descriptors = kUnlimited;  // for connections
  uint64_t seed = 1;
  uint32_t index = 0;  // of the worker, of
  uint32_t workers = 1;
  // One per caller: the slot it owns under pool.select=own, else unused.
  std::vector<uint32_t> homes;
  // Under pool.select=native every caller has a slot; libcurl has so many
  // connections for them.
  uint32_t connections = 0;

  uint32_t slots() const { return pools * slots_per_pool; }
};

std::vector<Assignment> assign(const Config& config);

}  // namespace dyno
