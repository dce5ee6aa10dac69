/* The enumerable tables: no hole inside, nothing beyond, and each value is one
   that the library itself takes. */
#include "host.h"

typedef size_t (*count_fn)(void);
typedef const char* (*text_fn)(size_t index);

#define FAR ((size_t)-1)

static const struct {
  const char* name;
  count_fn count;
  text_fn text;
  int may_be_empty;
} kTexts[] = {
    {"option_name", dyno_option_count, dyno_option_name, 0},
    {"option_default", dyno_option_count, dyno_option_default, 1},
    {"option_values", dyno_option_count, dyno_option_values, 1},
    {"option_unit", dyno_option_count, dyno_option_unit, 1},
    {"option_help", dyno_option_count, dyno_option_help, 0},
    {"option_flag", dyno_option_count, dyno_option_flag, 1},
    {"option_short_flag", dyno_option_count, dyno_option_short_flag, 1},
    {"option_engines", dyno_option_count, dyno_option_engines, 0},
    {"preset_name", dyno_preset_count, dyno_preset_name, 0},
    {"preset_alias", dyno_preset_count, dyno_preset_alias, 1},
    {"preset_help", dyno_preset_count, dyno_preset_help, 0},
    {"preset_law", dyno_preset_count, dyno_preset_law, 0},
    {"preset_source", dyno_preset_count, dyno_preset_source, 0},
    {"suite_name", dyno_suite_count, dyno_suite_name, 0},
    {"suite_help", dyno_suite_count, dyno_suite_help, 0},
    {"suite_source", dyno_suite_count, dyno_suite_source, 0},
    {"suite_path", dyno_suite_count, dyno_suite_path, 0},
    {"failure_name", dyno_failure_count, dyno_failure_name, 0},
    {"failure_phase", dyno_failure_count, dyno_failure_phase, 0},
    {"failure_side", dyno_failure_count, dyno_failure_side, 0},
    {"failure_hint", dyno_failure_count, dyno_failure_hint, 0},
    {"format_name", dyno_format_count, dyno_format_name, 0},
    {"metric_name", dyno_metric_count, dyno_metric_name, 0},
    {"metric_unit", dyno_metric_count, dyno_metric_unit, 0},
    {"metric_help", dyno_metric_count, dyno_metric_help, 0},
    {"server_option_name", dyno_server_option_count, dyno_server_option_name,
     0},
    {"server_option_default", dyno_server_option_count,
     dyno_server_option_default, 1},
    {"server_option_values", dyno_server_option_count,
     dyno_server_option_values, 1},
    {"server_option_unit", dyno_server_option_count, dyno_server_option_unit,
     1},
    {"server_option_help", dyno_server_option_count, dyno_server_option_help,
     0},
    {"server_option_flag", dyno_server_option_count, dyno_server_option_flag,
     1},
    {"server_option_short_flag", dyno_server_option_count,
     dyno_server_option_short_flag, 1},
    {"server_stat_name", dyno_server_stat_count, dyno_server_stat_name, 0},
    {"server_stat_help", dyno_server_stat_count, dyno_server_stat_help, 0},
};

#define TEXTS (sizeof kTexts / sizeof kTexts[0])

static void every_text_is_there_and_none_beyond(void** state) {
  size_t t, i;
  (void)state;
  for (t = 0; t < TEXTS; ++t) {
    const size_t count = kTexts[t].count();
    if (count == 0) fail_msg("%s: no rows", kTexts[t].name);
    for (i = 0; i < count; ++i) {
      const char* text = kTexts[t].text(i);
      if (text == NULL || (text[0] == '\0' && !kTexts[t].may_be_empty))
        fail_msg("%s: row %d is empty", kTexts[t].name, (int)i);
    }
    assert_null(kTexts[t].text(count));
    assert_null(kTexts[t].text(FAR));
  }
}

static void names_are_unique(void** state) {
  size_t t, i, k;
  (void)state;
  for (t = 0; t < TEXTS; ++t) {
    const char* last = strrchr(kTexts[t].name, '_');
    if (strcmp(last, "_name") != 0) continue;
    for (i = 0; i < kTexts[t].count(); ++i)
      for (k = 0; k < i; ++k)
        assert_string_not_equal(kTexts[t].text(i), kTexts[t].text(k));
  }
}

