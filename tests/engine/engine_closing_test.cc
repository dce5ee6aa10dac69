// Connections that the server closes: what becomes of the requests on them,
// alone and pipelined, announced and not.
#include <string>

#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::answer;
using dyno::test::fresh_trial;
using dyno::test::Heard;
using dyno::test::Reply;
using dyno::test::Then;
using dyno::test::Trial;

namespace {

const std::string kLast = answer("hello", "Connection: close\r\n");

// An answer to a connection's first `count` requests; the last one closes.
dyno::test::Script closes_after(int count, std::string last, Then then) {
  return [=](const Heard& heard) -> Reply {
    if (heard.request % count == count - 1) return {last, then};
    return {answer("hello")};
  };
}

// --- a limit of requests per connection -------------------------------------

void an_announced_limit_of_requests_costs_nothing(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(closes_after(10, kLast, Then::close));
  assert_int_equal(trial.run({{"load.requests", "1000"}, {"connections", "2"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 1000},
                {"counts.failed", 0},
                {"counts.retry", 0},
                {"counts.reconnect", 98},
                {"connections.opened", 100},
                {"connections.reused", 900}});
}

// The answer was whole: what was sent into the close is sent again.
void a_silent_limit_of_requests_costs_no_failure(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(closes_after(10, answer("hello"), Then::close));
  assert_int_equal(trial.run({{"load.requests", "1000"}, {"connections", "2"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 1000},
                {"counts.failed", 0},
                {"connections.opened", 100}});
}

void pools_survive_a_silent_limit_too(void** state) {
  for (const char* client : {"fifo-lazy", "fifo-patient", "random-trylock"}) {
    Trial& trial = fresh_trial(state);
    trial
        .allow_unseen_connections();  // reopened at once: one may be on its way
    trial.serve(closes_after(10, answer("hello"), Then::close));
    assert_int_equal(trial.run({{"load.requests", "500"},
                                {"client", client},
                                {"pool.size", "2"},
                                {"load.callers", "2"},
                                {"pool.on_close_pending", "retry"}}),
                     DYNO_OK);
    const int64_t busy = trial.value("failures.busy");
    trial.expect({{"counts.issued", 500}, {"counts.completed", 500 - busy}});
  }
}

// --- pipelining against a server that closes --------------------------------

void pipelined_requests_behind_an_announced_close_go_again(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({kLast, Then::close});
  assert_int_equal(trial.run({{"load.requests", "400"},
                              {"connections", "2"},
                              {"pool.depth", "4"}}),
                   DYNO_OK);
  const int64_t completed = trial.value("counts.completed");
  trial.expect({{"counts.issued", 400}, {"counts.abandoned", 0}});
  assert_true(completed >= 100);
  assert_true(trial.value("counts.pipelined_discarded") > 0);
}

void pipelined_requests_are_never_lost(void** state) {
  const Reply silent{answer("hello"), Then::close};
  const Reply reset{answer("hello"), Then::rst};
  for (const Reply& reply : {silent, reset}) {
    Trial& trial = fresh_trial(state);
    trial.serve(reply);
    trial.run(
        {{"load.requests", "400"}, {"connections", "2"}, {"pool.depth", "4"}});
    trial.expect({{"counts.issued", 400}, {"counts.abandoned", 0}});
    assert_true(trial.value("counts.completed") > 0);
    assert_int_equal(
        trial.value("counts.failed"),
        trial.value("failures.closed") + trial.value("failures.reset"));
  }
}

void a_close_in_the_middle_of_the_second_answer_cuts_one(void** state) {
  Trial& trial = fresh_trial(state);
  const std::string half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345";
  trial.serve(closes_after(2, half, Then::close));
  assert_int_equal(trial.run({{"load.requests", "400"},
                              {"connections", "2"},
                              {"pool.depth", "4"}}),
                   DYNO_OK);
  trial.expect({{"counts.issued", 400}, {"counts.abandoned", 0}});
  assert_true(trial.value("failures.truncated") > 0);
  // One cut answer per connection, whatever stood behind it.
  assert_true(trial.value("failures.truncated") <=
              trial.value("connections.opened"));
}

// Under a discipline that does not send again, all four of a batch count.
void every_pipelined_request_fails_once(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({answer("hello"), Then::close});
  assert_int_equal(trial.run({{"load.requests", "400"},
                              {"connections", "2"},
                              {"pool.depth", "4"},
                              {"pool.on_close_pending", "fail"}}),
                   DYNO_OK);
  trial.expect({{"counts.issued", 400},
                {"counts.abandoned", 0},
                {"counts.retry", 0},
                {"counts.failed", 400 - trial.value("counts.completed")}});
}

// --- closes at awkward moments ----------------------------------------------

// The server says no as soon as it has read the head of an upload.
void an_early_answer_ends_an_upload(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(dyno::test::always({"HTTP/1.1 413 Too Large\r\nConnection: close"
                                  "\r\nContent-Length: 2\r\n\r\nno",
                                  Then::shut}),
              {.answers_heads = true});
  assert_int_equal(trial.run({{"http.method", "POST"},
                              {"http.body", std::string(20'000'000, 'u')},
                              {"load.requests", "20"},
                              {"connections", "2"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 20}, {"status.413", 20}});
  assert_true(trial.value("bytes.out") < 20LL * 20'000'000);
}

// With a RST behind it the answer may be gone; then that is a reset, once.
void an_early_answer_with_a_reset_is_one_or_the_other(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(dyno::test::always({"HTTP/1.1 413 Too Large\r\nConnection: close"
                                  "\r\nContent-Length: 2\r\n\r\nno",
                                  Then::close}),
              {.answers_heads = true});
  trial.run({{"http.method", "POST"},
             {"http.body", std::string(20'000'000, 'u')},
             {"load.requests", "20"},
             {"connections", "2"}});
  trial.expect({{"counts.issued", 20},
                {"counts.completed", trial.value("status.413")},
                {"counts.failed", trial.value("failures.reset")}});
}

// Write errors are seen before read errors here: the kind must not depend on
// which of them comes first.
void a_reset_while_writing_is_a_reset(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(dyno::test::always({"", Then::rst}), {.answers_heads = true});
  assert_int_equal(trial.run({{"http.method", "POST"},
                              {"http.body", std::string(20'000'000, 'u')},
                              {"load.requests", "20"},
                              {"connections", "2"}}),
                   DYNO_E_CONNECT);
  trial.expect({{"counts.failed", 20}, {"failures.reset", 20}});
}

void a_half_closed_connection_is_closed(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(closes_after(5, answer("hello"), Then::shut));
  assert_int_equal(trial.run({{"load.requests", "100"}, {"connections", "2"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 100}, {"connections.opened", 20}});
}

// Accepted and reset before a byte is read; every tenth connection.
void a_reset_at_once_is_no_answer(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(dyno::test::always({answer("hello")}),
              {.greet = [](int connection) {
                return connection % 10 == 9 ? Then::rst : Then::keep;
              }});
  assert_int_equal(trial.run({{"load.requests", "200"},
                              {"client", "none"},
                              {"load.callers", "4"}}),
                   DYNO_OK);
  trial.expect({{"counts.issued", 200},
                {"counts.failed", 20},
                {"counts.completed", 180},
                {"failures.reset", 20},
                {"connections.opened", 200}});
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(an_announced_limit_of_requests_costs_nothing),
      TRIAL(a_silent_limit_of_requests_costs_no_failure),
      TRIAL(pools_survive_a_silent_limit_too),
      TRIAL(pipelined_requests_behind_an_announced_close_go_again),
      TRIAL(pipelined_requests_are_never_lost),
      TRIAL(a_close_in_the_middle_of_the_second_answer_cuts_one),
      TRIAL(every_pipelined_request_fails_once),
      TRIAL(an_early_answer_ends_an_upload),
      TRIAL(an_early_answer_with_a_reset_is_one_or_the_other),
      TRIAL(a_reset_while_writing_is_a_reset),
      TRIAL(a_half_closed_connection_is_closed),
      TRIAL(a_reset_at_once_is_no_answer),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
