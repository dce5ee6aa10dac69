/* The server in this process, and a run against it whose counts are compared
   with its own. */
#include "host.h"

static void expect_reconciled(struct host* host) {
  const char* difference = NULL;
  assert_int_equal(number(host->result, "server.is_own"), 1);
  assert_int_equal(number(host->result, "server.is_reconciled"), 1);
  assert_int_equal(
      dyno_result_text(host->result, "server.difference", &difference),
      DYNO_OK);
  assert_string_equal(difference, "");
}

static void a_run_and_its_server_agree(void** state) {
  struct host* host = *state;
  assert_int_equal(measure(host), DYNO_OK);
  expect_reconciled(host);
  assert_int_equal(dyno_server_stat(host->server, "accepted"), 2);
  assert_int_equal(dyno_server_stat(host->server, "read"), 100);
  assert_int_equal(dyno_server_stat(host->server, "written"), 100);
  assert_int_equal(number(host->result, "server.accepted"), 2);
  assert_int_equal(number(host->result, "server.read"), 100);
  assert_int_equal(number(host->result, "server.written"), 100);
}

static void every_cell_agrees_by_itself(void** state) {
  struct host* host = *state;
  size_t i;
  set(host, "client", "fifo-lazy,dedicated,none");
  set(host, "load.callers", "2");
  set(host, "load.warmup", "20ms");
  assert_int_equal(measure(host), DYNO_OK);
  assert_int_equal(dyno_result_cell_count(host->result), 3);
  for (i = 0; i < 3; ++i) {
    const dyno_result* cell = dyno_result_cell(host->result, i);
    const char* difference = NULL;
    assert_int_equal(number(cell, "server.is_reconciled"), 1);
    dyno_result_text(cell, "server.difference", &difference);
    assert_string_equal(difference, "");
    assert_int_equal(number(cell, "server.accepted"),
                     number(cell, "connections.opened"));
  }
}

static void a_run_that_abandons_agrees_too(void** state) {
  struct host* host = *state;
  ask(host, "/wait/20");
  set(host, "connections", "8");
  set(host, "pool.depth", "4");
  set(host, "load.requests", "0");
  set(host, "load.warmup", "0s");
  set(host, "load.duration", "200ms");
  assert_int_equal(measure(host), DYNO_OK);
  expect_reconciled(host);
  assert_true(number(host->result, "counts.abandoned") > 0);
  assert_true(number(host->result, "server.read") <=
              number(host->result, "counts.issued"));
}

static void connections_agree_when_each_request_has_one(void** state) {
  struct host* host = *state;
  set(host, "client", "none");
  set(host, "connections", "16");
  set(host, "load.requests", "0");
  set(host, "load.duration", "200ms");
  assert_int_equal(measure(host), DYNO_OK);
  expect_reconciled(host);
  assert_int_equal(number(host->result, "connections.opened"),
                   dyno_server_stat(host->server, "accepted"));
}

static void a_limit_of_requests_agrees(void** state) {
  struct host* host = *state;
  dyno_server_free(host->server);
  assert_int_equal(dyno_server_new(&host->server), DYNO_OK);
  assert_int_equal(dyno_server_set(host->server, "port", "0"), DYNO_OK);
  assert_int_equal(
      dyno_server_set(host->server, "max_requests_per_connection", "10"),
      DYNO_OK);
  assert_int_equal(dyno_server_start(host->server), DYNO_OK);
  ask(host, "/");
  assert_int_equal(measure(host), DYNO_OK);
  expect_reconciled(host);
  assert_int_equal(number(host->result, "counts.completed"), 100);
  assert_int_equal(number(host->result, "connections.opened"), 10);
}

static void a_stopped_server_fails_the_run(void** state) {
  struct host* host = *state;
  assert_int_equal(dyno_server_stop(host->server), DYNO_OK);
  assert_int_equal(measure(host), DYNO_E_CONNECT);
  assert_non_null(strstr(dyno_run_error(host->run), "refused"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOST_TEST(a_run_and_its_server_agree),
      HOST_TEST(every_cell_agrees_by_itself),
      HOST_TEST(a_run_that_abandons_agrees_too),
      HOST_TEST(connections_agree_when_each_request_has_one),
      HOST_TEST(a_limit_of_requests_agrees),
      HOST_TEST(a_stopped_server_fails_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
