// The server's option table and the life of a server around it.
#include <string>

#include "server/options.hh"
#include "unit/server_fixture.hh"

namespace dyno::server {
namespace {

std::string refusal(const char* key, const char* value) {
  Server server;
  const Status status = server.set(key, value);
  return status.key + " | " + status.message;
}

void every_row_has_a_help_and_a_default_that_is_valid(void**) {
  for (const OptionRow& row : server_options().rows()) {
    assert_true(row.help[0] != '\0');
    assert_true(parse_value(row, row.fallback).is_ok());
    assert_ptr_equal(server_options().find(row.key), &row);
  }
}

void defaults_are_those_of_the_table(void**) {
  ServerConfig config;
  server_options().set_defaults(&config);
  assert_string_equal(config.host.c_str(), "127.0.0.1");
  assert_int_equal(config.port, 8080);
  assert_int_equal(config.backlog, 4096);
  assert_int_equal(config.max_requests, kUnlimited);
  assert_true(config.close_header);
  assert_true(config.pipelined == Pipelined::concurrent);
  assert_true(config.after_close == AfterClose::discard);
}

void an_unknown_key_names_the_nearest(void**) {
  expect_has(refusal("max_conections", "5"), "did you mean max_connections?");
}

void a_bad_value_names_key_value_and_remedy(void**) {
  expect_has(refusal("delay", "fast"), "delay | delay: \"fast\" is not a");
  expect_has(refusal("port", "70000"), "out of range; use 0 to 65535");
  expect_has(refusal("fault", "explode"), "one of: none reset close never");
  expect_has(refusal("cpus", "1-x"), "cpus | cpus: ");
}

void a_started_server_takes_no_options(void**) {
  serve();
  const Status status = fixture().server->set("delay", "1ms");
  assert_true(status.code == Code::state);
  assert_true(fixture().server->start().code == Code::state);
}

void a_port_that_is_served_is_an_error_with_threads_too(void**) {
  serve({{"threads", "2"}});
  const std::string port = std::to_string(fixture().server->port());
  Server second;
  assert_true(second.set("port", port).is_ok());
  assert_true(second.set("threads", "2").is_ok());
  const Status status = second.start();
  assert_true(status.code == Code::system);
  expect_has(status.message, "127.0.0.1:" + port);
  expect_text(status.key, "port");
  // Another port would do.
  assert_true(second.set("port", "0").is_ok());
  assert_true(second.start().is_ok());
}

void a_foreign_processor_is_an_error_of_start(void**) {
  Server server;
  assert_true(server.set("port", "0").is_ok());
  assert_true(server.set("cpus", "1023").is_ok());
  const Status status = server.start();
  assert_true(status.code == Code::system);
  expect_text(status.key, "cpus");
}

void fewer_connections_than_threads_are_refused(void**) {
  Server server;
  assert_true(server.set("threads", "3").is_ok());
  assert_true(server.set("max_connections", "2").is_ok());
  expect_text(server.start().key, "max_connections");
}

void a_host_that_is_no_address_is_refused(void**) {
  Server server;
  assert_true(server.set("host", "999.1.1.1 x").is_ok());
  const Status status = server.start();
  assert_false(status.is_ok());
  expect_text(status.key, "host");
}

void a_name_is_looked_up(void**) {
  serve({{"host", "localhost"}});
  assert_true(fixture().server->port() > 0);
}

void the_seed_is_not_called_a_count(void**) {
  const std::string help = server_options().find("sequence_header")->help;
  if (help.find("both counted from 1, and X-Dyno-Seed") == help.npos)
    fail_msg("\"%s\"", help.c_str());
}

}  // namespace
}  // namespace dyno::server

int main() {
  using namespace dyno::server;
  const CMUnitTest tests[] = {
      cmocka_unit_test(every_row_has_a_help_and_a_default_that_is_valid),
      cmocka_unit_test(defaults_are_those_of_the_table),
      cmocka_unit_test(an_unknown_key_names_the_nearest),
      cmocka_unit_test(a_bad_value_names_key_value_and_remedy),
      SERVER_TEST(a_started_server_takes_no_options),
      SERVER_TEST(a_port_that_is_served_is_an_error_with_threads_too),
      cmocka_unit_test(a_foreign_processor_is_an_error_of_start),
      cmocka_unit_test(fewer_connections_than_threads_are_refused),
      cmocka_unit_test(a_host_that_is_no_address_is_refused),
      SERVER_TEST(a_name_is_looked_up),
      cmocka_unit_test(the_seed_is_not_called_a_count),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
