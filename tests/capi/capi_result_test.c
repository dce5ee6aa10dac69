/* Results: every way to read one, sub-results, rendering, reading back,
   merging. */
#include "host.h"

static const char* const kLatencies[] = {"latency.response", "latency.service",
                                         "latency.pool_wait",
                                         "latency.first_byte"};

static const char* rendered(dyno_result* result, const char* format) {
  const char* text = NULL;
  size_t size = 0;
  assert_int_equal(dyno_result_render(result, format, &text, &size), DYNO_OK);
  assert_int_equal(strlen(text), size);
  return text;
}

static void every_metric_can_be_read_as_its_type(void** state) {
  struct host* host = *state;
  size_t i, known = 0;
  assert_int_equal(measure(host), DYNO_OK);
  for (i = 0; i < dyno_metric_count(); ++i) {
    const char* name = dyno_metric_name(i);
    int64_t whole = 0;
    double real = 0;
    const char* text = NULL;
    dyno_status status = DYNO_OK;
    switch (dyno_metric_type(i)) {
      case DYNO_METRIC_INT:
        status = dyno_result_int(host->result, name, &whole);
        assert_int_equal(dyno_result_real(host->result, name, &real), status);
        assert_true(status != DYNO_OK || real == (double)whole);
        assert_int_equal(dyno_result_text(host->result, name, &text),
                         DYNO_E_VALUE);
        break;
      case DYNO_METRIC_REAL:
        status = dyno_result_real(host->result, name, &real);
        assert_int_equal(dyno_result_int(host->result, name, &whole),
                         DYNO_E_VALUE);
        break;
      default:
        status = dyno_result_text(host->result, name, &text);
        assert_true(status != DYNO_OK || text != NULL);
    }
    if (status != DYNO_OK && status != DYNO_E_NOTFOUND)
      fail_msg("%s: %s", name, dyno_status_name(status));
    known += status == DYNO_OK;
  }
  assert_true(known > 100);
}

static void an_unknown_metric_is_not_found(void** state) {
  struct host* host = *state;
  int64_t whole = 0;
  double real = 0;
  const char* text = NULL;
  size_t length = 0;
  assert_int_equal(measure(host), DYNO_OK);
  assert_int_equal(dyno_result_int(host->result, "counts.issue", &whole),
                   DYNO_E_NOTFOUND);
  assert_int_equal(dyno_result_real(host->result, "status.99", &real),
                   DYNO_E_NOTFOUND);
  assert_int_equal(dyno_result_text(host->result, "", &text), DYNO_E_NOTFOUND);
  assert_int_equal(
      dyno_result_quantile(host->result, "latency.tomorrow", 0.5, &whole),
      DYNO_E_NOTFOUND);
  assert_int_equal(
      dyno_result_buckets(host->result, "counts.issued", NULL, NULL, &length),
      DYNO_E_NOTFOUND);
  assert_int_equal(
      dyno_result_series(host->result, "counts.issued", NULL, &length),
      DYNO_E_NOTFOUND);
}

static void quantiles_are_inside_the_data(void** state) {
  static const double kQs[] = {0, 0.25, 0.5, 0.9, 0.99, 0.999, 1};
  struct host* host = *state;
  char name[64];
  size_t l, q;
  assert_int_equal(measure(host), DYNO_OK);
  for (l = 0; l < 4; ++l) {
    int64_t least, most, value = 0, last = 0;
    snprintf(name, sizeof name, "%s.min_ns", kLatencies[l]);
    least = number(host->result, name);
    snprintf(name, sizeof name, "%s.max_ns", kLatencies[l]);
    most = number(host->result, name);
    for (q = 0; q < sizeof kQs / sizeof kQs[0]; ++q) {
      assert_int_equal(
          dyno_result_quantile(host->result, kLatencies[l], kQs[q], &value),
          DYNO_OK);
      assert_true(value >= least && value <= most && value >= last);
      last = value;
    }
    assert_int_equal(value, most);
  }
}

