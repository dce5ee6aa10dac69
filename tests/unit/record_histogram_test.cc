// The histogram: its index arithmetic over every bucket, and percentiles that
// never leave the data.
#include <initializer_list>

#include "base/units.hh"
#include "record/histogram.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

using Scale = HistogramScale;

Distribution of(std::initializer_list<int64_t> values) {
  Histogram histogram;
  for (const int64_t value : values) histogram.record(value, 1);
  return histogram.finish();
}

void every_bucket_holds_exactly_its_own_values(void**) {
  assert_int_equal(Scale::lowest(0), 0);
  for (uint32_t i = 0; i < Scale::kBuckets; ++i) {
    assert_int_equal(Scale::index(Scale::lowest(i)), i);
    assert_int_equal(Scale::index(Scale::highest(i)), i);
    assert_true(Scale::lowest(i) <= Scale::highest(i));
    if (i > 0) assert_int_equal(Scale::lowest(i), Scale::highest(i - 1) + 1);
  }
  assert_int_equal(Scale::highest(Scale::kBuckets - 1), Scale::kHighest - 1);
}

void a_bucket_is_narrower_than_a_thousandth_of_its_values(void**) {
  for (uint32_t i = 0; i < Scale::kBuckets; ++i) {
    const int64_t width = Scale::highest(i) - Scale::lowest(i);
    assert_true(width == 0 || width * 1024 < Scale::lowest(i) + 1024);
  }
}

void small_values_are_exact(void**) {
  for (int64_t value = 0; value < 2048; ++value) {
    assert_int_equal(Scale::index(value), value);
    assert_int_equal(Scale::highest(static_cast<uint32_t>(value)), value);
  }
}

void percentiles_are_nearest_rank(void**) {
  const Distribution one_to_four = of({1, 2, 3, 4});
  assert_int_equal(one_to_four.quantile(0), 1);
  assert_int_equal(one_to_four.quantile(0.25), 1);
  assert_int_equal(one_to_four.quantile(0.5), 2);
  assert_int_equal(one_to_four.quantile(0.51), 3);
  assert_int_equal(one_to_four.quantile(0.75), 3);
  assert_int_equal(one_to_four.quantile(0.99), 4);
  assert_int_equal(one_to_four.quantile(1), 4);
  assert_int_equal(of({1, 2}).quantile(0.5), 1);
  assert_int_equal(of({1, 2}).quantile(0.75), 2);
  for (const double q : {0.0, 0.5, 0.99, 1.0})
    assert_int_equal(of({1}).quantile(q), 1);
}

void a_rounded_product_does_not_move_the_rank(void**) {
  for (const int64_t thousands : {1, 7, 1'000, 1'000'000, 1'000'000'000}) {
    Histogram histogram;
    histogram.record(1, 999 * thousands);
    histogram.record(2, thousands);
    assert_int_equal(histogram.finish().quantile(0.999), 1);
    assert_int_equal(histogram.finish().quantile(99.9 / 100), 1);
    assert_int_equal(histogram.finish().quantile(0.9991), 2);
  }
}

