// Plans of one line, for tests: settings in the order in which they are made.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.hh"
#include "unit/cmocka.hh"

namespace dyno {

using Settings = std::vector<std::pair<const char*, const char*>>;

inline Plan plan_of(const Settings& settings) {
  Plan plan;
  assert_true(plan.set("target.url", "http://127.0.0.1:8080/").is_ok());
  for (const auto& [key, value] : settings) {
    const Status status = plan.set(key, value);
    if (!status.is_ok()) print_error("%s\n", status.message.c_str());
    assert_true(status.is_ok());
  }
  return plan;
}

inline std::vector<Cell> cells_of(const Settings& settings,
                                  int64_t processors = 4) {
  const Result<std::vector<Cell>> cells = plan_of(settings).cells(processors);
  if (!cells.is_ok()) print_error("%s\n", cells.status().message.c_str());
  assert_true(cells.is_ok());
  return cells.value();
}

inline Config config_of(const Settings& settings, int64_t processors = 4) {
  const std::vector<Cell> cells = cells_of(settings, processors);
  assert_int_equal(cells.size(), 1);
  return cells.front().config;
}

// Why the one cell of a plan is refused.
inline Status refusal_of(const Settings& settings) {
  const Result<std::vector<Cell>> cells = plan_of(settings).cells(4);
  assert_false(cells.is_ok());
  return cells.status();
}

}  // namespace dyno
