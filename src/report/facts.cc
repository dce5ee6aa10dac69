#include "report/facts.hh"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/units.hh"
#include "report/metrics.hh"

namespace dyno {
namespace {

constexpr size_t kLabelWidth = 13;

bool add_once(Facts& facts, Fact fact) {
  const auto same = [&fact](const Fact& other) {
    return other.label == fact.label && other.text == fact.text;
  };
  if (std::any_of(facts.begin(), facts.end(), same)) return false;
  facts.push_back(std::move(fact));
  return true;
}

// Names the cell where there are several.
std::string in_cell(const RunResult& run, const CellResult& cell) {
  return run.cells.size() == 1 ? "" : printable(cell.cell.text()) + ": ";
}

std::vector<const CellResult*> measured(const RunResult& run) {
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : run.cells)
    if (!cell.is_skipped()) cells.push_back(&cell);
  return cells;
}

// "in 2 of 6 cells", or nothing where there is one.
std::string share_of(size_t some, size_t all) {
  return all == 1 ? "" : fmt::format(" in {} of {} cells", some, all);
}

void add_limits(const CellResult& cell, Facts& facts) {
  std::string text;
  for (const auto& [key, value] : cell.server.limits)
    if (!value.empty())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, value);
  if (!text.empty()) add_once(facts, {"server limits", printable(text)});
}

// The option's common value over the cells, if there is one.
template <typename Get>
auto common(const RunResult& run, Get get)
    -> std::optional<decltype(get(Config{}))> {
  if (run.cells.empty()) return {};
  const auto first = get(run.cells.front().cell.config);
  for (const CellResult& cell : run.cells)
    if (get(cell.cell.config) != first) return {};
  return first;
}

std::string load_text(const RunResult& run) {
  const auto requests = common(run, [](const Config& c) { return c.requests; });
  const auto duration =
      common(run, [](const Config& c) { return c.duration_ns; });
  if (!requests || !duration) return "";
  std::string text;
  if (*requests > 0) text += grouped(*requests) + " requests";
  if (*requests > 0 && *duration > 0) text += " or ";
  if (*duration > 0) text += format_duration(*duration);
  return text;
}

}  // namespace

void add_troubles(const RunResult& run, Facts& facts) {
  if (!run.status.is_ok())
    add_once(facts, {"error", printable(run.status.message), Paint::bad});
  for (const CellResult& cell : run.cells) {
    if (cell.status.is_ok() || cell.status.message == run.status.message)
      continue;
    add_once(facts,
             {"error", in_cell(run, cell) + printable(cell.status.message),
              Paint::bad});
  }
  if (run.interrupted)
    facts.push_back({"interrupted",
                     "stopped before its end; every number is of the time "
                     "that was measured",
                     Paint::warn});
}

void add_failure_hints(const RunResult& run, Facts& facts) {
  for (const FailureRow& row : failure_table()) {
    const auto kind = static_cast<size_t>(row.kind);
    int64_t count = 0;
    std::string sample;
    for (const CellResult& cell : run.cells) {
      count += cell.tally.counts.failures[kind];
      const auto found = cell.tally.failure_samples.find(row.kind);
      if (sample.empty() && found != cell.tally.failure_samples.end())
        sample = "; first: " + printable(found->second);
    }
    if (count == 0) continue;
    facts.push_back({"failures", fmt::format("{} {} ({}, {}{}): {}", row.name,
                                             grouped(count), row.phase,
                                             row.side, sample, row.hint)});
  }
}

void add_server(const RunResult& run, Facts& facts) {
  ServerFacts sum;
  size_t own = 0;
  size_t compared = 0;
  size_t reconciled = 0;
  for (const CellResult* cell : measured(run)) {
    if (!cell->server.is_own) continue;
    ++own;
    compared += cell->server.is_reconciled;
    if (cell->server.is_reconciled && cell->server.difference.empty())
      ++reconciled;
    sum.accepted += cell->server.accepted;
    sum.read += cell->server.read;
    sum.written += cell->server.written;
    if (sum.software.empty()) sum.software = cell->server.software;
  }
  if (own == 0) return;
  std::string text = printable(sum.software);
  if (!text.empty()) text += ": ";
  if (compared == 0) {
    text += "its counters were not compared with ours";
  } else {
    text += fmt::format(
        "accepted {} connections, read {} requests, wrote {} answers; ",
        grouped(sum.accepted), grouped(sum.read), grouped(sum.written));
    text += reconciled == 0
                ? "not reconciled"
                : "reconciles with our counts" + share_of(reconciled, own);
  }
  facts.push_back(
      {"server", text, reconciled == own ? Paint::plain : Paint::warn});
  for (const CellResult* cell : measured(run))
    if (!cell->server.difference.empty())
      facts.push_back({"difference",
                       in_cell(run, *cell) + printable(cell->server.difference),
                       Paint::warn});
  for (const CellResult* cell : measured(run)) add_limits(*cell, facts);
}

