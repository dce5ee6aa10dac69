// The laws of the disciplines that are about counts, on sockets: the event
// engine beside our own server. What depends on speed is compared within one
// run.
#include <cmath>
#include <string>

#include "engine/own_server.hh"
#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::fresh_trial;
using dyno::test::start_own_server;
using dyno::test::Trial;

namespace {

void next_use_error_costs_one_request_per_connection(void** state) {
  const struct {
    const char* limit;
    int per_slot;  // requests
  } cases[] = {{"10", 1100}, {"100", 2020}, {"1000", 10010}};
  for (const auto& [limit, per_slot] : cases) {
    constexpr int kSlots = 8;
    const std::string url =
        start_own_server({{"max_requests_per_connection", limit}});
    Trial& trial = fresh_trial(state);
    assert_int_equal(
        trial.run({{"target.url", url},
                   {"client", "fifo-eager-sharded"},
                   {"pool.size", std::to_string(kSlots)},
                   {"load.callers", "16"},
                   {"load.requests", std::to_string(kSlots * per_slot)}}),
        DYNO_OK);
    const double expected = 100 / (std::stod(limit) + 1);
    const double got = trial.real("rate.failed_percent");
    if (std::abs(got - expected) > 0.1)
      fail_msg("%s: %g %%, not %g %%", limit, got, expected);
    trial.expect({{"failures.closed", trial.value("counts.failed")}});
  }
}

void random_mux_failfast_fails_nobody_where_connections_stay(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(trial.run({{"target.url", start_own_server()},
                              {"client", "random-mux-failfast"},
                              {"pool.size", "32"},
                              {"load.callers", "1024"},
                              {"load.requests", "100k"}}),
                   DYNO_OK);
  trial.expect({{"counts.failed", 0}, {"counts.completed", 100'000}});
}

void fifo_patient_fails_nobody_within_its_eight_seconds(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(trial.run({{"target.url", start_own_server() + "/wait/10"},
                              {"client", "fifo-patient"},
                              {"pool.size", "8"},
                              {"load.callers", "1024"},
                              {"load.duration", "2s"}}),
                   DYNO_OK);
  trial.expect({{"counts.failed", 0}});
}

// Below and above the threshold of C = S(1 + T/h) = 326 callers.
void fifo_lazy_keeps_its_rate_above_the_threshold(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(trial.run({{"target.url", start_own_server() + "/wait/10"},
                              {"client", "fifo-lazy"},
                              {"pool.size", "16"},
                              {"pool.wait", "200ms"},
                              {"load.callers", "200,1000"},
                              {"load.duration", "1s"},
                              {"run.repeat", "2"},
                              {"run.order", "interleaved"}}),
                   DYNO_OK);
  double below = 0, above = 0;
  for (size_t i = 0; i < 4; ++i) {
    const dyno_result* cell = dyno_result_cell(trial.result(), i);
    double rate = 0;
    int64_t failed = 0;
    assert_int_equal(dyno_result_real(cell, "rate.completed_per_s", &rate),
                     DYNO_OK);
    assert_int_equal(dyno_result_int(cell, "counts.failed", &failed), DYNO_OK);
    (i % 2 == 0 ? below : above) += rate;
    assert_true((failed > 0) == (i % 2 == 1));
  }
  if (above < 0.95 * below) fail_msg("%g/s below, %g above", below, above);
}

void only_without_correlation_are_answers_misdelivered(void** state) {
  for (const char* correlate : {"none", "strict"}) {
    Trial& trial = fresh_trial(state);
    assert_int_equal(trial.run({{"target.url", start_own_server() + "/wait/10"},
                                {"client", "fifo-eager-sharded"},
                                {"pool.size", "16"},
                                {"pool.wait", "200ms"},
                                {"request.timeout", "200ms"},
                                {"pool.correlate", correlate},
                                {"load.callers", "450"},
                                {"load.duration", "2s"}}),
                     DYNO_OK);
    const bool is_strict = *correlate == 's';
    assert_true((trial.value("counts.misdelivered") == 0) == is_strict);
    const bool says_so =
        trial.rendered("text").find("misdelivered") != std::string::npos;
    assert_true(says_so != is_strict);
  }
}

// More connections than slots, since none of the first ones has answered yet.
void least_queue_opens_what_it_needs_and_fails_nobody(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(trial.run({{"target.url", start_own_server() + "/wait/10"},
                              {"client", "least-queue"},
                              {"pool.size", "8"},
                              {"load.callers", "64"},
                              {"load.duration", "1s"}}),
                   DYNO_OK);
  trial.expect({{"counts.failed", 0}, {"connections.opened", 64}});
}

void least_pipeline_passes_the_rate_of_an_exclusive_pool(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(trial.run({{"target.url", start_own_server() + "/wait/10"},
                              {"client", "least-pipeline"},
                              {"pool.size", "8"},
                              {"load.callers", "256"},
                              {"load.duration", "1s"}}),
                   DYNO_OK);
  trial.expect({{"counts.failed", 0}, {"connections.opened", 8}});
  assert_true(trial.real("rate.completed_per_s") > 4 * 8 / 0.010);
}

void leaked_connections_are_the_servers_to_close(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(
      trial.run({{"target.url", start_own_server({{"idle_close", "500ms"}})},
                 {"client", "none-leak"},
                 {"connections", "100"},
                 {"load.callers", "4"},
                 {"load.error_pause", "5ms"},
                 {"load.duration", "3s"}}),
      DYNO_OK);
  // 100 at once, then 100 each half second.
  const int64_t completed = trial.value("counts.completed");
  assert_in_range(completed, 500, 700);
  trial.expect({{"failures.fd_exhausted", trial.value("counts.failed")},
                {"connections.opened", completed}});
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(next_use_error_costs_one_request_per_connection),
      TRIAL(random_mux_failfast_fails_nobody_where_connections_stay),
      TRIAL(fifo_patient_fails_nobody_within_its_eight_seconds),
      TRIAL(fifo_lazy_keeps_its_rate_above_the_threshold),
      TRIAL(only_without_correlation_are_answers_misdelivered),
      TRIAL(least_queue_opens_what_it_needs_and_fails_nobody),
      TRIAL(least_pipeline_passes_the_rate_of_an_exclusive_pool),
      TRIAL(leaked_connections_are_the_servers_to_close),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
