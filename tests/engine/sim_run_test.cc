// Runs of engine sim through the C ABI: what is the same every time, what the
// model's options do to the numbers, what is refused.
#include <algorithm>
#include <cstring>
#include <string>

#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::fresh_trial;
using dyno::test::Setting;
using dyno::test::Trial;

namespace {

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// Cuts the values that are of this process and this day.
std::string without_wall(std::string json) {
  for (const char* key : {"\"started\":", "\"peak_rss_bytes\":"})
    for (size_t at = json.find(key); at != std::string::npos;
         at = json.find(key, at + strlen(key))) {
      const size_t value = at + strlen(key);
      json.erase(value, json.find_first_of(",}", value) - value);
    }
  return json;
}

std::string json_of(Trial& trial, std::initializer_list<Setting> settings) {
  assert_int_equal(trial.run(settings), DYNO_OK);
  return without_wall(trial.rendered("json"));
}

// --- the same every time -----------------------------------------------------

void a_seed_gives_the_same_numbers_every_time(void** state) {
  for (const char* client : {"fifo-lazy", "random-trylock",
                             "random-mux-failfast", "dedicated", "none"}) {
    std::string first;
    for (int round = 0; round < 3; ++round) {
      const bool is_pool = strcmp(client, "none") != 0;
      const std::string json = json_of(
          fresh_trial(state),
          {{"engine", "sim"},
           {"client", client},
           {is_pool ? "pool.size" : "load.callers", is_pool ? "16" : "64"},
           {"load.callers", strcmp(client, "dedicated") == 0 ? "16" : "64"},
           {"load.requests", "20k"},
           {"load.warmup", "100ms"},
           {"sim.connect_time", "100us"},
           {"sim.completed_cost", "5us"},
           {"sim.failed_cost", "2us"},
           {"sim.requests_per_connection", "50"}});
      if (round == 0) first = json;
      assert_true(json.size() > 1'000);
      assert_string_equal(json.c_str(), first.c_str());
    }
  }
}

// The numbers of a run's cells, one text.
std::string completed_by(Trial& trial, const char* seed) {
  assert_int_equal(trial.run({{"engine", "sim"},
                              {"client", "random-trylock"},
                              {"pool.size", "16"},
                              {"load.callers", "8"},
                              {"load.requests", "20k"},
                              {"sim.failed_cost", "1ms"},
                              {"run.repeat", "2"},
                              {"run.seed", seed}}),
                   DYNO_OK);
  std::string numbers;
  for (size_t i = 0; i < 2; ++i) {
    int64_t completed = 0;
    dyno_result_int(dyno_result_cell(trial.result(), i), "counts.completed",
                    &completed);
    numbers += std::to_string(completed) + " ";
  }
  return numbers;
}

void another_seed_or_round_gives_other_numbers(void** state) {
  const std::string one = completed_by(fresh_trial(state), "1");
  const std::string two = completed_by(fresh_trial(state), "2");
  const size_t space = one.find(' ') + 1;
  assert_string_not_equal(one.c_str(), two.c_str());
  assert_string_not_equal(one.substr(0, space).c_str(),
                          one.substr(space).c_str());
}

// Side by side on the processors of this machine, in the order of the plan.
void a_cell_is_the_same_alone_and_among_others(void** state) {
  const char* sizes[] = {"8", "16", "32", "64", "128", "256"};
  assert_int_equal(fresh_trial(state).run({{"engine", "sim"},
                                           {"client", "random-trylock"},
                                           {"pool.size", "8,16,32,64,128,256"},
                                           {"load.callers", "300"},
                                           {"load.requests", "50k"}}),
                   DYNO_OK);
  int64_t among[6] = {};
  const dyno_result* all = static_cast<Trial*>(*state)->result();
  assert_int_equal(dyno_result_cell_count(all), 6);
  for (size_t i = 0; i < 6; ++i) {
    int64_t size = 0;
    dyno_result_int(dyno_result_cell(all, i), "config.pool.size", &size);
    assert_int_equal(size, std::stoll(sizes[i]));
    dyno_result_int(dyno_result_cell(all, i), "duration_ns", &among[i]);
  }
  for (size_t i = 0; i < 6; ++i) {
    Trial& alone = fresh_trial(state);
    assert_int_equal(alone.run({{"engine", "sim"},
                                {"client", "random-trylock"},
                                {"pool.size", sizes[i]},
                                {"load.callers", "300"},
                                {"load.requests", "50k"}}),
                     DYNO_OK);
    assert_int_equal(alone.value("duration_ns"), among[i]);
  }
}

// --- what the model's options do ---------------------------------------------

void the_limit_is_that_of_the_modelled_server(void** state) {
  const struct {
    const char* pipelined;
    double limit;
  } rows[] = {{"concurrent", 16'000}, {"serial", 1'000}};
  for (const auto& row : rows) {
    Trial& trial = fresh_trial(state);
    assert_int_equal(trial.run({{"engine", "sim"},
                                {"connections", "8"},
                                {"pool.depth", "16"},
                                {"sim.delay", "7ms"},
                                {"sim.hold_overhead", "1ms"},
                                {"sim.pipelined", row.pipelined},
                                {"load.duration", "2s"}}),
                     DYNO_OK);
    assert_true(trial.real("rate.limit_per_s") == row.limit);
    assert_true(trial.real("rate.limit_share") > 0.99);
    assert_true(trial.real("rate.limit_share") <= 1);
  }
}

void the_delay_of_a_url_is_taken(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(trial.run({{"engine", "sim"},
                              {"target.url", "http://no-such.invalid/wait/25"},
                              {"load.requests", "100"}}),
                   DYNO_OK);
  trial.expect({{"config.sim.delay", 25'000'000}});
}

void a_saturated_host_is_the_limit(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(trial.run({{"engine", "sim"},
                              {"connections", "64"},
                              {"sim.cpus", "2"},
                              {"sim.completed_cost", "1ms"},
                              {"load.duration", "2s"}}),
                   DYNO_OK);
  const double rate = trial.real("rate.completed_per_s");
  assert_true(rate > 1'950 && rate <= 2'000);
  trial.expect({{"client.is_limit", 1}});
  assert_true(trial.real("client.busiest_share") > 0.97);
  assert_true(trial.real("client.busiest_share") <= 1);
  assert_true(trial.real("client.cpu_s") > 3.9);
  assert_true(contains(trial.rendered("text"), "modelled host was the limit"));
}

void a_request_that_says_close_is_obeyed(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(trial.run({{"engine", "sim"},
                              {"connections", "4"},
                              {"http.keepalive", "off"},
                              {"load.requests", "100"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 100}, {"connections.reused", 0}});
  assert_true(trial.value("connections.opened") >= 100);
}

void a_caller_without_a_descriptor_fails_by_its_name(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(trial.run({{"engine", "sim"},
                              {"client", "none"},
                              {"load.callers", "64"},
                              {"host.nofile", "48"},
                              {"load.duration", "1s"}}),
                   DYNO_OK);
  assert_true(trial.value("failures.fd_exhausted") > 0);
  assert_int_equal(trial.value("failures.fd_exhausted"),
                   trial.value("counts.failed"));
  trial.expect({{"client.nofile_limit", 48}});
}

void a_server_that_takes_nobody_ends_the_cell_alone(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(trial.run({{"engine", "sim"},
                              {"client", "fifo-lazy"},
                              {"pool.size", "2,4"},
                              {"sim.connect_time", "10s"},
                              {"load.requests", "100"}}),
                   DYNO_E_CONNECT);
  assert_int_equal(dyno_result_cell_count(trial.result()), 2);
  assert_true(contains(trial.message(), "no connection"));
}

void a_model_is_told_from_a_measurement(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(trial.run({{"engine", "sim"}, {"load.requests", "100"}}),
                   DYNO_OK);
  for (const char* format : {"text", "markdown", "json"})
    assert_true(contains(trial.rendered(format), "modelled, not measured"));
}

// --- while it runs -----------------------------------------------------------

int32_t cancel_once_it_counts(const dyno_result* so_far, void* seen) {
  int64_t completed = 0;
  const size_t cells = dyno_result_cell_count(so_far);
  if (cells == 0) return 0;
  const dyno_result* last = dyno_result_cell(so_far, cells - 1);
  dyno_result_int(last, "counts.completed", &completed);
  auto& most = *static_cast<int64_t*>(seen);
  most = std::max(most, completed);
  return completed > 0;
}

void cells_at_once_can_be_watched_and_canceled(void** state) {
  Trial& trial = fresh_trial(state);
  trial.plan({{"engine", "sim"},
              {"client", "fifo-lazy"},
              {"pool.size", "32,64,128,256"},
              {"load.callers", "1024"},
              {"load.duration", "700h"}});
  assert_int_equal(trial.start(), DYNO_OK);
  int64_t seen = 0;
  assert_int_equal(
      dyno_run_drive(trial.handle(), 1, cancel_once_it_counts, &seen),
      DYNO_E_CANCELED);
  assert_true(seen > 0);
  assert_int_equal(trial.finish(), DYNO_E_CANCELED);
  assert_int_equal(dyno_result_cell_count(trial.result()), 4);
}

// --- what is refused ---------------------------------------------------------

void what_an_engine_does_not_know_is_refused_by_name(void** state) {
  const struct {
    const char* engine;
    const char* key;
    const char* value;
  } rows[] = {
      {"event", "sim.delay", "1ms"},
      {"event", "sim.close_header", "on"},
      {"sim", "target.own", "on"},
      {"sim", "host.cpus", "0"},
      {"sim", "http.head_limit", "1KiB"},
      {"sim", "resolve.timeout", "1s"},
      {"sim", "threads", "2"},
  };
  for (const auto& row : rows) {
    Trial& trial = fresh_trial(state);
    assert_int_equal(trial.run({{"target.url", "http://127.0.0.1:1/"},
                                {"engine", row.engine},
                                {row.key, row.value},
                                {"connections", "8"},
                                {"load.requests", "1"}}),
                     DYNO_E_VALUE);
    assert_int_equal(trial.message().find(std::string(row.key) + ": "), 0);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(a_seed_gives_the_same_numbers_every_time),
      TRIAL(another_seed_or_round_gives_other_numbers),
      TRIAL(a_cell_is_the_same_alone_and_among_others),
      TRIAL(the_limit_is_that_of_the_modelled_server),
      TRIAL(the_delay_of_a_url_is_taken),
      TRIAL(a_saturated_host_is_the_limit),
      TRIAL(a_request_that_says_close_is_obeyed),
      TRIAL(a_caller_without_a_descriptor_fails_by_its_name),
      TRIAL(a_server_that_takes_nobody_ends_the_cell_alone),
      TRIAL(a_model_is_told_from_a_measurement),
      TRIAL(cells_at_once_can_be_watched_and_canceled),
      TRIAL(what_an_engine_does_not_know_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
