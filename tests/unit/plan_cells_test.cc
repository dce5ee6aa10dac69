// From settings to cells: what is kept of a setting, who wins over whom, and in
// which order the cells of a matrix come.
#include <string>

#include "plan/plan.hh"
#include "unit/cmocka.hh"
#include "unit/plan_support.hh"

namespace dyno {
namespace {

std::string texts_of(const std::vector<Cell>& cells) {
  std::string lines;
  for (const Cell& cell : cells) lines += cell.text() + "\n";
  return lines;
}

// --- one setting -------------------------------------------------------------

void a_refused_setting_names_key_value_and_remedy(void**) {
  const struct {
    const char* key;
    const char* value;
    Code code;
    const char* message;
  } cases[] = {
      {"pool.size", "0", Code::value,
       "pool.size: \"0\" is out of range; use 1 to 1000000"},
      {"pool.size", "32,0", Code::value,
       "pool.size: \"0\" is out of range; use 1 to 1000000"},
      {"pool.size", "32,", Code::value,
       "pool.size: \"\" is not a count; try 64, 10k or 1M"},
      {"pool.sise", "4", Code::option,
       "pool.sise: no such option; did you mean pool.size?"},
      {"load.duration", "3x", Code::value,
       "load.duration: \"3x\" is not a duration; try 500ms, 30s or 1m30s"},
      {"load.callers", "-1", Code::value,
       "load.callers: \"-1\" is not a count; try 64, 10k or 1M"},
      {"pool.full", "waits", Code::value,
       "pool.full: \"waits\" is not a known word; one of: wait fail "
       "new-connection"},
      {"target.own", "yes", Code::value,
       "target.own: \"yes\" is not on or off; use on or off"},
      {"client", "fifo-lasy", Code::value,
       "client: \"fifo-lasy\" is no discipline; did you mean fifo-lazy?"},
      {"client", "fifo-lazy,", Code::value,
       "client: \"\" is no discipline; one of: dedicated, fifo-lazy, "
       "fifo-eager, fifo-eager-sharded, fifo-patient, random-trylock, "
       "random-mux-failfast, random-mux-skipdown, least-pipeline, "
       "least-queue, none, none-leak, curl-native"},
  };
  for (const auto& [key, value, code, message] : cases) {
    Plan plan = plan_of({});
    const Status status = plan.set(key, value);
    assert_true(status.code == code);
    assert_string_equal(status.key.c_str(), key);
    assert_string_equal(status.message.c_str(), message);
    assert_false(plan.is_set(key));
  }
}

void a_refused_setting_leaves_the_one_before(void**) {
  Plan plan = plan_of({{"pool.size", "32,64"}});
  assert_false(plan.set("pool.size", "128,none").is_ok());
  assert_false(plan.append("pool.size", "0").is_ok());
  assert_string_equal(plan.get("pool.size"), "32,64");
}

void a_list_takes_several_values_and_a_new_setting_replaces_them(void**) {
  Plan plan = plan_of({});
  assert_string_equal(plan.get("pool.size"), "64");
  assert_false(plan.is_set("pool.size"));
  assert_true(plan.set("pool.size", "32,256").is_ok());
  assert_true(plan.append("pool.size", "1k").is_ok());
  assert_string_equal(plan.get("pool.size"), "32,256,1k");
  assert_true(plan.set("pool.size", "8").is_ok());
  assert_string_equal(plan.get("pool.size"), "8");
  assert_true(plan.is_set("pool.size"));
}

void an_appended_value_keeps_its_commas(void**) {
  Plan plan = plan_of({});
  assert_true(plan.append("http.header", "Accept: a, b").is_ok());
  assert_true(plan.append("http.header", "X: 1").is_ok());
  assert_string_equal(plan.get("http.header"), "Accept: a, b\nX: 1");
  const std::vector<Cell> cells = plan.cells(4).value();
  assert_int_equal(cells.size(), 1);
  assert_true((cells.front().config.headers == Texts{"Accept: a, b", "X: 1"}));
  assert_true(plan.set("http.header", "Y: 2").is_ok());
  assert_string_equal(plan.get("http.header"), "Y: 2");
}

void what_takes_one_value_takes_no_second(void**) {
  Plan plan = plan_of({});
  const Status status = plan.append("load.duration", "3s");
  assert_true(status.code == Code::value);
  assert_string_equal(status.key.c_str(), "load.duration");
  assert_true(plan.append("pool.sise", "1").code == Code::option);
  assert_false(plan.is_set("load.duration"));
}

void numbers_are_taken_in_the_unit_of_the_row(void**) {
  Plan plan = plan_of({});
  assert_true(plan.set_int("load.duration", 1'500'000'000).is_ok());
  assert_true(plan.set_int("pool.size", 12).is_ok());
  assert_true(plan.set_int("http.head_limit", 4096).is_ok());
  assert_true(plan.set_int("target.own", 1).is_ok());
  const Config config = plan.cells(4).value().front().config;
  assert_int_equal(config.duration_ns, 1'500'000'000);
  assert_int_equal(config.pool_size, 12);
  assert_int_equal(config.head_limit, 4096);
  assert_true(config.target_own);
  assert_true(plan.set_int("target.own", 0).is_ok());
  assert_string_equal(plan.get("target.own"), "off");
}

void a_number_that_the_row_cannot_take_is_refused(void**) {
  Plan plan = plan_of({});
  assert_true(plan.set_int("load.duration", -1).code == Code::value);
  assert_true(plan.set_int("pool.size", 0).code == Code::value);
  assert_true(plan.set_int("client", 1).code == Code::value);
  assert_true(plan.set_int("pool.full", 1).code == Code::value);
  assert_true(plan.set_int("pool.sise", 1).code == Code::option);
  assert_true(plan.set_real("pool.size", 1.5).code == Code::value);
  assert_true(plan.set_real("pool.sise", 1.5).code == Code::option);
}

void what_is_not_known_has_no_value(void**) {
  const Plan plan = plan_of({});
  assert_null(plan.get("pool.sise"));
  assert_false(plan.is_set("pool.sise"));
  assert_string_equal(plan.get("client"), "dedicated");
}

// --- a preset and what is set beside it --------------------------------------

void a_preset_fills_in_its_axes(void**) {
  const Config buoy = config_of({{"client", "Buoy"}, {"pool.size", "32"}});
  assert_string_equal(buoy.client.c_str(), "random-mux-failfast");
  assert_true(buoy.select == Select::random);
  assert_int_equal(buoy.depth, 1024);
  assert_true(buoy.full == Full::fail);
  assert_true(buoy.open == Open::eager);
  assert_true(buoy.on_close == OnClose::fail_fast);
  assert_int_equal(buoy.backoff_ns, 500 * kMillisecond);
  assert_int_equal(buoy.backoff_max_ns, 120 * kSecond);
  assert_true(buoy.pending == Pending::fail);
  assert_true(buoy.on_timeout == OnTimeout::abandon_id);
  assert_int_equal(buoy.request_timeout_ns, kSecond);
  const Config finch = config_of({{"client", "fifo-lazy"}});
  assert_true(finch.select == Select::idle_fifo);
  assert_true(finch.full == Full::wait);
  assert_int_equal(finch.wait_ns, 5 * kSecond);
  assert_true(finch.open == Open::lazy);
  assert_int_equal(finch.request_timeout_ns, 15 * kSecond);
}

void an_explicit_value_wins_over_the_preset_in_any_order(void**) {
  for (const Settings& settings :
       {Settings{{"pool.wait", "1s"}, {"client", "fifo-lazy"}},
        Settings{{"client", "fifo-lazy"}, {"pool.wait", "1s"}}}) {
    const Config config = config_of(settings);
    assert_int_equal(config.wait_ns, kSecond);
    assert_int_equal(config.request_timeout_ns, 15 * kSecond);
  }
}

// Also where the explicit value is the default of the row.
void an_explicit_default_wins_too(void**) {
  const Config config = config_of({{"client", "Buoy"},
                                   {"pool.size", "4"},
                                   {"pool.depth", "1"},
                                   {"pool.open", "lazy"},
                                   {"request.timeout", "10s"}});
  assert_int_equal(config.depth, 1);
  assert_true(config.open == Open::lazy);
  assert_int_equal(config.request_timeout_ns, 10 * kSecond);
}

void an_explicit_value_holds_for_every_client_of_a_matrix(void**) {
  for (const Cell& cell : cells_of(
           {{"client", "fifo-lazy,fifo-patient"}, {"request.timeout", "3s"}}))
    assert_int_equal(cell.config.request_timeout_ns, 3 * kSecond);
}

// --- cells -------------------------------------------------------------------

void the_first_row_of_the_table_varies_slowest(void**) {
  const char* expected =
      "fifo-lazy 1 x 32, 64 callers\n"
      "fifo-lazy 1 x 32, 128 callers\n"
      "fifo-lazy 1 x 256, 64 callers\n"
      "fifo-lazy 1 x 256, 128 callers\n"
      "random-trylock 1 x 32, 64 callers\n"
      "random-trylock 1 x 32, 128 callers\n"
      "random-trylock 1 x 256, 64 callers\n"
      "random-trylock 1 x 256, 128 callers\n";
  for (const Settings& settings : {Settings{{"client", "Finch,Dlhttpc"},
                                            {"pool.size", "32,256"},
                                            {"load.callers", "64,128"}},
                                   Settings{{"load.callers", "64,128"},
                                            {"pool.size", "32,256"},
                                            {"client", "Finch,Dlhttpc"}}})
    assert_string_equal(texts_of(cells_of(settings)).c_str(), expected);
}

void values_stand_in_the_order_in_which_they_were_given(void**) {
  assert_string_equal(
      texts_of(cells_of({{"client", "fifo-lazy"}, {"pool.size", "256,1,32"}}))
          .c_str(),
      "fifo-lazy 1 x 256, 256 callers\n"
      "fifo-lazy 1 x 1, 1 callers\n"
      "fifo-lazy 1 x 32, 32 callers\n");
}

void depth_and_rounds_are_told_where_there_are_any(void**) {
  const std::vector<Cell> cells = cells_of({{"client", "Buoy"},
                                            {"pool.size", "2"},
                                            {"pool.depth", "1,8"},
                                            {"run.repeat", "2"}});
  assert_string_equal(
      texts_of(cells).c_str(),
      "random-mux-failfast 1 x 2, 2 callers, round 1 of 2\n"
      "random-mux-failfast 1 x 2, 2 callers, round 2 of 2\n"
      "random-mux-failfast 1 x 2, 16 callers, depth 8, round 1 of 2\n"
      "random-mux-failfast 1 x 2, 16 callers, depth 8, round 2 of 2\n");
}

void repeats_come_in_a_row_or_in_rounds(void**) {
  const struct {
    const char* order;
    const char* sizes;  // pool.size and repeat of each cell
  } cases[] = {
      {"sequential", "1/0 1/1 1/2 2/0 2/1 2/2 3/0 3/1 3/2 "},
      {"interleaved", "1/0 2/0 3/0 1/1 2/1 3/1 1/2 2/2 3/2 "},
  };
  for (const auto& [order, sizes] : cases) {
    std::string seen;
    for (const Cell& cell : cells_of({{"client", "fifo-lazy"},
                                      {"pool.size", "1,2,3"},
                                      {"run.repeat", "3"},
                                      {"run.order", order}}))
      seen += std::to_string(cell.config.pool_size) + "/" +
              std::to_string(cell.repeat) + " ";
    assert_string_equal(seen.c_str(), sizes);
  }
}

void a_single_cell_is_repeated_too(void**) {
  const std::vector<Cell> cells = cells_of({{"run.repeat", "3"}});
  assert_int_equal(cells.size(), 3);
  for (size_t i = 0; i < cells.size(); ++i)
    assert_int_equal(cells[i].repeat, i);
}

void a_cell_that_cannot_run_is_a_row_among_others(void**) {
  const std::vector<Cell> cells = cells_of({{"client", "none,fifo-lazy"},
                                            {"pool.size", "32"},
                                            {"load.callers", "64"}});
  assert_int_equal(cells.size(), 2);
  assert_int_equal(cells[0].skipped.find("pool.size: "), 0);
  assert_string_equal(cells[1].skipped.c_str(), "");
}

void a_cell_that_cannot_run_alone_is_an_error(void**) {
  for (const char* repeat : {"1", "3"}) {
    const Status status = refusal_of(
        {{"client", "none"}, {"pool.size", "32"}, {"run.repeat", repeat}});
    assert_true(status.code == Code::value);
    assert_string_equal(status.key.c_str(), "pool.size");
    assert_int_equal(status.message.find("pool.size: none "), 0);
  }
}

void connections_stand_instead_of_pools(void**) {
  for (const char* key : {"pool.size", "pool.count"}) {
    const Status status = refusal_of({{"connections", "15"}, {key, "2"}});
    assert_true(status.code == Code::value);
    assert_string_equal(status.key.c_str(), "connections");
  }
  const Config config = config_of({{"connections", "15"}});
  assert_int_equal(config.slots(), 15);
}

void without_a_target_there_is_no_cell(void**) {
  Plan plan;
  assert_true(plan.cells(4).status().code == Code::state);
  assert_string_equal(plan.cells(4).status().key.c_str(), "target.url");
  assert_true(plan.set("target.url", "").is_ok());
  assert_true(plan.cells(4).status().code == Code::state);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_refused_setting_names_key_value_and_remedy),
      cmocka_unit_test(a_refused_setting_leaves_the_one_before),
      cmocka_unit_test(
          a_list_takes_several_values_and_a_new_setting_replaces_them),
      cmocka_unit_test(an_appended_value_keeps_its_commas),
      cmocka_unit_test(what_takes_one_value_takes_no_second),
      cmocka_unit_test(numbers_are_taken_in_the_unit_of_the_row),
      cmocka_unit_test(a_number_that_the_row_cannot_take_is_refused),
      cmocka_unit_test(what_is_not_known_has_no_value),
      cmocka_unit_test(a_preset_fills_in_its_axes),
      cmocka_unit_test(an_explicit_value_wins_over_the_preset_in_any_order),
      cmocka_unit_test(an_explicit_default_wins_too),
      cmocka_unit_test(an_explicit_value_holds_for_every_client_of_a_matrix),
      cmocka_unit_test(the_first_row_of_the_table_varies_slowest),
      cmocka_unit_test(values_stand_in_the_order_in_which_they_were_given),
      cmocka_unit_test(depth_and_rounds_are_told_where_there_are_any),
      cmocka_unit_test(repeats_come_in_a_row_or_in_rounds),
      cmocka_unit_test(a_single_cell_is_repeated_too),
      cmocka_unit_test(a_cell_that_cannot_run_is_a_row_among_others),
      cmocka_unit_test(a_cell_that_cannot_run_alone_is_an_error),
      cmocka_unit_test(connections_stand_instead_of_pools),
      cmocka_unit_test(without_a_target_there_is_no_cell),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
