// Dials that fail: who is told, how long a slot rests, and that nobody who
// waits is forgotten meanwhile.
#include <algorithm>
#include <string>

#include "pool/slot_pool.hh"
#include "unit/pool_bench.hh"

namespace dyno {
namespace {

// Lets time pass in steps until the slot dials again; how long that took.
int64_t rest_of(PoolBench& bench, SlotId slot, int64_t step_ns) {
  const int64_t from_ns = bench.now_ns();
  while (bench.state(slot) != PoolBench::Wire::dialing)
    bench.pass_and_sweep(step_ns);
  return bench.now_ns() - from_ns;
}

void a_failed_dial_refuses_every_request_of_the_slot(void**) {
  for (const Failure kind :
       {Failure::connect_refused, Failure::connect_timeout,
        Failure::fd_exhausted, Failure::address_exhausted}) {
    PoolBench bench({{"pool.size", "1"},
                     {"pool.depth", "2"},
                     {"pool.slot_queue", "1"},
                     {"load.callers", "3"}});
    bench.submit_all({0, 1, 2});
    bench.take_notes();
    bench.dial_failed(0, kind);
    std::string expected;
    for (const char* id : {"0", "1", "2"})
      expected += std::string(expected.empty() ? "" : "; ") +
                  failure_row(kind).name + " " + id;
    assert_notes(bench, expected.c_str());
    assert_int_equal(bench.pool().in_use(), 0);
  }
}

void a_slot_rests_twice_as_long_each_time_up_to_the_cap(void**) {
  PoolBench bench(Settings{{"pool.size", "1"}});
  bench.pool().open_some(1, bench.now_ns());
  for (const int64_t ms : {10, 20, 40, 80, 160, 320, 640, 1000, 1000}) {
    bench.dial_failed(0, Failure::connect_refused);
    assert_int_equal(rest_of(bench, 0, kMillisecond), ms * kMillisecond);
  }
  bench.opened(0);
  bench.closed(0);
  bench.submit(0);
  bench.dial_failed(0, Failure::connect_refused);
  assert_int_equal(rest_of(bench, 0, kMillisecond), 10 * kMillisecond);
}

void the_first_rest_is_not_longer_than_the_cap_either(void**) {
  PoolBench bench({{"pool.size", "1"},
                   {"connect.backoff", "5s"},
                   {"connect.backoff_max", "2s"}});
  bench.pool().open_some(1, bench.now_ns());
  bench.dial_failed(0, Failure::connect_refused);
  assert_int_equal(rest_of(bench, 0, kMillisecond), 2 * kSecond);
}

// min + U(0, min / 2), then + U(0, current / 2), up to the cap.
void a_fail_fast_rest_grows_at_random(void**) {
  PoolBench bench({{"client", "random-mux-failfast"},
                   {"pool.size", "1"},
                   {"pool.backoff_max", "3s"}});
  bench.pool().open_some(1, bench.now_ns());
  int64_t least = 500 * kMillisecond;
  int64_t most = 750 * kMillisecond;
  for (int i = 0; i < 12; ++i) {
    bench.dial_failed(0, Failure::connect_refused);
    const int64_t rest = rest_of(bench, 0, kMillisecond);
    assert_in_range(rest, least, most + kMillisecond);
    least = rest - kMillisecond;
    most = std::min(rest * 3 / 2, 3 * kSecond);
  }
  assert_in_range(least, 2 * kSecond, 3 * kSecond);
  bench.opened(0);
  bench.closed(0);
  assert_in_range(rest_of(bench, 0, kMillisecond), 500 * kMillisecond,
                  751 * kMillisecond);
}

void a_lazy_slot_that_rests_dials_again_when_it_is_wanted(void**) {
  PoolBench bench(
      {{"pool.size", "1"}, {"pool.open", "lazy"}, {"load.callers", "1"}});
  bench.submit(0);
  bench.dial_failed(0, Failure::connect_refused);
  assert_notes(bench, "open 0; connect_refused 0");
  bench.pass_and_sweep(kSecond);
  assert_notes(bench, "");  // nobody wants it
  bench.submit(0);
  assert_notes(bench, "open 0");
  bench.dial_failed(0, Failure::connect_refused);
  bench.submit(0);
  assert_notes(bench, "connect_refused 0");  // and now it is queued in the slot
  bench.pass_and_sweep(19 * kMillisecond);
  assert_notes(bench, "");
  bench.pass_and_sweep(kMillisecond);
  bench.opened(0);
  assert_notes(bench, "open 0; send 0 x1");
}

void a_fail_fast_slot_that_rests_answers_no_connection(void**) {
  PoolBench bench({{"client", "random-mux-failfast"},
                   {"pool.size", "1"},
                   {"load.callers", "3"}});
  bench.submit(0);
  bench.dial_failed(0, Failure::connect_refused);
  bench.submit_all({1, 2});
  assert_notes(bench,
               "open 0; connect_refused 0; no_connection 1; no_connection 2");
  rest_of(bench, 0, kMillisecond);
  bench.submit(1);  // it dials: the request goes with it
  bench.opened(0);
  assert_notes(bench, "open 0; send 0 x1");
}

void a_slot_that_rests_is_offered_to_nobody(void**) {
  PoolBench bench(
      {{"client", "fifo-lazy"}, {"pool.size", "2"}, {"load.callers", "4"}});
  bench.submit(0);
  bench.dial_failed(0, Failure::connect_refused);
  bench.submit_all({1, 2});
  assert_notes(bench, "open 0; connect_refused 0; open 1; waits 2");
}

// Also where it had room to spare when its dial failed.
void a_slot_with_room_that_rests_is_offered_to_nobody(void**) {
  PoolBench bench({{"client", "fifo-lazy"},
                   {"pool.size", "2"},
                   {"pool.depth", "2"},
                   {"load.callers", "4"}});
  bench.submit_all({0, 1});
  bench.dial_failed(0, Failure::connect_refused);
  bench.opened(1);
  bench.submit_all({0, 2});
  assert_notes(bench, "open 0; open 1; connect_refused 0; waits 2; send 1 x2");
}

void waiters_get_a_slot_that_comes_back_in_their_order(void**) {
  for (const char* on_close : {"honour", "reopen-now"}) {
    PoolBench bench({{"client", "fifo-lazy"},
                     {"pool.size", "1"},
                     {"pool.on_close", on_close},
                     {"load.callers", "5"}});
    bench.submit_all({0, 1, 2});
    bench.dial_failed(0, Failure::connect_refused);
    assert_notes(bench, "open 0; waits 1; waits 2; connect_refused 0");
    bench.submit(3);
    bench.pass_and_sweep(10 * kMillisecond);
    bench.submit(4);
    bench.opened(0);
    assert_notes(bench, "waits 3; open 0; granted 1; waits 4; send 0 x1");
    bench.answer(0);
    bench.answer(0);
    assert_notes(bench, "done 1; granted 2; done 2; granted 3; send 0 x2");
  }
}

void waiters_outlast_a_server_that_is_down_for_long(void**) {
  PoolBench bench({{"client", "fifo-lazy"},
                   {"pool.size", "2"},
                   {"pool.wait", "unlimited"},
                   {"load.callers", "20"}});
  for (RequestId id = 0; id < 20; ++id) bench.submit(id);
  for (int round = 0; round < 4; ++round) {
    for (const SlotId slot : {0u, 1u})
      if (bench.state(slot) == PoolBench::Wire::dialing)
        bench.dial_failed(slot, Failure::connect_refused);
    bench.pass_and_sweep(kSecond);
  }
  assert_int_equal(bench.failed(), 8);
  assert_int_equal(bench.out(), 12);
  bench.opened(0);
  bench.opened(1);
  while (bench.out() > 0)
    for (const SlotId slot : {0u, 1u})
      if (bench.on_wire(slot) > 0) bench.answer(slot);
  assert_int_equal(bench.completed(), 12);
  assert_string_equal(bench.problem().c_str(), "");
}

void an_eager_slot_comes_back_by_itself(void**) {
  PoolBench bench(Settings{{"pool.size", "1"}});
  bench.pool().open_some(1, bench.now_ns());
  bench.dial_failed(0, Failure::connect_refused);
  assert_int_equal(bench.pool().untried(), 0);
  bench.pass_and_sweep(10 * kMillisecond);
  bench.opened(0);
  assert_notes(bench, "open 0; open 0");
}

void a_dial_that_never_succeeded_is_no_reconnect(void**) {
  PoolBench bench(Settings{{"pool.size", "1"}});
  bench.pool().open_some(1, bench.now_ns());
  bench.dial_failed(0, Failure::connect_refused);
  bench.pass_and_sweep(kSecond);
  assert_int_equal(bench.pool().counters().reconnect, 0);
  bench.opened(0);
  bench.closed(0);
  bench.submit(0);
  assert_int_equal(bench.pool().counters().reconnect, 1);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_failed_dial_refuses_every_request_of_the_slot),
      cmocka_unit_test(a_slot_rests_twice_as_long_each_time_up_to_the_cap),
      cmocka_unit_test(the_first_rest_is_not_longer_than_the_cap_either),
      cmocka_unit_test(a_fail_fast_rest_grows_at_random),
      cmocka_unit_test(a_lazy_slot_that_rests_dials_again_when_it_is_wanted),
      cmocka_unit_test(a_fail_fast_slot_that_rests_answers_no_connection),
      cmocka_unit_test(a_slot_that_rests_is_offered_to_nobody),
      cmocka_unit_test(a_slot_with_room_that_rests_is_offered_to_nobody),
      cmocka_unit_test(waiters_get_a_slot_that_comes_back_in_their_order),
      cmocka_unit_test(waiters_outlast_a_server_that_is_down_for_long),
      cmocka_unit_test(an_eager_slot_comes_back_by_itself),
      cmocka_unit_test(a_dial_that_never_succeeded_is_no_reconnect),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
