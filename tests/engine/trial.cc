#include "engine/trial.hh"

#include <time.h>

#include <vector>

#include "unit/cmocka.hh"

namespace dyno::test {
namespace {

int64_t clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

int64_t int_of(const dyno_result* result, const std::string& metric) {
  int64_t value = -1;
  const dyno_status status = dyno_result_int(result, metric.c_str(), &value);
  if (status != DYNO_OK)
    fail_msg("%s: %s", metric.c_str(), dyno_status_name(status));
  return value;
}

void equal(const char* what, int64_t got, int64_t wanted) {
  if (got != wanted)
    fail_msg("%s: %lld, not %lld", what, static_cast<long long>(got),
             static_cast<long long>(wanted));
}

int64_t sum_of_statuses(const dyno_result* cell) {
  int64_t sum = 0;
  for (int code = 100; code < 1000; ++code)
    sum += int_of(cell, "status." + std::to_string(code));
  return sum;
}

int64_t sum_of_failures(const dyno_result* cell) {
  int64_t sum = 0;
  for (size_t i = 0; i < dyno_failure_count(); ++i)
    sum += int_of(cell, std::string("failures.") + dyno_failure_name(i));
  return sum;
}

int64_t sum_of_listed_failures(const dyno_result* cell) {
  int64_t sum = 0;
  for (size_t i = 0; i < dyno_result_failure_count(cell); ++i)
    sum += dyno_result_failure_value(cell, i);
  return sum;
}

int64_t sum_of_buckets(const dyno_result* cell, const char* metric) {
  size_t length = 0;
  assert_int_equal(dyno_result_buckets(cell, metric, nullptr, nullptr, &length),
                   DYNO_OK);
  std::vector<int64_t> upper(length), counts(length);
  assert_int_equal(
      dyno_result_buckets(cell, metric, upper.data(), counts.data(), &length),
      DYNO_OK);
  int64_t sum = 0;
  for (const int64_t count : counts) sum += count;
  return sum;
}

void check_latency(const dyno_result* cell, const std::string& name,
                   int64_t completed) {
  equal((name + ".count").c_str(), int_of(cell, name + ".count"), completed);
  equal((name + " buckets").c_str(), sum_of_buckets(cell, name.c_str()),
        completed);
}

void check_cell(const dyno_result* cell) {
  const int64_t completed = int_of(cell, "counts.completed");
  const int64_t failed = int_of(cell, "counts.failed");
  equal("completed + failed + abandoned",
        completed + failed + int_of(cell, "counts.abandoned"),
        int_of(cell, "counts.issued"));
  equal("sum of the statuses", sum_of_statuses(cell), completed);
  equal("sum of the failures", sum_of_failures(cell), failed);
  equal("sum of the failures that occurred", sum_of_listed_failures(cell),
        failed);
  for (const char* name : {"latency.response", "latency.service",
                           "latency.pool_wait", "latency.first_byte"})
    check_latency(cell, name, completed);
  equal("connections.closed", int_of(cell, "connections.closed"),
        int_of(cell, "connections.opened"));
  assert_true(int_of(cell, "connections.reused") <= completed);
  if (completed == 0) return;
  assert_true(int_of(cell, "latency.response.min_ns") > 0);
  // An answer that was there before the question takes no time.
  assert_true(int_of(cell, "latency.service.min_ns") > 0 ||
              int_of(cell, "counts.misdelivered") > 0);
}

}  // namespace

void check_invariants(const dyno_result* result) {
  for (size_t i = 0; i < dyno_result_cell_count(result); ++i)
    check_cell(dyno_result_cell(result, i));
}

Trial::~Trial() {
  dyno_run_free(run_);
  dyno_result_free(result_);
  dyno_plan_free(plan_);
}

void Trial::serve(Script script, ServeOptions options) {
  server_ =
      std::make_unique<ScriptServer>(std::move(script), std::move(options));
  assert_int_not_equal(server_->port(), 0);
}

void Trial::plan(std::initializer_list<Setting> settings) {
  assert_int_equal(dyno_plan_new(&plan_), DYNO_OK);
  if (server_ != nullptr)
    dyno_plan_set(plan_, "target.url", server_->url().c_str());
  dyno_plan_set(plan_, "load.warmup", "0s");
  for (const auto& [key, value] : settings)
    if (dyno_plan_set(plan_, key, value.c_str()) != DYNO_OK)
      fail_msg("%s", dyno_plan_error(plan_));
}

void Trial::append(const char* key, const char* value) {
  assert_int_equal(dyno_plan_append(plan_, key, value), DYNO_OK);
}

dyno_status Trial::start() {
  started_ns_ = clock_ns();
  const dyno_status status = dyno_run_start(&run_, plan_);
  if (status != DYNO_OK) message_ = dyno_plan_error(plan_);
  return status;
}

dyno_status Trial::finish() {
  const dyno_status status = dyno_run_wait(run_, -1);
  seconds_ = static_cast<double>(clock_ns() - started_ns_) / 1e9;
  message_ = dyno_run_error(run_);
  if (server_ != nullptr) server_->stop();
  assert_int_equal(dyno_run_result(run_, &result_), DYNO_OK);
  assert_int_equal(dyno_result_status(result_), status);
  check_invariants(result_);
  if (server_ != nullptr && checks_server_) check_against_server();
  return status;
}

dyno_status Trial::run(std::initializer_list<Setting> settings) {
  plan(settings);
  const dyno_status status = start();
  return status == DYNO_OK ? finish() : status;
}

// What the server counted goes with what we say.
void Trial::check_against_server() const {
  if (checks_connections_)
    equal("connections.opened", value("connections.opened"),
          server_->accepted());
  const int64_t completed = value("counts.completed");
  const int64_t others = value("counts.failed") + value("counts.abandoned") +
                         value("counts.retry") + value("counts.resubmit") +
                         value("counts.warmup");
  assert_true(server_->requests() >= completed);
  assert_true(server_->requests() - completed <= others);
}

std::string Trial::message() const {
  return message_;
}

int64_t Trial::value(const char* metric) const {
  return int_of(result_, metric);
}

double Trial::real(const char* metric) const {
  double value = 0;
  assert_int_equal(dyno_result_real(result_, metric, &value), DYNO_OK);
  return value;
}

std::string Trial::rendered(const char* format) {
  const char* text = nullptr;
  size_t size = 0;
  assert_int_equal(dyno_result_render(result_, format, &text, &size), DYNO_OK);
  return {text, size};
}

void Trial::expect(
    std::initializer_list<std::pair<const char*, int64_t>> values) {
  for (const auto& [metric, wanted] : values)
    equal(metric, value(metric), wanted);
}

Trial& fresh_trial(void** state) {
  end_trial(state);
  auto* trial = new Trial;
  *state = trial;
  return *trial;
}

int end_trial(void** state) {
  delete static_cast<Trial*>(*state);
  *state = nullptr;
  return 0;
}

}  // namespace dyno::test
