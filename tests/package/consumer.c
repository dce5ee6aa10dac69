/* A user's program: measures a server in its own process and checks that the
   numbers came. Built from an installed httpdyno. */
#include <httpdyno/httpdyno.h>
#include <httpdyno/server.h>
#include <stdio.h>

int main(void) {
  dyno_server *server = NULL;
  dyno_plan *plan = NULL;
  dyno_run *run = NULL;
  dyno_result *result = NULL;
  char url[64];
  int64_t completed = 0;
  if (dyno_version_number() < DYNO_VERSION_NUMBER) return 2;
  if (dyno_server_new(&server) != DYNO_OK) return 3;
  dyno_server_set(server, "port", "0");
  if (dyno_server_start(server) != DYNO_OK) return 4;
  sprintf(url, "http://127.0.0.1:%d/", (int)dyno_server_port(server));
  dyno_plan_new(&plan);
  dyno_plan_set(plan, "target.url", url);
  dyno_plan_set(plan, "load.requests", "100");
  dyno_plan_set(plan, "connections", "4");
  if (dyno_run_start(&run, plan) != DYNO_OK) return 5;
  if (dyno_run_wait(run, -1) != DYNO_OK) return 6;
  if (dyno_run_result(run, &result) != DYNO_OK) return 7;
  dyno_result_int(result, "counts.completed", &completed);
  printf("%d\n", (int)completed);
  dyno_result_free(result);
  dyno_run_free(run);
  dyno_plan_free(plan);
  dyno_server_free(server);
  return completed == 100 ? 0 : 8;
}
