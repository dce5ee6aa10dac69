#include "base/units.hh"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace dyno {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 5> kCountUnits{
    {{"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}}};

constexpr std::array<Unit, 9> kSizeUnits{{{"", 1},
                                          {"B", 1},
                                          {"kB", 1e3},
                                          {"KB", 1e3},
                                          {"MB", 1e6},
                                          {"GB", 1e9},
                                          {"KiB", 1024.0},
                                          {"MiB", 1048576.0},
                                          {"GiB", 1073741824.0}}};

constexpr std::array<Unit, 6> kTimeUnits{{{"ns", 1},
                                          {"us", 1e3},
                                          {"ms", 1e6},
                                          {"s", 1e9},
                                          {"m", 60e9},
                                          {"h", 3600e9}}};

// Takes a number off the front of `text`. No sign: nothing here is negative.
std::optional<double> take_number(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return {};
  double value = 0;
  const auto [end, error] = std::from_chars(
      text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{}) return {};
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

template <size_t N>
std::optional<double> unit_factor(const std::array<Unit, N>& units,
                                  std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return unit.factor;
  return {};
}

// `value` has been rounded.
std::optional<int64_t> whole(double value) {
  if (!(value >= 0) || value > 9.0e18) return {};
  return static_cast<int64_t>(value);
}

template <size_t N>
std::optional<int64_t> parse_whole(const std::array<Unit, N>& units,
                                   std::string_view text) {
  const auto number = take_number(text);
  const auto factor = unit_factor(units, text);
  if (!number || !factor) return {};
  const double value = *number * *factor;
  const double rounded = std::round(value);
  // 1.1k is 1100.0000000000002 in binary; 1.0004 is no whole number.
  if (std::abs(value - rounded) > rounded * 1e-12) return {};
  return whole(rounded);
}

}  // namespace

std::optional<int64_t> parse_count(std::string_view text) {
  return parse_whole(kCountUnits, text);
}

std::optional<int64_t> parse_size(std::string_view text) {
  return parse_whole(kSizeUnits, text);
}

std::optional<int64_t> parse_duration(std::string_view text) {
  if (text == "0") return 0;
  double total = 0;
  if (text.empty()) return {};
  while (!text.empty()) {
    const auto number = take_number(text);
    if (!number) return {};
    size_t length = 0;
    while (length < text.size() && text[length] >= 'a' && text[length] <= 'z')
      ++length;
    const auto factor = unit_factor(kTimeUnits, text.substr(0, length));
    if (!factor) return {};
    total += *number * *factor;
    text.remove_prefix(length);
  }
  return whole(std::round(total));
}

std::optional<double> parse_rate(std::string_view text) {
  const size_t slash = text.find('/');
  double per_second = 1;
  if (slash != std::string_view::npos) {
    const auto unit = unit_factor(kTimeUnits, text.substr(slash + 1));
    if (!unit) return {};
    per_second = 1e9 / *unit;
    text = text.substr(0, slash);
  }
  const auto number = take_number(text);
  const auto factor = unit_factor(kCountUnits, text);
  if (!number || !factor) return {};
  const double rate = *number * *factor * per_second;
  if (!std::isfinite(rate)) return {};
  return rate;
}

std::string format_duration(int64_t ns) {
  if (ns == 0) return "0s";
  if (ns % (60 * kSecond) == 0) return fmt::format("{}m", ns / (60 * kSecond));
  if (ns > 60 * kSecond && ns % kSecond == 0)
    return fmt::format("{}m{}s", ns / (60 * kSecond),
                       ns % (60 * kSecond) / kSecond);
  if (ns % kSecond == 0) return fmt::format("{}s", ns / kSecond);
  if (ns % kMillisecond == 0) return fmt::format("{}ms", ns / kMillisecond);
  if (ns % kMicrosecond == 0) return fmt::format("{}us", ns / kMicrosecond);
  return fmt::format("{}ns", ns);
}

std::string format_size(int64_t bytes) {
  constexpr int64_t kKiB = 1024, kMiB = kKiB * 1024, kGiB = kMiB * 1024;
  if (bytes > 0 && bytes % kGiB == 0) return fmt::format("{}GiB", bytes / kGiB);
  if (bytes > 0 && bytes % kMiB == 0) return fmt::format("{}MiB", bytes / kMiB);
  if (bytes > 0 && bytes % kKiB == 0) return fmt::format("{}KiB", bytes / kKiB);
  return fmt::format("{}", bytes);
}

namespace {

// Three significant digits, without an exponent.
std::string three_digits(double value) {
  const int places = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, places);
}

}  // namespace

std::string brief_duration(int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (value < 999.5) return fmt::format("{}ns", ns);
  if (value < 999.5e3) return three_digits(value / 1e3) + "us";
  if (value < 999.5e6) return three_digits(value / 1e6) + "ms";
  return three_digits(value / 1e9) + "s";
}

std::string brief_size(double bytes) {
  if (bytes < 1023.5) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1023.5 * 1024) return three_digits(bytes / 1024) + " KiB";
  if (bytes < 1023.5 * 1048576) return three_digits(bytes / 1048576) + " MiB";
  return three_digits(bytes / 1073741824) + " GiB";
}

}  // namespace dyno
