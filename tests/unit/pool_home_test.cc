// Callers with a connection of their own that ask again at once.
#include "unit/cmocka.hh"
#include "unit/pool_bench.hh"

namespace dyno {
namespace {

// Slot 0 has callers 0 and 2, whose answers have just come.
void answered_both(PoolBench& bench) {
  bench.submit_all({0, 2});
  bench.opened(0);
  bench.answer(0, 2);
  bench.take_notes();
}

const Settings kTwoEach = {{"client", "dedicated"},
                           {"connections", "2"},
                           {"pool.depth", "2"},
                           {"load.callers", "4"}};

void home_callers_are_sent_together(void**) {
  PoolBench bench(kTwoEach);
  answered_both(bench);
  bench.pass(7);
  assert_true(bench.submit_home(0, {0, 2}));
  assert_notes(bench, "send 0 x2");
  for (const RequestId id : {0u, 2u}) {
    assert_int_equal(bench.request(id).granted_ns, bench.now_ns());
    assert_int_equal(bench.request(id).sent_ns, bench.now_ns());
  }
  assert_int_equal(bench.pool().in_use(), 1);
  bench.answer(0, 2);
  assert_notes(bench, "done 0; done 2");
  assert_int_equal(bench.pool().in_use(), 0);
}

void the_short_way_is_not_taken_beyond_the_depth(void**) {
  PoolBench bench(kTwoEach);
  answered_both(bench);
  bench.submit(0);
  bench.take_notes();
  assert_false(bench.submit_home(0, {2, 0}));
  assert_true(bench.submit_home(0, {2}));
  assert_notes(bench, "send 0 x1");
}

void the_short_way_needs_an_open_connection(void**) {
  PoolBench bench(kTwoEach);
  answered_both(bench);
  bench.closed(0);
  bench.take_notes();
  assert_false(bench.submit_home(0, {0, 2}));
  assert_notes(bench, "");
}

void the_short_way_needs_a_slot_of_ones_own(void**) {
  PoolBench bench({{"client", "fifo-lazy"}, {"pool.size", "1"}});
  warm_up(bench);
  assert_false(bench.submit_home(0, {0}));
  assert_notes(bench, "");
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(home_callers_are_sent_together),
      cmocka_unit_test(the_short_way_is_not_taken_beyond_the_depth),
      cmocka_unit_test(the_short_way_needs_an_open_connection),
      cmocka_unit_test(the_short_way_needs_a_slot_of_ones_own),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
