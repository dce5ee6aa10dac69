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
  std::vector<std::string> cell_texts;
};
