#include "handles.hh"

namespace cli {

PlanPtr new_plan() {
  dyno_plan* plan = nullptr;
  const dyno_status status = dyno_plan_new(&plan);
  if (status != DYNO_OK) throw stop_of(status, "");
  return PlanPtr(plan);
}

ServerPtr new_server() {
  dyno_server* server = nullptr;
  const dyno_status status = dyno_server_new(&server);
  if (status != DYNO_OK) throw stop_of(status, "");
  return ServerPtr(server);
}

void check(dyno_plan* plan, dyno_status status) {
  if (status != DYNO_OK) throw stop_of(status, dyno_plan_error(plan));
}

void check(dyno_server* server, dyno_status status) {
  if (status != DYNO_OK) throw stop_of(status, dyno_server_error(server));
}

}  // namespace cli
