// The metric table: one row per number, the same names in JSON, and values of a
// whole run that never mix what cannot be mixed.
#include <nlohmann/json.hpp>
#include <set>

#include "plan/options.hh"
#include "report/json.hh"
#include "report/metrics.hh"
#include "unit/cmocka.hh"
#include "unit/report_sample.hh"

namespace dyno {
namespace {

using Json = nlohmann::ordered_json;

// Members of a cell that are no single numbers.
const std::set<std::string> kStructured{
    "config",   "annotations",   "published", "status",
    "failures", "server.limits", "series",    "notes"};

void collect(const Json& json, const std::string& path,
             std::set<std::string>& out) {
  for (const auto& [key, value] : json.items()) {
    const std::string here = path.empty() ? key : path + "." + key;
    if (kStructured.contains(here) || key == "percentiles" || key == "buckets")
      continue;
    if (value.is_object())
      collect(value, here, out);
    else
      out.insert(here);
  }
}

int64_t read_int(const RunResult& run, const char* name) {
  const MetricRow* row = find_metric(name);
  assert_non_null(row);
  const Result<int64_t> value = as_int(*row, metric_value(run, *row));
  if (!value.is_ok()) fail_msg("%s", value.status().message.c_str());
  return value.value();
}

Code code_of_real(const RunResult& run, const char* name) {
  const MetricRow* row = find_metric(name);
  assert_non_null(row);
  const Result<double> value = as_real(*row, metric_value(run, *row));
  return value.is_ok() ? Code::ok : value.status().code;
}

void the_paths_are_exactly_the_single_members_of_a_cell_in_json(void**) {
  const Json json = Json::parse(render_json(sample_run()));
  std::set<std::string> in_json;
  collect(json["cells"][0], "", in_json);
  std::set<std::string> in_table;
  for (const MetricRow& row : path_metrics()) in_table.insert(row.name);
  for (const std::string& name : in_json)
    if (!in_table.contains(name)) fail_msg("%s is no metric", name.c_str());
  for (const std::string& name : in_table)
    if (!in_json.contains(name)) fail_msg("%s is not in JSON", name.c_str());
}

void every_metric_is_found_by_its_name_and_has_help(void**) {
  std::set<std::string> names;
  for (const MetricRow& row : metric_table()) {
    assert_true(names.insert(row.name).second);
    assert_ptr_equal(find_metric(row.name), &row);
    assert_true(*row.unit != '\0');
    assert_true(row.get != nullptr);
    assert_false(row.help.empty());
  }
}

// Hosts and saved files rely on these; others may only be added.
void public_names_stay(void**) {
  for (const char* name : {"round",
                           "started",
                           "duration_ns",
                           "interrupted",
                           "skipped",
                           "error.code",
                           "error.message",
                           "error.key",
                           "counts.issued",
                           "counts.completed",
                           "counts.failed",
                           "counts.abandoned",
                           "counts.abandoned_oldest_ns",
                           "counts.unsent",
                           "counts.warmup",
                           "counts.late_reply",
                           "counts.misdelivered",
                           "counts.reconnect",
                           "counts.retry",
                           "counts.resubmit",
                           "counts.pipelined_discarded",
                           "rate.completed_per_s",
                           "rate.failed_per_s",
                           "rate.failed_percent",
                           "rate.limit_per_s",
                           "rate.limit_share",
                           "limited_by",
                           "bytes.in",
                           "bytes.out",
                           "bytes.body",
                           "latency.response.count",
                           "latency.service.min_ns",
                           "latency.pool_wait.mean_ns",
                           "latency.first_byte.stdev_ns",
                           "latency.connect.max_ns",
                           "latency.response.sum_ns",
                           "pools.queue_peak",
                           "pools.in_use_peak",
                           "connections.opened",
                           "connections.closed",
                           "connections.reused",
                           "connections.dial_failed",
                           "client.cpu_s",
                           "client.busiest_share",
                           "client.is_limit",
                           "client.verdict",
                           "client.threads",
                           "client.peak_rss_bytes",
                           "client.nofile_limit",
                           "server.software",
                           "server.is_own",
                           "server.is_reconciled",
                           "server.accepted",
                           "server.read",
                           "server.written",
                           "server.difference",
                           "failures.connect_refused",
                           "config.pool.size",
                           "status.200"})
    if (find_metric(name) == nullptr) fail_msg("%s is gone", name);
}

void every_value_has_the_type_of_its_row(void**) {
  const RunResult run = sample_matrix();
  for (const MetricRow& row : metric_table())
    for (const CellResult& cell : run.cells) {
      const MetricValue value = row.get(cell);
      if (std::holds_alternative<std::monostate>(value)) continue;
      assert_int_equal(value.index(), static_cast<int>(row.type) + 1);
    }
}

void every_option_but_the_appended_is_a_metric(void**) {
  const RunResult run = sample_run();
  for (const OptionRow& option : plan_options().rows()) {
    const std::string name = std::string("config.") + option.key;
    const MetricRow* row = find_metric(name);
    if (option.list == OptionList::appended) {
      assert_null(row);
      continue;
    }
    assert_non_null(row);
    if (std::holds_alternative<std::monostate>(row->get(run.cells[0])))
      fail_msg("%s has no value", name.c_str());
  }
  const MetricRow* select = find_metric("config.pool.select");
  assert_string_equal(as_text(*select, metric_value(run, *select)).value(),
                      "own");
  assert_int_equal(read_int(run, "config.load.callers"), 64);
  assert_int_equal(read_int(run, "config.pool.wait"), kUnlimited);
}

void families_read_failures_and_statuses(void**) {
  RunResult run = sample_run();
  count_failures(run.cells[0], Failure::closed, 5, nullptr);
  run.cells[0].tally.counts.status[404] = 7;
  assert_int_equal(read_int(run, "failures.closed"), 5);
  assert_int_equal(read_int(run, "failures.busy"), 0);
  assert_int_equal(read_int(run, "counts.failed"), 5);
  assert_int_equal(read_int(run, "status.200"), 18'600);
  assert_int_equal(read_int(run, "status.404"), 7);
  assert_null(find_metric("status.99"));
  assert_null(find_metric("status.1000"));
  assert_null(find_metric("status.4x4"));
  assert_true(status_codes(run.cells[0]) == (std::vector<int>{200, 404}));
  assert_int_equal(failure_kinds(run.cells[0]).size(), 1);
  assert_string_equal(failure_kinds(run.cells[0])[0]->name, "closed");
}

void an_unknown_metric_names_the_nearest(void**) {
  assert_null(find_metric("counts.isued"));
  const Status status = unknown_metric("counts.isued");
  assert_int_equal(static_cast<int>(status.code),
                   static_cast<int>(Code::not_found));
  assert_string_equal(
      status.message.c_str(),
      "counts.isued: no such metric; did you mean counts.issued?");
}

void a_value_is_read_in_its_own_type(void**) {
  const RunResult run = sample_run();
  const MetricRow& issued = *find_metric("counts.issued");
  const MetricRow& rate = *find_metric("rate.completed_per_s");
  const MetricRow& verdict = *find_metric("client.verdict");
  const auto value = [&run](const MetricRow& row) {
    return metric_value(run, row);
  };
  assert_true(as_real(issued, value(issued)).value() == 18'612.0);
  assert_false(as_int(rate, value(rate)).is_ok());
  assert_string_equal(
      as_int(rate, value(rate)).status().message.c_str(),
      "rate.completed_per_s: is a real number, not a whole number");
  assert_false(as_text(issued, value(issued)).is_ok());
  assert_false(as_real(verdict, value(verdict)).is_ok());
  assert_true(as_text(verdict, value(verdict)).is_ok());
}

void a_run_of_several_cells_sums_counts_and_has_no_rate(void**) {
  const RunResult run = sample_matrix();
  const int64_t completed = 2 * (32 + 256) * 291;
  assert_int_equal(read_int(run, "counts.completed"), completed);
  assert_int_equal(read_int(run, "latency.response.count"), completed);
  assert_int_equal(read_int(run, "failures.busy"), 1'234'567);
  assert_int_equal(read_int(run, "duration_ns"), 4 * 3'000'000'123);
  assert_int_equal(read_int(run, "interrupted"), 1);
  assert_int_equal(read_int(run, "pools.in_use_peak"), 256);
  assert_int_equal(read_int(run, "latency.response.min_ns"), 10'312'000);
  assert_int_equal(read_int(run, "error.code"), 0);
  for (const char* name :
       {"rate.completed_per_s", "rate.limit_per_s", "latency.response.mean_ns"})
    assert_int_equal(static_cast<int>(code_of_real(run, name)),
                     static_cast<int>(Code::not_found));
  assert_false(only_cell(run).is_ok());
}

void a_run_without_cells_counts_nothing(void**) {
  const RunResult run;
  assert_int_equal(read_int(run, "counts.issued"), 0);
  assert_int_equal(read_int(run, "interrupted"), 0);
  assert_int_equal(static_cast<int>(code_of_real(run, "duration_ns")), 0);
  assert_int_equal(static_cast<int>(code_of_real(run, "rate.limit_per_s")),
                   static_cast<int>(Code::not_found));
}

void a_rate_over_no_time_is_unknown(void**) {
  RunResult run;
  run.cells.emplace_back();
  for (const char* name :
       {"rate.completed_per_s", "rate.failed_per_s", "rate.failed_percent",
        "rate.limit_per_s", "rate.limit_share", "latency.response.min_ns"})
    assert_int_equal(static_cast<int>(code_of_real(run, name)),
                     static_cast<int>(Code::not_found));
}

void quantiles_and_series_are_read_by_name(void**) {
  const RunResult run = sample_run();
  const CellResult& cell = *only_cell(run).value();
  const Distribution& response = cell.tally.of(Latency::response);
  assert_int_equal(quantile(cell, "latency.response", 0.99).value(),
                   response.quantile(0.99));
  assert_int_equal(quantile(cell, "latency.connect", 1).value(),
                   cell.tally.of(Latency::connect).max());
  for (const double q : {-0.1, 1.1, 0.0 / 0.0})
    assert_int_equal(
        static_cast<int>(quantile(cell, "latency.response", q).status().code),
        static_cast<int>(Code::argument));
  assert_int_equal(
      static_cast<int>(quantile(cell, "response", 0.5).status().code),
      static_cast<int>(Code::not_found));
  assert_false(quantile(CellResult(), "latency.response", 0.5).is_ok());
  assert_int_equal(series_values(cell, "series.completed").value().size(), 30);
  assert_true(series_values(cell, "series.completed").value()[0] == 620);
  assert_true(series_values(cell, "series.failed").value()[0] == 0);
  assert_false(series_values(cell, "series.issued").is_ok());
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(
          the_paths_are_exactly_the_single_members_of_a_cell_in_json),
      cmocka_unit_test(every_metric_is_found_by_its_name_and_has_help),
      cmocka_unit_test(public_names_stay),
      cmocka_unit_test(every_value_has_the_type_of_its_row),
      cmocka_unit_test(every_option_but_the_appended_is_a_metric),
      cmocka_unit_test(families_read_failures_and_statuses),
      cmocka_unit_test(an_unknown_metric_names_the_nearest),
      cmocka_unit_test(a_value_is_read_in_its_own_type),
      cmocka_unit_test(a_run_of_several_cells_sums_counts_and_has_no_rate),
      cmocka_unit_test(a_run_without_cells_counts_nothing),
      cmocka_unit_test(a_rate_over_no_time_is_unknown),
      cmocka_unit_test(quantiles_and_series_are_read_by_name),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
