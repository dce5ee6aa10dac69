// CSV: read back by a strict reader of RFC 4180, its rows add up to the run.
#include <map>

#include "report/render.hh"
#include "unit/cmocka.hh"
#include "unit/report_sample.hh"

namespace dyno {
namespace {

using Row = std::vector<std::string>;

std::vector<Row> read_csv(const std::string& text) {
  std::vector<Row> rows;
  Row row;
  std::string field;
  bool is_quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        is_quoted = false;
      }
    } else if (c == '"') {
      assert_true(field.empty());
      is_quoted = true;
    } else if (c == ',' || c == '\n') {
      row.push_back(std::exchange(field, {}));
      if (c == '\n') rows.push_back(std::exchange(row, {}));
    } else {
      field += c;
    }
  }
  assert_false(is_quoted);
  assert_true(row.empty() && field.empty());
  return rows;
}

size_t column(const std::vector<Row>& rows, const char* name) {
  for (size_t i = 0; i < rows[0].size(); ++i)
    if (rows[0][i] == name) return i;
  fail_msg("no column %s", name);
  return 0;
}

int64_t sum(const std::vector<Row>& rows, const char* name) {
  const size_t at = column(rows, name);
  int64_t total = 0;
  for (size_t i = 1; i < rows.size(); ++i) total += std::stoll(rows[i][at]);
  return total;
}

void every_row_has_every_column_once(void**) {
  const auto rows = read_csv(render_csv(sample_matrix()));
  assert_int_equal(rows.size(), 7);
  std::map<std::string, int> names;
  for (const std::string& name : rows[0]) assert_int_equal(names[name]++, 0);
  for (const Row& row : rows) assert_int_equal(row.size(), rows[0].size());
}

void the_sums_over_the_rows_are_the_summary(void**) {
  RunResult run = sample_matrix();
  run.cells[0].tally.counts.status[200] -= 5;
  run.cells[0].tally.counts.status[503] += 4;
  run.cells[0].tally.counts.status[101] += 1;
  const auto rows = read_csv(render_csv(run));
  const int64_t completed = 2 * (32 + 256) * 291;
  assert_int_equal(sum(rows, "completed"), completed);
  assert_int_equal(
      sum(rows, "issued"),
      sum(rows, "completed") + sum(rows, "failed") + sum(rows, "abandoned"));
  int64_t failed = 0;
  for (const FailureRow& row : failure_table()) failed += sum(rows, row.name);
  assert_int_equal(failed, sum(rows, "failed"));
  assert_int_equal(failed, 1'234'569);
  assert_int_equal(sum(rows, "5xx"), 4);
  assert_int_equal(sum(rows, "2xx") + sum(rows, "3xx") + sum(rows, "4xx") +
                       sum(rows, "5xx") + sum(rows, "status_other"),
                   completed);
}

void texts_are_quoted_and_come_back(void**) {
  RunResult run = sample_run();
  run.cells[0].cell.config.url = "http://h/?a=1,2&q=\"x\"";
  run.cells[0].status = {Code::connect, "=1, \"two\"\r\nlines", ""};
  const auto rows = read_csv(render_csv(run));
  assert_string_equal(rows[1][column(rows, "url")].c_str(),
                      "http://h/?a=1,2&q=\"x\"");
  assert_string_equal(rows[1][column(rows, "error")].c_str(),
                      "=1, \"two\"\r\nlines");
}

void what_is_unknown_is_empty(void**) {
  RunResult run;
  run.cells.emplace_back();
  const auto rows = read_csv(render_csv(run));
  for (const char* name : {"completed_per_s", "failed_percent", "limit_per_s",
                           "response_p99.9_ns", "skipped"})
    assert_string_equal(rows[1][column(rows, name)].c_str(), "");
  assert_string_equal(rows[1][column(rows, "completed")].c_str(), "0");
  assert_string_equal(rows[1][column(rows, "duration_s")].c_str(),
                      "0.000000000");
}

void times_are_exact(void**) {
  const auto rows = read_csv(render_csv(sample_run()));
  assert_string_equal(rows[1][column(rows, "duration_s")].c_str(),
                      "3.000000123");
  assert_string_equal(rows[1][column(rows, "response_max_ns")].c_str(),
                      "11332888");
}

void the_published_layout_truncates_and_rounds(void**) {
  RunResult run = sample_matrix();
  run.cells[0].duration_ns = 3'000'000'000;
  assert_string_equal(
      render_httpc_bench(run).c_str(),
      "Client,Pool Count,Pool Size,Concurrency,Req/sec,Error %\n"
      "fifo-lazy,1,32,1024,3104,0.0\n"
      "fifo-lazy,1,256,1024,24831,0.0\n"
      "random-trylock,1,32,1024,3103,99.3\n"
      "random-trylock,1,256,1024,24831,0.0\n");
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(every_row_has_every_column_once),
      cmocka_unit_test(the_sums_over_the_rows_are_the_summary),
      cmocka_unit_test(texts_are_quoted_and_come_back),
      cmocka_unit_test(what_is_unknown_is_empty),
      cmocka_unit_test(times_are_exact),
      cmocka_unit_test(the_published_layout_truncates_and_rounds),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