static void numbers_beyond_a_table_say_so(void** state) {
  const size_t options = dyno_option_count();
  const size_t metrics = dyno_metric_count();
  const size_t of_server = dyno_server_option_count();
  size_t i;
  (void)state;
  for (i = 0; i < options; ++i) {
    assert_in_range(dyno_option_type(i), DYNO_TYPE_TEXT, DYNO_TYPE_CHOICE);
    assert_in_range(dyno_option_is_list(i), DYNO_LIST_SINGLE,
                    DYNO_LIST_APPENDED);
  }
  for (i = 0; i < metrics; ++i)
    assert_in_range(dyno_metric_type(i), DYNO_METRIC_INT, DYNO_METRIC_TEXT);
  for (i = 0; i < of_server; ++i)
    assert_in_range(dyno_server_option_type(i), DYNO_TYPE_TEXT,
                    DYNO_TYPE_CHOICE);
  assert_int_equal(dyno_option_type(options), -1);
  assert_int_equal(dyno_option_is_list(options), 0);
  assert_int_equal(dyno_metric_type(metrics), -1);
  assert_int_equal(dyno_server_option_type(of_server), -1);
  assert_int_equal(dyno_server_option_is_list(of_server), 0);
}

static int is_text(size_t option) {
  return dyno_option_type(option) == DYNO_TYPE_TEXT;
}

static void every_default_can_be_set(void** state) {
  dyno_plan* plan = NULL;
  size_t i;
  (void)state;
  assert_int_equal(dyno_plan_new(&plan), DYNO_OK);
  for (i = 0; i < dyno_option_count(); ++i) {
    const char* name = dyno_option_name(i);
    const char* value = dyno_option_default(i);
    assert_string_equal(dyno_plan_get(plan, name), value);
    assert_false(dyno_plan_is_set(plan, name));
    if (value[0] == '\0' && is_text(i)) continue;
    if (dyno_plan_set(plan, name, value) != DYNO_OK)
      fail_msg("%s", dyno_plan_error(plan));
    assert_true(dyno_plan_is_set(plan, name));
    assert_string_equal(dyno_plan_get(plan, name), value);
  }
  dyno_plan_free(plan);
}

static void every_word_of_a_choice_can_be_set(void** state) {
  dyno_plan* plan = NULL;
  char words[256];
  char* word;
  size_t i;
  (void)state;
  assert_int_equal(dyno_plan_new(&plan), DYNO_OK);
  for (i = 0; i < dyno_option_count(); ++i) {
    const int is_choice = dyno_option_type(i) == DYNO_TYPE_CHOICE;
    assert_int_equal(is_choice, dyno_option_values(i)[0] != '\0');
    snprintf(words, sizeof words, "%s", dyno_option_values(i));
    for (word = strtok(words, "|"); word != NULL; word = strtok(NULL, "|"))
      if (dyno_plan_set(plan, dyno_option_name(i), word) != DYNO_OK)
        fail_msg("%s", dyno_plan_error(plan));
  }
  dyno_plan_free(plan);
}

static void every_axis_of_a_preset_can_be_set(void** state) {
  dyno_plan* plan = NULL;
  size_t p, i;
  (void)state;
  for (p = 0; p < dyno_preset_count(); ++p) {
    int axes = 0;
    assert_int_equal(dyno_plan_new(&plan), DYNO_OK);
    assert_int_equal(dyno_plan_set(plan, "client", dyno_preset_name(p)),
                     DYNO_OK);
    if (dyno_preset_alias(p)[0] != '\0')
      assert_int_equal(dyno_plan_set(plan, "client", dyno_preset_alias(p)),
                       DYNO_OK);
    for (i = 0; i < dyno_option_count(); ++i) {
      const char* value = dyno_preset_axis(p, dyno_option_name(i));
      if (value == NULL) continue;
      ++axes;
      if (dyno_plan_set(plan, dyno_option_name(i), value) != DYNO_OK)
        fail_msg("%s", dyno_plan_error(plan));
    }
    assert_true(axes > 0);
    assert_null(dyno_preset_axis(p, "no.such.option"));
    dyno_plan_free(plan);
  }
  assert_null(dyno_preset_axis(dyno_preset_count(), "pool.select"));
}

