// The series: bounded, and exact in its sums whatever it had to add up.
#include "record/series.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

constexpr int64_t kStep = Series::kFirstInterval;

Series::Point sum_of(const Series& series) {
  Series::Point sum;
  for (const Series::Point& point : series.points()) {
    sum.completed += point.completed;
    sum.failed += point.failed;
  }
  return sum;
}

void a_point_holds_what_happened_in_its_interval(void**) {
  Series series;
  series.add(0, 1, 0);
  series.add(kStep - 1, 2, 1);
  series.add(kStep, 4, 0);
  series.add(3 * kStep, 8, 2);
  const std::vector<Series::Point> expected{{3, 1}, {4, 0}, {0, 0}, {8, 2}};
  assert_true(series.points() == expected);
  assert_int_equal(series.interval_ns(), kStep);
}

void what_lies_before_the_start_counts_at_the_start(void**) {
  Series series;
  series.add(-5 * kStep, 1, 1);
  assert_int_equal(series.points().size(), 1);
  assert_int_equal(series.points()[0].completed, 1);
}

void a_full_series_doubles_its_interval_and_loses_nothing(void**) {
  Series series;
  const auto most = static_cast<int64_t>(Series::kMostPoints);
  for (int64_t i = 0; i < 3 * most; ++i) series.add(i * kStep, 2, 1);
  assert_int_equal(series.interval_ns(), 4 * kStep);
  assert_true(series.points().size() <= Series::kMostPoints);
  assert_int_equal(sum_of(series).completed, 6 * most);
  assert_int_equal(sum_of(series).failed, 3 * most);
  assert_int_equal(series.points()[0].completed, 8);
}

void merged_parts_are_the_whole_at_any_interval(void**) {
  Series whole;
  Series coarse;
  Series fine;
  for (int64_t i = 0; i < 1500; ++i) {
    whole.add(i * kStep, i, 1);
    (i < 500 ? fine : coarse).add(i * kStep, i, 1);
  }
  assert_true(fine.interval_ns() < coarse.interval_ns());
  Series one = fine;
  one.merge(coarse);
  assert_true(one == whole);
  Series other = coarse;
  other.merge(fine);
  assert_true(other == whole);
  other.merge(Series());
  assert_true(other == whole);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_point_holds_what_happened_in_its_interval),
      cmocka_unit_test(what_lies_before_the_start_counts_at_the_start),
      cmocka_unit_test(a_full_series_doubles_its_interval_and_loses_nothing),
      cmocka_unit_test(merged_parts_are_the_whole_at_any_interval),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
