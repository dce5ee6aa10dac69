// The modelled host: when work is done by so many processors, and what it used.
#include "engine/sim/host.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

constexpr Work kCompleted = Work::completed;
constexpr Work kFailed = Work::failed;

void one_processor_does_one_thing_after_another(void**) {
  SimHost host({.cpus = 1, .completed_cost_ns = 100, .failed_cost_ns = 10});
  assert_int_equal(host.charge(kCompleted, 1'000), 1'100);
  assert_int_equal(host.charge(kFailed, 1'000), 1'110);
  assert_int_equal(host.charge(kCompleted, 1'050), 1'210);
  assert_int_equal(host.charge(kFailed, 5'000), 5'010);  // it was free again
}

void work_goes_to_the_processor_that_is_free_first(void**) {
  SimHost host({.cpus = 3, .completed_cost_ns = 100, .failed_cost_ns = 10});
  assert_int_equal(host.charge(kCompleted, 0), 100);
  assert_int_equal(host.charge(kFailed, 0), 10);
  assert_int_equal(host.charge(kCompleted, 0), 100);
  assert_int_equal(host.charge(kFailed, 0), 20);
  assert_int_equal(host.charge(kCompleted, 0), 120);
  assert_int_equal(host.charge(kCompleted, 0), 200);
  assert_int_equal(host.charge(kFailed, 0), 110);
  assert_int_equal(host.charge(kFailed, 150), 160);
}

// Sixteen processors at once are sixteen times as fast, in order.
void many_processors_keep_the_order_of_equal_work(void**) {
  SimHost host({.cpus = 16, .completed_cost_ns = 160, .failed_cost_ns = 0});
  int64_t last_ns = 0;
  for (int i = 0; i < 16'000; ++i) {
    const int64_t done_ns = host.charge(kCompleted, i);
    assert_true(done_ns >= last_ns);
    last_ns = done_ns;
  }
  assert_int_equal(last_ns, 160'000 + 15);
}

// Or callers that fail at once would fail for ever at the same instant.
void work_without_a_cost_takes_a_nanosecond_and_uses_nothing(void**) {
  SimHost host({});
  assert_int_equal(host.charge(kCompleted, 7), 8);
  assert_int_equal(host.charge(kFailed, 7), 9);
  assert_int_equal(host.charge(kFailed, 20), 21);
  assert_int_equal(host.used_ns(1'000), 0);
}

void what_was_used_is_what_was_done_by_then(void**) {
  SimHost host({.cpus = 2, .completed_cost_ns = 100, .failed_cost_ns = 0});
  for (int i = 0; i < 4; ++i) host.charge(kCompleted, 1'000);
  assert_int_equal(host.used_ns(1'000), 0);
  assert_int_equal(host.used_ns(1'050), 100);
  assert_int_equal(host.used_ns(1'200), 400);
  assert_int_equal(host.used_ns(9'000), 400);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(one_processor_does_one_thing_after_another),
      cmocka_unit_test(work_goes_to_the_processor_that_is_free_first),
      cmocka_unit_test(many_processors_keep_the_order_of_equal_work),
      cmocka_unit_test(work_without_a_cost_takes_a_nanosecond_and_uses_nothing),
      cmocka_unit_test(what_was_used_is_what_was_done_by_then),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