static void every_suite_fills_a_plan_and_sets_a_server(void** state) {
  size_t s, i;
  (void)state;
  for (s = 0; s < dyno_suite_count(); ++s) {
    dyno_plan* plan = NULL;
    dyno_server* server = NULL;
    int options = 0;
    assert_int_equal(dyno_plan_new(&plan), DYNO_OK);
    assert_int_equal(dyno_server_new(&server), DYNO_OK);
    assert_int_equal(dyno_plan_suite(plan, dyno_suite_name(s)), DYNO_OK);
    assert_int_equal(dyno_plan_check(plan), DYNO_E_STATE);
    assert_int_equal(dyno_plan_set(plan, "target.url", "http://h/"), DYNO_OK);
    assert_true(dyno_plan_cell_count(plan) > 1);
    assert_true(dyno_plan_cell_expected_ns(plan, 0) >= 0);
    assert_int_equal(dyno_plan_cell_expected_ns(plan, FAR), 0);
    for (i = 0; i < dyno_server_option_count(); ++i) {
      const char* name = dyno_server_option_name(i);
      const char* value = dyno_suite_server_option(s, name);
      if (value == NULL) continue;
      ++options;
      assert_int_equal(dyno_server_set(server, name, value), DYNO_OK);
    }
    assert_true(options > 0);
    assert_null(dyno_suite_server_option(s, NULL));
    assert_null(dyno_suite_server_option(s, "no_such_option"));
    assert_int_equal(dyno_plan_suite(plan, "no-such-suite"), DYNO_E_NOTFOUND);
    assert_non_null(strstr(dyno_plan_error(plan), dyno_suite_name(s)));
    dyno_server_free(server);
    dyno_plan_free(plan);
  }
  assert_null(dyno_suite_server_option(FAR, "backlog"));
}

static void the_version_is_the_header_s(void** state) {
  char text[32];
  (void)state;
  snprintf(text, sizeof text, "%d.%d.%d", DYNO_VERSION_MAJOR,
           DYNO_VERSION_MINOR, DYNO_VERSION_PATCH);
  assert_int_equal(dyno_version_number(), DYNO_VERSION_NUMBER);
  assert_string_equal(dyno_version_string(), text);
  assert_non_null(dyno_build_info("compiler"));
  assert_non_null(dyno_build_info("build_type"));
  assert_non_null(dyno_build_info("libevent"));
  assert_non_null(dyno_build_info("c-ares"));
  assert_non_null(dyno_build_info("llhttp"));
  assert_non_null(dyno_build_info("fmt"));
  assert_null(dyno_build_info("phase of the moon"));
}

static void every_status_has_a_name(void** state) {
  static const struct {
    dyno_status status;
    const char* name;
  } rows[] = {
      {DYNO_OK, "DYNO_OK"},
      {DYNO_E_ARGUMENT, "DYNO_E_ARGUMENT"},
      {DYNO_E_OPTION, "DYNO_E_OPTION"},
      {DYNO_E_VALUE, "DYNO_E_VALUE"},
      {DYNO_E_STATE, "DYNO_E_STATE"},
      {DYNO_E_MEMORY, "DYNO_E_MEMORY"},
      {DYNO_E_SYSTEM, "DYNO_E_SYSTEM"},
      {DYNO_E_RESOLVE, "DYNO_E_RESOLVE"},
      {DYNO_E_CONNECT, "DYNO_E_CONNECT"},
      {DYNO_E_UNSUPPORTED, "DYNO_E_UNSUPPORTED"},
      {DYNO_E_TIMEOUT, "DYNO_E_TIMEOUT"},
      {DYNO_E_CANCELED, "DYNO_E_CANCELED"},
      {DYNO_E_NOTFOUND, "DYNO_E_NOTFOUND"},
      {DYNO_E_INTERNAL, "DYNO_E_INTERNAL"},
  };
  size_t i;
  (void)state;
  for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    assert_string_equal(dyno_status_name(rows[i].status), rows[i].name);
    assert_true(strlen(dyno_status_text(rows[i].status)) > 0);
  }
  assert_non_null(dyno_status_name(-12345));
  assert_non_null(dyno_status_text(12345));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_text_is_there_and_none_beyond),
      cmocka_unit_test(names_are_unique),
      cmocka_unit_test(numbers_beyond_a_table_say_so),
      cmocka_unit_test(every_default_can_be_set),
      cmocka_unit_test(every_word_of_a_choice_can_be_set),
      cmocka_unit_test(every_axis_of_a_preset_can_be_set),
      cmocka_unit_test(every_suite_fills_a_plan_and_sets_a_server),
      cmocka_unit_test(the_version_is_the_header_s),
      cmocka_unit_test(every_status_has_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
