// Bridge: dyno_plan.
#include "capi/plan.hh"

#include <memory>
#include <string_view>
#include <utility>

#include "run/host.hh"
#include "suite/suite.hh"

using dyno::Plan;
using dyno::Status;
using dyno::capi::guarded;
using dyno::capi::kArgument;

namespace {

// Changes an option; what was known of the cells is over.
template <typename Set>
dyno_status set_option(dyno_plan* plan, Set set) {
  plan->cell_texts.clear();
  return guarded(plan->failed, [&] { return set(plan->plan); });
}

// The cells of the plan, kept for the functions that enumerate them.
Status expand(dyno_plan& plan) {
  plan.cell_texts.clear();
  plan.expected_ns.clear();
  auto cells = plan.plan.cells(dyno::usable_processors());
  if (!cells.is_ok()) return cells.status();
  for (const dyno::Cell& cell : cells.value()) {
    plan.cell_texts.push_back(
        cell.skipped.empty() ? cell.text() : cell.text() + ": " + cell.skipped);
    plan.expected_ns.push_back(cell.skipped.empty() ? cell.expected_ns : 0);
  }
  return {};
}

// Whether the cells are known, or can be.
bool knows_cells(dyno_plan* plan) {
  return plan != nullptr &&
         (!plan->cell_texts.empty() || dyno_plan_check(plan) == DYNO_OK);
}

}  // namespace

dyno_status dyno_plan_new(dyno_plan** out) {
  if (out == nullptr) return kArgument;
  *out = nullptr;
  return guarded([&] {
    *out = new dyno_plan();
    return DYNO_OK;
  });
}

dyno_status dyno_plan_copy(dyno_plan** out, const dyno_plan* plan) {
  if (out == nullptr) return kArgument;
  *out = nullptr;
  if (plan == nullptr) return kArgument;
  return guarded([&] {
    auto copy = std::make_unique<dyno_plan>();
    copy->plan = plan->plan;
    *out = copy.release();
    return DYNO_OK;
  });
}

void dyno_plan_free(dyno_plan* plan) {
  delete plan;
}

dyno_status dyno_plan_set(dyno_plan* plan, const char* key, const char* value) {
  if (plan == nullptr || key == nullptr || value == nullptr) return kArgument;
  return set_option(plan, [&](Plan& p) { return p.set(key, value); });
}

dyno_status dyno_plan_set_int(dyno_plan* plan, const char* key, int64_t value) {
  if (plan == nullptr || key == nullptr) return kArgument;
  return set_option(plan, [&](Plan& p) { return p.set_int(key, value); });
}

dyno_status dyno_plan_set_real(dyno_plan* plan, const char* key, double value) {
  if (plan == nullptr || key == nullptr) return kArgument;
  return set_option(plan, [&](Plan& p) { return p.set_real(key, value); });
}

dyno_status dyno_plan_set_bytes(dyno_plan* plan, const char* key,
                                const void* data, size_t size) {
  if (plan == nullptr || key == nullptr) return kArgument;
  if (data == nullptr && size > 0) return kArgument;
  const auto* bytes = static_cast<const char*>(data);
  return set_option(
      plan, [&](Plan& p) { return p.set(key, std::string_view(bytes, size)); });
}

dyno_status dyno_plan_append(dyno_plan* plan, const char* key,
                             const char* value) {
  if (plan == nullptr || key == nullptr || value == nullptr) return kArgument;
  return set_option(plan, [&](Plan& p) { return p.append(key, value); });
}

const char* dyno_plan_get(const dyno_plan* plan, const char* key) {
  if (plan == nullptr || key == nullptr) return nullptr;
  return plan->plan.get(key);
}

int32_t dyno_plan_is_set(const dyno_plan* plan, const char* key) {
  if (plan == nullptr || key == nullptr) return 0;
  return plan->plan.is_set(key) ? 1 : 0;
}

dyno_status dyno_plan_suite(dyno_plan* plan, const char* name) {
  if (plan == nullptr || name == nullptr) return kArgument;
  return set_option(plan, [&](Plan& p) {
    const dyno::Suite* suite = dyno::find_suite(name);
    if (suite == nullptr) return dyno::unknown_suite(name);
    p.set_rows(*suite->rows);
    return Status{};
  });
}

dyno_status dyno_plan_check(dyno_plan* plan) {
  if (plan == nullptr) return kArgument;
  return guarded(plan->failed, [&] { return expand(*plan); });
}

size_t dyno_plan_cell_count(dyno_plan* plan) {
  if (dyno_plan_check(plan) != DYNO_OK) return 0;
  return plan->cell_texts.size();
}

const char* dyno_plan_cell_text(dyno_plan* plan, size_t index) {
  if (!knows_cells(plan) || index >= plan->cell_texts.size()) return nullptr;
  return plan->cell_texts[index].c_str();
}

int64_t dyno_plan_cell_expected_ns(dyno_plan* plan, size_t index) {
  if (!knows_cells(plan) || index >= plan->expected_ns.size()) return 0;
  return plan->expected_ns[index];
}

const char* dyno_plan_error(const dyno_plan* plan) {
  return plan == nullptr ? "" : plan->failed.message.c_str();
}

const char* dyno_plan_error_key(const dyno_plan* plan) {
  return plan == nullptr ? "" : plan->failed.key.c_str();
}
