// The generator's published numbers, and that a bound holds.
#include <initializer_list>

#include "base/rng.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

// The first outputs of SplitMix64 from seed 1234567, as published.
void it_is_splitmix64(void**) {
  Rng rng(1234567);
  for (const uint64_t expected :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
        4593380528125082431u, 16408922859458223821u})
    assert_true(rng.next() == expected);
}

void the_same_seed_makes_the_same_choices(void**) {
  Rng one(5), same(5), other(6);
  int differing = 0;
  for (int i = 0; i < 100; ++i) {
    const uint64_t drawn = one.next();
    assert_true(drawn == same.next());
    differing += drawn != other.next();
  }
  assert_int_equal(differing, 100);
}

void every_number_below_the_bound_is_drawn_and_no_other(void**) {
  for (const uint32_t bound : {1u, 2u, 3u, 7u, 32u}) {
    Rng rng(bound);
    int drawn[32] = {};
    for (int i = 0; i < 3200; ++i) {
      const uint32_t number = rng.below(bound);
      assert_true(number < bound);
      ++drawn[number];
    }
    for (uint32_t i = 0; i < bound; ++i)
      assert_in_range(drawn[i], 3200 / bound / 2, 3200 / bound * 2);
  }
}

void the_largest_bound_is_not_left(void**) {
  Rng rng(1);
  for (int i = 0; i < 1000; ++i)
    assert_true(rng.below(UINT32_MAX) < UINT32_MAX);
}

void reals_fill_zero_to_one(void**) {
  Rng rng(9);
  int tenths[10] = {};
  for (int i = 0; i < 1000; ++i) {
    const double real = rng.real();
    assert_true(real >= 0 && real < 1);
    ++tenths[static_cast<int>(real * 10)];
  }
  for (const int count : tenths) assert_in_range(count, 50, 200);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(it_is_splitmix64),
      cmocka_unit_test(the_same_seed_makes_the_same_choices),
      cmocka_unit_test(every_number_below_the_bound_is_drawn_and_no_other),
      cmocka_unit_test(the_largest_bound_is_not_left),
      cmocka_unit_test(reals_fill_zero_to_one),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
