// The handle behind dyno_plan.
#pragma once

#include <httpdyno/httpdyno.h>

#include <string>
#include <vector>

#include "capi/guard.hh"
#include "plan/plan.hh"

struct dyno_plan {
  dyno::Plan plan;
  dyno::capi::Failed failed;
  // What is told of the cells while they are known.
  std::vector<std::string> cell_texts;
  std::vector<int64_t> expected_ns;
};
