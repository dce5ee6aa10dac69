// The closed forms of the disciplines, held against the pools themselves: they
// run in virtual time over a modelled server, so that every number here is the
// same on every machine and however busy that is.
#include <algorithm>
#include <cmath>
#include <string>

#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::fresh_trial;
using dyno::test::Trial;

namespace {

// The published benchmark: a hold of 11.02 ms, 100 requests per connection, and
// a pool time-out of 1 s.
constexpr double kHoldS = 0.01102;
constexpr double kRequestsPerConnection = 100;
constexpr double kWaitS = 1;
constexpr int kSizes[] = {32, 128, 512};

std::string text(double value) {
  return std::to_string(static_cast<int64_t>(value));
}

// Most callers of which none waits for longer than the pool allows.
double threshold(int size) {
  return size * (1 + kWaitS / kHoldS);
}

void near(const std::string& what, double got, double wanted, double most) {
  if (std::abs(got - wanted) > most)
    fail_msg("%s: %g, not %g +- %g", what.c_str(), got, wanted, most);
}

void run_fifo_lazy(Trial& trial, int size, double callers) {
  const dyno_status status = trial.run(
      {{"engine", "sim"},
       {"client", "fifo-lazy"},
       {"pool.size", std::to_string(size)},
       {"pool.wait", "1s"},
       {"load.callers", text(callers)},
       {"load.warmup", "2s"},
       {"load.duration", "5s"},
       {"sim.hold_overhead", "1020us"},
       {"sim.requests_per_connection", text(kRequestsPerConnection)}});
  if (status != DYNO_OK) fail_msg("%s", trial.message().c_str());
}

// --- fifo-lazy ---------------------------------------------------------------

void fifo_lazy_keeps_its_capacity_and_fails_nobody(void** state) {
  for (const int size : kSizes) {
    for (const double callers :
         {1.0 * size, 8.0 * size, 0.98 * threshold(size)}) {
      Trial& trial = fresh_trial(state);
      run_fifo_lazy(trial, size, callers);
      trial.expect({{"counts.failed", 0}});
      const double capacity = size / kHoldS;
      near(std::to_string(size) + " x " + text(callers),
           trial.real("rate.completed_per_s"), capacity, 0.05 * capacity);
    }
  }
}

// C - C* callers too many expire once per wait, and cost no capacity.
void fifo_lazy_fails_only_those_that_are_too_many(void** state) {
  for (const int size : kSizes) {
    for (const double factor : {1.4, 2.0, 4.0}) {
      Trial& trial = fresh_trial(state);
      const double callers = factor * threshold(size);
      run_fifo_lazy(trial, size, callers);
      const std::string what = std::to_string(size) + " x " + text(callers);
      const double capacity = size / kHoldS;
      const double expired = (callers - threshold(size)) / kWaitS;
      near(what, trial.real("rate.completed_per_s"), capacity, 0.05 * capacity);
      near(what + " failed", trial.real("rate.failed_percent"),
           100 * expired / (capacity + expired), 1);
      trial.expect({{"failures.pool_timeout", trial.value("counts.failed")}});
    }
  }
}

// --- random-mux-failfast -----------------------------------------------------

// Each slot serves what one connection serves; then the callers burn the budget
// before the first connection is there again.
void random_mux_failfast_completes_what_one_connection_each_serves(
    void** state) {
  constexpr double kBudget = 500'000;
  for (const int size : kSizes) {
    for (const char* callers : {"1024", "4096", "16384"}) {
      Trial& trial = fresh_trial(state);
      assert_int_equal(trial.run({{"engine", "sim"},
                                  {"client", "random-mux-failfast"},
                                  {"pool.size", std::to_string(size)},
                                  {"load.callers", callers},
                                  {"load.requests", text(kBudget)},
                                  {"sim.failed_cost", "0s"},
                                  {"sim.hold_overhead", "1020us"},
                                  {"sim.requests_per_connection",
                                   text(kRequestsPerConnection)}}),
                       DYNO_OK);
      near(std::to_string(size) + " x " + callers,
           trial.real("rate.failed_percent"),
           100 * (1 - size * kRequestsPerConnection / kBudget), 0.5);
    }
  }
}

void without_that_limit_it_fails_nobody(void** state) {
  for (const int size : kSizes) {
    Trial& trial = fresh_trial(state);
    assert_int_equal(trial.run({{"engine", "sim"},
                                {"client", "random-mux-failfast"},
                                {"pool.size", std::to_string(size)},
                                {"load.callers", "4096"},
                                {"load.requests", "100k"}}),
                     DYNO_OK);
    trial.expect({{"counts.completed", 100'000}, {"counts.failed", 0}});
  }
}

// --- fifo-eager --------------------------------------------------------------

void fifo_eager_fails_nobody_below_its_threshold(void** state) {
  for (const int size : kSizes) {
    for (const double callers :
         {1.0 * size, 8.0 * size, 0.98 * threshold(size)}) {
      Trial& trial = fresh_trial(state);
      assert_int_equal(trial.run({{"engine", "sim"},
                                  {"client", "fifo-eager"},
                                  {"pool.size", std::to_string(size)},
                                  {"load.callers", text(callers)},
                                  {"load.warmup", "2s"},
                                  {"load.duration", "5s"},
                                  {"sim.hold_overhead", "1020us"}}),
                       DYNO_OK);
      trial.expect({{"counts.failed", 0}});
      const double capacity = size / kHoldS;
      near(std::to_string(size) + " x " + text(callers),
           trial.real("rate.completed_per_s"), capacity, 0.05 * capacity);
    }
  }
}

// The owner scans the queue for every caller that gives up, and grants slots to
// callers that have gone: it works for one wait, and then never again.
void fifo_eager_collapses_when_its_owner_has_to_scan(void** state) {
  const struct {
    int size;
    int callers;
  } cells[] = {{32, 8192}, {32, 16384}, {64, 16384}};
  for (const auto& [size, callers] : cells) {
    const double budget = std::floor(500'000.0 / callers) * callers;
    Trial& trial = fresh_trial(state);
    assert_int_equal(trial.run({{"engine", "sim"},
                                {"client", "fifo-eager"},
                                {"pool.size", std::to_string(size)},
                                {"pool.owner_cost", "5us"},
                                {"pool.cancel_scan", "50ns"},
                                {"load.callers", std::to_string(callers)},
                                {"load.requests", text(budget)},
                                {"sim.hold_overhead", "1020us"},
                                {"sim.timer_lateness", "2ms"}}),
                     DYNO_OK);
    const double expected = size * callers / (kHoldS * budget);
    near(std::to_string(size) + " x " + std::to_string(callers),
         trial.real("rate.completed_per_s"), expected, 0.15 * expected);
    assert_true(trial.real("rate.failed_percent") > 95);
  }
}

// --- random-trylock ----------------------------------------------------------

// The probability that a slot which is drawn at random is in use.
void random_trylock_fails_as_often_as_slots_are_in_use(void** state) {
  for (const int size : kSizes) {
    for (const char* callers : {"256", "1024", "4096"}) {
      Trial& trial = fresh_trial(state);
      assert_int_equal(trial.run({{"engine", "sim"},
                                  {"client", "random-trylock"},
                                  {"pool.size", std::to_string(size)},
                                  {"load.callers", callers},
                                  {"load.requests", "500k"},
                                  {"sim.cpus", "16"},
                                  {"sim.failed_cost", "20us"}}),
                       DYNO_OK);
      const double hold_s = trial.real("latency.service.mean_ns") / 1e9;
      near(std::to_string(size) + " x " + callers,
           trial.real("rate.failed_percent"),
           100 * trial.real("rate.completed_per_s") * hold_s / size, 2);
    }
  }
}

// --- next-use-error ----------------------------------------------------------

void next_use_error_costs_one_request_per_connection(void** state) {
  for (const int size : {16, 32, 64}) {
    for (const int callers : {size, 2 * size, 8 * size}) {
      for (const int limit : {10, 100, 1000}) {
        Trial& trial = fresh_trial(state);
        // As many as fill every connection a hundred times.
        const double budget = 100.0 * size * (limit + 1);
        assert_int_equal(
            trial.run({{"engine", "sim"},
                       {"client", "fifo-eager-sharded"},
                       {"pool.size", std::to_string(size)},
                       {"load.callers", std::to_string(callers)},
                       {"load.requests", text(std::min(budget, 5e5))},
                       {"sim.requests_per_connection", std::to_string(limit)}}),
            DYNO_OK);
        near(std::to_string(size) + " x " + std::to_string(callers),
             trial.real("rate.failed_percent"), 100.0 / (limit + 1), 0.1);
        trial.expect({{"failures.closed", trial.value("counts.failed")}});
      }
    }
  }
}

// --- fifo-patient ------------------------------------------------------------

void fifo_patient_fails_nobody_within_its_eight_seconds(void** state) {
  for (const int size : {8, 32, 64}) {
    for (const double share : {0.5, 0.97, 1.05}) {
      Trial& trial = fresh_trial(state);
      const double callers = share * 8 / kHoldS * size;
      assert_int_equal(trial.run({{"engine", "sim"},
                                  {"client", "fifo-patient"},
                                  {"pool.size", std::to_string(size)},
                                  {"load.callers", text(callers)},
                                  {"load.duration", "20s"},
                                  {"sim.hold_overhead", "1020us"}}),
                       DYNO_OK);
      if (share < 1)
        trial.expect({{"counts.failed", 0}});
      else
        assert_true(trial.value("failures.pool_timeout") > 0);
      near(std::to_string(size) + " x " + text(callers),
           trial.real("rate.completed_per_s"), size / kHoldS,
           0.05 * size / kHoldS);
    }
  }
}

// --- least-pipeline ----------------------------------------------------------

void least_pipeline_passes_an_exclusive_pool_only_beside_a_concurrent_server(
    void** state) {
  constexpr double kDelayS = 0.010;
  for (const int size : kSizes) {
    for (const int factor : {2, 4, 8}) {
      for (const char* pipelined : {"concurrent", "serial"}) {
        Trial& trial = fresh_trial(state);
        const int callers = factor * size;
        assert_int_equal(trial.run({{"engine", "sim"},
                                    {"client", "least-pipeline"},
                                    {"pool.size", std::to_string(size)},
                                    {"load.callers", std::to_string(callers)},
                                    {"load.duration", "3s"},
                                    {"load.warmup", "200ms"},
                                    {"sim.pipelined", pipelined}}),
                         DYNO_OK);
        trial.expect({{"counts.failed", 0}});
        const int at_once = *pipelined == 's' ? size : callers;
        near(std::to_string(size) + " x " + std::to_string(callers),
             trial.real("rate.completed_per_s"), at_once / kDelayS,
             0.02 * at_once / kDelayS);
      }
    }
  }
}

// --- correlate ---------------------------------------------------------------

// Late answers that are taken for the next request's make the pool look faster
// than its slots can be.
void without_correlation_overload_delivers_wrong_answers(void** state) {
  for (const int size : {32, 64, 128}) {
    for (const double factor : {1.3, 1.4, 1.5}) {
      for (const char* correlate : {"none", "strict"}) {
        Trial& trial = fresh_trial(state);
        const std::string callers = text(factor * threshold(size));
        assert_int_equal(trial.run({{"engine", "sim"},
                                    {"client", "fifo-eager-sharded"},
                                    {"pool.size", std::to_string(size)},
                                    {"pool.correlate", correlate},
                                    {"load.callers", callers},
                                    {"load.duration", "20s"},
                                    {"sim.hold_overhead", "1020us"},
                                    {"sim.timer_lateness", "2ms"}}),
                         DYNO_OK);
        const std::string what =
            std::to_string(size) + " x " + callers + " " + correlate;
        const double rate = trial.real("rate.completed_per_s");
        const int64_t wrong = trial.value("counts.misdelivered");
        if (*correlate == 's') {
          if (wrong != 0) fail_msg("%s: misdelivered", what.c_str());
          near(what, std::min(rate, size / kHoldS), rate, 0.02 * rate);
        } else if (wrong == 0 || rate <= size / kHoldS) {
          fail_msg("%s: %g/s, %d misdelivered", what.c_str(), rate,
                   static_cast<int>(wrong));
        }
      }
    }
  }
}

// --- none-leak ---------------------------------------------------------------

void leaked_descriptors_come_back_with_the_servers_idle_close(void** state) {
  for (const int descriptors : {256, 1024, 4096}) {
    for (const char* callers : {"64", "512", "2048"}) {
      Trial& trial = fresh_trial(state);
      assert_int_equal(trial.run({{"engine", "sim"},
                                  {"client", "none-leak"},
                                  {"host.nofile", std::to_string(descriptors)},
                                  {"load.callers", callers},
                                  {"load.error_pause", "50ms"},
                                  {"load.warmup", "10s"},
                                  {"load.duration", "50s"},
                                  {"sim.idle_close", "5s"}}),
                       DYNO_OK);
      const double expected = descriptors / 5.0;
      near(std::to_string(descriptors) + " for " + callers,
           trial.real("rate.completed_per_s"), expected, 0.05 * expected);
    }
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(fifo_lazy_keeps_its_capacity_and_fails_nobody),
      TRIAL(fifo_lazy_fails_only_those_that_are_too_many),
      TRIAL(random_mux_failfast_completes_what_one_connection_each_serves),
      TRIAL(without_that_limit_it_fails_nobody),
      TRIAL(fifo_eager_fails_nobody_below_its_threshold),
      TRIAL(fifo_eager_collapses_when_its_owner_has_to_scan),
      TRIAL(random_trylock_fails_as_often_as_slots_are_in_use),
      TRIAL(next_use_error_costs_one_request_per_connection),
      TRIAL(fifo_patient_fails_nobody_within_its_eight_seconds),
      TRIAL(
          least_pipeline_passes_an_exclusive_pool_only_beside_a_concurrent_server),
      TRIAL(without_correlation_overload_delivers_wrong_answers),
      TRIAL(leaked_descriptors_come_back_with_the_servers_idle_close),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
