// TLS on engine event, against our own server: what is counted in the clear is
// counted over TLS, handshakes are numbers of their own, and one that fails
// says why and ends the run.
#include <string>

#include "engine/own_server.hh"
#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::always;
using dyno::test::answer;
using dyno::test::fresh_trial;
using dyno::test::Setting;
using dyno::test::start_own_server;
using dyno::test::Then;
using dyno::test::Trial;

namespace {

// Our own server is the only one that is asked.
Trial& tls_trial(void** state) {
  Trial& trial = fresh_trial(state);
  trial.allow_other_servers();
  trial.serve(always({answer("")}));
  return trial;
}

void expect_message(const Trial& trial, const char* part) {
  if (trial.message().find(part) == std::string::npos)
    fail_msg("\"%s\" lacks \"%s\"", trial.message().c_str(), part);
}

void answers_over_tls_are_those_in_the_clear(void** state) {
  for (const char* depth : {"1", "16"}) {
    for (const char* path : {"/", "/bytes/100000", "/chunked/40000"}) {
      Trial& trial = tls_trial(state);
      const std::string url = start_own_server({{"tls", "on"}}) + path;
      assert_int_equal(trial.run({{"target.url", url},
                                  {"target.own", "on"},
                                  {"tls.insecure", "on"},
                                  {"connections", "4"},
                                  {"pool.depth", depth},
                                  {"load.requests", "400"}}),
                       DYNO_OK);
      trial.expect(
          {{"counts.completed", 400},
           {"counts.failed", 0},
           {"server.is_reconciled", 1},
           {"server.accepted", 4},
           {"server.written", 400},
           {"connections.opened", 4},
           {"connections.tls_full", 4 - trial.value("connections.tls_resumed")},
           {"latency.tls.count", 4}});
    }
  }
}

void a_connection_per_request_resumes_unless_told_not_to(void** state) {
  for (const bool resumes : {true, false}) {
    Trial& trial = tls_trial(state);
    const std::string url = start_own_server({{"tls", "on"}});
    assert_int_equal(trial.run({{"target.url", url},
                                {"target.own", "on"},
                                {"tls.insecure", "on"},
                                {"tls.resume", resumes ? "on" : "off"},
                                {"client", "none"},
                                {"load.callers", "1"},
                                {"load.requests", "20"}}),
                     DYNO_OK);
    trial.expect({{"counts.completed", 20},
                  {"connections.opened", 20},
                  {"server.accepted", 20},
                  {"connections.tls_resumed", resumes ? 19 : 0},
                  {"connections.tls_full", resumes ? 1 : 20}});
  }
}

void a_certificate_that_nobody_trusts_ends_the_run(void** state) {
  Trial& trial = tls_trial(state);
  const std::string url = start_own_server({{"tls", "on"}});
  assert_int_equal(trial.run({{"target.url", url},
                              {"connections", "2"},
                              {"connect.give_up", "200ms"},
                              {"load.requests", "10"}}),
                   DYNO_E_CONNECT);
  expect_message(trial, "self-signed certificate");
  expect_message(trial, "tls.ca");
  const int64_t dials = trial.value("connections.dial_failed");
  assert_true(dials >= 2 && dials <= 2 * 10);
  assert_int_equal(trial.value("connections.opened"), dials);
  assert_int_equal(trial.value("latency.tls.count"), 0);
}

void the_newest_version_alone_can_be_asked_for(void** state) {
  Trial& trial = tls_trial(state);
  const std::string url =
      start_own_server({{"tls", "on"}, {"max_requests_per_connection", "1"}});
  assert_int_equal(trial.run({{"target.url", url},
                              {"tls.insecure", "on"},
                              {"tls.min_version", "1.3"},
                              {"client", "fifo-lazy"},
                              {"pool.size", "1"},
                              {"load.requests", "5"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 5}, {"connections.opened", 5}});
}

void a_server_that_speaks_no_tls_is_named_so(void** state) {
  Trial& trial = fresh_trial(state);
  trial.allow_unseen_connections();
  trial.allow_other_servers();
  // What it reads of a handshake is no request: it answers at once.
  trial.serve([](const dyno::test::Heard&) {
    return dyno::test::Reply{answer("hello"), Then::close};
  });
  const std::string url =
      "https://127.0.0.1:" + std::to_string(trial.server().port());
  assert_int_equal(trial.run({{"target.url", url},
                              {"tls.insecure", "on"},
                              {"connections", "1"},
                              {"connect.timeout", "100ms"},
                              {"connect.give_up", "300ms"},
                              {"load.requests", "1"}}),
                   DYNO_E_CONNECT);
  expect_message(trial, "TLS");
  assert_true(trial.seconds() < 5);
}

void a_handshake_that_never_ends_is_over_at_connect_timeout(void** state) {
  Trial& trial = fresh_trial(state);
  trial.allow_other_servers();
  trial.serve(always({answer("")}), {.greet = [](int) { return Then::hold; }});
  const std::string url =
      "https://127.0.0.1:" + std::to_string(trial.server().port());
  assert_int_equal(trial.run({{"target.url", url},
                              {"tls.insecure", "on"},
                              {"connections", "2"},
                              {"connect.timeout", "100ms"},
                              {"connect.give_up", "400ms"},
                              {"load.requests", "1"}}),
                   DYNO_E_CONNECT);
  expect_message(trial, "connect.timeout");
  assert_true(trial.seconds() < 5);
}

void faults_over_tls_are_the_ones_in_the_clear(void** state) {
  const struct {
    const char* path;
    const char* metric;
  } rows[] = {
      {"/?fault=reset", "failures.reset"},
      {"/?fault=close", "failures.closed"},
      {"/?fault=never", "failures.request_timeout"},
      {"/bytes/1000?truncate=100", "failures.truncated"},
  };
  for (const auto& [path, metric] : rows) {
    Trial& trial = tls_trial(state);
    const std::string url = start_own_server({{"tls", "on"}}) + path;
    trial.run({{"target.url", url},
               {"tls.insecure", "on"},
               {"connections", "2"},
               {"pool.retry_closed", "0"},
               {"request.timeout", "100ms"},
               {"load.requests", "6"}});
    trial.expect({{"counts.completed", 0}, {"counts.failed", 6}, {metric, 6}});
  }
}

void tls_options_need_https(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(always({answer("")}));
  trial.plan({{"tls.insecure", "on"}, {"load.requests", "1"}});
  assert_int_equal(trial.start(), DYNO_E_VALUE);
  expect_message(trial, "use https://");
}

void a_file_without_a_certificate_is_refused(void** state) {
  for (const char* key : {"tls.ca", "tls.cert"}) {
    Trial& trial = tls_trial(state);
    const std::string url = start_own_server({{"tls", "on"}});
    const dyno_status status = trial.run(
        {{"target.url", url}, {key, "/dev/null"}, {"load.requests", "1"}});
    assert_int_equal(status, DYNO_E_VALUE);
    expect_message(trial, key);
    expect_message(trial, "/dev/null");
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(answers_over_tls_are_those_in_the_clear),
      TRIAL(a_connection_per_request_resumes_unless_told_not_to),
      TRIAL(a_certificate_that_nobody_trusts_ends_the_run),
      TRIAL(the_newest_version_alone_can_be_asked_for),
      TRIAL(a_server_that_speaks_no_tls_is_named_so),
      TRIAL(a_handshake_that_never_ends_is_over_at_connect_timeout),
      TRIAL(faults_over_tls_are_the_ones_in_the_clear),
      TRIAL(tls_options_need_https),
      TRIAL(a_file_without_a_certificate_is_refused),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
