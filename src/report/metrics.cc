#include "report/metrics.hh"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/options.hh"
#include "report/metric_rows.hh"

namespace dyno {
namespace {

using Values = std::vector<MetricValue>;

struct Tables {
  std::vector<MetricRow> all;  // paths first, then the families
  size_t paths = 0;
  std::vector<MetricRow> status;  // by code, from kFirstStatus
};

Tables make_tables() {
  Tables made;
  made.all = path_rows();
  made.paths = made.all.size();
  for (MetricRow& row : series_rows()) made.all.push_back(std::move(row));
  for (MetricRow& row : failure_rows()) made.all.push_back(std::move(row));
  for (MetricRow& row : config_rows()) made.all.push_back(std::move(row));
  made.status = status_rows();
  return made;
}

const Tables& tables() {
  static const Tables made = make_tables();
  return made;
}

const MetricRow* find_status(std::string_view code) {
  int number = 0;
  const char* end = code.data() + code.size();
  const auto read = std::from_chars(code.data(), end, number);
  if (code.size() != 3 || read.ptr != end || number < kFirstStatus) return {};
  return &tables().status[static_cast<size_t>(number - kFirstStatus)];
}

Status wrong_type(const MetricRow& row, const char* wanted) {
  static constexpr const char* kNames[] = {"a whole number", "a real number",
                                           "a text"};
  return fail(Code::value,
              fmt::format("{}: is {}, not {}", row.name,
                          kNames[static_cast<size_t>(row.type)], wanted));
}

Status no_value(const MetricRow& row) {
  return fail(Code::not_found,
              fmt::format("{}: not known in this result", row.name));
}

// Folds two values that are both there.
template <typename T>
T fold_two(Fold fold, T a, T b) {
  switch (fold) {
    case Fold::sum:
      return a + b;
    case Fold::least:
      return std::min(a, b);
    case Fold::most:
    case Fold::any:
    case Fold::none:
      break;
  }
  return std::max(a, b);
}

MetricValue fold_values(Fold fold, const MetricValue& a, const MetricValue& b) {
  if (std::holds_alternative<std::monostate>(a)) return b;
  if (std::holds_alternative<std::monostate>(b)) return a;
  if (const auto* whole = std::get_if<int64_t>(&a))
    return fold_two(fold, *whole, std::get<int64_t>(b));
  return fold_two(fold, std::get<double>(a), std::get<double>(b));
}

}  // namespace

std::span<const MetricRow> metric_table() {
  return tables().all;
}

std::span<const MetricRow> path_metrics() {
  return metric_table().first(tables().paths);
}

const MetricRow* find_metric(std::string_view name) {
  constexpr std::string_view kStatus = "status.";
  for (const MetricRow& row : metric_table())
    if (row.name == name) return &row;
  if (name.starts_with(kStatus))
    return find_status(name.substr(kStatus.size()));
  return nullptr;
}

Status unknown_metric(std::string_view name) {
  std::vector<const char*> names;
  for (const MetricRow& row : metric_table()) names.push_back(row.name.c_str());
  const std::string near = nearest(name, names);
  std::string text = fmt::format("{}: no such metric", name);
  if (!near.empty()) text += fmt::format("; did you mean {}?", near);
  return fail(Code::not_found, std::move(text));
}

MetricValue metric_value(const RunResult& run, const MetricRow& row) {
  if (run.cells.size() == 1) return row.get(run.cells.front());
  if (row.fold == Fold::none) return {};
  MetricValue folded;
  for (const CellResult& cell : run.cells)
    if (!cell.is_skipped())
      folded = fold_values(row.fold, folded, row.get(cell));
  const bool adds_up = row.fold == Fold::sum || row.fold == Fold::any;
  if (!adds_up || !std::holds_alternative<std::monostate>(folded))
    return folded;
  return row.type == MetricType::whole ? MetricValue(int64_t{0})
                                       : MetricValue(0.0);
}

Result<int64_t> as_int(const MetricRow& row, const MetricValue& value) {
  if (row.type != MetricType::whole) return wrong_type(row, "a whole number");
  if (const auto* whole = std::get_if<int64_t>(&value)) return *whole;
  return no_value(row);
}

Result<double> as_real(const MetricRow& row, const MetricValue& value) {
  if (row.type == MetricType::text) return wrong_type(row, "a number");
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<int64_t>(&value))
    return static_cast<double>(*whole);
  return no_value(row);
}

Result<const char*> as_text(const MetricRow& row, const MetricValue& value) {
  if (row.type != MetricType::text) return wrong_type(row, "a text");
  if (const auto* text = std::get_if<const char*>(&value)) return *text;
  return no_value(row);
}

}  // namespace dyno
