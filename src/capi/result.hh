// The handle behind dyno_result.
#pragma once

#include <httpdyno/httpdyno.h>

#include <memory>
#include <string>
#include <vector>

#include "capi/guard.hh"
#include "report/result.hh"

struct dyno_result {
  dyno_result() = default;
  explicit dyno_result(dyno::RunResult result);

  dyno::RunResult run;
  // One result per cell; empty where there is only one: it is its own cell.
  std::vector<std::unique_ptr<dyno_result>> cells;
  std::string rendered;
  dyno::capi::Failed failed;
};
