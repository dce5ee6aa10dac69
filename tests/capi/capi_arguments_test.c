/* NULL, and calls in the wrong state: a status or an empty answer, never a
   crash. One line per function and argument. */
#include "host.h"

#define REFUSES(call) assert_int_equal((call), DYNO_E_ARGUMENT)
#define EMPTY(call) assert_string_equal((call), "")

static void a_null_plan_is_refused(void** state) {
  struct host* host = *state;
  dyno_plan* copy = (dyno_plan*)host;
  REFUSES(dyno_plan_new(NULL));
  REFUSES(dyno_plan_copy(NULL, host->plan));
  REFUSES(dyno_plan_copy(&copy, NULL));
  assert_null(copy);
  REFUSES(dyno_plan_set(NULL, "threads", "1"));
  REFUSES(dyno_plan_set(host->plan, NULL, "1"));
  REFUSES(dyno_plan_set(host->plan, "threads", NULL));
  REFUSES(dyno_plan_set_int(NULL, "threads", 1));
  REFUSES(dyno_plan_set_int(host->plan, NULL, 1));
  REFUSES(dyno_plan_set_real(NULL, "threads", 1));
  REFUSES(dyno_plan_set_real(host->plan, NULL, 1));
  REFUSES(dyno_plan_set_bytes(NULL, "http.body", "x", 1));
  REFUSES(dyno_plan_set_bytes(host->plan, NULL, "x", 1));
  REFUSES(dyno_plan_set_bytes(host->plan, "http.body", NULL, 1));
  assert_int_equal(dyno_plan_set_bytes(host->plan, "http.body", NULL, 0),
                   DYNO_OK);
  REFUSES(dyno_plan_append(NULL, "http.header", "A: b"));
  REFUSES(dyno_plan_append(host->plan, NULL, "A: b"));
  REFUSES(dyno_plan_append(host->plan, "http.header", NULL));
  assert_null(dyno_plan_get(NULL, "threads"));
  assert_null(dyno_plan_get(host->plan, NULL));
  assert_int_equal(dyno_plan_is_set(NULL, "threads"), 0);
  assert_int_equal(dyno_plan_is_set(host->plan, NULL), 0);
  REFUSES(dyno_plan_suite(NULL, "httpc-bench"));
  REFUSES(dyno_plan_suite(host->plan, NULL));
  REFUSES(dyno_plan_check(NULL));
  assert_int_equal(dyno_plan_cell_count(NULL), 0);
  assert_null(dyno_plan_cell_text(NULL, 0));
  assert_int_equal(dyno_plan_cell_expected_ns(NULL, 0), 0);
  EMPTY(dyno_plan_error(NULL));
  EMPTY(dyno_plan_error_key(NULL));
  dyno_plan_free(NULL);
}

static void a_null_run_is_refused(void** state) {
  struct host* host = *state;
  dyno_run* run = (dyno_run*)host;
  dyno_result* result = (dyno_result*)host;
  REFUSES(dyno_run_start(NULL, host->plan));
  REFUSES(dyno_run_start(&run, NULL));
  assert_null(run);
  REFUSES(dyno_run_resume(&run, host->plan, NULL));
  assert_null(run);
  REFUSES(dyno_run_wait(NULL, 0));
  REFUSES(dyno_run_drive(NULL, 1, NULL, NULL));
  REFUSES(dyno_run_cancel(NULL));
  assert_int_equal(dyno_run_done_fd(NULL), -1);
  REFUSES(dyno_run_snapshot(NULL, &result));
  assert_null(result);
  REFUSES(dyno_run_result(NULL, &result));
  EMPTY(dyno_run_error(NULL));
  dyno_run_free(NULL);
  start(host);
  REFUSES(dyno_run_snapshot(host->run, NULL));
  REFUSES(dyno_run_result(host->run, NULL));
}

static void a_null_result_is_refused(void** state) {
  struct host* host = *state;
  const char* text = NULL;
  int64_t number_of = 0;
  double real = 0;
  size_t length = 0;
  dyno_result* made = (dyno_result*)host;
  const dyno_result* parts[1] = {NULL};
  REFUSES(dyno_result_status(NULL));
  REFUSES(dyno_result_int(NULL, "counts.issued", &number_of));
  REFUSES(dyno_result_real(NULL, "counts.issued", &real));
  REFUSES(dyno_result_text(NULL, "client.verdict", &text));
  assert_int_equal(dyno_result_cell_count(NULL), 0);
  assert_null(dyno_result_cell(NULL, 0));
  assert_int_equal(dyno_result_failure_count(NULL), 0);
  assert_null(dyno_result_failure_kind(NULL, 0));
  assert_int_equal(dyno_result_failure_value(NULL, 0), 0);
  REFUSES(dyno_result_quantile(NULL, "latency.response", 0.5, &number_of));
  REFUSES(dyno_result_buckets(NULL, "latency.response", NULL, NULL, &length));
  REFUSES(dyno_result_series(NULL, "completed", NULL, &length));
  REFUSES(dyno_result_render(NULL, "json", &text, NULL));
  REFUSES(dyno_result_parse(NULL, "{}", 2));
  REFUSES(dyno_result_parse(&made, NULL, 2));
  assert_null(made);
  REFUSES(dyno_result_merge(NULL, parts, 1));
  REFUSES(dyno_result_merge(&made, NULL, 1));
  REFUSES(dyno_result_merge(&made, parts, 1));
  REFUSES(dyno_result_merge(&made, parts, 0));
  assert_null(made);
  EMPTY(dyno_result_error(NULL));
  dyno_result_free(NULL);
}

