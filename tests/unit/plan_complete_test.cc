// What a cell's config becomes where the plan was silent, what contradicts
// itself, and the closed-form limit.
#include <string>

#include "plan/complete.hh"
#include "unit/cmocka.hh"
#include "unit/plan_support.hh"

namespace dyno {
namespace {

void a_plan_of_nothing_but_a_url_is_the_documented_one(void**) {
  const Config config = config_of({});
  assert_string_equal(config.client.c_str(), "dedicated");
  assert_int_equal(config.slots(), 64);
  assert_int_equal(config.callers, 64);
  assert_int_equal(config.threads, 4);
  assert_int_equal(config.duration_ns, 10 * kSecond);
  assert_int_equal(config.requests, 0);
  assert_int_equal(config.request_timeout_ns, 10 * kSecond);
  assert_int_equal(config.connect_timeout_ns, 5 * kSecond);
  assert_true(config.open == Open::eager);
}

void a_budget_needs_no_duration(void**) {
  const struct {
    Settings settings;
    int64_t requests, duration_ns;
  } cases[] = {
      {{}, 0, 10 * kSecond},
      {{{"load.requests", "0"}}, 0, 10 * kSecond},
      {{{"load.requests", "1000"}}, 1000, 0},
      {{{"load.duration", "3s"}}, 0, 3 * kSecond},
      {{{"load.requests", "5"}, {"load.duration", "3s"}}, 5, 3 * kSecond},
  };
  for (const auto& [settings, requests, duration_ns] : cases) {
    const Config config = config_of(settings);
    assert_int_equal(config.requests, requests);
    assert_int_equal(config.duration_ns, duration_ns);
  }
}

void the_warm_up_is_the_one_that_was_given(void**) {
  for (const char* beside : {"load.requests", "pool.count"}) {
    const Config config = config_of({{"load.warmup", "200ms"}, {beside, "7"}});
    assert_int_equal(config.warmup_ns, 200 * kMillisecond);
  }
}

void callers_are_slots_times_depth_unless_given(void**) {
  const struct {
    Settings settings;
    int64_t callers;
  } cases[] = {
      {{{"connections", "15"}}, 15},
      {{{"connections", "15"}, {"pool.depth", "4"}}, 60},
      {{{"connections", "15"}, {"load.callers", "0"}}, 15},
      {{{"client", "fifo-lazy"}}, 64},
      {{{"client", "fifo-lazy"}, {"pool.size", "8"}, {"pool.count", "3"}}, 24},
      {{{"client", "fifo-lazy"}, {"load.callers", "1k"}}, 1000},
      {{{"client", "Buoy"}, {"pool.size", "2"}}, 2048},
  };
  for (const auto& [settings, callers] : cases)
    assert_int_equal(config_of(settings).callers, callers);
}

void threads_follow_the_pools_and_the_processors(void**) {
  const struct {
    Settings settings;
    int64_t processors, threads, pool_count;
  } cases[] = {
      // Connections that belong to their callers spread over the processors.
      {{}, 4, 4, 4},
      {{}, 200, 64, 64},
      {{{"connections", "3"}}, 4, 3, 3},
      {{{"connections", "15"}, {"threads", "8"}}, 2, 8, 8},
      {{{"connections", "2"}, {"threads", "4"}}, 4, 2, 2},
      // A shared pool lives on one thread.
      {{{"client", "fifo-lazy"}}, 4, 1, 1},
      {{{"client", "fifo-lazy"}, {"connections", "8"}}, 4, 1, 1},
      {{{"client", "fifo-lazy"}, {"connections", "8"}, {"threads", "4"}},
       2,
       4,
       4},
      {{{"client", "fifo-lazy"}, {"pool.count", "8"}}, 4, 1, 8},
      {{{"client", "fifo-lazy"}, {"pool.count", "8"}, {"threads", "3"}},
       4,
       3,
       8},
  };
  for (const auto& [settings, processors, threads, pool_count] : cases) {
    const Config config = config_of(settings, processors);
    assert_int_equal(config.threads, threads);
    assert_int_equal(config.pool_count, pool_count);
  }
}

void a_connection_per_request_has_a_slot_for_every_caller(void**) {
  const struct {
    Settings settings;
    int64_t slots;
  } cases[] = {
      {{}, 64},
      {{{"load.callers", "100"}}, 100},
      {{{"connections", "7"}}, 7},
      {{{"connections", "7"}, {"load.callers", "7"}}, 7},
      {{{"pool.size", "1"}, {"pool.count", "1"}, {"load.callers", "9"}}, 9},
  };
  for (const auto& [settings, slots] : cases) {
    Settings all = settings;
    all.emplace_back("client", "none");
    const Config config = config_of(all);
    assert_int_equal(config.slots(), slots);
    assert_int_equal(config.callers, slots);
  }
}

void what_contradicts_itself_is_refused_by_the_key_at_fault(void**) {
  const struct {
    Settings settings;
    const char* key;
  } cases[] = {
      {{{"client", "none"}, {"pool.size", "32"}}, "pool.size"},
      {{{"client", "none"}, {"pool.count", "2"}}, "pool.count"},
      {{{"client", "none"}, {"connections", "7"}, {"load.callers", "8"}},
       "connections"},
      {{{"client", "none"}, {"pool.depth", "2"}}, "pool.depth"},
      {{{"http.keepalive", "off"}, {"pool.depth", "2"}}, "http.keepalive"},
      {{{"connections", "0"}}, "connections"},
      {{{"client", "fifo-lazy"}, {"connections", "0"}}, "connections"},
      {{{"client", "none"}, {"connections", "0"}}, "connections"},
      {{{"client", "fifo-lazy"}, {"threads", "2"}}, "threads"},
      {{{"client", "fifo-lazy"}, {"pool.count", "4"}, {"threads", "5"}},
       "threads"},
      {{{"threads", "4"}, {"load.callers", "3"}}, "threads"},
      {{{"connections", "8"}, {"load.callers", "9"}}, "load.callers"},
      {{{"connections", "8"}, {"pool.depth", "2"}, {"load.callers", "17"}},
       "load.callers"},
      {{{"client", "Buoy"}, {"pool.size", "1M"}}, "load.callers"},
      {{{"client", "random-trylock"}, {"pool.full", "wait"}}, "pool.full"},
      {{{"pool.select", "round-robin"}}, "pool.full"},
  };
  for (const auto& [settings, key] : cases) {
    const Status status = refusal_of(settings);
    if (status.key != key) print_error("%s\n", status.message.c_str());
    assert_true(status.code == Code::value);
    assert_string_equal(status.key.c_str(), key);
    assert_int_equal(status.message.find(std::string(key) + ": "), 0);
  }
}

void what_cannot_be_verified_is_refused(void**) {
  const struct {
    Settings settings;
    const char* message;  // its beginning
  } cases[] = {
      {{{"verify.id", "on"}, {"http.header", "x-dyno-id: 7"}},
       "verify.id: the header x-dyno-id: 7 is in the way"},
      {{{"verify.id", "on"}, {"engine", "sim"}},
       "verify.id: engine sim does not know it"},
      {{{"verify.body", "on"}, {"engine", "sim"}},
       "verify.body: engine sim does not know it"},
      {{{"verify.body", "on"}, {"target.url", "http://h/"}},
       "verify.body: target.url asks for \"/\", whose body is not known in "
       "advance: \"/\" has no random body; try /rnd?c=2048"},
      {{{"verify.body", "on"}, {"target.url", "http://h/rndx"}},
       "verify.body: target.url asks for \"/rndx\", whose body is not known in "
       "advance: \"/rndx\" has no random body; try /rnd?c=2048"},
      {{{"verify.body", "on"}, {"target.url", "http://h/rnd/x?c=5"}},
       "verify.body: target.url asks for \"/rnd/x?c=5\""},
      {{{"verify.body", "on"}, {"target.url", "http://h/rnd?c=many"}},
       "verify.body: target.url asks for \"/rnd?c=many\", whose body is not "
       "known in advance: /rnd?c=N: \"many\" is not a number of bytes up to "
       "1024GiB; try 2048 or 64KiB"},
      {{{"verify.body", "on"},
        {"target.url", "http://h/rnd?c=5"},
        {"http.method", "HEAD"}},
       "verify.body: an answer to HEAD has no body; use GET"},
  };
  for (const auto& [settings, message] : cases) {
    const Status status = refusal_of(settings);
    if (!status.message.starts_with(message))
      fail_msg("\"%s\" is not \"%s\"", status.message.c_str(), message);
  }
}

void what_can_be_verified_is_taken(void**) {
  for (const char* url :
       {"http://h/rnd", "http://h/rnd?c=4KiB", "http://h/rnd?delay=1ms&c=0"})
    assert_true(
        config_of({{"verify.body", "on"}, {"target.url", url}}).verify_body);
  assert_true(
      config_of({{"verify.id", "on"}, {"http.header", "X-Id: 7"}}).verify_id);
  assert_false(config_of({{"http.header", "X-Dyno-Id: 7"}}).verify_id);
}

void callers_that_own_their_slot_may_queue_in_it(void**) {
  const Config config = config_of({{"connections", "8"},
                                   {"pool.depth", "2"},
                                   {"pool.slot_queue", "3"},
                                   {"load.callers", "40"}});
  assert_int_equal(config.callers, 40);
  const Config huge = config_of({{"pool.size", "1M"},
                                 {"pool.slot_queue", "1000000G"},
                                 {"load.callers", "16M"}});
  assert_int_equal(huge.slots(), 1'000'000);
}

// --- engines -----------------------------------------------------------------

void a_model_is_completed_like_this(void**) {
  Plan plan;
  assert_true(plan.set("engine", "sim").is_ok());
  const Config config = plan.cells(4).value().front().config;
  assert_true(config.is_modelled());
  assert_string_equal(config.url.c_str(), "sim://server");
  assert_int_equal(config.threads, 1);
  assert_int_equal(config.slots(), 64);
  assert_int_equal(config.sim_cpus, 1);
  assert_int_equal(config.sim_hold_ns(), 10 * kMillisecond);
  assert_int_equal(config.sim_requests_per_connection, kUnlimited);
  assert_int_equal(config.sim_idle_close_ns, kUnlimited);
  assert_int_equal(config.sim_max_connections, kUnlimited);
  assert_true(config.sim_close_header);
}

void the_modelled_delay_is_the_urls_unless_it_is_given(void**) {
  const struct {
    Settings settings;
    int64_t delay_ns;
  } cases[] = {
      {{{"target.url", "http://h/wait/25"}}, 25 * kMillisecond},
      {{{"target.url", "http://h/wait/25"}, {"sim.delay", "3ms"}},
       3 * kMillisecond},
      {{{"target.url", "http://h/wait/25"}, {"sim.delay", "10ms"}},
       10 * kMillisecond},
      {{{"target.url", "http://h/"}}, 10 * kMillisecond},
      {{{"sim.delay", "0s"}, {"sim.hold_overhead", "7us"}}, 7 * kMicrosecond},
  };
  for (auto [settings, delay_ns] : cases) {
    settings.push_back({"engine", "sim"});
    assert_int_equal(config_of(settings).sim_hold_ns(), delay_ns);
  }
}

void a_limit_of_no_requests_is_none(void**) {
  const Config config =
      config_of({{"engine", "sim"}, {"sim.requests_per_connection", "0"}});
  assert_int_equal(config.sim_requests_per_connection, kUnlimited);
}

void what_the_engine_does_not_know_is_refused(void**) {
  const struct {
    const char* engine;
    const char* key;
    const char* value;
    const char* message;
  } cases[] = {
      {"event", "sim.delay", "10ms",
       "sim.delay: engine event does not know it; leave it out, or use engine "
       "sim"},
      {"sim", "target.own", "off",
       "target.own: engine sim does not know it; leave it out, or use engine "
       "event or curl"},
      {"sim", "threads", "2",
       "threads: a modelled cell is one thread; sim.cpus models the processors "
       "of the client"},
  };
  for (const auto& [engine, key, value, message] : cases) {
    const Status status =
        refusal_of({{"connections", "8"}, {key, value}, {"engine", engine}});
    assert_true(status.code == Code::value);
    assert_string_equal(status.key.c_str(), key);
    assert_string_equal(status.message.c_str(), message);
  }
}

// --- the limit ---------------------------------------------------------------

void the_limit_is_what_is_at_once_over_the_delay(void**) {
  const struct {
    int64_t slots, depth, callers, delay_ns;
    double concurrent, serial;
  } cases[] = {
      {32, 1, 1024, 10 * kMillisecond, 3200, 3200},
      {32, 1, 16, 10 * kMillisecond, 1600, 1600},
      {32, 1024, 1024, 10 * kMillisecond, 102'400, 3200},
      {32, 1024, 1'000'000, 10 * kMillisecond, 3'276'800, 3200},
      {4, 8, 20, kSecond, 20, 4},
      {1, 1, 1, 3 * kSecond, 1 / 3.0, 1 / 3.0},
  };
  for (const auto& one : cases) {
    Config config;
    config.pool_count = 1;
    config.pool_size = one.slots;
    config.depth = one.depth;
    config.callers = one.callers;
    assert_true(*limit_per_s(config, one.delay_ns, false) == one.concurrent);
    assert_true(*limit_per_s(config, one.delay_ns, true) == one.serial);
  }
}

void without_a_delay_there_is_no_limit(void**) {
  const Config config = config_of({});
  assert_false(limit_per_s(config, 0, false).has_value());
  assert_false(limit_per_s(config, -5, false).has_value());
}

void the_delay_is_read_as_our_own_server_reads_it(void**) {
  const struct {
    const char* url;
    int64_t delay_ns;
  } cases[] = {
      {"http://h/wait/10", 10 * kMillisecond},
      {"http://h:8080/wait/0", 0},
      {"http://h/wait/0.5", 500 * kMicrosecond},
      {"http://h/wait/10?split=2", 10 * kMillisecond},
      {"http://h/wait/3600000", 3600 * kSecond},
      {"http://h/", 0},
      {"http://h", 0},
      {"http://h/wait/", 0},
      {"http://h/wait/x", 0},
      {"http://h/wait/10x", 0},
      {"http://h/wait/10/", 0},
      {"http://h/wait/-5", 0},
      {"http://h/wait/1e3", 0},
      {"http://h/wait/inf", 0},
      {"http://h/wait/nan", 0},
      {"http://h/wait/99999999999999999999", 0},
      {"http://h/waits/10", 0},
      {"http://h/x/wait/10", 0},
      {"wait/10", 0},
      {"", 0},
  };
  for (const auto& [url, delay_ns] : cases) {
    if (delay_of_url(url) != delay_ns) print_error("%s\n", url);
    assert_int_equal(delay_of_url(url), delay_ns);
  }
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_plan_of_nothing_but_a_url_is_the_documented_one),
      cmocka_unit_test(a_budget_needs_no_duration),
      cmocka_unit_test(the_warm_up_is_the_one_that_was_given),
      cmocka_unit_test(callers_are_slots_times_depth_unless_given),
      cmocka_unit_test(threads_follow_the_pools_and_the_processors),
      cmocka_unit_test(a_connection_per_request_has_a_slot_for_every_caller),
      cmocka_unit_test(what_contradicts_itself_is_refused_by_the_key_at_fault),
      cmocka_unit_test(what_cannot_be_verified_is_refused),
      cmocka_unit_test(what_can_be_verified_is_taken),
      cmocka_unit_test(callers_that_own_their_slot_may_queue_in_it),
      cmocka_unit_test(a_model_is_completed_like_this),
      cmocka_unit_test(the_modelled_delay_is_the_urls_unless_it_is_given),
      cmocka_unit_test(a_limit_of_no_requests_is_none),
      cmocka_unit_test(what_the_engine_does_not_know_is_refused),
      cmocka_unit_test(the_limit_is_what_is_at_once_over_the_delay),
      cmocka_unit_test(without_a_delay_there_is_no_limit),
      cmocka_unit_test(the_delay_is_read_as_our_own_server_reads_it),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
