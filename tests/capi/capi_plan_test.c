/* Plans: setting, reading, copying, checking, and what a refusal says. */
#include "host.h"

static int new_plan(void** state) {
  dyno_plan* plan = NULL;
  const dyno_status status = dyno_plan_new(&plan);
  *state = plan;
  return status == DYNO_OK ? 0 : -1;
}

static int free_plan(void** state) {
  dyno_plan_free(*state);
  return 0;
}

#define PLAN_TEST(test) \
  cmocka_unit_test_setup_teardown(test, new_plan, free_plan)

static void what_is_set_can_be_read(void** state) {
  dyno_plan* plan = *state;
  assert_int_equal(dyno_plan_set(plan, "load.requests", "10k"), DYNO_OK);
  assert_int_equal(dyno_plan_set(plan, "pool.wait", "1m30s"), DYNO_OK);
  assert_string_equal(dyno_plan_get(plan, "load.requests"), "10k");
  assert_string_equal(dyno_plan_get(plan, "pool.wait"), "1m30s");
  assert_int_equal(dyno_plan_is_set(plan, "pool.wait"), 1);
  assert_int_equal(dyno_plan_is_set(plan, "pool.size"), 0);
  assert_int_equal(dyno_plan_set(plan, "load.requests", "7"), DYNO_OK);
  assert_string_equal(dyno_plan_get(plan, "load.requests"), "7");
  assert_null(dyno_plan_get(plan, "no.such.option"));
  assert_int_equal(dyno_plan_is_set(plan, "no.such.option"), 0);
}

static void numbers_are_in_base_units(void** state) {
  dyno_plan* plan = *state;
  assert_int_equal(dyno_plan_set_int(plan, "load.duration", 1500000000),
                   DYNO_OK);
  assert_string_equal(dyno_plan_get(plan, "load.duration"), "1500000000ns");
  assert_int_equal(dyno_plan_set_int(plan, "http.head_limit", 4096), DYNO_OK);
  assert_int_equal(dyno_plan_set_int(plan, "pool.size", 32), DYNO_OK);
  assert_int_equal(dyno_plan_set_int(plan, "http.keepalive", 0), DYNO_OK);
  assert_string_equal(dyno_plan_get(plan, "http.keepalive"), "off");
  assert_int_equal(dyno_plan_set_int(plan, "http.method", 1), DYNO_E_VALUE);
  assert_int_equal(dyno_plan_set_int(plan, "pool.full", 1), DYNO_E_VALUE);
  assert_int_equal(dyno_plan_set_int(plan, "pool.size", -1), DYNO_E_VALUE);
  assert_int_equal(dyno_plan_set_int(plan, "pool.sise", 1), DYNO_E_OPTION);
  assert_int_equal(dyno_plan_set_real(plan, "pool.size", 1.5), DYNO_E_VALUE);
  assert_int_equal(dyno_plan_set_real(plan, "pool.sise", 1.5), DYNO_E_OPTION);
}

static void bytes_may_be_any(void** state) {
  dyno_plan* plan = *state;
  assert_int_equal(dyno_plan_set_bytes(plan, "http.body", "a\0b", 3), DYNO_OK);
  assert_int_equal(dyno_plan_is_set(plan, "http.body"), 1);
  assert_int_equal(dyno_plan_set_bytes(plan, "pool.size", "3", 1), DYNO_OK);
  assert_string_equal(dyno_plan_get(plan, "pool.size"), "3");
  assert_int_equal(dyno_plan_set_bytes(plan, "http.method", "G\0T", 3),
                   DYNO_E_VALUE);
}

