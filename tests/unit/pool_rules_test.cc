// The rules that a config becomes.
#include "pool/rules.hh"
#include "unit/plan_support.hh"

namespace dyno {
namespace {

Rules rules_of(const Settings& settings) {
  return make_rules(config_of(settings));
}

void every_axis_reaches_the_pool(void**) {
  const Rules rules = rules_of({{"pool.select", "round-robin"},
                                {"pool.depth", "3"},
                                {"pool.slot_queue", "4"},
                                {"pool.full", "fail"},
                                {"pool.queue_limit", "5"},
                                {"pool.wait", "6s"},
                                {"pool.open", "eager"},
                                {"pool.on_close", "fail-fast"},
                                {"pool.backoff", "7s"},
                                {"pool.backoff_max", "8s"},
                                {"pool.on_close_pending", "resubmit"},
                                {"pool.retry_closed", "9"},
                                {"pool.on_timeout", "abandon-id"},
                                {"request.timeout", "10s"},
                                {"connect.backoff", "11s"},
                                {"connect.backoff_max", "12s"}});
  assert_true(rules.select == Select::round_robin);
  assert_int_equal(rules.depth, 3);
  assert_int_equal(rules.room, 7);
  assert_true(rules.full == Full::fail);
  assert_int_equal(rules.queue_limit, 5);
  assert_int_equal(rules.wait_ns, 6 * kSecond);
  assert_true(rules.open == Open::eager);
  assert_true(rules.on_close == OnClose::fail_fast);
  assert_int_equal(rules.backoff_ns, 7 * kSecond);
  assert_int_equal(rules.backoff_max_ns, 8 * kSecond);
  assert_true(rules.pending == Pending::resubmit);
  assert_int_equal(rules.retry_closed, 9);
  assert_true(rules.on_timeout == OnTimeout::abandon_id);
  assert_int_equal(rules.request_timeout_ns, 10 * kSecond);
  assert_int_equal(rules.connect_backoff_ns, 11 * kSecond);
  assert_int_equal(rules.connect_backoff_max_ns, 12 * kSecond);
}

void a_place_for_one_is_busy_and_one_for_many_has_a_backlog(void**) {
  const struct {
    const char* depth;
    const char* slot_queue;
    Failure kind;
  } cases[] = {
      {"1", "0", Failure::busy},
      {"2", "0", Failure::backlog_full},
      {"1", "1", Failure::backlog_full},
      {"65536", "1000000G", Failure::backlog_full},
  };
  for (const auto& [depth, slot_queue, kind] : cases)
    assert_true(
        rules_of({{"pool.depth", depth}, {"pool.slot_queue", slot_queue}})
            .full_kind == kind);
}

void what_has_no_limit_stays_so(void**) {
  const Rules rules = rules_of({{"request.timeout", "unlimited"}});
  assert_int_equal(rules.wait_ns, kUnlimited);
  assert_int_equal(rules.queue_limit, kUnlimited);
  assert_int_equal(rules.request_timeout_ns, kUnlimited);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(every_axis_reaches_the_pool),
      cmocka_unit_test(a_place_for_one_is_busy_and_one_for_many_has_a_backlog),
      cmocka_unit_test(what_has_no_limit_stays_so),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
