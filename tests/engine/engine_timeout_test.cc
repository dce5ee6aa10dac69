// Requests that last too long: in the pool's queue, on the wire, and answers
// that come when nobody waits for them.
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

void a_request_that_gets_no_answer_times_out(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({"", Then::hold});
  assert_int_equal(trial.run({{"load.requests", "6"},
                              {"connections", "3"},
                              {"request.timeout", "50ms"}}),
                   DYNO_E_CONNECT);
  trial.expect({{"failures.request_timeout", 6},
                {"counts.failed", 6},
                {"connections.opened", 6}});
  assert_true(trial.seconds() < 5);
}

// Half an answer is no answer.
void a_dribbled_answer_times_out(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({.bytes = answer("hello"), .piece = 1, .pause_us = 30'000});
  assert_int_equal(trial.run({{"load.requests", "4"},
                              {"connections", "2"},
                              {"request.timeout", "100ms"}}),
                   DYNO_E_CONNECT);
  trial.expect({{"failures.request_timeout", 4}, {"counts.failed", 4}});
}

// The rest of the run goes on as if nothing had been.
void a_time_out_takes_its_connection_with_it(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve([](const Heard& heard) -> Reply {
    if (heard.total == 10) return {"", Then::hold};
    return {answer("hello")};
  });
  assert_int_equal(trial.run({{"load.requests", "100"},
                              {"connections", "2"},
                              {"request.timeout", "100ms"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 99},
                {"failures.request_timeout", 1},
                {"counts.late_reply", 0},
                {"connections.opened", 3}});
}

// abandon-id leaves the connection: the late answers are dropped and counted,
// none is taken for the answer to another request.
void a_late_reply_is_nobodys(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve([](const Heard& heard) -> Reply {
    const bool is_late = heard.request == 3;
    return {.bytes = answer(is_late ? "late reply" : "on time"),
            .delay_ms = is_late ? 300 : 0};
  });
  assert_int_equal(trial.run({{"client", "random-mux-failfast"},
                              {"pool.size", "1"},
                              {"load.callers", "2"},
                              {"request.timeout", "100ms"},
                              {"load.error_pause", "30ms"},
                              {"load.requests", "60"}}),
                   DYNO_OK);
  const int64_t late = trial.value("failures.request_timeout");
  assert_true(late >= 1);
  trial.expect({{"counts.issued", 60},
                {"counts.completed", 60 - late},
                {"counts.failed", late},
                {"counts.late_reply", late},
                {"bytes.body", (60 - late) * 7},
                {"connections.opened", 1}});
}

void a_wait_for_a_slot_ends_as_pool_timeout(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(always({.bytes = answer("hello"), .delay_ms = 150}));
  assert_int_equal(trial.run({{"client", "fifo-lazy"},
                              {"pool.size", "2"},
                              {"load.callers", "12"},
                              {"pool.wait", "50ms"},
                              {"load.error_pause", "20ms"},
                              {"load.requests", "60"}}),
                   DYNO_OK);
  const int64_t waited = trial.value("failures.pool_timeout");
  assert_true(waited > 0);
  trial.expect({{"counts.issued", 60},
                {"counts.failed", waited},
                {"counts.completed", 60 - waited},
                {"connections.opened", 2}});
}

void a_full_queue_is_queue_full(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(always({.bytes = answer("hello"), .delay_ms = 20}));
  assert_int_equal(trial.run({{"client", "fifo-lazy"},
                              {"pool.size", "2"},
                              {"load.callers", "12"},
                              {"pool.queue_limit", "3"},
                              {"load.error_pause", "5ms"},
                              {"load.requests", "60"}}),
                   DYNO_OK);
  const int64_t full = trial.value("failures.queue_full");
  assert_true(full > 0);
  trial.expect({{"counts.failed", full},
                {"counts.completed", 60 - full},
                {"pools.queue_peak", 3}});
}

void a_busy_slot_fails_at_once(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(always({.bytes = answer("hello"), .delay_ms = 20}));
  assert_int_equal(trial.run({{"client", "random-trylock"},
                              {"pool.size", "2"},
                              {"load.callers", "8"},
                              {"load.error_pause", "5ms"},
                              {"load.requests", "60"}}),
                   DYNO_OK);
  const int64_t busy = trial.value("failures.busy");
  assert_true(busy > 0);
  trial.expect({{"counts.failed", busy}, {"counts.completed", 60 - busy}});
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(a_request_that_gets_no_answer_times_out),
      TRIAL(a_dribbled_answer_times_out),
      TRIAL(a_time_out_takes_its_connection_with_it),
      TRIAL(a_late_reply_is_nobodys),
      TRIAL(a_wait_for_a_slot_ends_as_pool_timeout),
      TRIAL(a_full_queue_is_queue_full),
      TRIAL(a_busy_slot_fails_at_once),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
