// The closed forms of the disciplines, held against the pools themselves: they
// run in virtual time over a modelled server, so that every number here is the
// same on every machine and however busy that is.
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

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(fifo_lazy_keeps_its_capacity_and_fails_nobody),
      TRIAL(fifo_lazy_fails_only_those_that_are_too_many),
      TRIAL(random_mux_failfast_completes_what_one_connection_each_serves),
      TRIAL(without_that_limit_it_fails_nobody),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