static void buckets_add_up_and_rise(void** state) {
  struct host* host = *state;
  size_t l, i;
  assert_int_equal(measure(host), DYNO_OK);
  for (l = 0; l < 4; ++l) {
    int64_t uppers[256], counts[256], sum = 0;
    size_t length = 0, room = 1;
    assert_int_equal(
        dyno_result_buckets(host->result, kLatencies[l], NULL, NULL, &length),
        DYNO_OK);
    assert_in_range(length, 1, 256);
    /* With too little room: what fits, and how many there are. */
    counts[1] = -1;
    assert_int_equal(
        dyno_result_buckets(host->result, kLatencies[l], uppers, counts, &room),
        DYNO_OK);
    assert_int_equal(room, length);
    assert_int_equal(counts[1], -1);
    assert_int_equal(
        dyno_result_buckets(host->result, kLatencies[l], uppers, counts, &room),
        DYNO_OK);
    for (i = 0; i < length; ++i) {
      assert_true(counts[i] > 0);
      assert_true(i == 0 || uppers[i] > uppers[i - 1]);
      sum += counts[i];
    }
    assert_int_equal(sum, 100);
  }
}

/* Rate x time of each interval is what was completed in it. */
static void a_series_adds_up(void** state) {
  struct host* host = *state;
  double values[64], sum = 0;
  size_t length = 0, i;
  int64_t interval, left;
  ask(host, "/wait/5");
  assert_int_equal(measure(host), DYNO_OK);
  interval = number(host->result, "series.interval_ns");
  left = number(host->result, "duration_ns");
  assert_int_equal(dyno_result_series(host->result, "completed", NULL, &length),
                   DYNO_OK);
  assert_in_range(length, 1, 64);
  assert_int_equal(
      dyno_result_series(host->result, "completed", values, &length), DYNO_OK);
  for (i = 0; i < length; ++i, left -= interval)
    sum += values[i] * (double)(left < interval ? left : interval) / 1e9;
  assert_true(sum > 99.5 && sum < 100.5);
  assert_int_equal(dyno_result_series(host->result, "failed", values, &length),
                   DYNO_OK);
  for (i = 0; i < length; ++i) assert_true(values[i] == 0);
}

static void failures_are_listed(void** state) {
  struct host* host = *state;
  ask(host, "/?fault=close&fault_share=20");
  set(host, "pool.on_close_pending", "fail");
  assert_int_equal(measure(host), DYNO_OK);
  assert_int_equal(dyno_result_failure_count(host->result), 1);
  assert_string_equal(dyno_result_failure_kind(host->result, 0), "closed");
  assert_int_equal(dyno_result_failure_value(host->result, 0),
                   number(host->result, "failures.closed"));
  assert_int_equal(dyno_result_failure_value(host->result, 0),
                   number(host->result, "counts.failed"));
  assert_null(dyno_result_failure_kind(host->result, 1));
  assert_int_equal(dyno_result_failure_value(host->result, 1), 0);
}

static void a_matrix_has_a_result_per_cell(void** state) {
  struct host* host = *state;
  int64_t value = 0;
  size_t i;
  set(host, "connections", "1,2,4");
  assert_int_equal(measure(host), DYNO_OK);
  assert_int_equal(dyno_result_cell_count(host->result), 3);
  assert_int_equal(number(host->result, "counts.completed"), 300);
  assert_int_equal(number(host->result, "connections.opened"), 7);
  assert_int_equal(
      dyno_result_quantile(host->result, "latency.response", 0.5, &value),
      DYNO_E_NOTFOUND);
  for (i = 0; i < 3; ++i) {
    const dyno_result* cell = dyno_result_cell(host->result, i);
    assert_int_equal(number(cell, "counts.completed"), 100);
    assert_int_equal(number(cell, "connections.opened"), 1 << i);
    assert_int_equal(dyno_result_cell_count(cell), 1);
    assert_ptr_equal(dyno_result_cell(cell, 0), cell);
    assert_int_equal(
        dyno_result_quantile(cell, "latency.response", 0.5, &value), DYNO_OK);
  }
  assert_null(dyno_result_cell(host->result, 3));
}