static void values_are_appended(void** state) {
  dyno_plan* plan = *state;
  assert_int_equal(dyno_plan_append(plan, "http.header", "A: 1, 2"), DYNO_OK);
  assert_int_equal(dyno_plan_append(plan, "http.header", "B: 3"), DYNO_OK);
  assert_string_equal(dyno_plan_get(plan, "http.header"), "A: 1, 2\nB: 3");
  assert_int_equal(dyno_plan_set(plan, "pool.size", "32,256"), DYNO_OK);
  assert_int_equal(dyno_plan_append(plan, "pool.size", "1024"), DYNO_OK);
  assert_string_equal(dyno_plan_get(plan, "pool.size"), "32,256,1024");
  assert_int_equal(dyno_plan_set(plan, "http.header", "C: 4"), DYNO_OK);
  assert_string_equal(dyno_plan_get(plan, "http.header"), "C: 4");
  assert_int_equal(dyno_plan_append(plan, "threads", "2"), DYNO_E_VALUE);
  assert_string_equal(dyno_plan_error_key(plan), "threads");
}

static void a_copy_stands_alone(void** state) {
  dyno_plan* plan = *state;
  dyno_plan* copy = NULL;
  assert_int_equal(dyno_plan_set(plan, "pool.size", "32"), DYNO_OK);
  assert_int_equal(dyno_plan_copy(&copy, plan), DYNO_OK);
  assert_int_equal(dyno_plan_set(copy, "pool.size", "64"), DYNO_OK);
  assert_string_equal(dyno_plan_get(plan, "pool.size"), "32");
  assert_string_equal(dyno_plan_get(copy, "pool.size"), "64");
  assert_int_equal(dyno_plan_set(plan, "pool.size", "8"), DYNO_OK);
  assert_string_equal(dyno_plan_get(copy, "pool.size"), "64");
  dyno_plan_free(copy);
}

static void a_refusal_names_key_value_and_remedy(void** state) {
  static const struct {
    const char* key;
    const char* value;
    dyno_status status;
    const char* says;
  } rows[] = {
      {"pool.sise", "4", DYNO_E_OPTION, "pool.size"},
      {"pool.size", "0", DYNO_E_VALUE, "\"0\""},
      {"pool.size", "", DYNO_E_VALUE, "pool.size"},
      {"load.duration", "3x", DYNO_E_VALUE, "\"3x\""},
      {"load.requests", "many", DYNO_E_VALUE, "\"many\""},
      {"pool.full", "perhaps", DYNO_E_VALUE, "wait"},
      {"http.keepalive", "maybe", DYNO_E_VALUE, "on"},
      {"http.header", "no colon", DYNO_E_VALUE, "Name: value"},
      {"http.method", "G T", DYNO_E_VALUE, "GET"},
      {"target.url", "http://::1:80/", DYNO_E_VALUE, "["},
      {"target.url", "ftp://example.org/", DYNO_E_VALUE, "http"},
      {"client", "fifo-lasy", DYNO_E_VALUE, "fifo-lazy"},
  };
  dyno_plan* plan = *state;
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    const char* message;
    assert_int_equal(dyno_plan_set(plan, rows[i].key, rows[i].value),
                     rows[i].status);
    message = dyno_plan_error(plan);
    if (strstr(message, rows[i].key) == NULL ||
        strstr(message, rows[i].says) == NULL)
      fail_msg("%s=%s: %s", rows[i].key, rows[i].value, message);
    if (rows[i].status == DYNO_E_VALUE)
      assert_string_equal(dyno_plan_error_key(plan), rows[i].key);
    assert_int_equal(dyno_plan_is_set(plan, rows[i].key), 0);
  }
}

static void the_last_message_stays(void** state) {
  dyno_plan* plan = *state;
  assert_string_equal(dyno_plan_error(plan), "");
  assert_string_equal(dyno_plan_error_key(plan), "");
  assert_int_equal(dyno_plan_set(plan, "pool.size", "x"), DYNO_E_VALUE);
  assert_int_equal(dyno_plan_set(plan, "pool.size", "4"), DYNO_OK);
  assert_string_equal(dyno_plan_error_key(plan), "pool.size");
}

