#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/json.hh"
#include "report/json_parts.hh"
#include "report/metrics.hh"

namespace dyno {
namespace {

const Json* find_at(const Json& json, std::string_view path) {
  const size_t dot = path.find('.');
  if (!json.is_object()) return nullptr;
  const auto found = json.find(std::string(path.substr(0, dot)));
  if (found == json.end() || dot == path.npos)
    return found == json.end() ? nullptr : &*found;
  return find_at(*found, path.substr(dot + 1));
}

Status read_text(const Json& json, const std::string& path, std::string& out) {
  if (json.is_null()) return {};
  if (!json.is_string()) return not_a(path, "a text");
  out = json.get<std::string>();
  return {};
}

// A value of a row's type; an empty Status and monostate for null.
Status read_value(const MetricRow& row, const Json& json,
                  const std::string& path, std::string& text,
                  MetricValue& out) {
  if (row.type == MetricType::text) {
    Status status = read_text(json, path, text);
    out = text.c_str();
    return status;
  }
  if (row.type == MetricType::real) {
    if (!json.is_number() && !json.is_null()) return not_a(path, "a number");
    out = json.is_null() ? std::numeric_limits<double>::quiet_NaN()
                         : json.get<double>();
    return {};
  }
  if (json.is_null()) return {};
  if (std::string_view(row.unit) == "flag") {
    if (!json.is_boolean()) return not_a(path, "true or false");
    out = int64_t{json.get<bool>() ? 1 : 0};
    return {};
  }
  if (!is_whole(json)) return not_a(path, "a whole number");
  out = json.get<int64_t>();
  return {};
}

// Sets what is kept as it stands.
Status read_metrics(const Json& json, const std::string& path,
                    CellResult& cell) {
  for (const MetricRow& row : path_metrics()) {
    const Json* found = find_at(json, row.name);
    if (found == nullptr || !row.set) continue;
    std::string text;
    MetricValue value;
    Status status = read_value(row, *found, path + "." + row.name, text, value);
    if (!status.is_ok()) return status;
    if (!std::holds_alternative<std::monostate>(value)) row.set(cell, value);
  }
  return {};
}

// What is derived must come out as it is written, or the file was damaged.
Status check_derived(const Json& json, const std::string& path,
                     const CellResult& cell) {
  for (const MetricRow& row : path_metrics()) {
    const Json* found = find_at(json, row.name);
    if (found == nullptr || row.set || !is_whole(*found)) continue;
    if (row.type != MetricType::whole) continue;
    const MetricValue value = row.get(cell);
    const auto* whole = std::get_if<int64_t>(&value);
    if (whole != nullptr && *whole == found->get<int64_t>()) continue;
    return fail(Code::value, fmt::format("{}.{}: is {}, but its parts make {}",
                                         path, row.name, found->dump(),
                                         whole == nullptr ? 0 : *whole));
  }
  return {};
}

Status read_status(const Json& json, const std::string& path,
                   CellResult& cell) {
  if (!json.is_object()) return not_a(path, "an object");
  for (const auto& [key, count] : json.items()) {
    const bool is_code =
        key.size() == 3 && key.find_first_not_of("0123456789") == key.npos;
    if (!is_code) return not_a(path + "." + key, "a status code");
    if (!is_whole(count)) return not_a(path + "." + key, "a whole number");
    cell.tally.counts.status[static_cast<size_t>(std::stoi(key))] =
        count.get<int64_t>();
  }
  return {};
}

Status read_failure(const Json& json, const std::string& path,
                    CellResult& cell) {
  const Json* kind = find_at(json, "kind");
  if (kind == nullptr || !kind->is_string()) return not_a(path, "a failure");
  const FailureRow* row = find_failure(kind->get<std::string>());
  if (row == nullptr)
    return fail(Code::value,
                fmt::format("{}.kind: {} is not known to this version", path,
                            kind->dump()));
  const Json* count = find_at(json, "count");
  if (count == nullptr || !is_whole(*count))
    return not_a(path + ".count", "a whole number");
  cell.tally.counts.failures[static_cast<size_t>(row->kind)] =
      count->get<int64_t>();
  const Json* sample = find_at(json, "sample");
  std::string text;
  if (sample == nullptr || sample->is_null()) return {};
  Status status = read_text(*sample, path + ".sample", text);
  cell.tally.failure_samples[row->kind] = std::move(text);
  return status;
}

Status read_failures(const Json& json, const std::string& path,
                     CellResult& cell) {
  if (!json.is_array()) return not_a(path, "an array");
  for (size_t i = 0; i < json.size(); ++i) {
    Status status = read_failure(json[i], fmt::format("{}[{}]", path, i), cell);
    if (!status.is_ok()) return status;
  }
  return {};
}

Status read_latencies(const Json& json, const std::string& path,
                      CellResult& cell) {
  if (!json.is_object()) return not_a(path, "an object");
  for (const LatencyRow& row : kLatencyTable) {
    const auto found = json.find(row.name);
    if (found == json.end()) continue;
    Status status =
        read_distribution(*found, path + "." + row.name,
                          cell.tally.latency[static_cast<size_t>(row.metric)]);
    if (!status.is_ok()) return status;
  }
  return {};
}

Status read_limits(const Json& json, const std::string& path,
                   CellResult& cell) {
  if (!json.is_object()) return not_a(path, "an object");
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return not_a(path + "." + key, "a text");
    cell.server.limits.emplace_back(key, value.get<std::string>());
  }
  return {};
}

Status read_notes(const Json& json, const std::string& path, CellResult& cell) {
  if (!json.is_array()) return not_a(path, "an array");
  for (const Json& note : json) {
    if (!note.is_string()) return not_a(path, "an array of texts");
    cell.notes.push_back(note.get<std::string>());
  }
  return {};
}

Status read_part(const Json& json, const std::string& path, const char* name,
                 CellResult& cell) {
  const std::string_view part = name;
  if (part == "config") return read_config(json, path, cell.cell.config);
  if (part == "annotations") return read_annotations(json, path, "", cell.cell);
  if (part == "published")
    return read_annotations(json, path, "published.", cell.cell);
  if (part == "latency") return read_latencies(json, path, cell);
  if (part == "status") return read_status(json, path, cell);
  if (part == "failures") return read_failures(json, path, cell);
  if (part == "server.limits") return read_limits(json, path, cell);
  if (part == "series") return read_series(json, path, cell.tally.series);
  return read_notes(json, path, cell);
}

Status read_cell(const Json& json, const std::string& path, CellResult& cell) {
  if (!json.is_object()) return not_a(path, "an object");
  for (const char* name :
       {"config", "annotations", "published", "latency", "status", "failures",
        "server.limits", "series", "notes"}) {
    const Json* part = find_at(json, name);
    if (part == nullptr)
      return not_a(fmt::format("{}.{}", path, name), "there");
    Status status =
        read_part(*part, fmt::format("{}.{}", path, name), name, cell);
    if (!status.is_ok()) return status;
  }
  Status status = read_metrics(json, path, cell);
  return status.is_ok() ? check_derived(json, path, cell) : status;
}

Status read_error(const Json& json, Status& out) {
  const Json* code = find_at(json, "error.code");
  if (code == nullptr) return {};
  if (!is_whole(*code)) return not_a("error.code", "a whole number");
  out.code = static_cast<Code>(code->get<int64_t>());
  for (auto [path, text] : {std::pair{"error.message", &out.message},
                            std::pair{"error.key", &out.key}}) {
    const Json* found = find_at(json, path);
    if (found == nullptr) continue;
    Status status = read_text(*found, path, *text);
    if (!status.is_ok()) return status;
  }
  return {};
}

Status read_host(const Json& json, RunResult& run) {
  for (auto [path, text] : {std::pair{"tool.version", &run.tool_version},
                            std::pair{"host.system", &run.host.system}}) {
    const Json* found = find_at(json, path);
    if (found == nullptr) continue;
    Status status = read_text(*found, path, *text);
    if (!status.is_ok()) return status;
  }
  for (auto [path, number] :
       {std::pair{"host.processors", &run.host.processors},
        std::pair{"host.nofile_soft", &run.host.nofile_soft},
        std::pair{"host.nofile_hard", &run.host.nofile_hard}}) {
    const Json* found = find_at(json, path);
    if (found == nullptr) continue;
    if (!is_whole(*found)) return not_a(path, "a whole number");
    *number = found->get<int64_t>();
  }
  const Json* interrupted = find_at(json, "interrupted");
  if (interrupted != nullptr && !interrupted->is_boolean())
    return not_a("interrupted", "true or false");
  run.interrupted = interrupted != nullptr && interrupted->get<bool>();
  return {};
}

Status check_schema(const Json& json) {
  if (json.is_discarded()) return fail(Code::value, "this is not JSON");
  const Json* schema = find_at(json, "schema");
  if (schema == nullptr || !schema->is_string())
    return fail(Code::value,
                fmt::format("schema: is not there; a result of ours says {}",
                            kJsonSchema));
  if (*schema == kJsonSchema) return {};
  return fail(Code::value,
              fmt::format("schema: {} is not known; this version reads {}",
                          schema->dump(), kJsonSchema));
}

Status read_run(const Json& json, RunResult& run) {
  Status status = check_schema(json);
  if (status.is_ok()) status = read_host(json, run);
  if (status.is_ok()) status = read_error(json, run.status);
  if (!status.is_ok()) return status;
  const Json* cells = find_at(json, "cells");
  if (cells == nullptr || !cells->is_array()) return not_a("cells", "an array");
  for (size_t i = 0; i < cells->size(); ++i) {
    status = read_cell((*cells)[i], fmt::format("cells[{}]", i),
                       run.cells.emplace_back());
    if (!status.is_ok()) return status;
  }
  return {};
}

}  // namespace

Result<RunResult> parse_json(std::string_view text) {
  RunResult run;
  Status status = read_run(Json::parse(text, nullptr, false), run);
  if (!status.is_ok()) return status;
  return run;
}

}  // namespace dyno
