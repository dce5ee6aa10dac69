#include "suite/httpc_bench.hh"

#include <algorithm>
#include <string>

#include "base/units.hh"
#include "suite/closed_form.hh"
#include "suite/constants.hh"
#include "suite/published.hh"

namespace dyno {
namespace {

constexpr int64_t kRequests = 500'000;
constexpr double kDelay = 0.010;
constexpr double kIdleClose = 5;
constexpr double kPerClose = 100;
constexpr const char* kNofile = "host.nofile";
constexpr int64_t kOriginalNofile = 1024;

constexpr PresetAxis kServer[] = {
    {"max_requests_per_connection", "100"},
    {"close_header", "on"},
    {"after_close", "discard"},
    {"idle_close", "5s"},
    {"max_connections", "16384"},
    {"backlog", "1024"},
    {"pipelined", "concurrent"},
};

// A quick row ends after this, and its budget is what about 8 s can carry.
constexpr const char* kQuickDuration = "10s";
constexpr double kQuickSeconds = 8;
// What one native thread completes at least, and what simulated time does.
constexpr double kNativePerSecond = 40'000;
constexpr double kSimulatedPerSecond = 1'000'000;

using Options = std::vector<std::pair<std::string, std::string>>;

double seconds(int64_t ns) {
  return ns == kUnlimited ? 0 : static_cast<double>(ns) / 1e9;
}

// --- the time of a row -------------------------------------------------------

// Whose callers fail at once for most of the budget.
bool burns(std::string_view client) {
  return client == "Buoy" || client == "Dlhttpc";
}

bool pipelines(std::string_view client) {
  return client == "Buoy" || client == "Ibrowse";
}

// About how long a row's budget lasts where a native client is not the limit.
double native_seconds(const PublishedRow& row, double requests) {
  const auto callers = static_cast<double>(row.concurrency);
  const auto slots = static_cast<double>(row.pool_count * row.pool_size);
  const bool is_bound = !pipelines(row.client) && slots > 1;
  const double at_once = is_bound ? std::min(callers, slots) : callers;
  const double rate = std::min(at_once / kDelay, kNativePerSecond);
  const double share = burns(row.client) ? 1 - row.error_percent / 100 : 1;
  return requests * share / rate;
}

// The published budget, cut to what a quick row can carry.
int64_t quick_requests(const PublishedRow& row) {
  const int64_t whole = httpc_bench_requests(row.concurrency);
  const double lasts = native_seconds(row, static_cast<double>(whole));
  const double share = std::min(1.0, kQuickSeconds / lasts);
  const auto turns = static_cast<int64_t>(share * static_cast<double>(whole)) /
                     row.concurrency;
  return std::max<int64_t>(1, turns) * row.concurrency;
}

// --- a row of the plan -------------------------------------------------------

enum class Way : uint8_t { quick, full, simulated };

void add(Options& options, const char* key, int64_t value) {
  options.emplace_back(key, std::to_string(value));
}

// Costs of nothing are not said: not every client has an owner to charge.
void add_time(Options& options, const char* key, int64_t ns) {
  if (ns > 0) options.emplace_back(key, std::to_string(ns) + "ns");
}

void add_costs(const BenchClient& client, Options& options) {
  options.emplace_back("target.url", "http://127.0.0.1:8080/wait/10");
  for (const PresetAxis& constant : bench_host())
    options.emplace_back(constant.key, constant.value);
  add_time(options, "sim.completed_cost", client.completed_us * kMicrosecond);
  add_time(options, "sim.failed_cost", client.failed_us * kMicrosecond);
  add_time(options, "sim.hold_overhead",
           (client.hold_us - client.completed_us) * kMicrosecond);
  add_time(options, "pool.owner_cost", client.owner_ns);
  add_time(options, "pool.owner_slot_cost", client.owner_slot_ns);
  add_time(options, "pool.cancel_scan", client.scan_ns);
}

Options options_of(const PublishedRow& row, Way way, bool is_original) {
  Options options;
  options.emplace_back("client", row.client);
  add(options, "pool.count", row.pool_count);
  add(options, "pool.size", row.pool_size);
  add(options, "load.callers", row.concurrency);
  add(options, "load.requests",
      way == Way::quick ? quick_requests(row)
                        : httpc_bench_requests(row.concurrency));
  if (way == Way::quick) options.emplace_back("load.duration", kQuickDuration);
  if (way == Way::simulated) add_costs(*find_bench_client(row.client), options);
  if (way == Way::simulated && row.pool_size == 1)
    add(options, kNofile, kLocalPorts);
  if (is_original) add(options, kNofile, kOriginalNofile);
  return options;
}

std::vector<Annotation> annotations_of(const PublishedRow& row,
                                       const char* table) {
  return {
      {"published.table", std::string(table)},
      {"published.client", std::string(row.client)},
      {"published.pool_count", row.pool_count},
      {"published.pool_size", row.pool_size},
      {"published.concurrency", row.concurrency},
      {"published.requests", httpc_bench_requests(row.concurrency)},
      {"published.requests_per_second", row.requests_per_second},
      {"published.error_percent", row.error_percent},
  };
}

// Two rows of every client: one where 32 connections are too few for a queue
// of one second, and one where 256 are plenty. One more for several pools, and
// of a client without a pool the row with the fewest callers.
bool is_of_few(const PublishedRow& row, int64_t fewest_callers) {
  const int64_t pools = row.pool_count, size = row.pool_size;
  const int64_t callers = row.concurrency;
  if (size == 1) return callers == fewest_callers;
  if (pools == 1)
    return (size == 32 && callers == 4096) || (size == 256 && callers == 2048);
  return pools == 4 && size == 64 && callers == 4096;
}

int64_t fewest_callers(std::span<const PublishedRow> rows, int64_t size) {
  int64_t fewest = INT64_MAX;
  for (const PublishedRow& row : rows)
    if (row.pool_size == size) fewest = std::min(fewest, row.concurrency);
  return fewest;
}

void add_table(std::span<const PublishedRow> table, bool is_original, Way way,
               bool only_few, std::vector<PlanRow>& rows) {
  const int64_t fewest = fewest_callers(table, 1);
  for (const PublishedRow& row : table)
    if (!only_few || is_of_few(row, fewest))
      rows.push_back(
          {options_of(row, way, is_original),
           annotations_of(row, is_original ? "original" : "current")});
}

Result<std::vector<PlanRow>> make_rows(const Plan& plan) {
  const std::string_view mode = plan.get("suite.mode");
  const bool is_sim = std::string_view(plan.get("engine")) == "sim";
  const bool is_quick = mode == "quick" || (mode == "auto" && !is_sim);
  const Way way = is_sim ? Way::simulated : is_quick ? Way::quick : Way::full;
  std::string_view table = plan.get("suite.table");
  if (table == "auto") table = plan.is_set(kNofile) ? "original" : "current";
  std::vector<PlanRow> rows;
  if (table != "original")
    add_table(httpc_bench_current(), false, way, is_quick, rows);
  if (table != "current")
    add_table(httpc_bench_original(), true, way, is_quick, rows);
  return rows;
}

// --- what follows from a completed cell --------------------------------------

RowFacts facts_of(const Config& config) {
  RowFacts row;
  row.slots = static_cast<double>(config.pool_size);
  row.pools = static_cast<double>(config.pool_count);
  row.callers = static_cast<double>(config.callers);
  row.requests = static_cast<double>(config.requests);
  row.per_close = kPerClose;
  row.hold = kDelay;
  row.wait = seconds(config.wait_ns);
  row.rounds = 1 + static_cast<double>(config.retry_wait);
  row.fails_once_per_close = config.on_close == OnClose::next_use_error;
  row.takes_any_answer = config.correlate == Correlate::none;
  row.idle_close = kIdleClose;
  row.open_files = static_cast<double>(config.nofile);
  if (!config.is_modelled()) return row;
  const double cost = seconds(config.sim_completed_cost_ns);
  row.hold = seconds(config.sim_hold_ns()) + cost;
  row.message = seconds(config.owner_cost_ns);
  row.owner =
      2 * (row.message + row.slots * seconds(config.owner_slot_cost_ns));
  if (config.cancel == Cancel::eager) row.scan = seconds(config.cancel_scan_ns);
  if (cost > 0) row.capacity = static_cast<double>(config.sim_cpus) / cost;
  return row;
}

void annotate(const ClosedForm& form, Cell& cell) {
  const auto put = [&cell](const char* key, const auto& value) {
    cell.annotations.push_back({key, value});
  };
  if (form.requests_per_second)
    put("closed_form.requests_per_second", *form.requests_per_second);
  if (form.error_percent) put("closed_form.error_percent", *form.error_percent);
  if (*form.formula == '\0') return;
  put("closed_form.formula", std::string(form.formula));
  put("closed_form.limit", std::string(form.limit));
}

void finish(Cell& cell) {
  const auto text = [&cell](const char* key) {
    return std::get<std::string>(cell.annotation(key)->value);
  };
  const auto number = [&cell](const char* key) {
    return std::get<int64_t>(cell.annotation(key)->value);
  };
  const std::string client = text("published.client");
  const PublishedRow row{
      client.c_str(),
      number("published.pool_count"),
      number("published.pool_size"),
      number("published.concurrency"),
      number("published.requests_per_second"),
      std::get<double>(cell.annotation("published.error_percent")->value)};
  const Config& config = cell.config;
  const auto requests = static_cast<double>(config.requests);
  const double lasts = config.is_modelled() ? requests / kSimulatedPerSecond
                                            : native_seconds(row, requests);
  const auto expected = static_cast<int64_t>(lasts * 1e9);
  cell.expected_ns = config.duration_ns > 0
                         ? std::min(expected, config.duration_ns)
                         : expected;
  annotate(closed_form(find_bench_client(client)->law, facts_of(config)), cell);
}

}  // namespace

const RowSource& httpc_bench_rows() {
  static constexpr RowSource kSource{"httpc-bench", make_rows, finish};
  return kSource;
}

std::span<const PresetAxis> httpc_bench_server() {
  return kServer;
}

int64_t httpc_bench_requests(int64_t callers) {
  return kRequests / callers * callers;
}

}  // namespace dyno
