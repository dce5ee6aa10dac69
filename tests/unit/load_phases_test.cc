// The phases of a cell: when the load begins, what a warm-up leaves behind, and
// when measuring ends.
#include "load/phases.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

constexpr bool kIdle = true;
constexpr bool kBusy = false;

void nothing_is_loaded_before_the_start(void**) {
  Phases phases(0, kSecond, false);
  assert_true(phases.now() == Phase::opening);
  assert_true(phases.advance(5 * kSecond, kIdle) == Phase::opening);
  assert_false(phases.is_loading());
  phases.wait();
  assert_true(phases.advance(9 * kSecond, kIdle) == Phase::waiting);
  assert_false(phases.is_loading());
  assert_int_equal(phases.next_change_ns(), kUnlimited);
}

void without_a_warm_up_measuring_begins_at_the_start(void**) {
  for (const bool drains : {false, true}) {
    Phases phases(0, 3 * kSecond, drains);
    phases.wait();
    phases.start(kSecond);
    assert_true(phases.is_loading());
    assert_int_equal(phases.next_change_ns(), kSecond);
    assert_true(phases.advance(kSecond, kBusy) == Phase::measuring);
    assert_int_equal(phases.next_change_ns(), 4 * kSecond);
  }
}

void a_start_in_the_future_is_waited_for(void**) {
  Phases phases(0, kSecond, false);
  phases.start(10);
  assert_true(phases.advance(9, kIdle) == Phase::warmup);
  assert_true(phases.advance(10, kIdle) == Phase::measuring);
}

void a_warm_up_runs_into_measuring(void**) {
  Phases phases(500, 3'000, false);
  phases.wait();
  phases.start(1'000);
  assert_int_equal(phases.next_change_ns(), 1'500);
  assert_true(phases.advance(1'499, kBusy) == Phase::warmup);
  assert_true(phases.is_loading());
  assert_true(phases.advance(1'500, kBusy) == Phase::measuring);
  assert_true(phases.is_loading());
}

// A turn that comes late must not make the measured time shorter.
void the_duration_counts_from_the_moment_when_measuring_began(void**) {
  Phases phases(500, 3'000, false);
  phases.start(1'000);
  assert_true(phases.advance(1'700, kBusy) == Phase::measuring);
  assert_int_equal(phases.next_change_ns(), 4'700);
  assert_true(phases.advance(4'699, kBusy) == Phase::measuring);
  assert_true(phases.advance(4'700, kBusy) == Phase::stopped);
  assert_false(phases.is_loading());
  assert_int_equal(phases.next_change_ns(), kUnlimited);
}

void a_budget_begins_when_the_warm_up_is_drained(void**) {
  Phases phases(500, 3'000, true);
  phases.start(1'000);
  assert_true(phases.advance(1'500, kBusy) == Phase::draining);
  assert_false(phases.is_loading());
  assert_int_equal(phases.next_change_ns(), kUnlimited);
  assert_true(phases.advance(9'000, kBusy) == Phase::draining);
  assert_true(phases.advance(9'001, kIdle) == Phase::measuring);
  assert_int_equal(phases.next_change_ns(), 12'001);
}

void what_is_drained_already_waits_for_nothing(void**) {
  Phases phases(500, 0, true);
  phases.start(1'000);
  assert_true(phases.advance(1'500, kIdle) == Phase::measuring);
}

void without_a_duration_only_stop_ends_it(void**) {
  Phases phases(0, 0, true);
  phases.start(0);
  assert_true(phases.advance(0, kBusy) == Phase::measuring);
  assert_int_equal(phases.next_change_ns(), kUnlimited);
  assert_true(phases.advance(kUnlimited - 1, kIdle) == Phase::measuring);
  phases.stop();
  assert_true(phases.now() == Phase::stopped);
}

void what_has_stopped_stays_so(void**) {
  Phases phases(500, 1'000, true);
  phases.wait();
  phases.stop();
  for (const int64_t now_ns : {0, 500, 5'000})
    assert_true(phases.advance(now_ns, kIdle) == Phase::stopped);
  assert_false(phases.is_loading());
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_loaded_before_the_start),
      cmocka_unit_test(without_a_warm_up_measuring_begins_at_the_start),
      cmocka_unit_test(a_start_in_the_future_is_waited_for),
      cmocka_unit_test(a_warm_up_runs_into_measuring),
      cmocka_unit_test(
          the_duration_counts_from_the_moment_when_measuring_began),
      cmocka_unit_test(a_budget_begins_when_the_warm_up_is_drained),
      cmocka_unit_test(what_is_drained_already_waits_for_nothing),
      cmocka_unit_test(without_a_duration_only_stop_ends_it),
      cmocka_unit_test(what_has_stopped_stays_so),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
