// The csv format (RFC 4180, lines end with LF): a fixed head, one row per cell,
// one column per failure kind. The sums over the rows are the run's.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/failure.hh"
#include "report/fit.hh"
#include "report/json.hh"
#include "report/limited_by.hh"
#include "report/render.hh"

namespace dyno {
namespace {

using Row = std::vector<std::string>;

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == field.npos) return field;
  std::string text = "\"";
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + "\"";
}

std::string joined(const Row& row) {
  std::string line;
  for (const std::string& field : row) {
    if (&field != &row.front()) line += ',';
    line += quoted(field);
  }
  return line + "\n";
}

struct Percentile {
  const char* name;
  double q;
};

constexpr Percentile kPercentiles[] = {{"p50", 0.50},
                                       {"p90", 0.90},
                                       {"p99", 0.99},
                                       {"p99.9", 0.999},
                                       {"max", 1.0}};

// Empty where no suite put them there.
constexpr std::pair<const char*, const char*> kAnnotations[] = {
    {"published_table", "published.table"},
    {"published_client", "published.client"},
    {"published_per_s", "published.requests_per_second"},
    {"published_failed_percent", "published.error_percent"},
    {"closed_form_per_s", "closed_form.requests_per_second"},
    {"closed_form_failed_percent", "closed_form.error_percent"},
};

// Statuses by class; codes of no class are status_other.
constexpr int kClasses[] = {2, 3, 4, 5};

void add_latency_head(Row& head) {
  for (const LatencyRow& latency : kLatencyTable)
    for (const Percentile& one : kPercentiles)
      head.push_back(fmt::format("{}_{}_ns", latency.name, one.name));
}

Row make_head() {
  Row head{"client",       "pools",          "size",
           "callers",      "depth",          "connections",
           "threads",      "round",          "url",
           "duration_s",   "issued",         "completed",
           "failed",       "abandoned",      "completed_per_s",
           "failed_per_s", "failed_percent", "limit_per_s",
           "limited_by"};
  add_latency_head(head);
  for (const int status : kClasses) head.push_back(fmt::format("{}xx", status));
  head.emplace_back("status_other");
  for (const FailureRow& row : failure_table()) head.emplace_back(row.name);
  for (const char* name :
       {"client_is_limit", "skipped", "interrupted", "error"})
    head.emplace_back(name);
  for (const auto& [name, key] : kAnnotations) head.emplace_back(name);
  head.emplace_back("published_ratio");
  head.emplace_back("published_fits");
  return head;
}

std::string whole(int64_t value) {
  return fmt::format("{}", value);
}

std::string real(bool is_known, double value) {
  return is_known ? fmt::format("{:.3f}", value) : "";
}

std::string seconds(int64_t ns) {
  return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
}

void add_config(const CellResult& cell, Row& row) {
  const Config& config = cell.cell.config;
  row.push_back(valid_utf8(config.client));
  for (const int64_t value :
       {config.pool_count, config.pool_size, config.callers, config.depth,
        config.slots(), config.threads, cell.cell.repeat + 1})
    row.push_back(whole(value));
  row.push_back(valid_utf8(config.url));
}

void add_rates(const CellResult& cell, Row& row) {
  const Counters& counts = cell.tally.counts;
  row.push_back(seconds(cell.duration_ns));
  for (const int64_t value :
       {counts.issued, counts.completed, counts.failed(), counts.abandoned})
    row.push_back(whole(value));
  const bool timed = cell.duration_ns > 0;
  row.push_back(real(timed, cell.completed_per_s()));
  row.push_back(real(timed, cell.failed_per_s()));
  row.push_back(
      real(counts.completed + counts.failed() > 0, cell.failed_percent()));
  row.push_back(real(cell.limit_per_s() > 0, cell.limit_per_s()));
  row.emplace_back(limited_by(cell));
}

void add_latencies(const CellResult& cell, Row& row) {
  for (const LatencyRow& latency : kLatencyTable) {
    const Distribution& of = cell.tally.of(latency.metric);
    for (const Percentile& one : kPercentiles)
      row.push_back(of.count() == 0 ? "" : whole(of.quantile(one.q)));
  }
}

void add_outcomes(const CellResult& cell, Row& row) {
  const Counters& counts = cell.tally.counts;
  int64_t others = counts.completed;
  for (const int status : kClasses) {
    int64_t sum = 0;
    for (int code = status * 100; code < status * 100 + 100; ++code)
      sum += counts.status[static_cast<size_t>(code)];
    row.push_back(whole(sum));
    others -= sum;
  }
  row.push_back(whole(others));
  for (const int64_t count : counts.failures) row.push_back(whole(count));
}

void add_suite(const CellResult& cell, Row& row) {
  for (const auto& [name, key] : kAnnotations) {
    const auto value = annotated_number(cell.cell, key);
    row.push_back(value ? real(true, *value)
                        : valid_utf8(annotated_text(cell.cell, key)));
  }
  const std::optional<Fit> fit = fit_of(cell);
  row.push_back(real(fit.has_value(), fit ? fit->ratio : 0));
  row.emplace_back(!fit ? "" : fit->is_good ? "1" : "0");
}

Row make_row(const CellResult& cell) {
  Row row;
  add_config(cell, row);
  add_rates(cell, row);
  add_latencies(cell, row);
  add_outcomes(cell, row);
  row.emplace_back(cell.client.is_limit ? "1" : "0");
  row.push_back(valid_utf8(cell.cell.skipped));
  row.emplace_back(cell.interrupted ? "1" : "0");
  row.push_back(valid_utf8(cell.status.message));
  add_suite(cell, row);
  return row;
}

}  // namespace

std::string render_csv(const RunResult& run) {
  std::string text = joined(make_head());
  for (const CellResult& cell : run.cells) text += joined(make_row(cell));
  return text;
}

}  // namespace dyno