void percentiles_stay_within_the_data_and_rise(void**) {
  Histogram histogram;
  for (int i = 0; i < 100; ++i) histogram.record(501'300'000 + i * 16'000, 1);
  const Distribution near = histogram.finish();
  int64_t before = near.min();
  for (int i = 0; i <= 1000; ++i) {
    const int64_t value = near.quantile(i / 1000.0);
    assert_true(value >= before);
    assert_true(value <= near.max());
    before = value;
  }
  assert_int_equal(near.min(), 501'300'000);
  assert_int_equal(near.quantile(1), near.max());
}

void a_single_slow_one_is_the_maximum_and_nothing_else(void**) {
  Histogram histogram;
  histogram.record(kMillisecond, 99);
  histogram.record(10 * kSecond, 1);
  const Distribution mixed = histogram.finish();
  assert_int_equal(mixed.quantile(0.5),
                   Scale::highest(Scale::index(kMillisecond)));
  assert_true(mixed.quantile(0.99) < 1'001'000);
  assert_int_equal(mixed.quantile(0.999), 10 * kSecond);
  assert_int_equal(mixed.quantile(1), 10 * kSecond);
}

void a_million_equal_values_have_one_percentile(void**) {
  Histogram histogram;
  for (int i = 0; i < 1'000'000; ++i) histogram.record(123'456'789, 1);
  const Distribution equal = histogram.finish();
  assert_int_equal(equal.count(), 1'000'000);
  for (const double q : {0.0, 0.5, 0.99, 0.9999, 1.0})
    assert_int_equal(equal.quantile(q), 123'456'789);
  assert_true(equal.mean() == 123'456'789.0);
}

void a_nanosecond_and_an_hour_fit_side_by_side(void**) {
  const int64_t hour = 3600 * kSecond;
  const Distribution wide = of({1, hour});
  assert_int_equal(wide.min(), 1);
  assert_int_equal(wide.max(), hour);
  assert_int_equal(wide.quantile(0.5), 1);
  assert_int_equal(wide.quantile(0.51), hour);
  assert_int_equal(wide.sum(), hour + 1);
}

void values_outside_the_scale_keep_true_ends(void**) {
  const int64_t day = 24 * 3600 * kSecond;
  const Distribution beyond = of({-5, day, 2 * day});
  assert_int_equal(beyond.min(), 0);
  assert_int_equal(beyond.max(), 2 * day);
  assert_int_equal(beyond.quantile(1), 2 * day);
  assert_int_equal(beyond.count(), 3);
}

void nothing_measured_is_zero_everywhere(void**) {
  const Distribution empty = of({});
  assert_int_equal(empty.count(), 0);
  assert_int_equal(empty.min(), 0);
  assert_int_equal(empty.max(), 0);
  assert_int_equal(empty.quantile(0.5), 0);
  assert_true(empty.mean() == 0);
  assert_true(empty.stdev() == 0);
}

void the_deviation_is_that_of_the_population(void**) {
  assert_true(of({7, 7, 7}).stdev() == 0);
  assert_true(of({1, 3}).stdev() == 1);
  assert_true(of({2, 4, 4, 4, 5, 5, 7, 9}).stdev() == 2);
}

void merged_parts_are_the_whole(void**) {
  Histogram whole;
  Histogram parts[4];
  uint64_t state = 1;
  for (int i = 0; i < 40'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto value = static_cast<int64_t>(state >> (20 + state % 40));
    whole.record(value, 1);
    parts[i % 3].record(value, 1);  // the last part stays empty
  }
  Distribution merged;
  for (const Histogram& part : parts) merged.merge(part.finish());
  assert_true(merged == whole.finish());
  Distribution backwards = parts[3].finish();
  for (int i = 2; i >= 0; --i) backwards.merge(parts[i].finish());
  assert_true(backwards == whole.finish());
}

void added_histograms_are_the_whole(void**) {
  Histogram sum;
  Histogram other;
  sum.add(other);
  assert_true(sum.is_empty());
  sum.record(5, 3);
  other.record(7, 1);
  other.record(5'000'000, 2);
  sum.add(other);
  assert_true(sum.finish() == of({5, 5, 5, 7, 5'000'000, 5'000'000}));
  assert_true(other.finish() == of({7, 5'000'000, 5'000'000}));
}

void a_cleared_histogram_is_a_new_one(void**) {
  Histogram histogram;
  histogram.record(5, 3);
  histogram.clear();
  assert_true(histogram.finish() == Distribution());
  histogram.record(7, 1);
  assert_true(histogram.finish() == of({7}));
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(every_bucket_holds_exactly_its_own_values),
      cmocka_unit_test(a_bucket_is_narrower_than_a_thousandth_of_its_values),
      cmocka_unit_test(small_values_are_exact),
      cmocka_unit_test(percentiles_are_nearest_rank),
      cmocka_unit_test(a_rounded_product_does_not_move_the_rank),
      cmocka_unit_test(percentiles_stay_within_the_data_and_rise),
      cmocka_unit_test(a_single_slow_one_is_the_maximum_and_nothing_else),
      cmocka_unit_test(a_million_equal_values_have_one_percentile),
      cmocka_unit_test(a_nanosecond_and_an_hour_fit_side_by_side),
      cmocka_unit_test(values_outside_the_scale_keep_true_ends),
      cmocka_unit_test(nothing_measured_is_zero_everywhere),
      cmocka_unit_test(the_deviation_is_that_of_the_population),
      cmocka_unit_test(merged_parts_are_the_whole),
      cmocka_unit_test(added_histograms_are_the_whole),
      cmocka_unit_test(a_cleared_histogram_is_a_new_one),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
