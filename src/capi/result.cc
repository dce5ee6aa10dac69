// Bridge: dyno_result.
#include "capi/result.hh"

#include <algorithm>
#include <string_view>
#include <utility>

#include "report/json.hh"
#include "report/merge.hh"
#include "report/metrics.hh"
#include "report/render.hh"

using dyno::capi::code_of;
using dyno::capi::guarded;
using dyno::capi::kArgument;

namespace {

constexpr std::string_view kColour = ",color";

// Gives the metric's value in the way that `convert` makes of it.
template <typename Convert, typename Out>
dyno_status read_metric(const dyno_result* result, const char* name,
                        Convert convert, Out* out) {
  if (result == nullptr || name == nullptr || out == nullptr) return kArgument;
  return guarded([&] {
    const dyno::MetricRow* row = dyno::find_metric(name);
    if (row == nullptr) return DYNO_E_NOTFOUND;
    auto value = convert(*row, dyno::metric_value(result->run, *row));
    if (!value.is_ok()) return code_of(value.status());
    *out = value.value();
    return DYNO_OK;
  });
}

// Fills arrays of *length entries and tells how many there are.
template <typename Values, typename Put>
void fill(const Values& values, size_t* length, bool wants_values, Put put) {
  const size_t room = wants_values ? *length : 0;
  for (size_t i = 0; i < std::min(room, values.size()); ++i) put(i, values[i]);
  *length = values.size();
}

// A new result from `make`, which gives a Result<RunResult>; the handle is made
// in any case, to carry the message.
template <typename Make>
dyno_status make_result(dyno_result** out, Make make) {
  return guarded([&] {
    auto made = std::make_unique<dyno_result>();
    const dyno_status status = guarded(made->failed, [&] {
      auto run = make();
      if (!run.is_ok()) return run.status();
      made = std::make_unique<dyno_result>(std::move(run.value()));
      return dyno::Status{};
    });
    *out = made.release();
    return status;
  });
}

// The time that a point of the series stands for: the last one may be short.
double interval_s(const dyno::CellResult& cell, size_t index) {
  const int64_t interval_ns = cell.tally.series.interval_ns();
  const int64_t left_ns =
      cell.duration_ns - static_cast<int64_t>(index) * interval_ns;
  const bool is_cut = left_ns > 0 && left_ns < interval_ns;
  return static_cast<double>(is_cut ? left_ns : interval_ns) / 1e9;
}

std::vector<const dyno::FailureRow*> failures(const dyno_result* result) {
  std::vector<const dyno::FailureRow*> kinds;
  for (const dyno::FailureRow& row : dyno::failure_table())
    for (const dyno::CellResult& cell : result->run.cells)
      if (cell.tally.counts.failures[static_cast<size_t>(row.kind)] > 0) {
        kinds.push_back(&row);
        break;
      }
  return kinds;
}

}  // namespace

dyno_result::dyno_result(dyno::RunResult result) : run(std::move(result)) {
  if (run.cells.size() < 2) return;
  for (const dyno::CellResult& cell : run.cells) {
    dyno::RunResult one;
    one.tool_version = run.tool_version;
    one.host = run.host;
    one.cells = {cell};
    one.status = cell.status;
    one.interrupted = cell.interrupted;
    cells.push_back(std::make_unique<dyno_result>(std::move(one)));
  }
}

dyno_status dyno_result_status(const dyno_result* result) {
  return result == nullptr ? kArgument : code_of(result->run.status);
}

dyno_status dyno_result_int(const dyno_result* result, const char* metric,
                            int64_t* out) {
  return read_metric(result, metric, dyno::as_int, out);
}

dyno_status dyno_result_real(const dyno_result* result, const char* metric,
                             double* out) {
  return read_metric(result, metric, dyno::as_real, out);
}

dyno_status dyno_result_text(const dyno_result* result, const char* metric,
                             const char** out) {
  return read_metric(result, metric, dyno::as_text, out);
}

size_t dyno_result_cell_count(const dyno_result* result) {
  return result == nullptr ? 0 : result->run.cells.size();
}

const dyno_result* dyno_result_cell(const dyno_result* result, size_t index) {
  if (result == nullptr || index >= result->run.cells.size()) return nullptr;
  return result->cells.empty() ? result : result->cells[index].get();
}

size_t dyno_result_failure_count(const dyno_result* result) {
  size_t count = 0;
  if (result == nullptr) return 0;
  guarded([&] {
    count = failures(result).size();
    return DYNO_OK;
  });
  return count;
}

