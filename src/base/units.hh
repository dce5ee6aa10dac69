// Units: how counts, sizes, durations and rates are read and printed. One
// place, so that a flag, an option, a server row and a report agree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dyno {

// "no limit" for counts, sizes and durations whose row allows it.
inline constexpr int64_t kUnlimited = INT64_MAX;

inline constexpr int64_t kMicrosecond = 1'000;
inline constexpr int64_t kMillisecond = 1'000'000;
inline constexpr int64_t kSecond = 1'000'000'000;

// 64, 10k, 1M, 2G (decimal multiples).
std::optional<int64_t> parse_count(std::string_view text);
// 512, 64KiB, 2kB, 1MiB, 3B, in bytes.
std::optional<int64_t> parse_size(std::string_view text);
// 500us, 10ms, 30s, 1m30s, 2h, in nanoseconds; a bare 0 is allowed.
std::optional<int64_t> parse_duration(std::string_view text);
// 1000, 5k, 100/ms, 30/m, in events per second.
std::optional<double> parse_rate(std::string_view text);

// Exact, and parsed back to the same value: 1m30s, 1500us, 64KiB, 1000.
std::string format_duration(int64_t ns);
std::string format_size(int64_t bytes);

// For people, three significant digits: 10.3ms, 1.21s, 812us.
std::string brief_duration(int64_t ns);
std::string brief_size(double bytes);

}  // namespace dyno
