// Suites: published benchmarks that can be run again. A suite fills a plan with
// its rows; the server that they need is the host's to start.
#pragma once

#include <span>
#include <string_view>

#include "base/status.hh"
#include "plan/plan.hh"
#include "plan/presets.hh"

namespace dyno {

struct Suite {
  const char* name;
  const char* help;
  const char* source;  // where it was published
  const char* path;    // what its requests ask for
  // Options of the server that it needs, by their keys in the server's table.
  std::span<const PresetAxis> server;
  const RowSource* rows;

  // nullptr where the server's default holds.
  const char* server_option(std::string_view key) const;
};

std::span<const Suite> suites();
const Suite* find_suite(std::string_view name);
Status unknown_suite(std::string_view name);

}  // namespace dyno
