// Routes: what a request target asks the test server for. Pure: a request head
// and the options in, a decision out.
#pragma once

#include <cstdint>
#include <string>

#include "http/request_head.hh"
#include "server/behaviour.hh"

namespace dyno::server {

enum class RouteKind : uint8_t {
  hello,
  wait,
  rnd,
  bytes,
  snoop,
  status,
  chunked,
  echo,
  stats,
  refused,
};

struct Route {
  RouteKind kind = RouteKind::refused;
  int status = 200;
  uint64_t bytes = 0;   // of the body of /rnd, /bytes, /chunked
  std::string problem;  // of a refusal: what would work
  std::string allow;    // of a 405
  Behaviour behaviour;
};

Route find_route(const RequestHead& head, const ServerConfig& config);

}  // namespace dyno::server
