// The text format: a full report of one cell, the matrix of several, or a suite
// beside its published rows.
#include <fmt/format.h>

#include <algorithm>

#include "base/units.hh"
#include "report/fit.hh"
#include "report/limited_by.hh"
#include "report/matrix.hh"
#include "report/metrics.hh"
#include "report/render.hh"
#include "report/suite.hh"

namespace dyno {
namespace {

std::string per_second(int64_t bytes, int64_t duration_ns) {
  if (duration_ns <= 0) return brief_size(static_cast<double>(bytes));
  const double rate =
      static_cast<double>(bytes) * 1e9 / static_cast<double>(duration_ns);
  return fmt::format("{} ({}/s)", brief_size(static_cast<double>(bytes)),
                     brief_size(rate));
}

std::string seconds(int64_t ns) {
  return grouped(static_cast<double>(ns) / 1e9, 3) + " s";
}

std::string client_line(const Config& config) {
  const bool one = config.pool_count == 1;
  std::string text = fmt::format(
      "client {}, {} connections ({} pool{} x {})", printable(config.client),
      grouped(config.slots()), grouped(config.pool_count), one ? "" : "s",
      pool_size_text(config));
  text += config.is_open_loop()
              ? fmt::format(", open loop of {}/s, at most {} outstanding",
                            grouped(config.rate, 1), grouped(config.callers))
              : fmt::format(", {} callers", grouped(config.callers));
  if (config.depth > 1) text += fmt::format(", depth {}", config.depth);
  return text;
}

void add_rates(const CellResult& cell, Facts& facts) {
  const Counters& counts = cell.tally.counts;
  const bool timed = cell.duration_ns > 0;
  facts.push_back(
      {"completed/s",
       fmt::format("{} ({} in {})",
                   timed ? grouped(cell.completed_per_s(), 1) : "-",
                   grouped(counts.completed), seconds(cell.duration_ns)),
       Paint::strong});
  facts.push_back(
      {"failed/s",
       fmt::format("{} ({}, {})", timed ? grouped(cell.failed_per_s(), 1) : "-",
                   grouped(counts.failed()), percent(cell.failed_percent(), 2)),
       failure_paint(cell.failed_percent())});
  const std::string by = limited_by(cell);
  const double limit = cell.limit_per_s();
  if (limit > 0)
    facts.push_back(
        {"limit/s",
         fmt::format("{}, {} of it reached; limited by "
                     "{}",
                     grouped(limit, 1), percent(100 * cell.limit_share(), 1),
                     by == "-" ? "something else" : by)});
  else if (by != "-")
    facts.push_back({"limited by", by});
}

Table latency_table(const CellResult& cell) {
  Table table;
  table.add_column("latency, ms", true);
  for (const char* head :
       {"count", "min", "mean", "stdev", "p50", "p90", "p99", "p99.9", "max"})
    table.add_column(head);
  for (const LatencyRow& row : kLatencyTable) {
    const Distribution& of = cell.tally.of(row.metric);
    if (row.is_optional && of.count() == 0) continue;
    std::vector<Table::Field> fields{{row.name}, {grouped(of.count())}};
    const auto add = [&](double ns) {
      fields.push_back({of.count() == 0 ? "-" : grouped(ns / 1e6, 3)});
    };
    add(static_cast<double>(of.min()));
    add(of.mean());
    add(of.stdev());
    for (const double q : {0.50, 0.90, 0.99, 0.999})
      add(static_cast<double>(of.quantile(q)));
    add(static_cast<double>(of.max()));
    table.add_row(std::move(fields));
  }
  return table;
}

Table failure_rows_table(const CellResult& cell) {
  Table table;
  table.add_column("failure", true);
  table.add_column("phase", true);
  table.add_column("side", true);
  table.add_column("count");
  table.add_column("first one", true);
  for (const FailureRow* row : failure_kinds(cell)) {
    const auto sample = cell.tally.failure_samples.find(row->kind);
    const bool has_sample = sample != cell.tally.failure_samples.end();
    const auto kind = static_cast<size_t>(row->kind);
    table.add_row({{row->name, Paint::bad},
                   {row->phase},
                   {row->side},
                   {grouped(cell.tally.counts.failures[kind])},
                   {has_sample ? printable(sample->second) : "-"}});
  }
  return table;
}

// "name 12", for each count that is not 0.
std::string list_of(
    std::initializer_list<std::pair<const char*, int64_t>> counts) {
  std::string text;
  for (const auto& [name, count] : counts)
    if (count != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                          grouped(count));
  return text;
}

void add_counts(const CellResult& cell, Facts& facts) {
  const Counters& counts = cell.tally.counts;
  std::string text =
      fmt::format("issued {} = completed {} + failed {} + abandoned {}",
                  grouped(counts.issued), grouped(counts.completed),
                  grouped(counts.failed()), grouped(counts.abandoned));
  if (counts.abandoned > 0)
    text += fmt::format(" (the oldest for {})",
                        brief_duration(cell.tally.oldest_abandoned_ns));
  facts.push_back({"requests", std::move(text)});
  text = fmt::format("warm-up {}, retries {}, late replies {}",
                     grouped(counts.warmup), grouped(counts.retry),
                     grouped(counts.late_reply));
  const std::string others =
      list_of({{"unsent", counts.unsent},
               {"blocked", counts.blocked},
               {"misdelivered", counts.misdelivered},
               {"resubmitted", counts.resubmit},
               {"pipelined and discarded", counts.pipelined_discarded}});
  facts.push_back({"besides", text + (others.empty() ? "" : ", ") + others});
}

void add_status(const CellResult& cell, Facts& facts) {
  std::string text;
  bool is_error = false;
  for (const int code : status_codes(cell)) {
    is_error = is_error || code >= 400;
    text += fmt::format(
        "{}{}: {}", text.empty() ? "" : ", ", code,
        grouped(cell.tally.counts.status[static_cast<size_t>(code)]));
  }
  if (!text.empty())
    facts.push_back(
        {"status", std::move(text), is_error ? Paint::warn : Paint::plain});
}

void add_traffic(const CellResult& cell, Facts& facts) {
  const Counters& counts = cell.tally.counts;
  facts.push_back(
      {"bytes", fmt::format("in {}, out {}, bodies {}",
                            per_second(counts.bytes_in, cell.duration_ns),
                            per_second(counts.bytes_out, cell.duration_ns),
                            per_second(counts.bytes_body, cell.duration_ns))});
  facts.push_back(
      {"connections",
       fmt::format("opened {}, closed {}, reconnects {}, failed dials {}; {} "
                   "requests on one that had served before",
                   grouped(counts.opened), grouped(counts.closed),
                   grouped(counts.reconnect), grouped(counts.dial_failed),
                   grouped(counts.reused))});
  if (counts.tls_full + counts.tls_resumed > 0)
    facts.push_back({"handshakes", fmt::format("{} full, {} resumed",
                                               grouped(counts.tls_full),
                                               grouped(counts.tls_resumed))});
  facts.push_back(
      {"pool", fmt::format("at most {} of {} slots in use, at most {} requests "
                           "waiting for one",
                           grouped(cell.pools.in_use_peak),
                           grouped(cell.cell.config.slots()),
                           grouped(cell.pools.queue_peak))});
}

// The published ones last, as they come back from JSON.
void add_annotations(const Cell& cell, Facts& facts) {
  for (const bool is_published : {false, true})
    for (const Annotation& annotation : cell.annotations)
      if (annotation.key.starts_with("published.") == is_published)
        facts.push_back({"annotation", printable(annotation.key) + " = " +
                                           annotation_text(annotation)});
}

void add_facts(const RunResult& run, Facts& facts) {
  add_annotations(run.cells.front().cell, facts);
  add_server(run, facts);
  add_generator(run, facts);
  add_host(run, facts);
  add_notes(run, facts);
  add_definitions(facts);
}

// A heading that stands above a result that needs a second look.
std::string troubles_text(const RunResult& run, const RenderStyle& style) {
  Facts facts;
  add_troubles(run, facts);
  return facts_text(facts, style.colour, style.width);
}

std::string failures_text(const CellResult& cell, const RenderStyle& style) {
  const Table table = failure_rows_table(cell);
  if (table.is_empty()) return "";
  Facts hints;
  for (const FailureRow* row : failure_kinds(cell))
    hints.push_back({row->name, row->hint});
  return table.text(0, style.colour) + "\n" +
         facts_text(hints, style.colour, style.width) + "\n";
}

std::string cell_text(const RunResult& run, const RenderStyle& style) {
  const CellResult& cell = run.cells.front();
  std::string text = painted(target_line(run), Paint::strong, style.colour);
  text += "\n" + client_line(cell.cell.config) + "\n" + effort_line(run) + "\n";
  text += troubles_text(run, style);
  if (cell.is_skipped())
    return text + "skipped: " + printable(cell.cell.skipped) + "\n";
  Facts rates;
  add_rates(cell, rates);
  text += "\n" + facts_text(rates, style.colour, style.width) + "\n";
  text += latency_table(cell).text(0, style.colour) + "\n";
  text += failures_text(cell, style);
  Facts facts;
  add_counts(cell, facts);
  add_status(cell, facts);
  add_traffic(cell, facts);
  add_facts(run, facts);
  return text + facts_text(facts, style.colour, style.width);
}

std::string matrix_text(const RunResult& run, const RenderStyle& style) {
  std::string text = painted(target_line(run), Paint::strong, style.colour);
  text += "\n" + effort_line(run) + "\n\n";
  text += matrix_table(run).text(0, style.colour) + "\n";
  return text + facts_text(matrix_facts(run), style.colour, style.width);
}

std::string suite_text(const RunResult& run, const RenderStyle& style) {
  std::string text = painted(target_line(run), Paint::strong, style.colour);
  text += "\n" + effort_line(run) + "\n\n";
  text += suite_table(run).text(0, style.colour) + "\n";
  text += suite_summary(run).text(0, style.colour) + "\n";
  return text + facts_text(suite_facts(run), style.colour, style.width);
}

}  // namespace

std::string render_text(const RunResult& run, const RenderStyle& style) {
  if (run.cells.empty())
    return troubles_text(run, style) + "no cell was measured\n";
  if (is_suite(run)) return suite_text(run, style);
  return run.cells.size() == 1 ? cell_text(run, style)
                               : matrix_text(run, style);
}

}  // namespace dyno
