// THE metric table: every number and text of a cell, once. The JSON of a cell,
// its parser and the C ABI's dyno_result_int/real/text all come from these
// rows. Latencies, options and failure kinds are families, made from their own
// tables.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.hh"
#include "report/result.hh"

namespace dyno {

// The numbers are public (DYNO_METRIC_* in httpdyno.h), pinned for ever.
enum class MetricType : int32_t { whole = 0, real = 1, text = 2 };

// Nothing (unknown, or a rate over 0 s), or the value in its row's type. A text
// is borrowed from the result, or static.
using MetricValue = std::variant<std::monostate, int64_t, double, const char*>;

// How the values of several cells make the value of their run. `none`: they do
// not, the run has one only if it has a single cell.
enum class Fold : uint8_t { none, sum, least, most, any };

struct MetricRow {
  // The path inside the JSON of a cell: "counts.issued". A few are elsewhere
  // there: "series.interval_ns" is in each entry of "series", "config.KEY" is
  // the member KEY of the flat "config", "failures.KIND" the count of that
  // kind's entry in "failures", "status.CODE" a member of "status".
  std::string name;
  MetricType type = MetricType::whole;
  const char* unit = "1";  // ns, per_s, bytes, s, percent, flag (0 or 1), …
  std::string help;
  Fold fold = Fold::none;
  std::function<MetricValue(const CellResult&)> get;
  // Empty where the value is derived from others.
  std::function<void(CellResult&, const MetricValue&)> set;
};

// Every row that can be enumerated. Its order is the order in JSON.
std::span<const MetricRow> metric_table();
// The rows whose name is a JSON path as it stands: metric_table() without the
// series' interval and the families "config" and "failures".
std::span<const MetricRow> path_metrics();

// Knows "status.100" … "status.999" too. nullptr: no such metric.
const MetricRow* find_metric(std::string_view name);
// Code::not_found; names the nearest metric.
Status unknown_metric(std::string_view name);

// The value of a whole run: that of its cell if there is just one, else as the
// row's fold says. Skipped cells add nothing.
MetricValue metric_value(const RunResult& run, const MetricRow& row);

// The value in the type that the caller wants. A whole number may be read as a
// real one; Code::value for any other mismatch, Code::not_found for nothing.
Result<int64_t> as_int(const MetricRow& row, const MetricValue& value);
Result<double> as_real(const MetricRow& row, const MetricValue& value);
Result<const char*> as_text(const MetricRow& row, const MetricValue& value);

// The cell whose latencies and series a run's handle shows: its only one.
Result<const CellResult*> only_cell(const RunResult& run);

// "latency.response", "latency.service", …; Code::not_found names them all.
Result<const Distribution*> find_distribution(const CellResult& cell,
                                              std::string_view metric);
// Nearest rank, q in 0 … 1, in ns; Code::not_found without samples.
Result<int64_t> quantile(const CellResult& cell, std::string_view metric,
                         double q);
// Requests per interval of the cell's series: "series.completed",
// "series.failed".
Result<std::vector<double>> series_values(const CellResult& cell,
                                          std::string_view metric);

// The status codes that were seen, rising.
std::vector<int> status_codes(const CellResult& cell);
// The kinds that occurred, in the order of the failure table.
std::vector<const FailureRow*> failure_kinds(const CellResult& cell);

}  // namespace dyno
