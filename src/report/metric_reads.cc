// What is read from a cell by name but is no single number: quantiles, series,
// the codes and kinds that occurred.
#include <fmt/format.h>

#include "report/metrics.hh"

namespace dyno {
namespace {

constexpr std::string_view kLatency = "latency.";

}  // namespace

Result<const CellResult*> only_cell(const RunResult& run) {
  if (run.cells.size() == 1) return &run.cells.front();
  return fail(Code::not_found,
              fmt::format("a result of {} cells has no latency or series of "
                          "its own; read those of a cell",
                          run.cells.size()));
}

Result<const Distribution*> find_distribution(const CellResult& cell,
                                              std::string_view metric) {
  std::string known;
  for (const LatencyRow& row : kLatencyTable) {
    const std::string name = std::string(kLatency) + row.name;
    if (metric == name) return &cell.tally.of(row.metric);
    known += known.empty() ? name : ", " + name;
  }
  return fail(Code::not_found,
              fmt::format("{}: is no latency; one of: {}", metric, known));
}

Result<int64_t> quantile(const CellResult& cell, std::string_view metric,
                         double q) {
  if (!(q >= 0 && q <= 1))
    return fail(Code::argument,
                fmt::format("{}: the quantile {} is not in 0 to 1", metric, q));
  const auto found = find_distribution(cell, metric);
  if (!found.is_ok()) return found.status();
  if (found.value()->count() == 0)
    return fail(Code::not_found, fmt::format("{}: has no samples", metric));
  return found.value()->quantile(q);
}

Result<std::vector<double>> series_values(const CellResult& cell,
                                          std::string_view metric) {
  const bool completed = metric == "series.completed";
  if (!completed && metric != "series.failed")
    return fail(Code::not_found,
                fmt::format("{}: is no series; one of: series.completed, "
                            "series.failed",
                            metric));
  std::vector<double> values;
  for (const Series::Point& point : cell.tally.series.points())
    values.push_back(
        static_cast<double>(completed ? point.completed : point.failed));
  return values;
}

std::vector<int> status_codes(const CellResult& cell) {
  std::vector<int> codes;
  const auto& counts = cell.tally.counts.status;
  for (size_t code = 0; code < counts.size(); ++code)
    if (counts[code] != 0) codes.push_back(static_cast<int>(code));
  return codes;
}

std::vector<const FailureRow*> failure_kinds(const CellResult& cell) {
  std::vector<const FailureRow*> kinds;
  for (const FailureRow& row : failure_table())
    if (cell.tally.counts.failures[static_cast<size_t>(row.kind)] != 0)
      kinds.push_back(&row);
  return kinds;
}

}  // namespace dyno
