// What the other side does without being seen, and what is left behind: closes
// that show at the next use, places of requests that are over, leaked and idle
// connections, slots that are drawn again when they are down.
#include "pool/slot_pool.hh"
#include "unit/pool_bench.hh"

namespace dyno {
namespace {

Settings one_slot(const char* key, const char* value) {
  return {{"pool.size", "1"},
          {"pool.select", "idle-lifo"},
          {"pool.on_close_pending", "fail"},
          {"request.timeout", "1s"},
          {"load.callers", "4"},
          {key, value}};
}

// --- next-use-error ----------------------------------------------------------

void the_next_request_finds_out_and_the_one_after_reopens(void**) {
  PoolBench bench(one_slot("pool.on_close", "next-use-error"));
  warm_up(bench);
  bench.submit(0);
  bench.answer_and_close(0);
  bench.submit(1);
  assert_notes(bench, "done 0; closed 1; send 0 x1");
  bench.submit(1);
  assert_notes(bench, "open 0");
}

void a_waiter_finds_out_for_the_others(void**) {
  PoolBench bench(one_slot("pool.on_close", "next-use-error"));
  warm_up(bench);
  bench.submit_all({0, 1, 2});
  bench.take_notes();
  bench.answer_and_close(0);
  assert_notes(bench, "done 0; closed 1; open 0; granted 2");
}

void a_request_that_is_hit_has_found_out(void**) {
  PoolBench bench(one_slot("pool.on_close", "next-use-error"));
  warm_up(bench);
  bench.submit(0);
  bench.closed(0);
  bench.submit(1);
  assert_notes(bench, "closed 0; open 0; send 0 x1");
}

// --- abandoned places --------------------------------------------------------

void the_next_request_goes_behind_the_one_that_timed_out(void**) {
  PoolBench bench(one_slot("pool.on_timeout", "abandon"));
  warm_up(bench);
  bench.submit_all({0, 1});
  bench.pass_and_sweep(kSecond);
  assert_notes(bench, "waits 1; request_timeout 0; granted 1; send 0 x2");
  bench.answer(0);
  bench.answer(0);
  assert_notes(bench, "late; done 1");
  assert_int_equal(bench.pool().in_use(), 0);
}

void one_that_was_never_sent_leaves_no_place(void**) {
  Settings settings = one_slot("pool.on_timeout", "abandon");
  settings.emplace_back("pool.budget", "shared");
  PoolBench bench(settings);
  bench.submit(0);
  bench.pass_and_sweep(kSecond);
  bench.opened(0);
  assert_notes(bench, "open 0; request_timeout 0");
  assert_int_equal(bench.pool().in_use(), 0);
}

void an_answer_from_elsewhere_frees_the_place(void**) {
  PoolBench bench(one_slot("pool.on_timeout", "abandon"));
  warm_up(bench);
  bench.submit_all({0, 1});
  bench.take_notes();
  bench.finish_elsewhere(0);
  assert_notes(bench, "granted 1; send 0 x1");
  bench.answer(0, 2);
  assert_notes(bench, "late; done 1");
}

// --- one budget for the wait and the answer ----------------------------------

void a_shared_budget_runs_from_the_question(void**) {
  PoolBench bench(one_slot("pool.budget", "shared"));
  warm_up(bench);
  bench.submit_all({0, 1});
  bench.pass(600 * kMillisecond);
  bench.answer(0);
  bench.pass_and_sweep(300 * kMillisecond);
  assert_notes(bench, "waits 1; done 0; granted 1; send 0 x2");
  bench.pass_and_sweep(100 * kMillisecond);
  assert_notes(bench, "request_timeout 1; close 0");
}

void a_slot_that_comes_too_late_is_a_budget_exhausted(void**) {
  PoolBench bench(one_slot("pool.budget", "shared"));
  warm_up(bench);
  bench.submit(0);
  bench.pass(100 * kMillisecond);
  bench.submit_all({1, 2});
  bench.pass(999 * kMillisecond);
  bench.submit(3);
  bench.pass(kMillisecond);
  bench.take_notes();
  bench.answer(0);
  assert_notes(bench,
               "done 0; budget_exhausted 1; budget_exhausted 2; granted 3; "
               "send 0 x1");
}

// --- leaked, idle, down ------------------------------------------------------

void a_leaked_connection_is_the_servers(void**) {
  PoolBench bench(
      {{"client", "none-leak"}, {"connections", "2"}, {"load.callers", "4"}});
  bench.submit(0);
  bench.opened(0);
  bench.answer(0);
  bench.submit_all({0, 1});
  assert_notes(bench, "open 0; done 0; open 1; fd_exhausted 1; send 0 x1");
  bench.closed(0);
  bench.submit(1);
  assert_notes(bench, "open 0");
}

void an_idle_connection_is_closed_in_time(void**) {
  PoolBench bench(one_slot("pool.idle_timeout", "100ms"));
  warm_up(bench);
  bench.pass_and_sweep(99 * kMillisecond);
  assert_notes(bench, "");
  bench.pass_and_sweep(6 * kMillisecond);
  assert_notes(bench, "close 0");
  bench.submit(0);
  assert_notes(bench, "open 0");
}

void a_connection_in_use_is_not_idle(void**) {
  PoolBench bench(one_slot("pool.idle_timeout", "100ms"));
  warm_up(bench);
  bench.pass(90 * kMillisecond);
  bench.submit(0);
  bench.pass_and_sweep(90 * kMillisecond);
  bench.answer(0);
  bench.pass_and_sweep(90 * kMillisecond);
  assert_notes(bench, "done 0; send 0 x1");
}

// One of two slots is down: a draw meets it half of the time, four draws one
// time in sixteen.
void a_slot_that_is_down_is_drawn_again(void**) {
  for (const char* tries : {"0", "3"}) {
    PoolBench bench({{"client", "random-mux-skipdown"},
                     {"pool.size", "2"},
                     {"pool.down_tries", tries},
                     {"load.callers", "1"}});
    bench.keep_notes(false);
    bench.pool().open_some(2, bench.now_ns());
    bench.opened(0);
    bench.opened(1);
    bench.closed(0);
    for (int i = 0; i < 10'000; ++i) {
      bench.submit(0);
      if (bench.on_wire(1) > 0) bench.answer(1);
    }
    const int64_t expected = *tries == '0' ? 5'000 : 625;
    assert_in_range(bench.failed(), expected * 9 / 10, expected * 11 / 10);
  }
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(the_next_request_finds_out_and_the_one_after_reopens),
      cmocka_unit_test(a_waiter_finds_out_for_the_others),
      cmocka_unit_test(a_request_that_is_hit_has_found_out),
      cmocka_unit_test(the_next_request_goes_behind_the_one_that_timed_out),
      cmocka_unit_test(one_that_was_never_sent_leaves_no_place),
      cmocka_unit_test(an_answer_from_elsewhere_frees_the_place),
      cmocka_unit_test(a_shared_budget_runs_from_the_question),
      cmocka_unit_test(a_slot_that_comes_too_late_is_a_budget_exhausted),
      cmocka_unit_test(a_leaked_connection_is_the_servers),
      cmocka_unit_test(an_idle_connection_is_closed_in_time),
      cmocka_unit_test(a_connection_in_use_is_not_idle),
      cmocka_unit_test(a_slot_that_is_down_is_drawn_again),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
