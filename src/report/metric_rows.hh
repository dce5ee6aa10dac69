// The rows that metrics.cc puts together, one function per family.
#pragma once

#include <vector>

#include "report/metrics.hh"

namespace dyno {

inline constexpr int kFirstStatus = 100;

// Every row that is a JSON path: metric_rows.cc, with the latencies in between.
std::vector<MetricRow> path_rows();

std::vector<MetricRow> latency_rows();  // latency.NAME.STATISTIC
std::vector<MetricRow> series_rows();   // series.interval_ns
std::vector<MetricRow> failure_rows();  // failures.KIND
std::vector<MetricRow> config_rows();   // config.KEY
std::vector<MetricRow> status_rows();   // status.100 … status.999

}  // namespace dyno
