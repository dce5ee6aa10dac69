// The library's handles as owners, and its statuses as exit codes.
#pragma once

#include <httpdyno/httpdyno.h>
#include <httpdyno/server.h>

#include <memory>

#include "stop.hh"

namespace cli {

struct Free {
  void operator()(dyno_plan* plan) const { dyno_plan_free(plan); }
  void operator()(dyno_run* run) const { dyno_run_free(run); }
  void operator()(dyno_result* result) const { dyno_result_free(result); }
  void operator()(dyno_server* server) const { dyno_server_free(server); }
};

using PlanPtr = std::unique_ptr<dyno_plan, Free>;
using RunPtr = std::unique_ptr<dyno_run, Free>;
using ResultPtr = std::unique_ptr<dyno_result, Free>;
using ServerPtr = std::unique_ptr<dyno_server, Free>;

// What was asked for wrongly is usage; whatever else, the run failed.
inline int exit_code_of(dyno_status status) {
  switch (status) {
    case DYNO_OK:
      return 0;
    case DYNO_E_ARGUMENT:
    case DYNO_E_OPTION:
    case DYNO_E_VALUE:
    case DYNO_E_STATE:
    case DYNO_E_UNSUPPORTED:
      return kUsage;
    default:
      return kFailed;
  }
}

inline Stop stop_of(dyno_status status, const char* message) {
  const bool is_told = message != nullptr && *message != '\0';
  return {exit_code_of(status), is_told ? message : dyno_status_text(status)};
}

PlanPtr new_plan();
ServerPtr new_server();

// Throws Stop with the handle's message unless the status is ok.
void check(dyno_plan* plan, dyno_status status);
void check(dyno_server* server, dyno_status status);

}  // namespace cli
