#include "report/suite.hh"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/fit.hh"
#include "report/limited_by.hh"
#include "report/matrix.hh"

namespace dyno {
namespace {

using Field = Table::Field;

std::string client_of(const Cell& cell) {
  const std::string_view published = annotated_text(cell, "published.client");
  return printable(published.empty() ? cell.config.client : published);
}

// Pools and size are the published ones: a client without a pool has none.
std::string pools_of(const Cell& cell) {
  const auto count = annotated_number(cell, "published.pool_count");
  const auto size = annotated_number(cell, "published.pool_size");
  return fmt::format("{:.0f} x {:.0f}", count.value_or(0), size.value_or(0));
}

Field number_field(std::optional<double> value, int places) {
  return {value ? grouped(*value, places) : "-"};
}

Field ratio_field(const std::optional<Fit>& fit) {
  if (!fit) return {"-"};
  return {fmt::format("{:.2f}", fit->ratio),
          fit->is_good ? Paint::good : Paint::plain};
}

void add_row(const CellResult& result, bool shows_table, Table& table) {
  const Cell& cell = result.cell;
  std::vector<Field> fields;
  if (shows_table)
    fields.push_back({printable(annotated_text(cell, "published.table"))});
  fields.push_back({client_of(cell)});
  fields.push_back({pools_of(cell)});
  fields.push_back({grouped(cell.config.callers)});
  for (const auto& [key, places] :
       {std::pair{"published.requests_per_second", 0},
        std::pair{"published.error_percent", 1}})
    fields.push_back(number_field(annotated_number(cell, key), places));
  if (result.is_skipped())
    return table.add_row(std::move(fields),
                         "skipped: " + printable(cell.skipped));
  const std::optional<Fit> fit = fit_of(result);
  const bool has_time = result.duration_ns > 0;
  fields.push_back(
      {has_time ? grouped(result.completed_per_s(), 0) : "-", Paint::strong});
  fields.push_back({fmt::format("{:.1f}", result.failed_percent()),
                    failure_paint(result.failed_percent())});
  for (const auto& [key, places] :
       {std::pair{"closed_form.requests_per_second", 0},
        std::pair{"closed_form.error_percent", 1}})
    fields.push_back(number_field(annotated_number(cell, key), places));
  fields.push_back(ratio_field(fit));
  fields.push_back({!fit ? "-" : fit->is_good ? "yes" : "no"});
  std::string word = limited_by(result);
  if (result.interrupted) word += " (interrupted)";
  if (!result.status.is_ok()) word += " (error)";
  fields.push_back({word});
  table.add_row(std::move(fields));
}

bool has_several_tables(const RunResult& run) {
  const std::string_view first =
      annotated_text(run.cells.front().cell, "published.table");
  return std::any_of(
      run.cells.begin(), run.cells.end(), [first](const CellResult& cell) {
        return annotated_text(cell.cell, "published.table") != first;
      });
}

double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

// How the rows of one client, or all of them, fit.
struct Account {
  size_t rows = 0;
  size_t good = 0;
  std::vector<double> ratios;
  std::vector<double> gaps;

