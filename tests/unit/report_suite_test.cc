// A suite's rows beside the published ones: what fits, what the table and the
// summary say, and that a saved result says the same.
#include "report/fit.hh"
#include "report/json.hh"
#include "report/limited_by.hh"
#include "report/render.hh"
#include "report/resume.hh"
#include "report/suite.hh"
#include "unit/cmocka.hh"
#include "unit/report_sample.hh"

namespace dyno {
namespace {

// 3,000 completed per second, beside a published row.
CellResult row(const char* client, int64_t published, double percent,
               const char* size = "32") {
  Cell cell = cells_of({{"target.url", "http://127.0.0.1:8080/wait/10"},
                        {"client", "fifo-lazy"},
                        {"pool.size", size},
                        {"load.callers", "1024"},
                        {"load.requests", "9k"}})[0];
  cell.annotations = {{"published.table", "current"},
                      {"published.client", client},
                      {"published.pool_count", int64_t{1}},
                      {"published.pool_size", int64_t{32}},
                      {"published.concurrency", int64_t{1024}},
                      {"published.requests", int64_t{499'712}},
                      {"published.requests_per_second", published},
                      {"published.error_percent", percent},
                      {"closed_form.requests_per_second", 2'903.8},
                      {"closed_form.limit", "pool"}};
  CellResult result = measured(std::move(cell), 9'000);
  result.duration_ns = 3'000'000'000;
  return result;
}

RunResult sample_suite() {
  std::vector<CellResult> cells{row("MachineGun", 2'903, 0),
                                row("MachineGun", 96, 99.4),
                                row("Buoy", 3'100, 4.9)};
  CellResult skipped;
  skipped.cell = cells[2].cell;
  skipped.cell.skipped = "the reason";
  cells.push_back(std::move(skipped));
  return run_of(std::move(cells));
}

void expect_in(const std::string& text, const char* part) {
  if (text.find(part) == text.npos)
    fail_msg("\"%s\" is not in:\n%s", part, text.c_str());
}

void a_row_fits_within_a_quarter_and_five_points(void**) {
  const struct {
    int64_t rate;
    double percent;
    bool is_good;
  } cases[] = {{3'000, 0, true},   {2'400, 0, true},  {2'390, 0, false},
               {4'000, 0, true},   {4'010, 0, false}, {3'000, 5, true},
               {3'000, 5.1, false}};
  for (const auto& [rate, percent, is_good] : cases) {
    const auto fit = fit_of(row("Buoy", rate, percent));
    assert_true(fit.has_value());
    assert_true(fit->is_good == is_good);
  }
}

void what_did_not_run_to_its_end_does_not_fit(void**) {
  CellResult cell = row("Buoy", 3'000, 0);
  cell.interrupted = true;
  assert_false(fit_of(cell).has_value());
  cell.interrupted = false;
  cell.cell.skipped = "why";
  assert_false(fit_of(cell).has_value());
  assert_false(fit_of(sample_run().cells[0]).has_value());
  assert_false(is_suite(sample_matrix()));
}

void the_text_has_rows_and_a_summary(void**) {
  const std::string text = render_text(sample_suite(), {});
  for (const char* part :
       {"published/s", "closed form/s", "MachineGun        1 x 32", "2,904",
        "skipped: the reason", "median ratio", "explained      2 of 4 rows",
        "skipped        1 of 4 rows; the first one: the reason",
        "budgets        cut in 3 of 4 rows"})
    expect_in(text, part);
}

void markdown_lists_what_does_not_fit(void**) {
  const std::string text = render_markdown(sample_suite());
  expect_in(text, "| row that does not fit |");
  expect_in(text, "| MachineGun 1 x 32, 1,024 callers | 96 | 3,000 | 31.25 |");
  expect_in(text, "- explained: 2 of 4 rows");
}

void a_saved_suite_says_the_same(void**) {
  const RunResult run = sample_suite();
  const Result<RunResult> again = parse_json(render_json(run));
  assert_true(again.is_ok());
  assert_string_equal(render_text(again.value(), {}).c_str(),
                      render_text(run, {}).c_str());
  assert_string_equal(render_csv(again.value()).c_str(),
                      render_csv(run).c_str());
}

void the_published_layout_has_the_published_names(void**) {
  expect_in(render_httpc_bench(sample_suite()),
            "\nMachineGun,1,32,1024,3000,0.0\n");
}

void a_suite_has_its_own_words(void**) {
  CellResult cell = row("Buoy", 3'000, 0, "64");
  assert_string_equal(limited_by(cell), "pool");
  cell.pools.queue_peak = 0;
  cell.cell.annotations.pop_back();
  assert_string_equal(limited_by(cell), "-");
  cell.client.is_limit = true;
  assert_string_equal(limited_by(cell), "cpu");
  cell.client.is_limit = false;
  count_failures(cell, Failure::busy, 1'000, nullptr);
  assert_string_equal(limited_by(cell), "pool");
}

void a_whole_cell_is_not_run_again(void**) {
  RunResult before = sample_suite();
  std::vector<Cell> cells;
  before.cells[1].cell.annotations[4].value = int64_t{2'048};
  for (const CellResult& cell : before.cells) cells.push_back(cell.cell);
  before.cells[1].interrupted = true;
  before.cells[2].client.verdict.clear();
  cells[0].config.cpus = "1";
  const auto whole = whole_cells(cells, before);
  assert_int_equal(whole.size(), 4);
  assert_true(whole[0].has_value());
  for (size_t i = 1; i < 4; ++i) assert_false(whole[i].has_value());
  cells[0].config.requests = 1;
  assert_false(whole_cells(cells, before)[0].has_value());
}

void only_our_own_server_may_move(void**) {
  RunResult before = sample_suite();
  Cell cell = before.cells[0].cell;
  cell.config.url = "http://127.0.0.1:9999/wait/10";
  assert_false(whole_cells({&cell, 1}, before)[0].has_value());
  cell.config.target_own = true;
  before.cells[0].cell.config.target_own = true;
  assert_true(whole_cells({&cell, 1}, before)[0].has_value());
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_row_fits_within_a_quarter_and_five_points),
      cmocka_unit_test(what_did_not_run_to_its_end_does_not_fit),
      cmocka_unit_test(the_text_has_rows_and_a_summary),
      cmocka_unit_test(markdown_lists_what_does_not_fit),
      cmocka_unit_test(a_saved_suite_says_the_same),
      cmocka_unit_test(the_published_layout_has_the_published_names),
      cmocka_unit_test(a_suite_has_its_own_words),
      cmocka_unit_test(a_whole_cell_is_not_run_again),
      cmocka_unit_test(only_our_own_server_may_move),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
