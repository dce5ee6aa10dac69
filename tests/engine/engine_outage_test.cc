// A server that goes away in mid-run, comes back, or lets nobody in: the run
// ends on time, its failures say what happened, and nothing spins meanwhile.
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

void a_server_that_dies_ends_on_time_without_a_spin(void** state) {
  for (const char* client : {"dedicated", "fifo-lazy", "none"}) {
    Trial& trial = fresh_trial(state);
    trial.serve([](const Heard& heard) -> Reply {
      return {answer("hello"), heard.total == 100 ? Then::down : Then::keep};
    });
    trial.allow_unseen_connections();
    const bool has_pool = std::string(client) != "none";
    assert_int_equal(trial.run({{"client", client},
                                {has_pool ? "pool.size" : "load.callers", "8"},
                                {"load.callers", "8"},
                                {"load.duration", "600ms"}}),
                     DYNO_OK);
    const int64_t connect = trial.value("failures.connect_refused");
    const int64_t cut =
        trial.value("failures.closed") + trial.value("failures.reset");
    assert_true(trial.value("counts.completed") >= 100);
    assert_true(connect > 0);
    assert_int_equal(trial.value("counts.failed"), connect + cut);
    assert_true(trial.value("connections.dial_failed") <= 8 * 100 * 2);
    assert_true(trial.real("client.cpu_s") < 0.4);
    assert_true(trial.seconds() < 4);
  }
}

// What a proxy without a backend does. The callers rest after each failure, so
// nothing but the pools themselves could dial again and again.
void a_server_that_resets_at_once_is_not_flooded(void** state) {
  for (const Then then : {Then::rst, Then::close})
    for (const char* client : {"dedicated", "fifo-lazy", "random-trylock"}) {
      Trial& trial = fresh_trial(state);
      trial.serve(always({}), {.greet = [then](int) { return then; }});
      trial.run({{"client", client},
                 {"pool.size", "4"},
                 {"load.callers", "4"},
                 {"load.error_pause", "20ms"},
                 {"load.duration", "300ms"}});
      trial.expect({{"counts.completed", 0}});
      assert_true(trial.server().accepted() <= 4 * 100);
    }
}

void a_server_that_comes_back_is_used_again(void** state) {
  for (const char* client : {"dedicated", "fifo-lazy", "random-mux-failfast"}) {
    Trial& trial = fresh_trial(state);
    trial.serve(
        [](const Heard& heard) -> Reply {
          return {.bytes = answer("hello"),
                  .then = heard.total == 50 ? Then::down : Then::keep,
                  .delay_ms = 1};
        },
        {.down_ms = 100});
    trial.allow_unseen_connections();
    assert_int_equal(trial.run({{"client", client},
                                {"pool.size", "4"},
                                {"load.callers", "4"},
                                {"load.error_pause", "5ms"},
                                {"pool.backoff", "20ms"},
                                {"load.requests", "600"}}),
                     DYNO_OK);
    assert_true(trial.value("counts.completed") > 100);
    assert_true(trial.value("counts.reconnect") >= 4);
    trial.expect({{"counts.issued", 600}, {"counts.abandoned", 0}});
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(a_server_that_dies_ends_on_time_without_a_spin),
      TRIAL(a_server_that_resets_at_once_is_not_flooded),
      TRIAL(a_server_that_comes_back_is_used_again),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
