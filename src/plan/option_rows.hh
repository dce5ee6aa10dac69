// The parts of the option table, by subject; plan_options() is their whole.
#pragma once

#include <span>

#include "base/options.hh"
#include "base/units.hh"

namespace dyno {

inline constexpr int64_t kMostConnections = 1'000'000;
inline constexpr int64_t kMostThreads = 1024;
inline constexpr int64_t kMostCount = 1'000'000'000'000'000;
inline constexpr int64_t kLongest = 30LL * 24 * 3600 * kSecond;
inline constexpr int64_t kLongestCost = 60 * kSecond;

std::span<const OptionRow> pool_rows();   // options_pool.cc
std::span<const OptionRow> tls_rows();    // options_tls.cc
std::span<const OptionRow> model_rows();  // options_model.cc

}  // namespace dyno
