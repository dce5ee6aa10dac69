#include <nlohmann/json.hpp>

#include "report/json.hh"
#include "report/json_parts.hh"
#include "report/metrics.hh"

namespace dyno {
namespace {

// The members of a cell in the order in which people want to meet them.
constexpr const char* kCellMembers[] = {
    "config",      "annotations", "published", "suite",  "round",    "started",
    "duration_ns", "interrupted", "skipped",   "error",  "counts",   "rate",
    "limited_by",  "bytes",       "latency",   "status", "failures", "pools",
    "connections", "client",      "server",    "series", "notes"};

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json metric_json(const MetricRow& row, const MetricValue& value) {
  if (const auto* whole = std::get_if<int64_t>(&value))
    return std::string_view(row.unit) == "flag" ? Json(*whole != 0)
                                                : Json(*whole);
  if (const auto* real = std::get_if<double>(&value)) return finite(*real);
  if (const auto* text = std::get_if<const char*>(&value))
    return or_null(*text);
  return {};
}

// The member at a dotted path, made with all that lead to it.
Json& member_at(Json& json, std::string_view path) {
  const size_t dot = path.find('.');
  Json& member = json[std::string(path.substr(0, dot))];
  return dot == path.npos ? member : member_at(member, path.substr(dot + 1));
}

Json status_json(const CellResult& cell) {
  Json json = Json::object();
  for (const int code : status_codes(cell))
    json[std::to_string(code)] =
        cell.tally.counts.status[static_cast<size_t>(code)];
  return json;
}

Json failures_json(const CellResult& cell) {
  Json json = Json::array();
  for (const FailureRow* row : failure_kinds(cell)) {
    const auto sample = cell.tally.failure_samples.find(row->kind);
    const bool has_sample = sample != cell.tally.failure_samples.end();
    json.push_back(
        {{"kind", row->name},
         {"phase", row->phase},
         {"side", row->side},
         {"count", cell.tally.counts.failures[static_cast<size_t>(row->kind)]},
         {"sample", has_sample ? or_null(sample->second) : Json()},
         {"hint", row->hint}});
  }
  return json;
}

Json limits_json(const ServerFacts& server) {
  Json json = Json::object();
  for (const auto& [key, value] : server.limits) json[key] = value;
  return json;
}

Json cell_json(const CellResult& cell) {
  Json json = Json::object();
  for (const char* member : kCellMembers) json[member] = nullptr;
  json["config"] = config_json(cell.cell.config);
  json["annotations"] = annotations_json(cell.cell);
  json["published"] = published_json(cell.cell);
  for (const MetricRow& row : path_metrics())
    member_at(json, row.name) = metric_json(row, row.get(cell));
  for (const LatencyRow& row : kLatencyTable)
    add_distribution(cell.tally.of(row.metric), json["latency"][row.name]);
  json["status"] = status_json(cell);
  json["failures"] = failures_json(cell);
  json["server"]["limits"] = limits_json(cell.server);
  json["series"] = series_json(cell.tally.series);
  json["notes"] = cell.notes;
  return json;
}

Json error_json(const Status& status) {
  return {{"code", static_cast<int32_t>(status.code)},
          {"message", or_null(status.message)},
          {"key", or_null(status.key)}};
}

Json run_json(const RunResult& run) {
  Json json;
  json["schema"] = kJsonSchema;
  json["tool"] = {{"name", "httpdyno"}, {"version", or_null(run.tool_version)}};
  json["host"] = {{"system", or_null(run.host.system)},
                  {"processors", run.host.processors},
                  {"nofile_soft", run.host.nofile_soft},
                  {"nofile_hard", run.host.nofile_hard}};
  json["interrupted"] = run.interrupted;
  json["error"] = error_json(run.status);
  json["cells"] = Json::array();
  for (const CellResult& cell : run.cells)
    json["cells"].push_back(cell_json(cell));
  return json;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string render_json(const RunResult& run) {
  return dump(run_json(run)) + "\n";
}

std::string valid_utf8(std::string_view text) {
  return Json::parse(dump(Json(text))).get<std::string>();
}

}  // namespace dyno
