// The closed loop: whose turn it is, how long a caller rests after a failure,
// and a budget that is exact.
#include "load/closed_loop.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

void callers_start_in_the_order_in_which_they_became_ready(void**) {
  ClosedLoop loop(0);
  for (uint32_t caller = 0; caller < 5; ++caller) loop.ready(caller);
  assert_int_equal(loop.ready_count(), 5);
  assert_int_equal(loop.next(), 0);
  assert_int_equal(loop.next(), 1);
  loop.ready(0);
  for (const uint32_t caller : {2u, 3u, 4u, 0u})
    assert_int_equal(loop.next(), caller);
  assert_int_equal(loop.ready_count(), 0);
}

void a_budget_is_given_out_exactly(void**) {
  for (const int64_t budget : {0, 1, 7, 1000}) {
    ClosedLoop loop(0);
    loop.set_budget(budget);
    for (int64_t i = 0; i < budget; ++i) {
      assert_false(loop.is_spent());
      assert_true(loop.take());
    }
    for (int i = 0; i < 3; ++i) assert_false(loop.take());
    assert_true(loop.is_spent());
  }
}

void without_a_budget_there_is_no_end(void**) {
  ClosedLoop loop(0);
  for (int i = 0; i < 10'000; ++i) assert_true(loop.take());
  assert_false(loop.is_spent());
}

void a_budget_may_begin_after_the_warm_up(void**) {
  ClosedLoop loop(0);
  for (int i = 0; i < 100; ++i) assert_true(loop.take());
  loop.set_budget(1);
  assert_true(loop.take());
  assert_false(loop.take());
}

void without_a_pause_a_failure_goes_to_the_back_of_the_queue(void**) {
  ClosedLoop loop(0);
  loop.ready(1);
  loop.rest(0, 1'000, 1'000);
  assert_int_equal(loop.next_wake_ns(), kUnlimited);
  assert_int_equal(loop.ready_count(), 2);
  assert_int_equal(loop.next(), 1);
  assert_int_equal(loop.next(), 0);
}

// However long the pause is.
void nobody_goes_on_before_the_host_has_done_the_work(void**) {
  const struct {
    int64_t pause_ns, done_ns, until_ns;
  } cases[] = {{0, 1'003, 1'003}, {100, 1'003, 1'100}, {100, 1'200, 1'200}};
  for (const auto& [pause_ns, done_ns, until_ns] : cases) {
    ClosedLoop loop(pause_ns);
    loop.rest(0, 1'000, done_ns);
    assert_int_equal(loop.ready_count(), 0);
    assert_int_equal(loop.next_wake_ns(), until_ns);
    loop.wake(until_ns);
    assert_int_equal(loop.ready_count(), 1);
  }
}

void a_caller_rests_for_the_whole_pause(void**) {
  ClosedLoop loop(100);
  loop.rest(7, 1'000, 1'000);
  assert_int_equal(loop.ready_count(), 0);
  assert_int_equal(loop.next_wake_ns(), 1'100);
  loop.wake(1'099);
  assert_int_equal(loop.ready_count(), 0);
  loop.wake(1'100);
  assert_int_equal(loop.ready_count(), 1);
  assert_int_equal(loop.next(), 7);
  assert_int_equal(loop.next_wake_ns(), kUnlimited);
}

void callers_wake_in_the_order_of_their_failures(void**) {
  ClosedLoop loop(100);
  for (uint32_t caller = 0; caller < 5; ++caller)
    loop.rest(caller, 10 * caller, 10 * caller);
  loop.wake(120);
  assert_int_equal(loop.ready_count(), 3);
  assert_int_equal(loop.next_wake_ns(), 130);
  for (uint32_t caller = 0; caller < 3; ++caller)
    assert_int_equal(loop.next(), caller);
  loop.wake(1'000);
  assert_int_equal(loop.next(), 3);
  assert_int_equal(loop.next(), 4);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(callers_start_in_the_order_in_which_they_became_ready),
      cmocka_unit_test(a_budget_is_given_out_exactly),
      cmocka_unit_test(without_a_budget_there_is_no_end),
      cmocka_unit_test(a_budget_may_begin_after_the_warm_up),
      cmocka_unit_test(without_a_pause_a_failure_goes_to_the_back_of_the_queue),
      cmocka_unit_test(nobody_goes_on_before_the_host_has_done_the_work),
      cmocka_unit_test(a_caller_rests_for_the_whole_pause),
      cmocka_unit_test(callers_wake_in_the_order_of_their_failures),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
