// The parts of the JSON that are not rows of the metric table, in both
// directions. Only json_write.cc and json_read.cc use it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/status.hh"
#include "report/result.hh"

namespace dyno {

using Json = nlohmann::ordered_json;

// The flat object of a cell's options: key to typed value.
Json config_json(const Config& config);
Status read_config(const Json& json, const std::string& path, Config& config);

// Annotations in two objects: those named published.X, and the others.
Json published_json(const Cell& cell);
Json annotations_json(const Cell& cell);
Status read_annotations(const Json& json, const std::string& path,
                        const char* prefix, Cell& cell);

// Latencies: percentiles and buckets, beside what the metric table says.
void add_distribution(const Distribution& of, Json& json);
Status read_distribution(const Json& json, const std::string& path,
                         Distribution& out);

Json series_json(const Series& series);
Status read_series(const Json& json, const std::string& path, Series& out);

// Code::value: "PATH: is not WHAT".
Status not_a(const std::string& path, const char* what);
// A whole number of int64_t's range.
bool is_whole(const Json& json);
// A number that is not finite has no JSON; it is null.
Json finite(double value);

}  // namespace dyno
