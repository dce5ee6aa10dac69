// What limited a cell, in a word; and a cell's derived numbers.
#include "report/limited_by.hh"
#include "unit/cmocka.hh"
#include "unit/report_sample.hh"

namespace dyno {
namespace {

// 3 s at `completed`, with a limit of slots / 10 ms.
CellResult cell_with(int64_t completed, const char* callers,
                     const char* depth = "1") {
  return measured(cells_of({{"target.url", "http://127.0.0.1/wait/10"},
                            {"client", "fifo-lazy"},
                            {"pool.size", "32"},
                            {"pool.depth", depth},
                            {"load.callers", callers}})[0],
                  completed);
}

void expect(const CellResult& cell, const char* word) {
  assert_string_equal(limited_by(cell), word);
}

void a_reached_limit_is_of_the_pool_or_of_the_callers(void**) {
  expect(cell_with(9'000, "1024"), "pool");
  expect(cell_with(9'000, "32"), "pool");
  expect(cell_with(4'700, "16"), "callers");
  expect(cell_with(9'000, "64", "4"), "-");
  expect(cell_with(18'600, "64", "4"), "callers");
}

void a_serial_server_has_an_effective_depth_of_one(void**) {
  CellResult cell = cell_with(9'000, "64", "4");
  assert_true(cell.limit_per_s() == 6'400);
  cell.server.limits = {{"pipelined", "serial"}};
  assert_true(cell.limit_per_s() == 3'200);
  expect(cell, "pool");
}

void a_modelled_server_gives_the_limit_too(void**) {
  CellResult cell = measured(cells_of({{"engine", "sim"},
                                       {"client", "fifo-lazy"},
                                       {"pool.size", "32"},
                                       {"pool.depth", "4"},
                                       {"load.callers", "1024"},
                                       {"sim.delay", "7ms"},
                                       {"sim.hold_overhead", "1ms"}})[0],
                             9'000);
  cell.server = {};
  assert_true(cell.limit_per_s() == 16'000);
  cell.cell.config.sim_pipelined = Pipelined::serial;
  assert_true(cell.limit_per_s() == 4'000);
}

void a_limit_needs_our_own_server_and_a_delay(void**) {
  CellResult cell = cell_with(9'000, "1024");
  cell.server.is_own = false;
  assert_true(cell.limit_per_s() == 0);
  assert_true(cell.limit_share() == 0);
  expect(cell, "-");
  cell.server.is_own = true;
  cell.cell.config.url = "http://127.0.0.1/";
  assert_true(cell.limit_per_s() == 0);
  expect(cell, "-");
}

void the_generator_comes_before_failures(void**) {
  CellResult cell = cell_with(3'000, "1024");
  count_failures(cell, Failure::busy, 100'000, nullptr);
  expect(cell, "busy");
  cell.client.is_limit = true;
  expect(cell, "client-cpu");
  expect(cell_with(9'000, "1024"), "pool");
}

void the_dominating_kind_names_the_limit(void**) {
  const std::pair<Failure, const char*> rows[] = {
      {Failure::pool_timeout, "pool"},
      {Failure::queue_full, "busy"},
      {Failure::no_connection, "server-close"},
      {Failure::closed, "server-close"},
      {Failure::request_timeout, "timeouts"},
      {Failure::connect_timeout, "timeouts"},
      {Failure::connect_refused, "refused"},
      {Failure::fd_exhausted, "descriptors"},
      {Failure::address_exhausted, "ports"},
      {Failure::protocol, "-"},
  };
  for (const auto& [kind, word] : rows) {
    CellResult cell = cell_with(3'000, "1024");
    count_failures(cell, kind, 500, nullptr);
    count_failures(cell, Failure::busy, 499, nullptr);
    expect(cell, word);
  }
}

void a_few_failures_explain_nothing(void**) {
  CellResult cell = cell_with(3'000, "1024");
  count_failures(cell, Failure::busy, 29, nullptr);
  expect(cell, "-");
  cell.cell.skipped = "why";
  expect(cell, "-");
}

void rates_use_the_measured_time_and_completed_requests(void**) {
  CellResult cell = cell_with(800, "16");
  cell.duration_ns = 2'000'000'000;
  count_failures(cell, Failure::reset, 200, nullptr);
  assert_true(cell.completed_per_s() == 400);
  assert_true(cell.failed_per_s() == 100);
  assert_true(cell.failed_percent() == 20);
  assert_true(cell.limit_share() == 0.25);
  cell.duration_ns = 0;
  assert_true(cell.completed_per_s() == 0);
  assert_true(CellResult().failed_percent() == 0);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_reached_limit_is_of_the_pool_or_of_the_callers),
      cmocka_unit_test(a_serial_server_has_an_effective_depth_of_one),
      cmocka_unit_test(a_modelled_server_gives_the_limit_too),
      cmocka_unit_test(a_limit_needs_our_own_server_and_a_delay),
      cmocka_unit_test(the_generator_comes_before_failures),
      cmocka_unit_test(the_dominating_kind_names_the_limit),
      cmocka_unit_test(a_few_failures_explain_nothing),
      cmocka_unit_test(rates_use_the_measured_time_and_completed_requests),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
