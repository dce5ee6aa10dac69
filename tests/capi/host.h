/* What the programs here have in common: cmocka, and a host that measures a
   server of its own. Kept in cmocka's state, since a failed assertion leaves by
   longjmp. */
#ifndef TESTS_CAPI_HOST_H
#define TESTS_CAPI_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* These four first, as cmocka wants it. */
#include <cmocka.h>
#include <httpdyno/httpdyno.h>
#include <httpdyno/server.h>

struct host {
  dyno_server* server;
  dyno_plan* plan;
  dyno_run* run;
  dyno_result* result;
};

#define HOST_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static inline void set(struct host* host, const char* key, const char* value) {
  if (dyno_plan_set(host->plan, key, value) != DYNO_OK)
    fail_msg("%s", dyno_plan_error(host->plan));
}

static inline void ask(struct host* host, const char* target) {
  char url[256];
  snprintf(url, sizeof url, "http://127.0.0.1:%d%s",
           (int)dyno_server_port(host->server), target);
  set(host, "target.url", url);
}

/* A server on a free port, and a plan of 100 requests for it. */
static inline int set_up(void** state) {
  struct host* host = calloc(1, sizeof *host);
  *state = host;
  if (host == NULL || dyno_server_new(&host->server) != DYNO_OK) return -1;
  if (dyno_server_set(host->server, "port", "0") != DYNO_OK) return -1;
  if (dyno_server_start(host->server) != DYNO_OK) return -1;
  if (dyno_plan_new(&host->plan) != DYNO_OK) return -1;
  ask(host, "/");
  set(host, "load.requests", "100");
  set(host, "connections", "2");
  return 0;
}

static inline int tear_down(void** state) {
  struct host* host = *state;
  dyno_run_free(host->run);
  dyno_result_free(host->result);
  dyno_plan_free(host->plan);
  dyno_server_free(host->server);
  free(host);
  return 0;
}

static inline void start(struct host* host) {
  if (dyno_run_start(&host->run, host->plan) != DYNO_OK)
    fail_msg("%s", dyno_plan_error(host->plan));
  assert_non_null(host->run);
}

/* The run from start to end; its result is the host's. */
static inline dyno_status measure(struct host* host) {
  dyno_status status;
  start(host);
  status = dyno_run_wait(host->run, -1);
  assert_int_equal(dyno_run_result(host->run, &host->result), DYNO_OK);
  return status;
}

static inline int64_t number(const dyno_result* result, const char* metric) {
  int64_t value = -1;
  const dyno_status status = dyno_result_int(result, metric, &value);
  if (status != DYNO_OK) fail_msg("%s: %s", metric, dyno_status_name(status));
  return value;
}

#endif
