// The closed forms against the published rows that they explain.
#include <algorithm>
#include <cmath>

#include "suite/closed_form.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

// Without costs, T = 1 s, h = 11.02 ms.
RowFacts row(double pools, double slots, double callers) {
  RowFacts facts;
  facts.pools = pools;
  facts.slots = slots;
  facts.callers = callers;
  facts.requests = std::floor(500'000 / callers) * callers;
  facts.per_close = 100;
  facts.hold = 0.01102;
  facts.wait = 1;
  facts.idle_close = 5;
  return facts;
}

// With what an Erlang pool's owner costs.
RowFacts costly(RowFacts facts) {
  facts.message = 5e-6;
  facts.owner = 10e-6;
  facts.scan = 50e-9;
  return facts;
}

void expect_near(std::optional<double> value, double wanted, double within) {
  assert_true(value.has_value());
  if (std::abs(*value - wanted) > within)
    fail_msg("%g is not %g +- %g", *value, wanted, within);
}

void expect_word(const ClosedForm& form, const char* word) {
  assert_string_equal(form.limit, word);
}

void failures_burn_the_budget_at_any_number_of_callers(void**) {
  const std::pair<double, double> published[] = {{32, 99.4},  {64, 98.7},
                                                 {128, 97.4}, {256, 94.9},
                                                 {512, 89.8}, {1024, 79.6}};
  for (const auto& [size, percent] : published)
    for (const double callers : {1024, 4096, 8192}) {
      const ClosedForm form = closed_form(Law::burn, row(1, size, callers));
      expect_near(form.error_percent, percent, 0.15);
      assert_false(form.requests_per_second.has_value());
      expect_word(form, "server-close");
    }
  RowFacts unlimited = row(1, 32, 1024);
  unlimited.per_close = 1e9;
  expect_near(closed_form(Law::burn, unlimited).error_percent, 0, 0);
}

void a_queue_carries_its_slots_until_callers_wait_too_long(void**) {
  const std::pair<double, double> published[] = {
      {32, 2'903}, {64, 5'808}, {128, 11'615}};
  for (const auto& [size, rate] : published) {
    const ClosedForm form = closed_form(Law::queue, row(1, size, 2048));
    expect_near(form.requests_per_second, rate, 2);
    expect_near(form.error_percent, 0, 0);
    expect_word(form, "pool");
  }
  expect_word(closed_form(Law::queue, row(32, 1024, 1024)), "callers");
}

void next_use_errors_are_one_in_each_close(void**) {
  RowFacts facts = row(1, 32, 1024);
  facts.fails_once_per_close = true;
  expect_near(closed_form(Law::queue, facts).error_percent, 0.99, 0.01);
}

void a_collapsed_queue_does_one_period_of_work(void**) {
  const struct {
    double size, callers, rounds, rate, percent;
  } published[] = {
      {32, 8192, 1, 48, 99.4},   {32, 16384, 1, 96, 99.4},
      {64, 16384, 1, 196, 98.8}, {32, 16384, 2, 47, 99.4},
      {64, 16384, 2, 96, 98.8},
  };
  for (const auto& [size, callers, rounds, rate, percent] : published) {
    RowFacts facts = costly(row(1, size, callers));
    facts.rounds = rounds;
    const ClosedForm form = closed_form(Law::queue, facts);
    expect_near(form.requests_per_second, rate, 0.04 * rate);
    expect_near(form.error_percent, percent, 0.2);
    expect_word(form, "timeouts");
  }
}

void a_queue_whose_cancels_are_free_keeps_its_rate(void**) {
  const ClosedForm form = closed_form(Law::queue, row(1, 32, 16384));
  expect_near(form.requests_per_second, 2'904, 1);
  expect_near(form.error_percent, 82.2, 0.1);
  expect_near(closed_form(Law::queue, row(1, 128, 16384)).error_percent, 28.5,
              0.1);
  RowFacts any = row(1, 32, 16384);
  any.takes_any_answer = true;
  assert_false(closed_form(Law::queue, any).requests_per_second.has_value());
}

void a_patient_queue_fails_nobody(void**) {
  for (const double size : {32, 64, 128, 256, 512, 1024})
    for (const double callers : {1024, 16384}) {
      RowFacts facts = row(1, size, callers);
      facts.wait = 8;
      facts.owner = 40e-6 + 44e-9 * size;
      const ClosedForm form = closed_form(Law::queue, facts);
      expect_near(form.error_percent, 0, 0);
      expect_near(form.requests_per_second,
                  std::min(size / 0.01102, 1 / facts.owner), 1);
    }
}

void the_smallest_of_pool_owner_and_processors_binds(void**) {
  RowFacts facts = row(1, 1024, 4096);
  facts.capacity = 74'000;
  expect_near(closed_form(Law::queue, facts).requests_per_second, 74'000, 0);
  expect_word(closed_form(Law::queue, facts), "cpu");
  facts.owner = 200e-6;
  expect_near(closed_form(Law::owner, facts).requests_per_second, 5'000, 1);
  expect_word(closed_form(Law::owner, facts), "pool");
  facts.owner = 0;
  assert_string_equal(closed_form(Law::owner, facts).formula, "");
}

void leaked_connections_run_out_of_descriptors_or_ports(void**) {
  RowFacts facts = row(1, 1, 4096);
  facts.open_files = 1024;
  const ClosedForm original = closed_form(Law::leak, facts);
  expect_near(original.requests_per_second, 204.8, 0.1);
  expect_word(original, "descriptors");
  facts.open_files = 0;
  expect_near(closed_form(Law::leak, facts).requests_per_second, 5'646, 1);
  expect_word(closed_form(Law::leak, facts), "ports");
  facts.capacity = 3'478;
  expect_word(closed_form(Law::leak, facts), "cpu");
}

void what_has_no_closed_form_says_nothing(void**) {
  const ClosedForm form = closed_form(Law::unknown, row(1, 32, 1024));
  assert_false(form.requests_per_second.has_value());
  assert_false(form.error_percent.has_value());
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(failures_burn_the_budget_at_any_number_of_callers),
      cmocka_unit_test(a_queue_carries_its_slots_until_callers_wait_too_long),
      cmocka_unit_test(next_use_errors_are_one_in_each_close),
      cmocka_unit_test(a_collapsed_queue_does_one_period_of_work),
      cmocka_unit_test(a_queue_whose_cancels_are_free_keeps_its_rate),
      cmocka_unit_test(a_patient_queue_fails_nobody),
      cmocka_unit_test(the_smallest_of_pool_owner_and_processors_binds),
      cmocka_unit_test(leaked_connections_run_out_of_descriptors_or_ports),
      cmocka_unit_test(what_has_no_closed_form_says_nothing),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
