#include "suite/suite.hh"

#include <array>
#include <string>

#include "suite/httpc_bench.hh"

namespace dyno {

const char* Suite::server_option(std::string_view key) const {
  for (const PresetAxis& option : server)
    if (key == option.key) return option.value;
  return nullptr;
}

std::span<const Suite> suites() {
  static const std::array kSuites{
      Suite{
          "httpc-bench",
          "The client-pool benchmark of 2019: eight clients, 1 to 32 pools of "
          "1 to 1,024 connections, 1,024 to 16,384 callers, 500,000 requests a "
          "row to a server that answers after 10 ms and closes a connection "
          "after 100 requests.",
          "gamache/httpc_bench (2019-05-15)", "/wait/10", httpc_bench_server(),
          &httpc_bench_rows()},
  };
  return kSuites;
}

const Suite* find_suite(std::string_view name) {
  for (const Suite& suite : suites())
    if (name == suite.name) return &suite;
  return nullptr;
}

Status unknown_suite(std::string_view name) {
  std::string text =
      "suite: \"" + std::string(name) + "\" is not known; one of:";
  for (const Suite& suite : suites()) text += std::string(" ") + suite.name;
  return fail(Code::not_found, std::move(text), "suite");
}

}  // namespace dyno
