// The largest-remainder split: exact sums, fair shares, ties to the front.
#include <numeric>
#include <vector>

#include "base/rng.hh"
#include "load/split.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

using Shares = std::vector<int64_t>;

void even_shares_put_what_is_left_at_the_front(void**) {
  const struct {
    int64_t total;
    size_t parts;
    Shares shares;
  } cases[] = {
      {15, 8, {2, 2, 2, 2, 2, 2, 2, 1}},
      {16, 8, {2, 2, 2, 2, 2, 2, 2, 2}},
      {1000, 3, {334, 333, 333}},
      {2, 4, {1, 1, 0, 0}},
      {0, 3, {0, 0, 0}},
      {7, 1, {7}},
  };
  for (const auto& [total, parts, shares] : cases)
    assert_true(split_evenly(total, parts) == shares);
}

void shares_follow_the_weights(void**) {
  const struct {
    int64_t total;
    Shares weights, shares;
  } cases[] = {
      {10, {1, 1}, {5, 5}},
      {10, {3, 1}, {8, 2}},  // 7.5 and 2.5: the tie goes to the front
      {10, {1, 3}, {3, 7}},
      {100, {2, 1, 1}, {50, 25, 25}},
      {1, {1, 2, 1}, {0, 1, 0}},  // the largest remainder, not the first
      {5, {0, 1, 0, 1}, {0, 3, 0, 2}},
      {1000, {2, 2, 2, 2, 2, 2, 2, 1}, {134, 134, 133, 133, 133, 133, 133, 67}},
      {21, {6, 7, 8}, {6, 7, 8}},
  };
  for (const auto& [total, weights, shares] : cases)
    assert_true(split(total, weights) == shares);
}

void totals_near_the_end_of_the_range_do_not_overflow(void**) {
  const int64_t huge = 4'000'000'000'000'000'000;
  const Shares shares = split(huge, Shares{huge, huge});
  assert_true((shares == Shares{huge / 2, huge / 2}));
  assert_true((split(INT64_MAX, Shares{INT64_MAX}) == Shares{INT64_MAX}));
}

void any_split_is_exact_and_within_one_of_its_quota(void**) {
  Rng rng(3);
  for (int round = 0; round < 2000; ++round) {
    Shares weights(1 + rng.below(20));
    for (int64_t& weight : weights) weight = rng.below(50);
    weights[rng.below(static_cast<uint32_t>(weights.size()))] += 1;
    const int64_t sum =
        std::accumulate(weights.begin(), weights.end(), int64_t{0});
    const int64_t total = rng.below(10'000);
    const Shares shares = split(total, weights);
    assert_int_equal(shares.size(), weights.size());
    assert_int_equal(std::accumulate(shares.begin(), shares.end(), int64_t{0}),
                     total);
    for (size_t i = 0; i < shares.size(); ++i) {
      const int64_t floor = total * weights[i] / sum;
      const bool has_remainder = total * weights[i] % sum > 0;
      assert_true(shares[i] >= floor && shares[i] <= floor + has_remainder);
    }
  }
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(even_shares_put_what_is_left_at_the_front),
      cmocka_unit_test(shares_follow_the_weights),
      cmocka_unit_test(totals_near_the_end_of_the_range_do_not_overflow),
      cmocka_unit_test(any_split_is_exact_and_within_one_of_its_quota),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