  void add(const CellResult& cell) {
    ++rows;
    const std::optional<Fit> fit = fit_of(cell);
    if (!fit) return;
    good += fit->is_good;
    ratios.push_back(fit->ratio);
    gaps.push_back(std::abs(fit->points));
  }
  double largest_gap() const {
    return gaps.empty() ? std::nan("")
                        : *std::max_element(gaps.begin(), gaps.end());
  }
};

Account whole_account(const RunResult& run) {
  Account whole;
  for (const CellResult& cell : run.cells) whole.add(cell);
  return whole;
}

// In the order of the alphabet, "all" last.
std::vector<std::pair<std::string, Account>> accounts(const RunResult& run) {
  std::vector<std::string> names;
  for (const CellResult& cell : run.cells)
    names.push_back(client_of(cell.cell));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::pair<std::string, Account>> all;
  for (const std::string& name : names) {
    Account account;
    for (const CellResult& cell : run.cells)
      if (client_of(cell.cell) == name) account.add(cell);
    all.emplace_back(name, std::move(account));
  }
  all.emplace_back("all", whole_account(run));
  return all;
}

void add_total(const RunResult& run, Facts& facts) {
  const Account whole = whole_account(run);
  facts.push_back(
      {"explained",
       fmt::format("{} of {} rows: within {:.0f} % of the published req/s and "
                   "{:.0f} points of its failed share",
                   whole.good, whole.rows, 100 * kFitRatio, kFitPoints),
       Paint::strong});
}

void add_skipped(const RunResult& run, Facts& facts) {
  size_t skipped = 0;
  const CellResult* first = nullptr;
  for (const CellResult& cell : run.cells) {
    if (!cell.is_skipped()) continue;
    if (skipped++ == 0) first = &cell;
  }
  if (skipped == 0) return;
  facts.push_back(
      {"skipped",
       fmt::format("{} of {} rows; the first one: {}", skipped,
                   run.cells.size(), printable(first->cell.skipped)),
       Paint::warn});
}

void add_budgets(const RunResult& run, Facts& facts) {
  size_t cut = 0;
  int64_t longest_ns = 0;
  for (const CellResult& cell : run.cells) {
    const auto whole = annotated_number(cell.cell, "published.requests");
    const Config& config = cell.cell.config;
    if (!whole || cell.is_skipped()) continue;
    if (static_cast<double>(config.requests) >= *whole &&
        config.duration_ns == 0)
      continue;
    ++cut;
    longest_ns = std::max(longest_ns, config.duration_ns);
  }
  if (cut == 0) return;
  std::string text = fmt::format(
      "cut in {} of {} rows, against 500,000 requests a row as published", cut,
      run.cells.size());
  if (longest_ns > 0)
    text += ", so that none lasts longer than " + format_duration(longest_ns);
  facts.push_back({"budgets", std::move(text), Paint::warn});
}

}  // namespace

Table suite_table(const RunResult& run) {
  Table table;
  const bool shows_table = has_several_tables(run);
  if (shows_table) table.add_column("table", true);
  table.add_column("client", true);
  table.add_column("pools x size");
  table.add_column("callers");
  for (const char* whose : {"published/s", "ours/s", "closed form/s"}) {
    table.add_column(whose);
    table.add_column("failed %");
  }
  table.add_column("ratio");
  table.add_column("fits", true);
  table.add_column("limited by", true);
  for (const CellResult& cell : run.cells) add_row(cell, shows_table, table);
  return table;
}

Table suite_summary(const RunResult& run) {
  Table table;
  table.add_column("client", true);
  for (const char* head : {"rows", "measured", "fit", "median ratio",
                           "median gap, points", "largest gap, points"})
    table.add_column(head);
  for (const auto& [name, account] : accounts(run))
    table.add_row({{name},
                   {grouped(static_cast<int64_t>(account.rows))},
                   {grouped(static_cast<int64_t>(account.ratios.size()))},
                   {grouped(static_cast<int64_t>(account.good))},
                   {grouped(median(account.ratios), 2)},
                   {grouped(median(account.gaps), 1)},
                   {grouped(account.largest_gap(), 1)}});
  return table;
}

Table suite_misfits(const RunResult& run) {
  struct Misfit {
    const CellResult* cell;
    double distance;
  };
  std::vector<Misfit> misfits;
  for (const CellResult& cell : run.cells) {
    const std::optional<Fit> fit = fit_of(cell);
    if (!fit || fit->is_good) continue;
    const double factor = fit->ratio > 0 ? std::abs(std::log(fit->ratio)) : 99;
    misfits.push_back({&cell, factor + std::abs(fit->points) / 100});
  }
  std::stable_sort(
      misfits.begin(), misfits.end(),
      [](const Misfit& a, const Misfit& b) { return a.distance > b.distance; });
  Table table;
  table.add_column("row that does not fit", true);
  for (const char* head : {"published/s", "ours/s", "ratio", "points apart"})
    table.add_column(head);
  for (const Misfit& misfit : misfits) {
    const Cell& cell = misfit.cell->cell;
    const Fit fit = *fit_of(*misfit.cell);
    table.add_row(
        {{fmt::format("{} {}, {} callers", client_of(cell), pools_of(cell),
                      grouped(cell.config.callers))},
         number_field(annotated_number(cell, "published.requests_per_second"),
                      0),
         {grouped(misfit.cell->completed_per_s(), 0)},
         {fmt::format("{:.2f}", fit.ratio)},
         {fmt::format("{:+.1f}", fit.points)}});
  }
  return table;
}

Facts suite_facts(const RunResult& run) {
  Facts facts;
  add_total(run, facts);
  add_skipped(run, facts);
  add_budgets(run, facts);
  for (const Fact& fact : matrix_facts(run)) facts.push_back(fact);
  return facts;
}

}  // namespace dyno
