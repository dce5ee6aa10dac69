// Open loop: requests go out when they are due, on every engine; what the rate
// could not be kept for is said, and nothing is lost.
#include <string>

#include "engine/own_server.hh"
#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::always;
using dyno::test::answer;
using dyno::test::fresh_trial;
using dyno::test::start_own_server;
using dyno::test::Trial;

namespace {

Trial& quiet_trial(void** state) {
  Trial& trial = fresh_trial(state);
  trial.allow_other_servers();
  trial.serve(always({answer("")}));
  return trial;
}

void expect_note(Trial& trial, const char* part) {
  const std::string text = trial.rendered("json");
  if (text.find(part) == std::string::npos)
    fail_msg("no note has \"%s\":\n%s", part, trial.rendered("text").c_str());
}

void a_model_keeps_any_rate_exactly(void** state) {
  for (const char* client : {"fifo-lazy", "dedicated", "random-mux-failfast",
                             "least-queue", "none"}) {
    for (const char* rate : {"0.5", "100", "20k"}) {
      Trial& trial = quiet_trial(state);
      assert_int_equal(trial.run({{"engine", "sim"},
                                  {"client", client},
                                  {"sim.delay", "1ms"},
                                  {"load.rate", rate},
                                  {"load.duration", "10s"}}),
                       DYNO_OK);
      const double due =
          10 * (std::string(rate) == "20k" ? 20'000 : std::stod(rate));
      trial.expect({{"counts.issued", static_cast<int64_t>(due)},
                    {"counts.unsent", 0},
                    {"counts.blocked", 0}});
    }
  }
}

void sockets_keep_a_rate(void** state) {
  for (const char* engine : {"event", "curl"}) {
    for (const char* arrivals : {"constant", "poisson"}) {
      Trial& trial = quiet_trial(state);
      const std::string url = start_own_server();
      assert_int_equal(trial.run({{"target.url", url},
                                  {"target.own", "on"},
                                  {"engine", engine},
                                  {"client", "fifo-lazy"},
                                  {"pool.size", "16"},
                                  {"load.rate", "2000"},
                                  {"load.arrivals", arrivals},
                                  {"load.requests", "600"}}),
                       DYNO_OK);
      trial.expect({{"counts.issued", 600},
                    {"counts.completed", 600},
                    {"counts.unsent", 0},
                    {"latency.response.count", 600}});
      // 600 requests at 2000/s, give or take what Poisson does.
      const double seconds =
          static_cast<double>(trial.value("duration_ns")) / 1e9;
      assert_true(seconds > 0.2 && seconds < 5);
    }
  }
}

// Capacity 2 x 100/s, asked for 1000/s: response grows with the queue, service
// does not, and what found no place is counted.
void a_rate_beyond_the_pool_is_said(void** state) {
  Trial& trial = quiet_trial(state);
  assert_int_equal(trial.run({{"engine", "sim"},
                              {"client", "fifo-lazy"},
                              {"pool.size", "2"},
                              {"pool.wait", "unlimited"},
                              {"sim.delay", "10ms"},
                              {"load.rate", "1000"},
                              {"load.max_outstanding", "50"},
                              {"load.duration", "2s"}}),
                   DYNO_OK);
  const int64_t issued = trial.value("counts.issued");
  assert_int_equal(issued + trial.value("counts.unsent"), 2000);
  assert_true(trial.value("counts.blocked") > 0);
  assert_true(trial.value("latency.service.max_ns") < 20'000'000);
  assert_true(trial.value("latency.response.max_ns") > 1'000'000'000);
  expect_note(trial, "the pool was the limit");
}

void a_rate_beyond_the_server_is_said(void** state) {
  Trial& trial = quiet_trial(state);
  assert_int_equal(trial.run({{"engine", "sim"},
                              {"client", "fifo-lazy"},
                              {"pool.size", "100"},
                              {"sim.delay", "100ms"},
                              {"load.rate", "1000"},
                              {"load.max_outstanding", "50"},
                              {"load.duration", "2s"}}),
                   DYNO_OK);
  assert_true(trial.value("counts.unsent") > 0);
  expect_note(trial, "the server was the limit");
}

void response_counts_from_the_intended_instant(void** state) {
  Trial& trial = quiet_trial(state);
  assert_int_equal(trial.run({{"engine", "sim"},
                              {"client", "dedicated"},
                              {"connections", "1"},
                              {"sim.delay", "20ms"},
                              {"load.rate", "100"},
                              {"load.requests", "10"}}),
                   DYNO_OK);
  // The k-th is due at 10 k ms and done at 20 (k + 1) ms.
  // (The modelled host takes a nanosecond for each.)
  const int64_t response_ns = trial.value("latency.response.max_ns");
  assert_true(response_ns >= 110'000'000 && response_ns < 110'001'000);
  assert_true(trial.value("latency.service.max_ns") < 20'001'000);
}

void what_means_nothing_in_an_open_loop_is_refused(void** state) {
  const struct {
    const char* key;
    const char* value;
    const char* rate;
  } rows[] = {{"load.callers", "4", "10"},
              {"load.error_pause", "1s", "10"},
              {"load.arrivals", "poisson", "0"},
              {"load.max_outstanding", "4", "0"},
              {"load.requests", "1", "1000M"}};
  for (const auto& [key, value, rate] : rows) {
    Trial& trial = quiet_trial(state);
    trial.plan({{key, value}, {"load.rate", rate}});
    assert_int_equal(trial.start(), DYNO_E_VALUE);
    assert_true(trial.message().find("load.") != std::string::npos);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(a_model_keeps_any_rate_exactly),
      TRIAL(sockets_keep_a_rate),
      TRIAL(a_rate_beyond_the_pool_is_said),
      TRIAL(a_rate_beyond_the_server_is_said),
      TRIAL(response_counts_from_the_intended_instant),
      TRIAL(what_means_nothing_in_an_open_loop_is_refused),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