static void a_null_beside_a_result_is_refused(void** state) {
  struct host* host = *state;
  const char* text = NULL;
  int64_t number_of = 0;
  double real = 0;
  size_t length = 0;
  dyno_run* run = (dyno_run*)host;
  assert_int_equal(measure(host), DYNO_OK);
  REFUSES(dyno_run_resume(NULL, host->plan, host->result));
  REFUSES(dyno_run_resume(&run, NULL, host->result));
  assert_null(run);
  REFUSES(dyno_result_int(host->result, NULL, &number_of));
  REFUSES(dyno_result_int(host->result, "counts.issued", NULL));
  REFUSES(dyno_result_real(host->result, NULL, &real));
  REFUSES(dyno_result_real(host->result, "counts.issued", NULL));
  REFUSES(dyno_result_text(host->result, NULL, &text));
  REFUSES(dyno_result_text(host->result, "client.verdict", NULL));
  REFUSES(dyno_result_quantile(host->result, NULL, 0.5, &number_of));
  REFUSES(dyno_result_quantile(host->result, "latency.response", 0.5, NULL));
  REFUSES(
      dyno_result_quantile(host->result, "latency.response", 1.5, &number_of));
  REFUSES(
      dyno_result_quantile(host->result, "latency.response", -1, &number_of));
  REFUSES(dyno_result_buckets(host->result, NULL, NULL, NULL, &length));
  REFUSES(
      dyno_result_buckets(host->result, "latency.response", NULL, NULL, NULL));
  REFUSES(dyno_result_series(host->result, NULL, NULL, &length));
  REFUSES(dyno_result_series(host->result, "completed", NULL, NULL));
  REFUSES(dyno_result_render(host->result, NULL, &text, NULL));
  REFUSES(dyno_result_render(host->result, "json", NULL, NULL));
  assert_null(dyno_result_cell(host->result, 1));
  assert_null(dyno_result_failure_kind(host->result, 0));
  assert_int_equal(dyno_result_failure_value(host->result, 0), 0);
}

static void a_null_server_is_refused(void** state) {
  struct host* host = *state;
  REFUSES(dyno_server_new(NULL));
  REFUSES(dyno_server_set(NULL, "port", "0"));
  REFUSES(dyno_server_set(host->server, NULL, "0"));
  REFUSES(dyno_server_set(host->server, "port", NULL));
  REFUSES(dyno_server_start(NULL));
  REFUSES(dyno_server_stop(NULL));
  assert_int_equal(dyno_server_port(NULL), 0);
  assert_int_equal(dyno_server_stat(NULL, "read"), -1);
  assert_int_equal(dyno_server_stat(host->server, NULL), -1);
  assert_int_equal(dyno_server_stat(host->server, "no_such_counter"), -1);
  assert_null(dyno_server_stats(NULL));
  EMPTY(dyno_server_error(NULL));
  EMPTY(dyno_server_error_key(NULL));
  dyno_server_free(NULL);
}

static void a_null_name_is_in_no_table(void** state) {
  (void)state;
  assert_null(dyno_build_info(NULL));
  assert_null(dyno_preset_axis(0, NULL));
  assert_null(dyno_suite_server_option(0, NULL));
}

static void a_run_that_goes_on_has_no_result_yet(void** state) {
  struct host* host = *state;
  dyno_result* result = (dyno_result*)host;
  ask(host, "/?fault=never");
  start(host);
  assert_int_equal(dyno_run_result(host->run, &result), DYNO_E_STATE);
  assert_null(result);
  assert_int_equal(dyno_run_wait(host->run, 0), DYNO_E_TIMEOUT);
  assert_int_equal(dyno_run_wait(host->run, 1), DYNO_E_TIMEOUT);
  EMPTY(dyno_run_error(host->run));
}

static void a_plan_without_a_url_does_not_start(void** state) {
  struct host* host = *state;
  dyno_plan* plan = NULL;
  assert_int_equal(dyno_plan_new(&plan), DYNO_OK);
  host->run = (dyno_run*)host;
  assert_int_equal(dyno_run_start(&host->run, plan), DYNO_E_STATE);
  assert_null(host->run);
  assert_string_equal(dyno_plan_error_key(plan), "target.url");
  assert_non_null(strstr(dyno_plan_error(plan), "http://"));
  dyno_plan_free(plan);
}

static void a_started_server_takes_no_option(void** state) {
  struct host* host = *state;
  assert_int_equal(dyno_server_set(host->server, "delay", "1ms"), DYNO_E_STATE);
  assert_int_equal(dyno_server_start(host->server), DYNO_E_STATE);
  assert_int_equal(dyno_server_stop(host->server), DYNO_OK);
  assert_int_equal(dyno_server_stop(host->server), DYNO_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOST_TEST(a_null_plan_is_refused),
      HOST_TEST(a_null_run_is_refused),
      HOST_TEST(a_null_result_is_refused),
      HOST_TEST(a_null_beside_a_result_is_refused),
      HOST_TEST(a_null_server_is_refused),
      HOST_TEST(a_null_name_is_in_no_table),
      HOST_TEST(a_run_that_goes_on_has_no_result_yet),
      HOST_TEST(a_plan_without_a_url_does_not_start),
      HOST_TEST(a_started_server_takes_no_option),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
