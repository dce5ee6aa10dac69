// Requests that last too long: with their connection, or with their answer
// dropped when it comes.
#include "pool/slot_pool.hh"
#include "unit/pool_bench.hh"

namespace dyno {
namespace {

Settings timing_out(const char* depth, const char* pending,
                    const char* on_timeout) {
  return {{"pool.size", "1"},
          {"pool.open", "lazy"},
          {"pool.depth", depth},
          {"pool.on_close_pending", pending},
          {"pool.on_timeout", on_timeout},
          {"request.timeout", "1s"}};
}

void a_request_times_out_with_its_connection(void**) {
  PoolBench bench(timing_out("1", "fail", "close"));
  warm_up(bench);
  bench.submit(0);
  bench.pass_and_sweep(900 * kMillisecond);
  assert_notes(bench, "send 0 x1");
  bench.pass_and_sweep(100 * kMillisecond);
  assert_notes(bench, "request_timeout 0; close 0");
  bench.submit(0);
  assert_notes(bench, "open 0");
}

// Requests are looked at a twentieth of the time-out apart, not at every sweep.
void a_time_out_is_never_early_and_a_twentieth_late_at_most(void**) {
  for (const int64_t start_ms : {0, 3, 17, 44}) {
    PoolBench bench(timing_out("1", "fail", "close"));
    warm_up(bench);
    bench.pass_and_sweep(start_ms * kMillisecond);
    bench.submit(0);
    const int64_t sent_ns = bench.now_ns();
    while (bench.out() > 0) bench.pass_and_sweep(kMillisecond);
    assert_in_range(bench.now_ns() - sent_ns, kSecond,
                    kSecond + 50 * kMillisecond);
  }
}

void the_time_before_it_is_sent_does_not_count(void**) {
  PoolBench bench(timing_out("1", "fail", "close"));
  bench.submit(0);
  bench.pass_and_sweep(5 * kSecond);
  assert_notes(bench, "open 0");
  bench.opened(0);
  bench.pass_and_sweep(900 * kMillisecond);
  assert_notes(bench, "send 0 x1");
  bench.pass_and_sweep(100 * kMillisecond);
  assert_notes(bench, "request_timeout 0; close 0");
}

void all_that_are_overdue_time_out_and_not_only_the_first(void**) {
  PoolBench bench(timing_out("4", "fail", "close"));
  warm_up(bench);
  bench.submit_all({0, 1, 2});
  bench.pass(500 * kMillisecond);
  bench.submit(3);
  bench.take_notes();
  bench.pass_and_sweep(500 * kMillisecond);
  assert_notes(bench,
               "request_timeout 0; request_timeout 1; request_timeout 2; "
               "close 0; closed 3");
  assert_int_equal(bench.pool().in_use(), 0);
}

void the_younger_ones_behind_are_sent_again_where_that_is_the_rule(void**) {
  PoolBench bench(timing_out("3", "retry", "close"));
  warm_up(bench);
  bench.submit(0);
  bench.pass(500 * kMillisecond);
  bench.submit_all({1, 2});
  bench.pass_and_sweep(500 * kMillisecond);
  bench.opened(0);
  bench.answer(0, 2);
  assert_notes(bench,
               "request_timeout 0; close 0; open 0; done 1; done 2; "
               "send 0 x5");
  assert_int_equal(bench.pool().counters().retry, 2);
}

void waiters_get_the_slot_of_a_request_that_timed_out(void**) {
  PoolBench bench({{"client", "fifo-lazy"},
                   {"pool.size", "1"},
                   {"pool.wait", "1m"},
                   {"request.timeout", "1s"},
                   {"load.callers", "3"}});
  bench.submit_all({0, 1, 2});
  bench.opened(0);
  bench.take_notes();
  bench.pass_and_sweep(kSecond);
  assert_notes(bench, "request_timeout 0; close 0; open 0; granted 1");
  bench.opened(0);
  bench.answer(0);
  assert_notes(bench, "done 1; granted 2; send 0 x2");
}

void a_time_out_of_a_fail_fast_slot_is_a_close_too(void**) {
  PoolBench bench({{"client", "random-mux-failfast"},
                   {"pool.size", "1"},
                   {"pool.on_timeout", "close"},
                   {"load.callers", "2"}});
  bench.submit(0);
  bench.opened(0);
  bench.pass_and_sweep(kSecond);
  bench.submit(1);
  assert_notes(bench,
               "open 0; request_timeout 0; close 0; no_connection 1; "
               "send 0 x1");
}

void without_a_time_out_a_request_may_last(void**) {
  Settings settings = timing_out("1", "fail", "close");
  settings.emplace_back("request.timeout", "unlimited");
  PoolBench bench(settings);
  warm_up(bench);
  bench.submit(0);
  bench.pass_and_sweep(1'000'000 * kSecond);
  assert_notes(bench, "send 0 x1");
}

void what_is_sent_again_has_its_time_again(void**) {
  PoolBench bench(timing_out("1", "retry", "close"));
  warm_up(bench);
  bench.submit(0);
  bench.pass(900 * kMillisecond);
  bench.closed(0);
  bench.opened(0);
  bench.pass_and_sweep(900 * kMillisecond);
  assert_notes(bench, "open 0; send 0 x2");
  bench.pass_and_sweep(100 * kMillisecond);
  assert_notes(bench, "request_timeout 0; close 0");
}

// --- the connection stays ----------------------------------------------------

void a_late_answer_is_nobodys(void**) {
  PoolBench bench(timing_out("3", "fail", "abandon-id"));
  warm_up(bench);
  bench.submit_all({0, 1});
  bench.pass(500 * kMillisecond);
  bench.submit(2);
  bench.pass_and_sweep(500 * kMillisecond);
  assert_notes(bench, "request_timeout 0; request_timeout 1; send 0 x3");
  assert_true(bench.state(0) == PoolBench::Wire::open);
  bench.answer(0, 3);
  assert_notes(bench, "late; late; done 2");
  assert_int_equal(bench.pool().in_use(), 0);
}

void until_it_comes_it_takes_up_its_place(void**) {
  PoolBench bench({{"client", "random-mux-failfast"},
                   {"pool.size", "1"},
                   {"pool.depth", "2"},
                   {"load.callers", "3"}});
  bench.submit_all({0, 1});
  bench.opened(0);
  bench.pass_and_sweep(kSecond);
  bench.submit(2);
  assert_notes(bench,
               "open 0; request_timeout 0; request_timeout 1; backlog_full 2; "
               "send 0 x2");
  bench.answer(0);
  bench.submit(2);
  assert_notes(bench, "late; send 0 x1");
}

void a_caller_that_timed_out_may_ask_again_behind_itself(void**) {
  PoolBench bench(timing_out("2", "fail", "abandon-id"));
  bench.submit(0);
  bench.opened(0);
  bench.pass_and_sweep(kSecond);
  bench.submit(0);
  bench.answer(0);
  bench.answer(0);
  assert_notes(bench, "open 0; request_timeout 0; late; done 0; send 0 x2");
}

void a_close_ends_nobody_twice(void**) {
  for (const char* pending : {"fail", "retry", "resubmit"}) {
    PoolBench bench(timing_out("3", pending, "abandon-id"));
    warm_up(bench);
    bench.submit_all({0, 1});
    bench.pass_and_sweep(kSecond);
    bench.take_notes();
    bench.closed(0);
    assert_notes(bench, "");
    assert_int_equal(bench.pool().in_use(), 0);
    bench.submit(0);
    assert_notes(bench, "open 0");
  }
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_request_times_out_with_its_connection),
      cmocka_unit_test(a_time_out_is_never_early_and_a_twentieth_late_at_most),
      cmocka_unit_test(the_time_before_it_is_sent_does_not_count),
      cmocka_unit_test(all_that_are_overdue_time_out_and_not_only_the_first),
      cmocka_unit_test(
          the_younger_ones_behind_are_sent_again_where_that_is_the_rule),
      cmocka_unit_test(waiters_get_the_slot_of_a_request_that_timed_out),
      cmocka_unit_test(a_time_out_of_a_fail_fast_slot_is_a_close_too),
      cmocka_unit_test(without_a_time_out_a_request_may_last),
      cmocka_unit_test(what_is_sent_again_has_its_time_again),
      cmocka_unit_test(a_late_answer_is_nobodys),
      cmocka_unit_test(until_it_comes_it_takes_up_its_place),
      cmocka_unit_test(a_caller_that_timed_out_may_ask_again_behind_itself),
      cmocka_unit_test(a_close_ends_nobody_twice),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
