// Which slot a request gets where all slots have one queue, who waits and who
// is turned away. Drawn slots, closes, dials and time-outs have tests of their
// own.
#include "pool/slot_pool.hh"
#include "unit/pool_bench.hh"

namespace dyno {
namespace {

Settings fifo_lazy(const char* size, const char* callers) {
  return {
      {"client", "fifo-lazy"}, {"pool.size", size}, {"load.callers", callers}};
}

// Opens slots 0 … count - 1 with one request each and answers them in order.
void use_once(PoolBench& bench, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    bench.submit(i);
    bench.opened(i);
  }
  for (uint32_t i = 0; i < count; ++i) bench.answer(i);
  bench.take_notes();
}

// --- one queue for all slots -------------------------------------------------

void a_lazy_slot_opens_with_its_first_request(void**) {
  PoolBench bench(fifo_lazy("2", "3"));
  assert_notes(bench, "");
  bench.submit_all({0, 1, 2});
  assert_notes(bench, "open 0; open 1; waits 2");
  bench.opened(1);
  assert_notes(bench, "send 1 x1");
  bench.answer(1);
  assert_notes(bench, "done 1; granted 2; send 1 x1");
  bench.opened(0);
  bench.answer(0);
  bench.answer(1);
  assert_notes(bench, "done 0; done 2; send 0 x1");
  assert_int_equal(bench.pool().in_use(), 0);
}

void an_idle_connection_is_used_before_another_is_opened(void**) {
  for (const char* client : {"fifo-lazy", "fifo-patient"}) {
    PoolBench bench(
        {{"client", client}, {"pool.size", "4"}, {"load.callers", "4"}});
    use_once(bench, 1);
    for (int i = 0; i < 3; ++i) {
      bench.submit(0);
      bench.answer(0);
      assert_notes(bench, "done 0; send 0 x1");
    }
  }
}

void fifo_takes_the_one_that_has_been_idle_longest(void**) {
  PoolBench bench(fifo_lazy("3", "3"));
  use_once(bench, 3);
  for (const char* notes : {"done 0; send 0 x1", "done 0; send 1 x1",
                            "done 0; send 2 x1", "done 0; send 0 x1"}) {
    bench.submit(0);
    for (SlotId slot = 0; slot < 3; ++slot)
      if (bench.on_wire(slot) > 0) bench.answer(slot);
    assert_notes(bench, notes);
  }
}

void lifo_takes_the_one_that_was_used_last(void**) {
  PoolBench bench(
      {{"client", "fifo-patient"}, {"pool.size", "3"}, {"load.callers", "3"}});
  use_once(bench, 3);
  for (int i = 0; i < 3; ++i) {
    bench.submit(0);
    bench.answer(2);
    assert_notes(bench, "done 0; send 2 x1");
  }
  bench.submit_all({0, 1});
  assert_notes(bench, "send 1 x1; send 2 x1");
  bench.answer(1);
  bench.submit(1);
  assert_notes(bench, "done 1; send 1 x1");
}

// Connections that were opened ahead take their turns too.
void fifo_uses_every_connection_that_was_opened_ahead(void**) {
  Settings settings = fifo_lazy("3", "3");
  settings.emplace_back("pool.open", "eager");
  PoolBench bench(settings);
  assert_int_equal(bench.pool().open_some(10, bench.now_ns()), 3);
  for (SlotId slot = 0; slot < 3; ++slot) bench.opened(slot);
  assert_notes(bench, "open 0; open 1; open 2");
  for (const SlotId slot : {0u, 1u, 2u, 0u, 1u}) {
    bench.submit(0);
    assert_int_equal(bench.on_wire(slot), 1);
    bench.answer(slot);
  }
  bench.take_notes();
  assert_string_equal(bench.problem().c_str(), "");
}

void a_connection_that_reopened_is_used_before_an_empty_slot(void**) {
  Settings settings = fifo_lazy("2", "2");
  settings.emplace_back("pool.on_close", "reopen-now");
  PoolBench bench(settings);
  use_once(bench, 1);
  bench.closed(0);
  bench.opened(0);
  assert_notes(bench, "open 0");
  bench.submit(0);
  assert_notes(bench, "send 0 x1");
}

void a_connection_that_closed_is_no_longer_idle(void**) {
  for (const char* client : {"fifo-lazy", "fifo-patient"}) {
    PoolBench bench(
        {{"client", client}, {"pool.size", "3"}, {"load.callers", "3"}});
    use_once(bench, 3);
    bench.closed(0);
    bench.closed(2);
    bench.submit(0);
    assert_notes(bench, "send 1 x1");
    bench.submit_all({1, 2});
    for (const SlotId slot : {0u, 2u})
      assert_true(bench.state(slot) == PoolBench::Wire::dialing);
  }
}

void waiters_are_served_first_come_first_served(void**) {
  PoolBench bench(fifo_lazy("1", "4"));
  bench.submit_all({3, 1, 0, 2});
  bench.opened(0);
  assert_notes(bench, "open 0; waits 1; waits 0; waits 2; send 0 x1");
  bench.answer(0);
  bench.submit(3);
  bench.answer(0);
  bench.answer(0);
  bench.answer(0);
  assert_notes(bench,
               "done 3; granted 1; waits 3; done 1; granted 0; done 0; "
               "granted 2; done 2; granted 3; send 0 x4");
}

void a_request_that_comes_late_does_not_overtake_the_queue(void**) {
  PoolBench bench(fifo_lazy("1", "3"));
  bench.submit_all({0, 1});
  bench.opened(0);
  bench.answer(0);
  bench.submit(0);
  assert_notes(bench, "open 0; waits 1; done 0; granted 1; waits 0; send 0 x2");
}

void fifo_keeps_capacity_when_waiters_expire(void**) {
  PoolBench bench(fifo_lazy("1", "5"));
  bench.submit_all({0, 1, 2});
  bench.opened(0);
  bench.pass(5 * kSecond - 1);
  bench.submit_all({3, 4});
  bench.pass(1);
  bench.take_notes();
  bench.answer(0);
  assert_notes(bench,
               "done 0; pool_timeout 1; pool_timeout 2; granted 3; send 0 x1");
  bench.answer(0);
  assert_notes(bench, "done 3; granted 4; send 0 x1");
}

void a_wait_ends_at_its_time_also_without_an_answer(void**) {
  PoolBench bench(fifo_lazy("1", "3"));
  bench.submit_all({0, 1});
  bench.pass(kSecond);
  bench.submit(2);
  bench.take_notes();
  bench.pass_and_sweep(4 * kSecond - 1);
  assert_notes(bench, "");
  bench.pass_and_sweep(1);
  assert_notes(bench, "pool_timeout 1");
  bench.pass_and_sweep(kSecond);
  assert_notes(bench, "pool_timeout 2");
}

void an_unlimited_wait_has_no_end(void**) {
  Settings settings = fifo_lazy("1", "2");
  settings.emplace_back("pool.wait", "unlimited");
  PoolBench bench(settings);
  bench.submit_all({0, 1});
  bench.pass_and_sweep(1'000'000 * kSecond);
  assert_notes(bench, "open 0; waits 1");
}

void a_full_queue_turns_requests_away(void**) {
  Settings settings = fifo_lazy("1", "5");
  settings.emplace_back("pool.queue_limit", "2");
  PoolBench bench(settings);
  bench.submit_all({0, 1, 2, 3});
  assert_notes(bench, "open 0; waits 1; waits 2; queue_full 3");
  bench.opened(0);
  bench.answer(0);
  bench.submit_all({3, 4});
  assert_notes(bench, "done 0; granted 1; waits 3; queue_full 4; send 0 x2");
  bench.answer(0);
  bench.answer(0);
  bench.submit(0);
  assert_int_equal(bench.waiting(), 1);
  assert_int_equal(bench.pool().counters().queue_peak, 2);
}

void the_instants_of_a_request_are_written_down(void**) {
  PoolBench bench(fifo_lazy("1", "2"));
  const int64_t start_ns = bench.now_ns();
  bench.submit(0);
  bench.pass(10);
  bench.submit(1);
  bench.pass(10);
  bench.opened(0);
  assert_int_equal(bench.request(0).granted_ns, start_ns);
  assert_int_equal(bench.request(0).sent_ns, start_ns + 20);
  bench.pass(10);
  bench.answer(0);
  assert_int_equal(bench.request(1).submitted_ns, start_ns + 10);
  assert_int_equal(bench.request(1).granted_ns, start_ns + 30);
  assert_int_equal(bench.request(1).sent_ns, start_ns + 30);
}

void without_a_queue_a_pool_that_is_all_in_use_is_busy(void**) {
  Settings settings = fifo_lazy("2", "3");
  settings.emplace_back("pool.full", "fail");
  PoolBench bench(settings);
  bench.submit_all({0, 1, 2});
  assert_notes(bench, "open 0; open 1; busy 2");
}

void slots_with_depth_fill_up_before_anyone_waits(void**) {
  Settings settings = fifo_lazy("2", "6");
  settings.emplace_back("pool.depth", "2");
  PoolBench bench(settings);
  bench.submit_all({0, 1, 2, 3, 4, 5});
  bench.opened(0);
  bench.opened(1);
  assert_notes(bench, "open 0; open 1; waits 4; waits 5; send 0 x2; send 1 x2");
  bench.answer(1, 2);
  assert_notes(bench, "done 1; done 3; granted 4; granted 5; send 1 x2");
}

// --- opening ahead -----------------------------------------------------------

void slots_are_opened_ahead_a_few_at_a_time(void**) {
  PoolBench bench(fifo_lazy("5", "5"));
  assert_int_equal(bench.pool().untried(), 5);
  bench.submit(0);
  assert_int_equal(bench.pool().open_some(2, bench.now_ns()), 2);
  assert_notes(bench, "open 0; open 1; open 2");
  bench.opened(0);
  bench.dial_failed(1, Failure::connect_refused);
  assert_int_equal(bench.pool().untried(), 3);
  assert_int_equal(bench.pool().open_some(9, bench.now_ns()), 2);
  assert_int_equal(bench.pool().open_some(9, bench.now_ns()), 0);
  for (const SlotId slot : {2u, 3u, 4u}) bench.opened(slot);
  assert_int_equal(bench.pool().untried(), 0);
  bench.pass_and_sweep(kSecond);
  bench.closed(0);
  bench.submit_all({1, 2, 3, 4});
  bench.opened(0);
  bench.opened(1);
  assert_int_equal(bench.pool().untried(), 0);
  assert_int_equal(bench.pool().size(), 5);
}

void slots_in_use_are_those_with_a_request(void**) {
  PoolBench bench(fifo_lazy("3", "5"));
  bench.submit_all({0, 1, 2, 3, 4});
  assert_int_equal(bench.pool().in_use(), 3);
  for (SlotId slot = 0; slot < 3; ++slot) bench.opened(slot);
  bench.answer(0);
  assert_int_equal(bench.pool().in_use(), 3);
  bench.answer(0);
  bench.answer(0);
  assert_int_equal(bench.pool().in_use(), 2);
  bench.closed(1);
  assert_int_equal(bench.pool().in_use(), 1);
  bench.answer(2);
  assert_int_equal(bench.pool().in_use(), 0);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_lazy_slot_opens_with_its_first_request),
      cmocka_unit_test(an_idle_connection_is_used_before_another_is_opened),
      cmocka_unit_test(fifo_takes_the_one_that_has_been_idle_longest),
      cmocka_unit_test(lifo_takes_the_one_that_was_used_last),
      cmocka_unit_test(fifo_uses_every_connection_that_was_opened_ahead),
      cmocka_unit_test(a_connection_that_reopened_is_used_before_an_empty_slot),
      cmocka_unit_test(a_connection_that_closed_is_no_longer_idle),
      cmocka_unit_test(waiters_are_served_first_come_first_served),
      cmocka_unit_test(a_request_that_comes_late_does_not_overtake_the_queue),
      cmocka_unit_test(fifo_keeps_capacity_when_waiters_expire),
      cmocka_unit_test(a_wait_ends_at_its_time_also_without_an_answer),
      cmocka_unit_test(an_unlimited_wait_has_no_end),
      cmocka_unit_test(a_full_queue_turns_requests_away),
      cmocka_unit_test(the_instants_of_a_request_are_written_down),
      cmocka_unit_test(without_a_queue_a_pool_that_is_all_in_use_is_busy),
      cmocka_unit_test(slots_with_depth_fill_up_before_anyone_waits),
      cmocka_unit_test(slots_are_opened_ahead_a_few_at_a_time),
      cmocka_unit_test(slots_in_use_are_those_with_a_request),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
