#include "report/json_parts.hh"

#include <nlohmann/json.hpp>

namespace dyno {
namespace {

struct Percentile {
  const char* key;
  double q;
};

constexpr Percentile kPercentiles[] = {
    {"50", 0.50}, {"75", 0.75},    {"90", 0.90},      {"95", 0.95},
    {"99", 0.99}, {"99.9", 0.999}, {"99.99", 0.9999}, {"100", 1.0}};

// Far above any count that can be measured, far below what overflows a sum.
constexpr int64_t kMostCounted = int64_t{1} << 56;

bool is_count(const Json& json) {
  return is_whole(json) && json.get<int64_t>() >= 0 &&
         json.get<int64_t>() <= kMostCounted;
}

bool is_bucket(const Json& json) {
  return json.is_array() && json.size() == 2 && is_count(json[0]) &&
         json[0].get<int64_t>() < HistogramScale::kBuckets &&
         is_count(json[1]) && json[1].get<int64_t>() > 0;
}

Status read_buckets(const Json& json, const std::string& path,
                    std::vector<Distribution::Bucket>& out) {
  if (!json.is_array()) return not_a(path, "an array");
  int64_t total = 0;
  for (const Json& one : json) {
    if (!is_bucket(one)) return not_a(path, "an array of [index,count]");
    const Distribution::Bucket bucket{one[0].get<uint32_t>(),
                                      one[1].get<int64_t>()};
    if (!out.empty() && bucket.index <= out.back().index)
      return not_a(path, "in rising order");
    out.push_back(bucket);
    total += bucket.count;
    if (total > kMostCounted) return not_a(path, "of a possible sum");
  }
  return {};
}

Status read_values(const Json& json, const std::string& path,
                   int64_t Series::Point::*member,
                   std::vector<Series::Point>& points) {
  if (!json.is_array() || json.size() > Series::kMostPoints)
    return not_a(path, "an array of at most 600 counts");
  points.resize(std::max(points.size(), json.size()));
  for (size_t i = 0; i < json.size(); ++i) {
    if (!is_count(json[i])) return not_a(path, "an array of counts");
    points[i].*member = json[i].get<int64_t>();
  }
  return {};
}

bool is_interval(const Json& json) {
  if (!is_count(json)) return false;
  const int64_t times = json.get<int64_t>() / Series::kFirstInterval;
  return times > 0 && (times & (times - 1)) == 0 &&
         json.get<int64_t>() % Series::kFirstInterval == 0;
}

}  // namespace

void add_distribution(const Distribution& of, Json& json) {
  Json& percentiles = json["percentiles"] = Json::object();
  for (const Percentile& one : kPercentiles)
    percentiles[one.key] = of.count() == 0 ? Json() : Json(of.quantile(one.q));
  Json& buckets = json["buckets"] = Json::array();
  for (const Distribution::Bucket& bucket : of.buckets())
    buckets.push_back(Json::array({bucket.index, bucket.count}));
}

Status read_distribution(const Json& json, const std::string& path,
                         Distribution& out) {
  if (!json.is_object()) return not_a(path, "an object");
  const auto found = json.find("buckets");
  if (found == json.end()) return not_a(path + ".buckets", "there");
  std::vector<Distribution::Bucket> buckets;
  Status status = read_buckets(*found, path + ".buckets", buckets);
  if (!status.is_ok() || buckets.empty()) return status;
  int64_t ends[3] = {};  // least, most, sum
  const char* const names[3] = {"min_ns", "max_ns", "sum_ns"};
  for (size_t i = 0; i < 3; ++i) {
    const auto end = json.find(names[i]);
    if (end == json.end() || !is_whole(*end) || end->get<int64_t>() < 0)
      return not_a(path + "." + names[i], "a whole number");
    ends[i] = end->get<int64_t>();
  }
  if (ends[0] > ends[1]) return not_a(path + ".min_ns", "below max_ns");
  out = Distribution::make(std::move(buckets), ends[0], ends[1], ends[2]);
  return {};
}

Json series_json(const Series& series) {
  Json completed = Json::array();
  Json failed = Json::array();
  for (const Series::Point& point : series.points()) {
    completed.push_back(point.completed);
    failed.push_back(point.failed);
  }
  Json json = Json::array();
  json.push_back({{"metric", "completed"},
                  {"interval_ns", series.interval_ns()},
                  {"values", std::move(completed)}});
  json.push_back({{"metric", "failed"},
                  {"interval_ns", series.interval_ns()},
                  {"values", std::move(failed)}});
  return json;
}

Status read_series(const Json& json, const std::string& path, Series& out) {
  if (!json.is_array()) return not_a(path, "an array");
  int64_t interval = Series::kFirstInterval;
  std::vector<Series::Point> points;
  for (const Json& one : json) {
    if (!one.is_object()) return not_a(path, "an array of objects");
    const auto metric = one.find("metric");
    const bool completed = metric != one.end() && *metric == "completed";
    if (!completed && (metric == one.end() || *metric != "failed")) continue;
    const auto span = one.find("interval_ns");
    if (span == one.end() || !is_interval(*span))
      return not_a(path + ".interval_ns", "100 ms times a power of two");
    interval = span->get<int64_t>();
    const auto values = one.find("values");
    if (values == one.end()) return not_a(path + ".values", "there");
    Status status = read_values(
        *values, path + ".values",
        completed ? &Series::Point::completed : &Series::Point::failed, points);
    if (!status.is_ok()) return status;
  }
  out = Series::make(interval, std::move(points));
  return {};
}

}  // namespace dyno
