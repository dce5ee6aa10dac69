// How much is asked and when it ends: exact budgets over connections and
// threads, durations, warm-up, what is in flight at the end, and that failures
// improve no number.
#include <string>

#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::always;
using dyno::test::answer;
using dyno::test::fresh_trial;
using dyno::test::Heard;
using dyno::test::Reply;
using dyno::test::Then;
using dyno::test::Trial;

namespace {

// --- shares -----------------------------------------------------------------

void every_connection_is_there(void** state) {
  const struct {
    const char* connections;
    const char* threads;
    int64_t used_threads;
  } rows[] = {{"15", "8", 8}, {"2", "4", 2}, {"1", "1", 1}, {"7", "3", 3}};
  for (const auto& row : rows) {
    Trial& trial = fresh_trial(state);
    trial.serve({answer("hello")});
    assert_int_equal(trial.run({{"connections", row.connections},
                                {"threads", row.threads},
                                {"load.requests", "300"}}),
                     DYNO_OK);
    const int64_t connections = std::stoll(row.connections);
    trial.expect({{"counts.completed", 300},
                  {"connections.opened", connections},
                  {"client.threads", row.used_threads}});
    assert_int_equal(trial.server().open_peak(), connections);
    assert_int_equal(trial.server().requests(), 300);
  }
}

void a_budget_is_exact(void** state) {
  const struct {
    const char* requests;
    const char* connections;
    const char* threads;
    const char* depth;
  } rows[] = {{"1000", "3", "1", "1"},  {"1000", "14", "2", "1"},
              {"1000", "14", "3", "4"}, {"1000", "14", "7", "1"},
              {"1", "7", "7", "1"},     {"5", "7", "3", "16"}};
  for (const auto& row : rows) {
    Trial& trial = fresh_trial(state);
    trial.serve({answer("hello")});
    assert_int_equal(trial.run({{"load.requests", row.requests},
                                {"connections", row.connections},
                                {"threads", row.threads},
                                {"pool.depth", row.depth}}),
                     DYNO_OK);
    const int64_t requests = std::stoll(row.requests);
    trial.expect({{"counts.issued", requests}, {"counts.completed", requests}});
    assert_int_equal(trial.server().requests(), requests);
  }
}

void a_budget_is_exact_in_a_shared_pool(void** state) {
  for (const char* client : {"fifo-lazy", "fifo-patient", "none"}) {
    Trial& trial = fresh_trial(state);
    trial.serve({answer("hello")});
    const bool has_pool = std::string(client) != "none";
    assert_int_equal(trial.run({{"client", client},
                                {"load.requests", "500"},
                                {"load.callers", "20"},
                                {has_pool ? "pool.size" : "load.callers",
                                 has_pool ? "3" : "20"}}),
                     DYNO_OK);
    trial.expect({{"counts.issued", 500}, {"counts.completed", 500}});
    assert_int_equal(trial.server().requests(), 500);
  }
}

void a_warm_up_is_in_no_other_number(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(always({.bytes = answer("hello"), .delay_ms = 2}));
  assert_int_equal(trial.run({{"load.requests", "50"},
                              {"load.warmup", "100ms"},
                              {"connections", "2"}}),
                   DYNO_OK);
  const int64_t warm_up = trial.value("counts.warmup");
  trial.expect({{"counts.issued", 50}, {"counts.completed", 50}});
  assert_true(warm_up > 0);
  assert_int_equal(trial.server().requests(), 50 + warm_up);
}

// --- the end ----------------------------------------------------------------

// A run against a server that does not finish; it must end all the same.
void expect_abandoned(Trial& trial, Reply reply) {
  trial.serve(std::move(reply));
  assert_int_equal(
      trial.run({{"load.duration", "500ms"}, {"connections", "2"}}),
      DYNO_E_CONNECT);
  trial.expect(
      {{"counts.issued", 2}, {"counts.completed", 0}, {"counts.abandoned", 2}});
  assert_true(trial.value("counts.abandoned_oldest_ns") >= 400'000'000);
  assert_true(trial.message().find("2 abandoned") != std::string::npos);
  assert_true(trial.seconds() < 3);
}

void a_server_that_never_answers_ends_on_time(void** state) {
  expect_abandoned(fresh_trial(state), {"", Then::hold});
}

void a_late_answer_is_not_waited_for(void** state) {
  expect_abandoned(fresh_trial(state),
                   {.bytes = answer("hello"), .delay_ms = 8000});
}

void a_dribbled_answer_is_not_waited_for(void** state) {
  expect_abandoned(fresh_trial(state),
                   {.bytes = answer("hello"), .piece = 1, .pause_us = 400'000});
}

void a_head_without_its_body_is_abandoned(void** state) {
  expect_abandoned(
      fresh_trial(state),
      {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", Then::hold});
}

void what_is_in_flight_at_the_end_is_abandoned(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve([](const Heard& heard) -> Reply {
    const bool hangs = heard.total == 20 || heard.total == 40;
    return {.bytes = answer("hello"), .delay_ms = hangs ? 10'000 : 5};
  });
  assert_int_equal(
      trial.run({{"load.duration", "600ms"}, {"connections", "10"}}), DYNO_OK);
  const int64_t abandoned = trial.value("counts.abandoned");
  assert_true(abandoned >= 2 && abandoned <= 10);
  assert_true(trial.value("counts.abandoned_oldest_ns") >= 100'000'000);
  trial.expect({{"counts.failed", 0}, {"connections.opened", 10}});
}

// Connections that are on their way at the end were accepted all the same.
void dials_at_the_end_are_counted(void** state) {
  for (const char* threads : {"1", "2"}) {
    Trial& trial = fresh_trial(state);
    trial.serve({answer("hello", "Connection: close\r\n"), Then::close});
    assert_int_equal(trial.run({{"client", "none"},
                                {"load.callers", "32"},
                                {"threads", threads},
                                {"load.duration", "300ms"}}),
                     DYNO_OK);
  }
}

// Both limits: whichever comes first.
void a_budget_ends_before_a_duration(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({answer("hello")});
  assert_int_equal(trial.run({{"load.requests", "100"},
                              {"load.duration", "60s"},
                              {"connections", "2"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 100}});
  assert_true(trial.seconds() < 10);
}

// After the last request nobody rests, whatever it failed with.
void a_pause_after_errors_does_not_outlast_the_budget(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve([](const Heard& heard) -> Reply {
    if (heard.total > 0) return {"", Then::rst};
    return {answer("hello"), Then::keep};
  });
  assert_int_equal(trial.run({{"load.requests", "3"},
                              {"connections", "3"},
                              {"pool.on_close_pending", "fail"},
                              {"load.error_pause", "20s"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 1}, {"failures.reset", 2}});
  assert_true(trial.seconds() < 10);
}

// --- latency ----------------------------------------------------------------

// The server works through a batch one by one: the last waits for the others.
void every_pipelined_request_has_a_latency_of_its_own(void** state) {
  constexpr int64_t kMs = 1'000'000;
  Trial& trial = fresh_trial(state);
  trial.serve(always({.bytes = answer("hello"), .delay_ms = 2}));
  assert_int_equal(trial.run({{"load.requests", "800"},
                              {"connections", "1"},
                              {"pool.depth", "8"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 800}, {"latency.response.count", 800}});
  assert_true(trial.value("latency.service.min_ns") >= 2 * kMs);
  int64_t median = 0;
  assert_int_equal(
      dyno_result_quantile(trial.result(), "latency.service", 0.5, &median),
      DYNO_OK);
  assert_true(median >= 14 * kMs);  // eight of 2 ms stand in line
}

// Every tenth connection is reset, every tenth answer a quick 500.
void failures_improve_no_number(void** state) {
  constexpr int64_t kMs = 1'000'000;
  Trial& trial = fresh_trial(state);
  trial.serve(
      [](const Heard& heard) -> Reply {
        if (heard.connection % 10 == 8)
          return {"HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n"};
        return {.bytes = answer("hello"), .delay_ms = 20};
      },
      {.greet = [](int connection) {
        return connection % 10 == 9 ? Then::rst : Then::keep;
      }});
  assert_int_equal(trial.run({{"client", "none"},
                              {"load.callers", "10"},
                              {"load.requests", "400"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 360},
                {"counts.failed", 40},
                {"status.200", 320},
                {"status.500", 40},
                {"latency.response.count", 360}});
  int64_t above_the_500s = 0;
  assert_int_equal(dyno_result_quantile(trial.result(), "latency.service", 0.12,
                                        &above_the_500s),
                   DYNO_OK);
  assert_true(above_the_500s >= 20 * kMs);
  const double seconds = static_cast<double>(trial.value("duration_ns")) / 1e9;
  const double rate = trial.real("rate.completed_per_s");
  assert_true(rate * seconds > 359.5 && rate * seconds < 360.5);
}

void a_matrix_measures_each_cell_by_itself(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({answer("hello")});
  assert_int_equal(trial.run({{"client", "fifo-lazy,dedicated"},
                              {"pool.size", "2,4"},
                              {"load.callers", "4"},
                              {"load.requests", "100"}}),
                   DYNO_OK);
  // dedicated 2 x 4 callers does not fit and is skipped.
  assert_int_equal(dyno_result_cell_count(trial.result()), 4);
  trial.expect({{"counts.completed", 300}, {"connections.opened", 10}});
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(every_connection_is_there),
      TRIAL(a_budget_is_exact),
      TRIAL(a_budget_is_exact_in_a_shared_pool),
      TRIAL(a_warm_up_is_in_no_other_number),
      TRIAL(a_server_that_never_answers_ends_on_time),
      TRIAL(a_late_answer_is_not_waited_for),
      TRIAL(a_dribbled_answer_is_not_waited_for),
      TRIAL(a_head_without_its_body_is_abandoned),
      TRIAL(what_is_in_flight_at_the_end_is_abandoned),
      TRIAL(dials_at_the_end_are_counted),
      TRIAL(a_budget_ends_before_a_duration),
      TRIAL(a_pause_after_errors_does_not_outlast_the_budget),
      TRIAL(every_pipelined_request_has_a_latency_of_its_own),
      TRIAL(failures_improve_no_number),
      TRIAL(a_matrix_measures_each_cell_by_itself),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
