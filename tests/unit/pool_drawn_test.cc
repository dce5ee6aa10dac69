// Disciplines without a queue for all slots: the slot is drawn, or it is the
// caller's own, and what it has no room for fails.
#include "unit/pool_bench.hh"

namespace dyno {
namespace {

void trylock_fails_with_busy_where_the_slot_is_in_use(void**) {
  PoolBench bench({{"client", "random-trylock"},
                   {"pool.size", "1"},
                   {"load.callers", "2"}});
  bench.submit_all({0, 1});
  assert_notes(bench, "open 0; busy 1");
  bench.opened(0);
  bench.submit(1);
  assert_notes(bench, "busy 1; send 0 x1");
  bench.answer(0);
  bench.submit(1);
  assert_notes(bench, "done 0; send 0 x1");
}

void a_random_draw_reaches_every_slot_whatever_its_state(void**) {
  PoolBench bench({{"client", "random-trylock"},
                   {"pool.size", "4"},
                   {"load.callers", "100"}});
  for (RequestId id = 0; id < 100; ++id) bench.submit(id);
  for (SlotId slot = 0; slot < 4; ++slot)
    assert_true(bench.state(slot) == PoolBench::Wire::dialing);
  assert_int_equal(bench.out(), 4);
  assert_int_equal(bench.failed(), 96);
}

void round_robin_takes_slots_in_turn(void**) {
  PoolBench bench({{"pool.select", "round-robin"},
                   {"pool.full", "fail"},
                   {"pool.open", "lazy"},
                   {"pool.size", "3"},
                   {"pool.slot_queue", "1"},
                   {"load.callers", "7"}});
  bench.submit_all({0, 1, 2, 3, 4});
  assert_notes(bench, "open 0; open 1; open 2");
  for (SlotId slot = 0; slot < 3; ++slot) bench.opened(slot);
  for (SlotId slot = 0; slot < 3; ++slot) bench.answer(slot);
  assert_notes(bench,
               "done 0; done 1; done 2; send 0 x2; send 1 x2; send 2 x1");
  bench.submit_all({5, 6});
  assert_notes(bench, "send 2 x1");
}

void a_slot_of_depth_takes_as_many_and_no_more(void**) {
  PoolBench bench({{"client", "random-mux-failfast"},
                   {"pool.size", "1"},
                   {"load.callers", "1026"}});
  for (RequestId id = 0; id < 1024; ++id) bench.submit(id);
  assert_notes(bench, "open 0");
  bench.submit(1024);
  assert_notes(bench, "backlog_full 1024");
  bench.opened(0);
  assert_notes(bench, "send 0 x1024");
  bench.answer(0);
  bench.submit_all({1024, 1025});
  assert_notes(bench, "done 0; backlog_full 1025; send 0 x1");
  bench.answer(0, 1024);
  assert_int_equal(bench.out(), 0);
  assert_int_equal(bench.pool().in_use(), 0);
}

void what_queues_in_a_slot_follows_when_there_is_room(void**) {
  PoolBench bench({{"pool.size", "1"},
                   {"pool.open", "lazy"},
                   {"pool.depth", "2"},
                   {"pool.slot_queue", "2"},
                   {"load.callers", "4"}});
  bench.submit_all({0, 1, 2, 3});
  bench.opened(0);
  assert_notes(bench, "open 0; send 0 x2");
  bench.answer(0);
  assert_notes(bench, "done 0; send 0 x1");
  bench.answer(0, 2);
  assert_notes(bench, "done 1; done 2; send 0 x1");
}

// --- a slot of one's own -----------------------------------------------------

void callers_keep_to_their_own_slots(void**) {
  PoolBench bench({{"pool.size", "2"}, {"pool.depth", "2"}});
  bench.pool().open_some(2, bench.now_ns());
  bench.opened(0);
  bench.opened(1);
  bench.submit_all({0, 1, 2, 3});  // homes 0 1 0 1
  assert_notes(bench, "open 0; open 1; send 0 x2; send 1 x2");
  bench.answer(1, 2);
  bench.submit_all({1, 3});
  assert_notes(bench, "done 1; done 3; send 1 x2");
  assert_int_equal(bench.pool().in_use(), 2);
}

void a_connection_per_request_is_closed_after_its_answer(void**) {
  PoolBench bench({{"client", "none"}, {"load.callers", "2"}});
  bench.submit_all({0, 1});
  bench.opened(0);
  bench.opened(1);
  assert_notes(bench, "open 0; open 1; send 0 x1; send 1 x1");
  bench.answer(1);
  assert_notes(bench, "done 1; close 1");
  bench.submit(1);
  bench.opened(1);
  assert_notes(bench, "open 1; send 1 x1");
  bench.answer_and_close(1);
  assert_notes(bench, "done 1");
  assert_false(bench.pool().was_used(1));
}

// Drawn slots are shared, so one may hold several requests.
void what_queues_behind_it_gets_a_connection_of_its_own(void**) {
  PoolBench bench(config_of({{"client", "random-trylock"},
                             {"pool.open", "per-request"},
                             {"pool.slot_queue", "2"},
                             {"connections", "1"}}),
                  3);
  bench.submit_all({0, 1, 2});
  bench.opened(0);
  bench.answer(0);
  assert_notes(bench, "open 0; done 0; close 0; open 0; send 0 x1");
  bench.opened(0);
  bench.answer(0);
  assert_notes(bench, "done 1; close 0; open 0; send 0 x1");
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(trylock_fails_with_busy_where_the_slot_is_in_use),
      cmocka_unit_test(a_random_draw_reaches_every_slot_whatever_its_state),
      cmocka_unit_test(round_robin_takes_slots_in_turn),
      cmocka_unit_test(a_slot_of_depth_takes_as_many_and_no_more),
      cmocka_unit_test(what_queues_in_a_slot_follows_when_there_is_room),
      cmocka_unit_test(callers_keep_to_their_own_slots),
      cmocka_unit_test(a_connection_per_request_is_closed_after_its_answer),
      cmocka_unit_test(what_queues_behind_it_gets_a_connection_of_its_own),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
