// Routes: what targets ask for, and what is refused with which advice.
#include <string>

#include "server/route.hh"
#include "unit/cmocka.hh"

namespace dyno::server {
namespace {

Route route(const char* target, const char* method = "GET",
            int64_t delay_ns = 0) {
  ServerConfig config;
  server_options().set_defaults(&config);
  config.delay_ns = delay_ns;
  RequestHead head;
  head.target = target;
  head.method = method;
  return find_route(head, config);
}

void expect_refused(const char* target, int status, const char* part,
                    const char* method = "GET") {
  const Route refused = route(target, method);
  assert_true(refused.kind == RouteKind::refused);
  assert_int_equal(refused.status, status);
  if (refused.problem.find(part) == std::string::npos)
    fail_msg("\"%s\" lacks \"%s\"", refused.problem.c_str(), part);
}

void targets_of_all_forms_are_routed(void**) {
  assert_true(route("/").kind == RouteKind::hello);
  assert_true(route("/?anything=1&c").kind == RouteKind::hello);
  assert_true(route("http://host:80").kind == RouteKind::hello);
  assert_true(route("http://host?x=1").kind == RouteKind::hello);
  assert_true(route("http://host:80/rnd?c=5").kind == RouteKind::rnd);
  assert_true(route("/snoop", "PURGE").kind == RouteKind::snoop);
  assert_true(route("/echo", "PUT").kind == RouteKind::echo);
  assert_true(route("/stats", "HEAD").kind == RouteKind::stats);
}

void arguments_are_read(void**) {
  assert_int_equal(route("/rnd").bytes, 100);
  assert_int_equal(route("/rnd?x=1&c=2048").bytes, 2048);
  assert_int_equal(route("/bytes/64KiB").bytes, 65536);
  assert_int_equal(route("/chunked/0").bytes, 0);
  assert_int_equal(route("/status/503").status, 503);
  assert_int_equal(route("/wait/10").behaviour.delay_ns, 10 * kMillisecond);
  assert_int_equal(route("/wait/0.25").behaviour.delay_ns, 250 * kMicrosecond);
}

void what_is_no_argument_is_refused_with_advice(void**) {
  expect_refused("/rnd?c=many", 400, "try 2048");
  expect_refused("/rnd?c=", 400, "try 2048");
  expect_refused("/rnd?c=-1", 400, "try 2048");
  expect_refused("/bytes/2000GiB", 400, "up to 1024GiB");
  expect_refused("/wait/", 400, "try /wait/10");
  expect_refused("/wait/soon", 400, "\"soon\"");
  expect_refused("/wait/1s5", 400, "try /wait/10");
  expect_refused("/wait/1e3", 400, "try /wait/10");
  expect_refused("/wait/3600001", 400, "up to an hour");
  expect_refused("/status/100", 400, "try /status/503");
  expect_refused("/status/2000", 400, "try /status/503");
  expect_refused("/nowhere", 404, "/snoop");
  expect_refused("/wait", 404, "/wait/MS");
  expect_refused("*", 404, "no such route", "OPTIONS");
}

void a_wrong_method_is_told_the_right_ones(void**) {
  expect_refused("/", 405, "no DELETE here", "DELETE");
  assert_string_equal(route("/", "DELETE").allow.c_str(), "GET, HEAD, POST");
  assert_string_equal(route("/echo").allow.c_str(), "POST, PUT");
  assert_string_equal(route("/stats", "POST").allow.c_str(), "GET, HEAD");
}

void the_query_says_how_to_answer(void**) {
  const Route asked = route(
      "/rnd?c=5&delay=5ms&jitter=1ms&fault=reset&fault_share=7&truncate=9"
      "&split=3");
  assert_int_equal(asked.behaviour.delay_ns, 5 * kMillisecond);
  assert_int_equal(asked.behaviour.jitter_ns, kMillisecond);
  assert_true(asked.behaviour.fault == Fault::reset);
  assert_int_equal(asked.behaviour.fault_share, 7);
  assert_int_equal(asked.behaviour.truncate, 9);
  assert_int_equal(asked.behaviour.split, 3);
  expect_refused("/?delay=fast", 400, "try 500ms");
  expect_refused("/?fault=explode", 400, "one of: none reset close never");
}

void the_nearest_delay_counts(void**) {
  assert_int_equal(route("/", "GET", 7).behaviour.delay_ns, 7);
  assert_int_equal(route("/wait/0", "GET", 7).behaviour.delay_ns, 0);
  assert_int_equal(route("/wait/1?delay=3ns", "GET", 7).behaviour.delay_ns, 3);
  assert_int_equal(route("/stats?delay=3ns", "GET", 7).behaviour.delay_ns, 0);
  assert_int_equal(route("/nowhere", "GET", 7).behaviour.delay_ns, 0);
}

}  // namespace
}  // namespace dyno::server

int main() {
  using namespace dyno::server;
  const CMUnitTest tests[] = {
      cmocka_unit_test(targets_of_all_forms_are_routed),
      cmocka_unit_test(arguments_are_read),
      cmocka_unit_test(what_is_no_argument_is_refused_with_advice),
      cmocka_unit_test(a_wrong_method_is_told_the_right_ones),
      cmocka_unit_test(the_query_says_how_to_answer),
      cmocka_unit_test(the_nearest_delay_counts),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