static void every_format_renders(void** state) {
  struct host* host = *state;
  const char* text = NULL;
  size_t i;
  assert_int_equal(measure(host), DYNO_OK);
  for (i = 0; i < dyno_format_count(); ++i)
    assert_true(strlen(rendered(host->result, dyno_format_name(i))) > 0);
  assert_null(strchr(rendered(host->result, "text"), '\033'));
  assert_non_null(strchr(rendered(host->result, "text,color"), '\033'));
  assert_int_equal(dyno_result_render(host->result, "pdf", &text, NULL),
                   DYNO_E_NOTFOUND);
  assert_null(text);
  assert_non_null(strstr(dyno_result_error(host->result), "pdf"));
}

static void json_is_read_back_as_it_was(void** state) {
  struct host* host = *state;
  dyno_result* again = NULL;
  char* first;
  set(host, "connections", "1,2");
  set(host, "http.header", "X-Quote: \"a\\b\"");
  assert_int_equal(measure(host), DYNO_OK);
  first = strdup(rendered(host->result, "json"));
  assert_int_equal(dyno_result_parse(&again, first, strlen(first)), DYNO_OK);
  assert_string_equal(rendered(again, "json"), first);
  assert_string_equal(rendered(again, "csv"), rendered(host->result, "csv"));
  assert_int_equal(number(again, "counts.completed"), 200);
  assert_int_equal(dyno_result_cell_count(again), 2);
  dyno_result_free(again);
  free(first);
}

static void what_is_no_result_is_refused_with_a_message(void** state) {
  static const char* const kTexts[] = {
      "",
      "{",
      "[]",
      "null",
      "{\"schema\":\"other/1\"}",
      "{\"schema\":\"httpdyno/1\",\"cells\":7}"};
  size_t i;
  (void)state;
  for (i = 0; i < sizeof kTexts / sizeof kTexts[0]; ++i) {
    dyno_result* result = NULL;
    assert_int_equal(dyno_result_parse(&result, kTexts[i], strlen(kTexts[i])),
                     DYNO_E_VALUE);
    assert_non_null(result);
    assert_true(strlen(dyno_result_error(result)) > 0);
    assert_int_equal(dyno_result_cell_count(result), 0);
    dyno_result_free(result);
  }
}

static void results_are_merged(void** state) {
  struct host* host = *state;
  const dyno_result* parts[2];
  dyno_result *first = NULL, *sum = NULL;
  assert_int_equal(measure(host), DYNO_OK);
  first = host->result;
  dyno_run_free(host->run);
  assert_int_equal(measure(host), DYNO_OK);
  parts[0] = first;
  parts[1] = host->result;
  assert_int_equal(dyno_result_merge(&sum, parts, 2), DYNO_OK);
  assert_int_equal(number(sum, "counts.completed"), 200);
  assert_int_equal(number(sum, "latency.response.count"), 200);
  dyno_result_free(first);
  assert_true(strlen(rendered(sum, "json")) > 0);
  dyno_result_free(sum);
}

static void results_of_other_cells_are_not_merged(void** state) {
  struct host* host = *state;
  const dyno_result* parts[2];
  dyno_result *first = NULL, *sum = NULL;
  assert_int_equal(measure(host), DYNO_OK);
  first = host->result;
  dyno_run_free(host->run);
  set(host, "connections", "3");
  assert_int_equal(measure(host), DYNO_OK);
  parts[0] = first;
  parts[1] = host->result;
  assert_int_equal(dyno_result_merge(&sum, parts, 2), DYNO_E_VALUE);
  assert_non_null(sum);
  assert_non_null(strstr(dyno_result_error(sum), "connections"));
  dyno_result_free(sum);
  dyno_result_free(first);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOST_TEST(every_metric_can_be_read_as_its_type),
      HOST_TEST(an_unknown_metric_is_not_found),
      HOST_TEST(quantiles_are_inside_the_data),
      HOST_TEST(buckets_add_up_and_rise),
      HOST_TEST(a_series_adds_up),
      HOST_TEST(failures_are_listed),
      HOST_TEST(a_matrix_has_a_result_per_cell),
      HOST_TEST(every_format_renders),
      HOST_TEST(json_is_read_back_as_it_was),
      HOST_TEST(what_is_no_result_is_refused_with_a_message),
      HOST_TEST(results_are_merged),
      HOST_TEST(results_of_other_cells_are_not_merged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
