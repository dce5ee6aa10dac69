// The published rows are those of the tables as CSV, and each becomes a cell
// with its budget, its server and the row beside it.
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "suite/constants.hh"
#include "suite/httpc_bench.hh"
#include "suite/published.hh"
#include "suite/suite.hh"
#include "unit/cmocka.hh"
#include "unit/plan_support.hh"

namespace dyno {
namespace {

std::string shortest(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

void expect_csv(const char* file, std::span<const PublishedRow> rows) {
  std::ifstream csv(std::string(DYNO_TEST_DATA "/") + file);
  std::string line;
  assert_true(static_cast<bool>(std::getline(csv, line)));
  assert_string_equal(line.c_str(),
                      "client,pool_count,pool_size,concurrency,"
                      "requests_per_second,error_percent");
  for (const PublishedRow& row : rows) {
    const std::string ours =
        std::string(row.client) + "," + std::to_string(row.pool_count) + "," +
        std::to_string(row.pool_size) + "," + std::to_string(row.concurrency) +
        "," + std::to_string(row.requests_per_second) + "," +
        shortest(row.error_percent);
    assert_true(static_cast<bool>(std::getline(csv, line)));
    assert_string_equal(line.c_str(), ours.c_str());
  }
  assert_false(static_cast<bool>(std::getline(csv, line)));
}

void the_rows_are_the_published_ones(void**) {
  assert_int_equal(httpc_bench_current().size(), 335);
  assert_int_equal(httpc_bench_original().size(), 203);
  expect_csv("httpc_bench_2019_current.csv", httpc_bench_current());
  expect_csv("httpc_bench_2019_original.csv", httpc_bench_original());
}

void every_client_has_its_constants(void**) {
  std::set<std::string> names;
  for (const auto& table : {httpc_bench_current(), httpc_bench_original()})
    for (const PublishedRow& row : table) names.insert(row.client);
  assert_int_equal(names.size(), bench_clients().size());
  for (const std::string& name : names)
    assert_non_null(find_bench_client(name));
}

void a_budget_is_the_same_number_of_turns_for_every_caller(void**) {
  assert_int_equal(httpc_bench_requests(16384), 491'520);
  for (const int64_t callers : {1024, 2048, 4096, 8192})
    assert_int_equal(httpc_bench_requests(callers), 499'712);
}

// --- the plan ----------------------------------------------------------------

std::vector<Cell> suite_cells(const Settings& settings) {
  Plan plan = plan_of(settings);
  plan.set_rows(*find_suite("httpc-bench")->rows);
  const Result<std::vector<Cell>> cells = plan.cells(4);
  if (!cells.is_ok()) print_error("%s\n", cells.status().message.c_str());
  assert_true(cells.is_ok());
  return cells.value();
}

std::string text(const Cell& cell, const char* key) {
  return std::get<std::string>(cell.annotation(key)->value);
}

int64_t number(const Cell& cell, const char* key) {
  return std::get<int64_t>(cell.annotation(key)->value);
}

void a_full_plan_has_every_row_with_its_whole_budget(void**) {
  const auto cells = suite_cells({{"suite.mode", "full"}});
  assert_int_equal(cells.size(), 335);
  for (const Cell& cell : cells) {
    assert_int_equal(cell.config.requests, number(cell, "published.requests"));
    assert_int_equal(cell.config.callers,
                     number(cell, "published.concurrency"));
    assert_int_equal(cell.config.duration_ns, 0);
    assert_string_equal(text(cell, "published.table").c_str(), "current");
  }
  const auto original =
      suite_cells({{"suite.mode", "full"}, {"suite.table", "original"}});
  assert_int_equal(original.size(), 203);
  const auto all =
      suite_cells({{"suite.mode", "full"}, {"suite.table", "all"}});
  assert_int_equal(all.size(), 335 + 203);
}

void a_quick_plan_has_every_client_and_ends_soon(void**) {
  for (const char* table : {"current", "original"}) {
    std::map<std::string, int> of_client;
    int64_t expected_ns = 0;
    for (const Cell& cell : suite_cells({{"suite.table", table}})) {
      ++of_client[text(cell, "published.client")];
      assert_true(cell.config.requests <= number(cell, "published.requests"));
      assert_int_equal(cell.config.requests % cell.config.callers, 0);
      if (!cell.skipped.empty()) continue;
      assert_true(cell.config.duration_ns == 10 * kSecond);
      assert_true(cell.expected_ns <= 10 * kSecond);
      expected_ns += cell.expected_ns;
    }
    const size_t clients = std::string_view(table) == "current" ? 8 : 7;
    assert_int_equal(of_client.size(), clients);
    assert_true(expected_ns < 180 * kSecond);
  }
}

void lists_choose_rows_and_other_options_win(void**) {
  const auto cells = suite_cells({{"suite.mode", "full"},
                                  {"client", "random-mux-failfast,hackney"},
                                  {"pool.size", "32,64"},
                                  {"load.callers", "1k,1024"},
                                  {"load.requests", "5k"},
                                  {"request.timeout", "3s"}});
  assert_int_equal(cells.size(), 4);
  for (const Cell& cell : cells) {
    assert_int_equal(cell.config.requests, 5'000);
    assert_true(cell.config.request_timeout_ns == 3 * kSecond);
    assert_int_equal(number(cell, "published.requests"), 499'712);
  }
}

void a_list_that_no_row_has_multiplies_them(void**) {
  const auto cells = suite_cells({{"client", "Buoy"}, {"pool.depth", "8,16"}});
  assert_int_equal(cells.size(), 4);
  assert_int_equal(cells[0].config.depth, 8);
  assert_int_equal(cells[1].config.depth, 16);
  assert_int_equal(cells[0].config.pool_size, cells[1].config.pool_size);
}

void what_no_row_has_is_an_error(void**) {
  for (const auto& [key, value] :
       {std::pair{"load.callers", "77"}, std::pair{"connections", "8"}}) {
    Plan plan = plan_of({{key, value}});
    plan.set_rows(*find_suite("httpc-bench")->rows);
    assert_true(plan.cells(4).status().code == Code::value);
  }
  Plan no_suite = plan_of({{"suite.mode", "quick"}});
  assert_string_equal(no_suite.cells(4).status().key.c_str(), "suite.mode");
}

void a_row_that_cannot_be_expanded_says_which_and_why(void**) {
  static constexpr RowSource kSource{
      "test",
      [](const Plan&) -> Result<std::vector<PlanRow>> {
        return std::vector<PlanRow>{
            {{{"client", "nobody"}, {"pool.size", "7"}}, {}},
            {{{"client", "fifo-lazy"}, {"no.such", "1"}}, {{"a", "b"}}},
            {{{"client", "fifo-lazy"}, {"load.callers", "9"}}, {}}};
      },
      [](Cell& cell) {
        cell.annotations.push_back({"finished", "yes"});
      }};
  Plan plan = plan_of({});
  plan.set_rows(kSource);
  const std::vector<Cell> cells = plan.cells(1).value();
  assert_int_equal(cells.size(), 3);
  assert_non_null(strstr(cells[0].skipped.c_str(), "\"nobody\""));
  assert_string_equal(cells[0].config.client.c_str(), "nobody");
  assert_int_equal(cells[0].config.pool_size, 7);
  assert_non_null(strstr(cells[1].skipped.c_str(), "no.such"));
  assert_int_equal(cells[1].annotations.size(), 1);
  assert_true(cells[2].skipped.empty());
  assert_int_equal(cells[2].config.callers, 9);
  assert_non_null(cells[2].annotation("finished"));
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(the_rows_are_the_published_ones),
      cmocka_unit_test(every_client_has_its_constants),
      cmocka_unit_test(a_budget_is_the_same_number_of_turns_for_every_caller),
      cmocka_unit_test(a_full_plan_has_every_row_with_its_whole_budget),
      cmocka_unit_test(a_quick_plan_has_every_client_and_ends_soon),
      cmocka_unit_test(lists_choose_rows_and_other_options_win),
      cmocka_unit_test(a_list_that_no_row_has_multiplies_them),
      cmocka_unit_test(what_no_row_has_is_an_error),
      cmocka_unit_test(a_row_that_cannot_be_expanded_says_which_and_why),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
