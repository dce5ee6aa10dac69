// The resolver against a private name server on loopback: outcomes and query
// counts, never times.
#include <sys/eventfd.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "net/resolver.hh"
#include "unit/cmocka.hh"
#include "unit/net_dns_server.hh"

using dyno::Code;
using dyno::kMillisecond;
using dyno::kSecond;
using dyno::ResolveOptions;
using dyno::test::Answers;
using dyno::test::DnsServer;

namespace {

// The servers of the test that runs: a failing assert jumps over destructors,
// the group's teardown does not.
std::unique_ptr<DnsServer> server;
std::unique_ptr<DnsServer> second;

int stop_servers(void**) {
  server.reset();
  second.reset();
  return 0;
}

void start(Answers answers) {
  server = std::make_unique<DnsServer>(answers);
}

ResolveOptions ask_server(int64_t timeout_ns = 3600 * kSecond) {
  ResolveOptions options;
  options.timeout_ns = timeout_ns;
  if (server) options.servers = server->name();
  return options;
}

// "a b" for the addresses a and b, or the message of the error.
std::string resolved(const char* host, const ResolveOptions& options,
                     const char* zone = "") {
  const auto result = dyno::resolve(host, zone, 80, options);
  if (!result.is_ok()) return result.status().message;
  std::string text;
  for (const dyno::Address& address : result.value())
    text += (text.empty() ? "" : " ") + address.text();
  return text;
}

void check_failed(const char* host, const ResolveOptions& options,
                  const char* reason, const char* remedy) {
  const auto result = dyno::resolve(host, "", 80, options);
  assert_false(result.is_ok());
  assert_int_equal(result.status().code, Code::resolve);
  assert_string_equal(result.status().key.c_str(), "target.url");
  const char* const message = result.status().message.c_str();
  const std::string quoted = "\"" + std::string(host) + "\"";
  assert_non_null(strstr(message, quoted.c_str()));
  assert_non_null(strstr(message, reason));
  assert_non_null(strstr(message, remedy));
}

void a_literal_needs_no_server(void**) {
  start(Answers::both);
  assert_string_equal(resolved("127.0.0.1", ask_server()).c_str(),
                      "127.0.0.1:80");
  assert_string_equal(resolved("::1", ask_server()).c_str(), "[::1]:80");
  assert_string_equal(resolved("fe80::1", ask_server(), "4000000").c_str(),
                      "[fe80::1%4000000]:80");
  assert_int_equal(server->queries(), 0);
}

void a_zone_belongs_to_an_ipv6_literal(void**) {
  const auto name = dyno::resolve("example.invalid", "lo", 80);
  assert_int_equal(name.status().code, Code::resolve);
  assert_string_equal(name.status().key.c_str(), "target.url");
  const auto unknown = dyno::resolve("fe80::1", "nowhere0", 80);
  assert_int_equal(unknown.status().code, Code::resolve);
  assert_string_equal(unknown.status().key.c_str(), "target.url");
  assert_int_equal(dyno::resolve("127.0.0.1", "lo", 80).status().code,
                   Code::resolve);
}

void a_broken_literal_is_no_name(void**) {
  start(Answers::both);
  check_failed("127.1", ask_server(), "not an address", "127.0.0.1");
  check_failed("1.2.3.400", ask_server(), "not an address", "127.0.0.1");
  check_failed("", ask_server(), "not a valid host name", "localhost");
  assert_int_equal(server->queries(), 0);
}

void localhost_is_loopback_without_dns(void**) {
  start(Answers::both);
  for (const char* name : {"localhost", "LocalHost", "localhost.",
                           "a.localhost", "a.b.LOCALHOST."}) {
    const auto result = dyno::resolve(name, "", 80, ask_server());
    assert_true(result.is_ok());
    for (const dyno::Address& address : result.value()) {
      const std::string text = address.text();
      assert_true(text == "127.0.0.1:80" || text == "[::1]:80");
    }
  }
  assert_int_equal(server->queries(), 0);
}

void a_name_has_both_families_and_no_duplicates(void**) {
  start(Answers::both);
  const std::string text = resolved("both.invalid", ask_server());
  assert_int_equal(text.size(), strlen("192.0.2.1:80 [2001:db8::1]:80"));
  assert_non_null(strstr(text.c_str(), "192.0.2.1:80"));
  assert_non_null(strstr(text.c_str(), "[2001:db8::1]:80"));
  assert_int_equal(server->queries(), 2);
}

void a_name_with_one_family_is_enough(void**) {
  start(Answers::v4_only);
  assert_string_equal(resolved("v4.invalid", ask_server()).c_str(),
                      "192.0.2.1:80");
}

void truncated_answers_are_asked_for_again_over_tcp(void**) {
  start(Answers::over_tcp);
  const std::string text = resolved("long.invalid", ask_server());
  assert_non_null(strstr(text.c_str(), "192.0.2.1:80"));
  assert_true(server->tcp_queries() > 0);
}

void no_such_name_is_said(void**) {
  start(Answers::nxdomain);
  check_failed("nonexistent.invalid", ask_server(), "no such name",
               "check the spelling");
  assert_true(server->queries() > 0);
}

void a_name_without_addresses_is_said(void**) {
  start(Answers::none);
  check_failed("empty.invalid", ask_server(), "has no address",
               "give an address");
}

void a_server_failure_is_said(void**) {
  start(Answers::servfail);
  check_failed("servfail.invalid", ask_server(), "server failure",
               "another DNS server");
}

void a_refusing_server_is_said(void**) {
  start(Answers::refused);
  check_failed("refused.invalid", ask_server(), "refused the query",
               "another DNS server");
}

void a_server_that_is_not_there_is_said(void**) {
  start(Answers::mute);
  const ResolveOptions options = ask_server();
  server.reset();
  check_failed("name.invalid", options,
               "no DNS server could be reached (connection refused)",
               "/etc/resolv.conf");
}

void an_impossible_name_is_said(void**) {
  start(Answers::both);
  const std::string label(64, 'a');
  check_failed((label + ".invalid").c_str(), ask_server(),
               "not a valid host name", "check the spelling");
}

void a_mute_server_ends_in_the_time_out(void**) {
  start(Answers::mute);
  check_failed("mute.invalid", ask_server(20 * kMillisecond),
               "timed out after 20ms", "resolve.timeout");
}

void one_family_is_kept_when_the_other_times_out(void**) {
  start(Answers::v4_then_mute);
  const std::string text =
      resolved("half.invalid", ask_server(500 * kMillisecond));
  assert_string_equal(text.c_str(), "192.0.2.1:80");
}

void a_dead_first_server_leaves_time_for_the_second(void**) {
  start(Answers::mute);
  second = std::make_unique<DnsServer>(Answers::v4_only);
  ResolveOptions options = ask_server(2 * kSecond);
  options.servers += "," + second->name();
  assert_string_equal(resolved("name.invalid", options).c_str(),
                      "192.0.2.1:80");
}

void a_readable_descriptor_cancels(void**) {
  start(Answers::mute);
  ResolveOptions options = ask_server();
  options.cancel_fd = eventfd(1, EFD_CLOEXEC);
  const Code code =
      dyno::resolve("mute.invalid", "", 80, options).status().code;
  close(options.cancel_fd);
  assert_int_equal(code, Code::canceled);
}

void another_thread_cancels(void**) {
  start(Answers::mute);
  ResolveOptions options = ask_server();
  options.cancel_fd = eventfd(0, EFD_CLOEXEC);
  std::thread other([&] { eventfd_write(options.cancel_fd, 1); });
  const Code code =
      dyno::resolve("mute.invalid", "", 80, options).status().code;
  other.join();
  close(options.cancel_fd);
  assert_int_equal(code, Code::canceled);
}

void a_quiet_descriptor_cancels_nothing(void**) {
  start(Answers::v4_only);
  ResolveOptions options = ask_server();
  options.cancel_fd = eventfd(0, EFD_CLOEXEC);
  const std::string text = resolved("name.invalid", options);
  close(options.cancel_fd);
  assert_string_equal(text.c_str(), "192.0.2.1:80");
}

void wrong_servers_are_an_error(void**) {
  ResolveOptions options;
  options.servers = "no server";
  const auto result = dyno::resolve("name.invalid", "", 80, options);
  assert_false(result.is_ok());
  assert_int_equal(result.status().code, Code::resolve);
}

void threads_resolve_side_by_side(void**) {
  start(Answers::v4_only);
  const ResolveOptions options = ask_server();
  std::array<std::string, 4> texts;
  std::vector<std::thread> threads;
  for (std::string& text : texts)
    threads.emplace_back([&] { text = resolved("name.invalid", options); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts)
    assert_string_equal(text.c_str(), "192.0.2.1:80");
}

}  // namespace

#define TEST(name) cmocka_unit_test_teardown(name, stop_servers)

int main() {
  const CMUnitTest tests[] = {
      TEST(a_literal_needs_no_server),
      TEST(a_zone_belongs_to_an_ipv6_literal),
      TEST(a_broken_literal_is_no_name),
      TEST(localhost_is_loopback_without_dns),
      TEST(a_name_has_both_families_and_no_duplicates),
      TEST(a_name_with_one_family_is_enough),
      TEST(truncated_answers_are_asked_for_again_over_tcp),
      TEST(no_such_name_is_said),
      TEST(a_name_without_addresses_is_said),
      TEST(a_server_failure_is_said),
      TEST(a_refusing_server_is_said),
      TEST(a_server_that_is_not_there_is_said),
      TEST(an_impossible_name_is_said),
      TEST(a_mute_server_ends_in_the_time_out),
      TEST(one_family_is_kept_when_the_other_times_out),
      TEST(a_dead_first_server_leaves_time_for_the_second),
      TEST(a_readable_descriptor_cancels),
      TEST(another_thread_cancels),
      TEST(a_quiet_descriptor_cancels_nothing),
      TEST(wrong_servers_are_an_error),
      TEST(threads_resolve_side_by_side),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
