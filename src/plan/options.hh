// THE option table of a run: one row per key. Setters, checks, error texts, CLI
// flags, help, JSON config and docs all come from here.
#pragma once

#include "base/options.hh"

namespace dyno {

const OptionTable& plan_options();

}  // namespace dyno
