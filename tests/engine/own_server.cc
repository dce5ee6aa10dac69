#include "engine/own_server.hh"

#include <httpdyno/server.h>

#include <string_view>

#include "unit/cmocka.hh"

namespace dyno::test {
namespace {

struct Held {
  dyno_server* server = nullptr;
  ~Held() { dyno_server_free(server); }
};

}  // namespace

std::string start_own_server(std::initializer_list<ServerOption> options) {
  static Held held;
  dyno_server_free(held.server);
  held.server = nullptr;
  assert_int_equal(dyno_server_new(&held.server), DYNO_OK);
  assert_int_equal(dyno_server_set(held.server, "port", "0"), DYNO_OK);
  std::string scheme = "http";
  for (const auto& [key, value] : options) {
    assert_int_equal(dyno_server_set(held.server, key, value), DYNO_OK);
    if (std::string_view(key) == "tls") scheme = "https";
  }
  assert_int_equal(dyno_server_start(held.server), DYNO_OK);
  return scheme +
         "://127.0.0.1:" + std::to_string(dyno_server_port(held.server));
}

}  // namespace dyno::test
