// The families of metrics: one row per latency and statistic, per failure kind,
// per option and per status code, each made from the table that defines it.
#include <fmt/format.h>

#include <utility>

#include "plan/options.hh"
#include "report/metric_rows.hh"

namespace dyno {
namespace {

struct Statistic {
  const char* name;
  MetricType type;
  const char* unit;
  Fold fold;
  const char* help;
  MetricValue (*get)(const Distribution& of);
};

// A statistic of no samples has no value.
template <auto Get>
MetricValue if_any(const Distribution& of) {
  return of.count() == 0 ? MetricValue() : MetricValue((of.*Get)());
}

constexpr Statistic kStatistics[] = {
    {"count", MetricType::whole, "1", Fold::sum, "samples",
     [](const Distribution& of) -> MetricValue { return of.count(); }},
    {"min_ns", MetricType::whole, "ns", Fold::least, "least",
     if_any<&Distribution::min>},
    {"mean_ns", MetricType::real, "ns", Fold::none, "mean, exact",
     if_any<&Distribution::mean>},
    {"stdev_ns", MetricType::real, "ns", Fold::none,
     "standard deviation of the population, from the buckets' midpoints",
     if_any<&Distribution::stdev>},
    {"max_ns", MetricType::whole, "ns", Fold::most, "largest",
     if_any<&Distribution::max>},
    {"sum_ns", MetricType::whole, "ns", Fold::sum, "sum",
     [](const Distribution& of) -> MetricValue { return of.sum(); }},
};

MetricRow latency_row(const LatencyRow& latency, const Statistic& statistic) {
  MetricRow row;
  row.name = fmt::format("latency.{}.{}", latency.name, statistic.name);
  row.type = statistic.type;
  row.unit = statistic.unit;
  row.fold = statistic.fold;
  row.help = fmt::format("{} of: {}", statistic.help, latency.help);
  row.get = [metric = latency.metric, get = statistic.get](
                const CellResult& cell) { return get(cell.tally.of(metric)); };
  return row;
}

// Keeps the choice's words, which it lends, for as long as the row lives.
std::function<MetricValue(const CellResult&)> choice_getter(
    const OptionRow& option) {
  Texts words;
  std::string_view rest = option.values;
  while (!rest.empty()) {
    const size_t bar = rest.find('|');
    words.emplace_back(rest.substr(0, bar));
    rest = bar == rest.npos ? "" : rest.substr(bar + 1);
  }
  return [words = std::move(words),
          &option](const CellResult& cell) -> MetricValue {
    const Value value = option.field.load(&cell.cell.config);
    return words.at(static_cast<size_t>(std::get<int64_t>(value))).c_str();
  };
}

std::function<MetricValue(const CellResult&)> number_getter(
    const OptionRow& option) {
  return [&option](const CellResult& cell) -> MetricValue {
    const Value value = option.field.load(&cell.cell.config);
    if (const auto* flag = std::get_if<bool>(&value))
      return int64_t{*flag ? 1 : 0};
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return std::get<int64_t>(value);
  };
}

MetricRow config_row(const OptionRow& option) {
  MetricRow row;
  row.name = fmt::format("config.{}", option.key);
  row.help = option.help;
  if (option.allows_unlimited() && option.type != OptionType::text)
    row.help += " (unlimited: 9223372036854775807)";
  if (*option.unit != '\0') row.unit = option.unit;
  switch (option.type) {
    case OptionType::text:
      row.type = MetricType::text;
      row.unit = "text";
      row.get = [text = option.field.text](const CellResult& cell) {
        return MetricValue(text(&cell.cell.config)->c_str());
      };
      break;
    case OptionType::choice:
      row.type = MetricType::text;
      row.unit = "text";
      row.get = choice_getter(option);
      break;
    case OptionType::rate:
      row.type = MetricType::real;
      row.get = number_getter(option);
      break;
    case OptionType::flag:
      row.unit = "flag";
      row.get = number_getter(option);
      break;
    case OptionType::count:
    case OptionType::size:
    case OptionType::duration:
      row.get = number_getter(option);
      break;
  }
  return row;
}

}  // namespace

std::vector<MetricRow> latency_rows() {
  std::vector<MetricRow> rows;
  for (const LatencyRow& latency : kLatencyTable)
    for (const Statistic& statistic : kStatistics)
      rows.push_back(latency_row(latency, statistic));
  return rows;
}

std::vector<MetricRow> series_rows() {
  MetricRow row;
  row.name = "series.interval_ns";
  row.unit = "ns";
  row.help = "measured time that one value of a series stands for";
  row.get = [](const CellResult& cell) -> MetricValue {
    return cell.tally.series.interval_ns();
  };
  return {row};
}

std::vector<MetricRow> failure_rows() {
  std::vector<MetricRow> rows;
  for (const FailureRow& failure : failure_table()) {
    MetricRow& row = rows.emplace_back();
    row.name = fmt::format("failures.{}", failure.name);
    row.fold = Fold::sum;
    row.help = failure.hint;
    row.get = [kind = static_cast<size_t>(failure.kind)](
                  const CellResult& cell) -> MetricValue {
      return cell.tally.counts.failures[kind];
    };
  }
  return rows;
}

std::vector<MetricRow> config_rows() {
  std::vector<MetricRow> rows;
  for (const OptionRow& option : plan_options().rows())
    if (option.list != OptionList::appended) rows.push_back(config_row(option));
  return rows;
}

std::vector<MetricRow> status_rows() {
  std::vector<MetricRow> rows;
  for (size_t code = kFirstStatus; code < 1000; ++code) {
    MetricRow& row = rows.emplace_back();
    row.name = fmt::format("status.{}", code);
    row.fold = Fold::sum;
    row.help = "completed requests with that status";
    row.get = [code](const CellResult& cell) -> MetricValue {
      return cell.tally.counts.status[code];
    };
  }
  return rows;
}

}  // namespace dyno