static void cells_are_in_their_order(void** state) {
  static const char* const kBegins[] = {
      "fifo-lazy 1 x 2, 8 callers", "fifo-lazy 1 x 2, 16 callers",
      "fifo-lazy 1 x 4, 8 callers", "fifo-lazy 1 x 4, 16 callers"};
  dyno_plan* plan = *state;
  size_t i;
  assert_int_equal(dyno_plan_set(plan, "target.url", "http://127.0.0.1/"),
                   DYNO_OK);
  assert_int_equal(dyno_plan_set(plan, "client", "fifo-lazy"), DYNO_OK);
  assert_int_equal(dyno_plan_set(plan, "pool.size", "2,4"), DYNO_OK);
  assert_int_equal(dyno_plan_set(plan, "load.callers", "8,16"), DYNO_OK);
  assert_int_equal(dyno_plan_check(plan), DYNO_OK);
  assert_int_equal(dyno_plan_cell_count(plan), 4);
  for (i = 0; i < 4; ++i)
    assert_string_equal(dyno_plan_cell_text(plan, i), kBegins[i]);
  assert_null(dyno_plan_cell_text(plan, 4));
}

/* The texts are those of the plan as it is, whatever was asked before. */
static void cell_texts_follow_the_plan(void** state) {
  dyno_plan* plan = *state;
  assert_int_equal(dyno_plan_set(plan, "target.url", "http://127.0.0.1/"),
                   DYNO_OK);
  assert_int_equal(dyno_plan_set(plan, "client", "fifo-lazy"), DYNO_OK);
  assert_int_equal(dyno_plan_set(plan, "pool.size", "2"), DYNO_OK);
  assert_string_equal(dyno_plan_cell_text(plan, 0),
                      "fifo-lazy 1 x 2, 2 callers");
  assert_int_equal(dyno_plan_set(plan, "pool.size", "4,8"), DYNO_OK);
  assert_string_equal(dyno_plan_cell_text(plan, 0),
                      "fifo-lazy 1 x 4, 4 callers");
  assert_string_equal(dyno_plan_cell_text(plan, 1),
                      "fifo-lazy 1 x 8, 8 callers");
}

static void options_are_checked_against_each_other(void** state) {
  dyno_plan* plan = *state;
  assert_int_equal(dyno_plan_set(plan, "target.url", "http://127.0.0.1/"),
                   DYNO_OK);
  assert_int_equal(dyno_plan_set(plan, "connections", "4"), DYNO_OK);
  assert_int_equal(dyno_plan_check(plan), DYNO_OK);
  assert_int_equal(dyno_plan_set(plan, "pool.size", "4"), DYNO_OK);
  assert_int_equal(dyno_plan_check(plan), DYNO_E_VALUE);
  assert_string_equal(dyno_plan_error_key(plan), "connections");
  assert_int_equal(dyno_plan_cell_count(plan), 0);
  assert_null(dyno_plan_cell_text(plan, 0));
}

static void closing_and_pipelining_exclude_each_other(void** state) {
  dyno_plan* plan = *state;
  assert_int_equal(dyno_plan_set(plan, "target.url", "http://127.0.0.1/"),
                   DYNO_OK);
  assert_int_equal(dyno_plan_set(plan, "pool.depth", "4"), DYNO_OK);
  assert_int_equal(dyno_plan_check(plan), DYNO_OK);
  assert_int_equal(dyno_plan_set(plan, "http.keepalive", "off"), DYNO_OK);
  assert_int_equal(dyno_plan_check(plan), DYNO_E_VALUE);
  assert_string_equal(dyno_plan_error_key(plan), "http.keepalive");
  assert_non_null(strstr(dyno_plan_error(plan), "pool.depth"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      PLAN_TEST(what_is_set_can_be_read),
      PLAN_TEST(numbers_are_in_base_units),
      PLAN_TEST(bytes_may_be_any),
      PLAN_TEST(values_are_appended),
      PLAN_TEST(a_copy_stands_alone),
      PLAN_TEST(a_refusal_names_key_value_and_remedy),
      PLAN_TEST(the_last_message_stays),
      PLAN_TEST(cells_are_in_their_order),
      PLAN_TEST(cell_texts_follow_the_plan),
      PLAN_TEST(options_are_checked_against_each_other),
      PLAN_TEST(closing_and_pipelining_exclude_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
