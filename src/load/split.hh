// Largest-remainder split (Hamilton): shares in proportion to weights whose sum
// is exactly the total.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dyno {

// Weights are not negative and not all 0. Ties go to the lower index.
std::vector<int64_t> split(int64_t total, std::span<const int64_t> weights);

// `parts` equal weights.
std::vector<int64_t> split_evenly(int64_t total, size_t parts);

}  // namespace dyno
