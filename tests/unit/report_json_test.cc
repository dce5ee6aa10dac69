// JSON: always valid, always the same keys, and read back without loss.
#include <nlohmann/json.hpp>

#include "report/json.hh"
#include "report/render.hh"
#include "unit/cmocka.hh"
#include "unit/report_sample.hh"

namespace dyno {
namespace {

using Json = nlohmann::ordered_json;

RunResult parsed(const std::string& text) {
  Result<RunResult> run = parse_json(text);
  if (!run.is_ok()) fail_msg("%s", run.status().message.c_str());
  return std::move(run.value());
}

void check_round_trip(const RunResult& run) {
  const RunResult again = parsed(render_json(run));
  for (const char* format : formats())
    for (const bool colour : {false, true}) {
      const RenderStyle style{colour, 80};
      assert_string_equal(render(run, format, style).value().c_str(),
                          render(again, format, style).value().c_str());
    }
}

// A cell whose texts are as bad as texts can be.
RunResult nasty_run() {
  const std::string bad("\"q\" \\ \x01 \n \xff\xfe \xc3 \xe2\x82 \x1b[31m,=1");
  RunResult run = sample_run();
  CellResult& cell = run.cells[0];
  run.tool_version = bad;
  run.host.system = bad;
  run.status = {Code::canceled, bad, bad};
  cell.cell.config.url = bad;
  cell.cell.config.headers = {"A: " + bad, "B: b,c"};
  cell.cell.config.body = std::string("\0\x80", 2) + bad;
  cell.cell.annotations = {{"published.client", bad},
                           {"published.requests_per_second", int64_t{101'280}},
                           {"published.error_percent", 80.0},
                           {"machine", bad},
                           {"unknown", 0.0 / 0.0}};
  cell.status = {Code::connect, bad, bad};
  cell.notes = {bad, "plain", bad};
  cell.client.verdict = bad;
  cell.client.cpu_s = 1.0 / 0.0;
  cell.server.software = bad;
  cell.server.difference = bad;
  cell.server.limits.emplace_back(bad, bad);
  cell.tally.counts.bytes_in = (int64_t{1} << 53) + 1;
  cell.tally.counts.status[999] = 1;
  cell.cell.repeat = 2;
  count_failures(cell, Failure::protocol, 2, bad.c_str());
  count_failures(cell, Failure::misdelivered, 1, nullptr);
  return run;
}

void what_was_rendered_is_read_back_without_loss(void**) {
  check_round_trip(sample_run());
  check_round_trip(sample_matrix());
  check_round_trip(nasty_run());
}

void a_run_without_cells_or_requests_is_read_back_too(void**) {
  check_round_trip(RunResult());
  RunResult run;
  run.cells.emplace_back();
  run.cells.emplace_back();
  check_round_trip(run);
  run.cells.pop_back();
  check_round_trip(run);
}

void collect_keys(const Json& json, const std::string& path,
                  std::vector<std::string>& out) {
  for (const auto& [key, value] : json.items()) {
    out.push_back(path + key);
    const bool by_name = key == "status" || key == "limits" ||
                         key == "annotations" || key == "published";
    if (value.is_object() && !by_name)
      collect_keys(value, path + key + ".", out);
  }
}

void every_cell_has_the_same_keys(void**) {
  RunResult run = nasty_run();
  run.cells.push_back(CellResult());
  for (CellResult& cell : sample_matrix().cells)
    run.cells.push_back(std::move(cell));
  const Json json = Json::parse(render_json(run));
  std::vector<std::string> expected;
  collect_keys(json["cells"][0], "", expected);
  for (const Json& cell : json["cells"]) {
    std::vector<std::string> keys;
    collect_keys(cell, "", keys);
    assert_true(keys == expected);
  }
}

void what_is_unknown_is_null(void**) {
  RunResult run;
  run.cells.emplace_back();
  const Json cell = Json::parse(render_json(run))["cells"][0];
  for (const char* rate :
       {"completed_per_s", "failed_per_s", "failed_percent", "limit_per_s"})
    assert_true(cell["rate"][rate].is_null());
  assert_true(cell["latency"]["response"]["mean_ns"].is_null());
  assert_true(cell["latency"]["response"]["percentiles"]["99.9"].is_null());
  assert_true(cell["skipped"].is_null());
  assert_true(cell["published"].is_null());
  assert_int_equal(cell["latency"]["response"]["count"].get<int>(), 0);
}

void options_keep_their_types(void**) {
  RunResult run = sample_run();
  run.cells[0].cell.config.headers = {"A: 1, 2"};
  const Json config = Json::parse(render_json(run))["cells"][0]["config"];
  assert_true(config["load.callers"] == 64);
  assert_true(config["load.duration"] == 10'000'000'000);
  assert_true(config["http.head_limit"] == 65'536);
  assert_true(config["pool.wait"] == "unlimited");
  assert_true(config["pool.select"] == "own");
  assert_true(config["http.keepalive"] == true);
  assert_true(config["http.header"] == Json::array({"A: 1, 2"}));
}

void counters_above_2_to_the_53_stay_exact(void**) {
  RunResult run = sample_run();
  run.cells[0].tally.counts.bytes_in = INT64_MAX - 1;
  const RunResult again = parsed(render_json(run));
  assert_true(again.cells[0].tally.counts.bytes_in == INT64_MAX - 1);
}

void invalid_utf8_is_replaced(void**) {
  assert_string_equal(valid_utf8("plain").c_str(), "plain");
  assert_string_equal(valid_utf8("a\xff"
                                 "b")
                          .c_str(),
                      "a\xef\xbf\xbd"
                      "b");
  const std::string once = valid_utf8("\xc3\x28 \xe2\x82 \xf0\x9f\x98");
  assert_string_equal(valid_utf8(once).c_str(), once.c_str());
}

// The message of the refusal of `json`.
std::string refusal(const Json& json) {
  const Result<RunResult> run = parse_json(json.dump());
  if (run.is_ok()) fail_msg("not refused: %.200s", json.dump().c_str());
  assert_int_equal(static_cast<int>(run.status().code),
                   static_cast<int>(Code::value));
  return run.status().message;
}

void another_schema_is_refused(void**) {
  Json json = Json::parse(render_json(sample_run()));
  json["schema"] = "httpdyno/2";
  assert_string_equal(refusal(json).c_str(),
                      "schema: \"httpdyno/2\" is not known; this version reads "
                      "httpdyno/1");
  json.erase("schema");
  assert_string_equal(refusal(json).c_str(),
                      "schema: is not there; a result of ours says httpdyno/1");
  assert_string_equal(parse_json("nonsense").status().message.c_str(),
                      "this is not JSON");
  for (const char* text : {"", "{", "[]", "null", "1e999", "\"\xff\""})
    assert_false(parse_json(text).is_ok());
}

void a_member_of_the_wrong_type_is_named(void**) {
  const Json good = Json::parse(render_json(sample_matrix()));
  struct Row {
    const char* pointer;
    Json value;
    const char* message;
  };
  const Row rows[] = {
      {"/cells", 1, "cells: is not an array"},
      {"/cells/1", 1, "cells[1]: is not an object"},
      {"/cells/1/counts/issued", "x",
       "cells[1].counts.issued: is not a whole number"},
      {"/cells/1/counts/issued", 1.5,
       "cells[1].counts.issued: is not a whole number"},
      {"/cells/1/bytes/in", UINT64_MAX,
       "cells[1].bytes.in: is not a whole number"},
      {"/cells/1/interrupted", 1, "cells[1].interrupted: is not true or false"},
      {"/cells/1/skipped", 1, "cells[1].skipped: is not a text"},
      {"/cells/1/client/cpu_s", "x", "cells[1].client.cpu_s: is not a number"},
      {"/cells/1/config/pool.size", "x",
       "cells[1].config.pool.size: is not a whole number"},
      {"/cells/1/config/http.header", "x",
       "cells[1].config.http.header: is not an array of texts"},
      {"/cells/1/config/pool.select", "x",
       "pool.select: \"x\" is not a known word; one of: own idle-lifo "
       "idle-fifo random round-robin least-loaded least-ready native"},
      {"/cells/1/latency/service/buckets", Json::array({1}),
       "cells[1].latency.service.buckets: is not an array of [index,count]"},
      {"/cells/1/latency/service/buckets/0/0", HistogramScale::kBuckets,
       "cells[1].latency.service.buckets: is not an array of [index,count]"},
      {"/cells/1/latency/service/buckets/0/1", -1,
       "cells[1].latency.service.buckets: is not an array of [index,count]"},
      {"/cells/1/latency/service/buckets/1/0", 1,
       "cells[1].latency.service.buckets: is not in rising order"},
      {"/cells/1/latency/service/min_ns", INT64_MAX,
       "cells[1].latency.service.min_ns: is not below max_ns"},
      {"/cells/1/latency/service/sum_ns", nullptr,
       "cells[1].latency.service.sum_ns: is not a whole number"},
      {"/cells/1/series/0/interval_ns", 7,
       "cells[1].series.interval_ns: is not 100 ms times a power of two"},
      {"/cells/1/status/200", "x",
       "cells[1].status.200: is not a whole number"},
      {"/cells/1/notes", Json::array({1}),
       "cells[1].notes: is not an array of texts"},
      {"/cells/2/failures/0/kind", "tired",
       "cells[2].failures[0].kind: \"tired\" is not known to this version"},
      {"/host/processors", "x", "host.processors: is not a whole number"},
      {"/interrupted", 0, "interrupted: is not true or false"},
  };
  for (const Row& row : rows) {
    Json json = good;
    json[Json::json_pointer(row.pointer)] = row.value;
    assert_string_equal(refusal(json).c_str(), row.message);
  }
}

void numbers_that_do_not_add_up_are_refused(void**) {
  const Json good = Json::parse(render_json(sample_matrix()));
  Json json = good;
  json["cells"][2]["counts"]["failed"] = 3;
  assert_string_equal(
      refusal(json).c_str(),
      "cells[2].counts.failed: is 3, but its parts make 1234569");
  json = good;
  json["cells"][0]["latency"]["response"]["buckets"][0][1] = 1;
  assert_true(refusal(json).starts_with("cells[0].latency.response.count: is"));
}

void members_of_a_later_version_are_ignored(void**) {
  const RunResult run = sample_run();
  Json json = Json::parse(render_json(run));
  json["later"] = {{"a", 1}};
  json["cells"][0]["counts"]["later"] = 1;
  json["cells"][0]["config"]["later.option"] = "x";
  json["cells"][0]["series"].push_back({{"metric", "later"}});
  json["cells"][0]["latency"]["later"] = 1;
  assert_string_equal(render_json(parsed(json.dump())).c_str(),
                      render_json(run).c_str());
}

void every_prefix_is_refused(void**) {
  RunResult run;
  run.cells.emplace_back();
  const std::string text = render_json(run);
  for (size_t length = 0; length + 1 < text.size(); length += 7)
    assert_false(parse_json(std::string_view(text).substr(0, length)).is_ok());
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(what_was_rendered_is_read_back_without_loss),
      cmocka_unit_test(a_run_without_cells_or_requests_is_read_back_too),
      cmocka_unit_test(every_cell_has_the_same_keys),
      cmocka_unit_test(what_is_unknown_is_null),
      cmocka_unit_test(options_keep_their_types),
      cmocka_unit_test(counters_above_2_to_the_53_stay_exact),
      cmocka_unit_test(invalid_utf8_is_replaced),
      cmocka_unit_test(another_schema_is_refused),
      cmocka_unit_test(a_member_of_the_wrong_type_is_named),
      cmocka_unit_test(numbers_that_do_not_add_up_are_refused),
      cmocka_unit_test(members_of_a_later_version_are_ignored),
      cmocka_unit_test(every_prefix_is_refused),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
