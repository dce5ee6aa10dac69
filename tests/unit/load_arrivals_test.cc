// When the requests of an open loop are due: evenly without drift, or as a
// Poisson process; together exactly at the rate of the plan.
#include <algorithm>
#include <cmath>
#include <vector>

#include "load/arrivals.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

constexpr int64_t kStart = 1'000'000'007;

Arrivals started(const ArrivalOptions& options) {
  Arrivals arrivals(options);
  arrivals.start(kStart);
  return arrivals;
}

void equal_gaps_have_no_drift(void**) {
  for (const double per_s : {0.5, 3.0, 7.0, 20'000.0, 1'500'000.0}) {
    Arrivals arrivals = started({.per_s = per_s});
    for (int64_t i = 0; i < 1'000'000; ++i) {
      const auto exact = static_cast<int64_t>(
          std::llround(static_cast<long double>(i) / per_s * 1e9L));
      const int64_t due_ns = arrivals.take();
      if (due_ns != kStart + exact)
        fail_msg("number %ld", static_cast<long>(i));
    }
  }
}

void workers_take_turns_and_add_up(void**) {
  std::vector<int64_t> due;
  for (uint32_t index = 0; index < 3; ++index) {
    Arrivals arrivals = started({.per_s = 1000, .workers = 3, .index = index});
    for (int i = 0; i < 100; ++i) due.push_back(arrivals.take());
  }
  std::sort(due.begin(), due.end());
  for (size_t i = 0; i < due.size(); ++i)
    assert_int_equal(due[i], kStart + static_cast<int64_t>(i) * kMillisecond);
}

void what_is_skipped_is_what_would_have_been_taken(void**) {
  for (const ArrivalKind kind : {ArrivalKind::constant, ArrivalKind::poisson})
    for (const double per_s : {0.3, 1.0, 999.9, 123'456.7})
      for (const int64_t wait_ns : {int64_t{1}, kMillisecond, 3 * kSecond}) {
        const ArrivalOptions options{per_s, kind, 2, 1, 7};
        Arrivals one = started(options);
        Arrivals other = started(options);
        (void)one.take(), (void)other.take();
        const int64_t end_ns = other.next_ns() + wait_ns;
        int64_t count = 0;
        for (; other.is_due(end_ns - 1); ++count) (void)other.take();
        assert_int_equal(one.skip_until(end_ns), count);
        assert_int_equal(one.next_ns(), other.next_ns());
      }
}

void nothing_is_due_before_the_start_or_beyond_the_clock(void**) {
  Arrivals arrivals({.per_s = 0x1p-30});
  assert_int_equal(arrivals.next_ns(), kUnlimited);
  arrivals.start(kStart);
  assert_int_equal(arrivals.take(), kStart);
  assert_int_equal(arrivals.next_ns(), kStart + (int64_t{1} << 30) * kSecond);
  for (int i = 0; i < 20; ++i) (void)arrivals.take();
  assert_int_equal(arrivals.next_ns(), kUnlimited);
  assert_false(Arrivals({}).is_on());
}

// Kolmogorov-Smirnov: the largest distance between the sample's distribution
// and 1 - exp(-rate x); 1.63 / sqrt(n) is its 99 % point.
void poisson_gaps_are_exponential(void**) {
  constexpr size_t kGaps = 10'000;
  for (const uint64_t seed : {31676u, 39595u, 47514u}) {
    Arrivals arrivals =
        started({.per_s = 5000, .kind = ArrivalKind::poisson, .seed = seed});
    std::vector<double> gaps;
    int64_t last_ns = kStart;
    for (size_t i = 0; i < kGaps; ++i) {
      const int64_t due_ns = arrivals.take();
      gaps.push_back(static_cast<double>(due_ns - last_ns) / 1e9);
      last_ns = due_ns;
    }
    std::sort(gaps.begin(), gaps.end());
    double distance = 0;
    for (size_t i = 0; i < kGaps; ++i) {
      const double wanted = 1 - std::exp(-5000 * gaps[i]);
      const double below = static_cast<double>(i) / kGaps;
      const double above = static_cast<double>(i + 1) / kGaps;
      distance = std::max(
          {distance, std::abs(wanted - below), std::abs(wanted - above)});
    }
    if (distance >= 1.63 / std::sqrt(static_cast<double>(kGaps)))
      fail_msg("seed %d: %f", static_cast<int>(seed), distance);
  }
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(equal_gaps_have_no_drift),
      cmocka_unit_test(workers_take_turns_and_add_up),
      cmocka_unit_test(what_is_skipped_is_what_would_have_been_taken),
      cmocka_unit_test(nothing_is_due_before_the_start_or_beyond_the_clock),
      cmocka_unit_test(poisson_gaps_are_exponential),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