const char* dyno_result_failure_kind(const dyno_result* result, size_t index) {
  const char* name = nullptr;
  if (result == nullptr) return nullptr;
  guarded([&] {
    const auto kinds = failures(result);
    if (index < kinds.size()) name = kinds[index]->name;
    return DYNO_OK;
  });
  return name;
}

int64_t dyno_result_failure_value(const dyno_result* result, size_t index) {
  int64_t sum = 0;
  if (result == nullptr) return 0;
  guarded([&] {
    const auto kinds = failures(result);
    if (index >= kinds.size()) return DYNO_E_NOTFOUND;
    const auto kind = static_cast<size_t>(kinds[index]->kind);
    for (const dyno::CellResult& cell : result->run.cells)
      sum += cell.tally.counts.failures[kind];
    return DYNO_OK;
  });
  return sum;
}

dyno_status dyno_result_quantile(const dyno_result* result, const char* metric,
                                 double q, int64_t* out_ns) {
  if (result == nullptr || metric == nullptr || out_ns == nullptr)
    return kArgument;
  return guarded([&] {
    const auto cell = dyno::only_cell(result->run);
    if (!cell.is_ok()) return code_of(cell.status());
    const auto value = dyno::quantile(*cell.value(), metric, q);
    if (!value.is_ok()) return code_of(value.status());
    *out_ns = value.value();
    return DYNO_OK;
  });
}

dyno_status dyno_result_buckets(const dyno_result* result, const char* metric,
                                int64_t* upper_ns, int64_t* counts,
                                size_t* length) {
  if (result == nullptr || metric == nullptr || length == nullptr)
    return kArgument;
  return guarded([&] {
    const auto cell = dyno::only_cell(result->run);
    if (!cell.is_ok()) return code_of(cell.status());
    const auto found = dyno::find_distribution(*cell.value(), metric);
    if (!found.is_ok()) return code_of(found.status());
    const bool wants = upper_ns != nullptr && counts != nullptr;
    fill(found.value()->buckets(), length, wants, [&](size_t i, auto bucket) {
      upper_ns[i] = dyno::HistogramScale::highest(bucket.index);
      counts[i] = bucket.count;
    });
    return DYNO_OK;
  });
}

dyno_status dyno_result_series(const dyno_result* result, const char* metric,
                               double* values, size_t* length) {
  if (result == nullptr || metric == nullptr || length == nullptr)
    return kArgument;
  return guarded([&] {
    const auto cell = dyno::only_cell(result->run);
    if (!cell.is_ok()) return code_of(cell.status());
    const std::string name = std::string("series.") + metric;
    const auto found = dyno::series_values(*cell.value(), name);
    if (!found.is_ok()) return code_of(found.status());
    fill(found.value(), length, values != nullptr, [&](size_t i, double count) {
      values[i] = count / interval_s(*cell.value(), i);
    });
    return DYNO_OK;
  });
}

dyno_status dyno_result_render(dyno_result* result, const char* format,
                               const char** text, size_t* size) {
  if (result == nullptr || format == nullptr || text == nullptr)
    return kArgument;
  *text = nullptr;
  return guarded(result->failed, [&]() -> dyno::Status {
    std::string_view name = format;
    dyno::RenderStyle style;
    style.colour = name.ends_with(kColour);
    if (style.colour) name.remove_suffix(kColour.size());
    auto rendered = dyno::render(result->run, name, style);
    if (!rendered.is_ok()) return rendered.status();
    result->rendered = std::move(rendered.value());
    *text = result->rendered.c_str();
    if (size != nullptr) *size = result->rendered.size();
    return {};
  });
}

dyno_status dyno_result_parse(dyno_result** out, const char* text,
                              size_t size) {
  if (out == nullptr) return kArgument;
  *out = nullptr;
  if (text == nullptr) return kArgument;
  return make_result(
      out, [&] { return dyno::parse_json(std::string_view(text, size)); });
}

dyno_status dyno_result_merge(dyno_result** out,
                              const dyno_result* const* parts, size_t count) {
  if (out == nullptr) return kArgument;
  *out = nullptr;
  if (parts == nullptr || count == 0) return kArgument;
  if (std::find(parts, parts + count, nullptr) != parts + count)
    return kArgument;
  return make_result(out, [&] {
    std::vector<const dyno::RunResult*> runs;
    for (size_t i = 0; i < count; ++i) runs.push_back(&parts[i]->run);
    return dyno::merge(runs);
  });
}

const char* dyno_result_error(const dyno_result* result) {
  if (result == nullptr) return "";
  return result->failed.message.empty() ? result->run.status.message.c_str()
                                        : result->failed.message.c_str();
}

void dyno_result_free(dyno_result* result) {
  delete result;
}
