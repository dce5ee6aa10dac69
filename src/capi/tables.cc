// Bridge: the enumerable tables. Each function reads one field of one row.
#include <httpdyno/httpdyno.h>

#include "base/failure.hh"
#include "plan/options.hh"
#include "plan/presets.hh"
#include "report/metrics.hh"
#include "report/render.hh"
#include "suite/suite.hh"

namespace {

template <typename Row>
const Row* row_at(std::span<const Row> rows, size_t index) {
  return index < rows.size() ? &rows[index] : nullptr;
}

const dyno::OptionRow* option(size_t index) {
  return row_at(dyno::plan_options().rows(), index);
}
const dyno::Preset* preset(size_t index) {
  return row_at(dyno::presets(), index);
}
const dyno::Suite* suite(size_t index) {
  return row_at(dyno::suites(), index);
}
const dyno::FailureRow* failure(size_t index) {
  return row_at(dyno::failure_table(), index);
}
const dyno::MetricRow* metric(size_t index) {
  return row_at(dyno::metric_table(), index);
}

// The text of a row, or NULL beyond the table.
template <typename Row, typename Text>
const char* text_of(const Row* row, Text Row::*member) {
  return row != nullptr ? row->*member : nullptr;
}

}  // namespace

size_t dyno_option_count(void) {
  return dyno::plan_options().rows().size();
}
const char* dyno_option_name(size_t index) {
  return text_of(option(index), &dyno::OptionRow::key);
}
int32_t dyno_option_type(size_t index) {
  const auto* row = option(index);
  return row != nullptr ? static_cast<int32_t>(row->type) : -1;
}
const char* dyno_option_default(size_t index) {
  return text_of(option(index), &dyno::OptionRow::fallback);
}
const char* dyno_option_values(size_t index) {
  return text_of(option(index), &dyno::OptionRow::values);
}
const char* dyno_option_unit(size_t index) {
  return text_of(option(index), &dyno::OptionRow::unit);
}
const char* dyno_option_help(size_t index) {
  return text_of(option(index), &dyno::OptionRow::help);
}
const char* dyno_option_flag(size_t index) {
  return text_of(option(index), &dyno::OptionRow::flag);
}
const char* dyno_option_short_flag(size_t index) {
  return text_of(option(index), &dyno::OptionRow::short_flag);
}
const char* dyno_option_engines(size_t index) {
  return text_of(option(index), &dyno::OptionRow::engines);
}
int32_t dyno_option_is_list(size_t index) {
  const auto* row = option(index);
  return row != nullptr ? static_cast<int32_t>(row->list) : 0;
}

size_t dyno_preset_count(void) {
  return dyno::presets().size();
}
const char* dyno_preset_name(size_t index) {
  return text_of(preset(index), &dyno::Preset::name);
}
const char* dyno_preset_alias(size_t index) {
  return text_of(preset(index), &dyno::Preset::alias);
}
const char* dyno_preset_help(size_t index) {
  return text_of(preset(index), &dyno::Preset::help);
}
const char* dyno_preset_law(size_t index) {
  return text_of(preset(index), &dyno::Preset::law);
}
const char* dyno_preset_source(size_t index) {
  return text_of(preset(index), &dyno::Preset::source);
}
const char* dyno_preset_axis(size_t index, const char* key) {
  const auto* row = preset(index);
  if (row == nullptr || key == nullptr) return nullptr;
  return row->axis(key);
}

size_t dyno_suite_count(void) {
  return dyno::suites().size();
}
const char* dyno_suite_name(size_t index) {
  return text_of(suite(index), &dyno::Suite::name);
}
const char* dyno_suite_help(size_t index) {
  return text_of(suite(index), &dyno::Suite::help);
}
const char* dyno_suite_source(size_t index) {
  return text_of(suite(index), &dyno::Suite::source);
}
const char* dyno_suite_path(size_t index) {
  return text_of(suite(index), &dyno::Suite::path);
}
const char* dyno_suite_server_option(size_t index, const char* key) {
  const auto* row = suite(index);
  if (row == nullptr || key == nullptr) return nullptr;
  return row->server_option(key);
}

size_t dyno_failure_count(void) {
  return dyno::failure_table().size();
}
const char* dyno_failure_name(size_t index) {
  return text_of(failure(index), &dyno::FailureRow::name);
}
const char* dyno_failure_phase(size_t index) {
  return text_of(failure(index), &dyno::FailureRow::phase);
}
const char* dyno_failure_side(size_t index) {
  return text_of(failure(index), &dyno::FailureRow::side);
}
const char* dyno_failure_hint(size_t index) {
  return text_of(failure(index), &dyno::FailureRow::hint);
}

size_t dyno_format_count(void) {
  return dyno::formats().size();
}
const char* dyno_format_name(size_t index) {
  const auto names = dyno::formats();
  return index < names.size() ? names[index] : nullptr;
}

size_t dyno_metric_count(void) {
  return dyno::metric_table().size();
}
const char* dyno_metric_name(size_t index) {
  const auto* row = metric(index);
  return row != nullptr ? row->name.c_str() : nullptr;
}
int32_t dyno_metric_type(size_t index) {
  const auto* row = metric(index);
  return row != nullptr ? static_cast<int32_t>(row->type) : -1;
}
const char* dyno_metric_unit(size_t index) {
  return text_of(metric(index), &dyno::MetricRow::unit);
}
const char* dyno_metric_help(size_t index) {
  const auto* row = metric(index);
  return row != nullptr ? row->help.c_str() : nullptr;
}