void add_generator(const RunResult& run, Facts& facts) {
  const auto cells = measured(run);
  if (cells.empty()) return;
  size_t limits = 0;
  double cpu_s = 0;
  int64_t peak = 0;
  const CellResult* busiest = cells.front();
  for (const CellResult* cell : cells) {
    limits += cell->client.is_limit ? 1 : 0;
    cpu_s += cell->client.cpu_s;
    peak = std::max(peak, cell->client.peak_rss_bytes);
    if (cell->client.busiest_share > busiest->client.busiest_share)
      busiest = cell;
  }
  std::string text = limits == 0 ? "not the limit"
                                 : "the limit" + share_of(limits, cells.size());
  if (!busiest->client.verdict.empty())
    text = cells.size() == 1 ? printable(busiest->client.verdict)
                             : text + "; busiest in " + in_cell(run, *busiest) +
                                   printable(busiest->client.verdict);
  facts.push_back(
      {"generator", text, limits == 0 ? Paint::plain : Paint::warn});
  const bool is_modelled = busiest->cell.config.is_modelled();
  facts.push_back(
      {"", fmt::format(
               "{} s of {}processor time, {} of {}, peak memory {}",
               grouped(cpu_s, 2), is_modelled ? "modelled " : "",
               percent(100 * busiest->client.busiest_share, 0),
               is_modelled ? "the modelled host" : "one by the busiest thread",
               brief_size(static_cast<double>(peak)))});
}

void add_host(const RunResult& run, Facts& facts) {
  int64_t allowed = 0;
  for (const CellResult* cell : measured(run))
    if (allowed == 0 || cell->client.nofile_limit < allowed)
      allowed = cell->client.nofile_limit;
  if (allowed > 0)
    facts.push_back(
        {"descriptors",
         fmt::format("{} open files allowed (hard "
                     "limit {})",
                     grouped(allowed), grouped(run.host.nofile_hard))});
  if (!run.host.system.empty())
    facts.push_back(
        {"host", fmt::format("{}, {} processors", printable(run.host.system),
                             run.host.processors)});
}

void add_notes(const RunResult& run, Facts& facts) {
  for (const CellResult& cell : run.cells)
    for (const std::string& note : cell.notes)
      add_once(facts, {"note", printable(note), Paint::warn});
}

void add_definitions(Facts& facts) {
  std::string text = "of completed requests (connect: of connections); ";
  for (const LatencyRow& row : kLatencyTable)
    text += fmt::format("{} = {}; ", row.name, row.help);
  text +=
      "percentiles are nearest rank, to 3 significant digits, never outside "
      "min and max";
  facts.push_back({"latency", std::move(text)});
}

std::string target_line(const RunResult& run) {
  const auto url = common(run, [](const Config& c) { return c.url; });
  std::string text = url ? printable(*url) : "several targets";
  if (common(run, [](const Config& c) { return c.is_modelled(); }) == true)
    text += " (modelled, not measured)";
  return text;
}

std::string effort_line(const RunResult& run) {
  std::string text = load_text(run);
  const auto add = [&text](const std::string& part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  if (run.cells.size() > 1)
    text = fmt::format("{} cells{}", run.cells.size(),
                       text.empty() ? "" : " of " + text);
  const auto warmup = common(run, [](const Config& c) { return c.warmup_ns; });
  if (warmup && *warmup > 0) add(format_duration(*warmup) + " of warm-up");
  const auto threads = common(run, [](const Config& c) { return c.threads; });
  if (threads)
    add(fmt::format("{} thread{}", *threads, *threads == 1 ? "" : "s"));
  return text;
}

std::string facts_text(const Facts& facts, bool colour, int32_t width) {
  std::string text;
  for (const Fact& fact : facts) {
    std::string label = fact.label;
    label.resize(std::max(label.size(), kLabelWidth), ' ');
    text += painted(label, Paint::strong, colour) + "  ";
    text +=
        painted(wrapped(fact.text, kLabelWidth + 2, width), fact.paint, colour);
    text += '\n';
  }
  return text;
}

}  // namespace dyno
