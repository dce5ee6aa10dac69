#include "report/matrix.hh"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/units.hh"
#include "report/limited_by.hh"

namespace dyno {
namespace {

using Field = Table::Field;

// The columns that are shown only where they tell rows apart.
struct Shape {
  bool depth = false;
  bool round = false;
  bool url = false;
};

Shape shape_of(const RunResult& run) {
  Shape shape;
  const Config& first = run.cells.front().cell.config;
  for (const CellResult& cell : run.cells) {
    const Config& config = cell.cell.config;
    shape.depth = shape.depth || config.depth != first.depth;
    shape.round = shape.round || config.repeat > 1;
    shape.url = shape.url || config.url != first.url;
  }
  return shape;
}

void add_columns(const Shape& shape, Table& table) {
  table.add_column("client", true);
  table.add_column("pools");
  table.add_column("size");
  table.add_column("callers");
  if (shape.depth) table.add_column("depth");
  if (shape.round) table.add_column("round");
  if (shape.url) table.add_column("url", true);
  table.add_column("completed/s");
  table.add_column("failed %");
  table.add_column("p50");
  table.add_column("p99");
  table.add_column("limit/s");
  table.add_column("of limit");
  table.add_column("limited by", true);
}

Field quantile_field(const CellResult& cell, double q) {
  const Distribution& response = cell.tally.of(Latency::response);
  return {response.count() == 0 ? "-" : brief_duration(response.quantile(q))};
}

Field rate_field(const CellResult& cell) {
  return {cell.duration_ns > 0 ? grouped(cell.completed_per_s(), 1) : "-",
          Paint::strong};
}

Field failed_field(const CellResult& cell) {
  const double share = cell.failed_percent();
  return {fmt::format("{:.2f}", share), failure_paint(share)};
}

void add_limit_fields(const CellResult& cell, std::vector<Field>& fields) {
  const double limit = cell.limit_per_s();
  const bool is_whole = limit == std::floor(limit);
  fields.push_back({limit > 0 ? grouped(limit, is_whole ? 0 : 1) : "-"});
  fields.push_back({limit > 0 ? percent(100 * cell.limit_share(), 1) : "-",
                    cell.limit_share() >= 0.9 ? Paint::good : Paint::plain});
  std::string word = limited_by(cell);
  if (cell.interrupted) word += " (interrupted)";
  if (!cell.status.is_ok()) word += " (error)";
  const bool is_trouble =
      cell.client.is_limit || cell.interrupted || !cell.status.is_ok();
  fields.push_back({word, is_trouble ? Paint::warn : Paint::plain});
}

void add_row(const CellResult& cell, const Shape& shape, Table& table) {
  const Config& config = cell.cell.config;
  std::vector<Field> fields{{printable(config.client)},
                            {grouped(config.pool_count)},
                            {pool_size_text(config)},
                            {grouped(config.callers)}};
  if (shape.depth) fields.push_back({grouped(config.depth)});
  if (shape.round) fields.push_back({grouped(cell.cell.repeat + 1)});
  if (shape.url) fields.push_back({printable(config.url)});
  if (cell.is_skipped()) {
    table.add_row(std::move(fields),
                  "skipped: " + printable(cell.cell.skipped));
    return;
  }
  fields.push_back(rate_field(cell));
  fields.push_back(failed_field(cell));
  fields.push_back(quantile_field(cell, 0.50));
  fields.push_back(quantile_field(cell, 0.99));
  add_limit_fields(cell, fields);
  table.add_row(std::move(fields));
}

}  // namespace

Table matrix_table(const RunResult& run) {
  Table table;
  if (run.cells.empty()) return table;
  const Shape shape = shape_of(run);
  add_columns(shape, table);
  for (const CellResult& cell : run.cells) add_row(cell, shape, table);
  return table;
}

Facts matrix_facts(const RunResult& run) {
  Facts facts;
  add_troubles(run, facts);
  add_failure_hints(run, facts);
  add_server(run, facts);
  add_generator(run, facts);
  add_host(run, facts);
  add_notes(run, facts);
  add_definitions(facts);
  return facts;
}

std::string pool_size_text(const Config& config) {
  if (config.connections == 0) return grouped(config.pool_size);
  const int64_t pools = std::max<int64_t>(1, config.pool_count);
  const int64_t least = config.connections / pools;
  if (config.connections % pools == 0) return grouped(least);
  return grouped(least) + "-" + grouped(least + 1);
}

std::string annotation_text(const Annotation& annotation) {
  if (const auto* text = std::get_if<std::string>(&annotation.value))
    return printable(*text);
  if (const auto* whole = std::get_if<int64_t>(&annotation.value))
    return grouped(*whole);
  const double real = std::get<double>(annotation.value);
  return std::isfinite(real) ? fmt::format("{}", real) : "-";
}

Paint failure_paint(double percent) {
  return percent > 0 ? Paint::bad : Paint::plain;
}

}  // namespace dyno
