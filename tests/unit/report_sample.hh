// Results to report on: made as a run makes them, from a plan's cells, with
// every field in use.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "plan/plan.hh"
#include "report/result.hh"

namespace dyno {

using Settings = std::initializer_list<std::pair<const char*, const char*>>;

inline std::vector<Cell> cells_of(Settings settings) {
  Plan plan;
  (void)plan.set("load.warmup", "500ms");
  for (const auto& [key, value] : settings) (void)plan.set(key, value);
  return plan.cells(2).value();
}

inline void count_failures(CellResult& cell, Failure kind, int64_t count,
                           const char* sample) {
  cell.tally.counts.issued += count;
  cell.tally.counts.failures[static_cast<size_t>(kind)] += count;
  if (sample != nullptr) cell.tally.failure_samples[kind] = sample;
}

// `count` answers 200 whose latencies spread around `centre_ns`.
inline void count_completed(CellResult& cell, int64_t count,
                            int64_t centre_ns) {
  Counters& counts = cell.tally.counts;
  counts.issued += count;
  counts.completed += count;
  counts.status[200] += count;
  counts.bytes_in += 120 * count;
  counts.bytes_out += 60 * count;
  counts.bytes_body += 2 * count;
  for (const LatencyRow& row : kLatencyTable) {
    Histogram histogram;
    for (int64_t i = 0; i < count; ++i)
      histogram.record(centre_ns + centre_ns * (i % 100) / 1000, 1);
    cell.tally.latency[static_cast<size_t>(row.metric)].merge(
        histogram.finish());
  }
}

inline CellResult measured(Cell cell, int64_t completed) {
  CellResult result;
  const int64_t slots = cell.config.slots();
  result.cell = std::move(cell);
  result.started_unix_ns = 1'700'000'000'123'456'789;
  result.duration_ns = 3'000'000'123;
  count_completed(result, completed, 10'312'000);
  result.tally.counts.abandoned = 12;
  result.tally.counts.issued += 12;
  result.tally.oldest_abandoned_ns = 9'876'543;
  result.tally.counts.warmup = 321;
  result.tally.counts.opened = slots;
  result.tally.counts.closed = slots;
  result.tally.counts.reused = completed - slots;
  for (int64_t i = 0; i < 30; ++i)
    result.tally.series.add(i * 100'000'000, completed / 30, 0);
  result.client = {.cpu_s = 0.73,
                   .busiest_share = 0.2433333,
                   .is_limit = false,
                   .verdict =
                       "the generator was not the limit: busiest "
                       "thread 24 %",
                   .threads = 1,
                   .peak_rss_bytes = 12'582'912,
                   .nofile_limit = 20'000};
  result.server.software = "httpdyno/0.1.0";
  result.server.is_own = true;
  result.server.is_reconciled = true;
  result.server.accepted = slots;
  result.server.read = completed + 12;
  result.server.written = completed;
  result.server.limits = {{"backlog", "4096"}, {"pipelined", "concurrent"}};
  result.pools.in_use_peak = slots;
  result.pools.queue_peak = 992;
  return result;
}

inline RunResult run_of(std::vector<CellResult> cells) {
  RunResult run;
  run.tool_version = "0.1.0";
  run.host = {"Linux 6.1.0 x86_64", 2, 20'000, 1'048'576};
  run.cells = std::move(cells);
  return run;
}

// One cell of our own server.
inline RunResult sample_run() {
  return run_of(
      {measured(cells_of({{"target.url", "http://127.0.0.1:8080/wait/10"},
                          {"load.duration", "10s"}})[0],
                18'600)});
}

// A matrix with a clean, a failing, an interrupted and a skipped cell.
inline RunResult sample_matrix() {
  std::vector<Cell> cells =
      cells_of({{"target.url", "http://127.0.0.1:8080/wait/10"},
                {"client", "fifo-lazy,random-trylock,none"},
                {"pool.size", "32,256"},
                {"load.callers", "1024"},
                {"load.duration", "3s"}});
  std::vector<CellResult> results;
  for (Cell& cell : cells) {
    if (!cell.skipped.empty()) {
      results.emplace_back().cell = std::move(cell);
      continue;
    }
    const int64_t size = cell.config.pool_size;
    results.push_back(measured(std::move(cell), size * 291));
  }
  count_failures(results[2], Failure::busy, 1'234'567, nullptr);
  count_failures(results[2], Failure::reset, 2,
                 "127.0.0.1:8080: Connection reset by peer");
  results[3].interrupted = true;
  results[3].client.is_limit = true;
  results[3].client.busiest_share = 0.97;
  results[3].client.verdict =
      "the generator was the limit: busiest thread 97 %";
  RunResult run = run_of(std::move(results));
  run.interrupted = true;
  return run;
}

}  // namespace dyno
