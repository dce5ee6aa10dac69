// Addresses: what is read as a literal, and that it is printed as it was read.
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

#include <cstring>
#include <string>

#include "net/address.hh"
#include "unit/cmocka.hh"

using dyno::Address;
using dyno::Code;
using dyno::parse_address;
using dyno::parse_literal;
using dyno::unix_address;

namespace {

void check_literal(const char* text, int family, const char* printed) {
  const auto address = parse_literal(text, 8080);
  assert_true(address.has_value());
  assert_int_equal(address->family(), family);
  assert_int_equal(address->port(), 8080);
  assert_string_equal(address->text().c_str(), printed);
}

void literals_are_printed_with_their_port(void**) {
  check_literal("127.0.0.1", AF_INET, "127.0.0.1:8080");
  check_literal("::1", AF_INET6, "[::1]:8080");
  check_literal("[::1]", AF_INET6, "[::1]:8080");
  check_literal("2001:DB8::0:1", AF_INET6, "[2001:db8::1]:8080");
  check_literal("::ffff:127.0.0.1", AF_INET6, "[::ffff:127.0.0.1]:8080");
}

void a_literal_fits_its_socket_address(void**) {
  assert_int_equal(parse_literal("127.0.0.1", 1)->length, sizeof(sockaddr_in));
  assert_int_equal(parse_literal("::1", 1)->length, sizeof(sockaddr_in6));
}

void what_is_no_literal_is_left_to_the_resolver(void**) {
  for (const char* text :
       {"", "localhost", "127.1", "0x7f000001", "1.2.3.400", "1.2.3.4.5",
        "[127.0.0.1]", "[]", "[::1", "::1]", ":::", "fe80::1%lo", " ::1"})
    assert_false(parse_literal(text, 80).has_value());
}

void a_nul_does_not_end_a_literal(void**) {
  const std::string_view text("127.0.0.1\0.example", 18);
  assert_false(parse_literal(text, 80).has_value());
}

void a_zone_goes_by_name_or_number(void**) {
  const unsigned lo = if_nametoindex("lo");
  if (lo == 0) skip();
  const auto named = parse_address("fe80::1%lo", 80);
  assert_true(named.is_ok());
  assert_string_equal(named.value().text().c_str(), "[fe80::1%lo]:80");
  const auto numbered =
      parse_address("[fe80::1%" + std::to_string(lo) + "]", 80);
  assert_true(numbered.is_ok());
  assert_true(numbered.value() == named.value());
  assert_false(named.value() == *parse_literal("fe80::1", 80));
}

void a_zone_without_an_interface_keeps_its_number(void**) {
  const auto address = parse_address("fe80::1%4000000", 80);
  assert_true(address.is_ok());
  assert_string_equal(address.value().text().c_str(), "[fe80::1%4000000]:80");
}

void an_unknown_zone_is_named_with_the_known_ones(void**) {
  const auto address = parse_address("fe80::1%nowhere0", 80);
  assert_false(address.is_ok());
  assert_int_equal(address.status().code, Code::value);
  const std::string& message = address.status().message;
  assert_non_null(strstr(message.c_str(), "\"nowhere0\""));
  assert_non_null(strstr(message.c_str(), "use one of: "));
  assert_false(parse_address("fe80::1%", 80).is_ok());
  assert_false(parse_address("fe80::1%0", 80).is_ok());
}

void an_ipv4_address_takes_no_zone(void**) {
  assert_false(parse_address("127.0.0.1%lo", 80).is_ok());
}

void addresses_differ_by_family_host_and_port(void**) {
  const Address address = *parse_literal("127.0.0.1", 80);
  assert_true(address == *parse_literal("127.0.0.1", 80));
  assert_false(address == *parse_literal("127.0.0.2", 80));
  assert_false(address == *parse_literal("127.0.0.1", 81));
  assert_false(address == *parse_literal("::ffff:127.0.0.1", 80));
  assert_false(*parse_literal("::1", 80) == *parse_literal("::2", 80));
}

void a_copy_of_a_system_address_is_the_same(void**) {
  const Address address = *parse_literal("::1", 80);
  assert_true(dyno::make_address(address.get(), address.length) == address);
}

void a_unix_socket_is_an_address_without_a_port(void**) {
  const Address address = unix_address("/run/http.sock").value();
  assert_string_equal(address.text().c_str(), "unix:/run/http.sock");
  assert_int_equal(address.family(), AF_UNIX);
  assert_int_equal(address.port(), 0);
  assert_true(address == unix_address("/run/http.sock").value());
  assert_false(address == unix_address("/run/other.sock").value());
  assert_false(address == *parse_literal("127.0.0.1", 0));
}

void a_path_of_a_unix_socket_has_a_length(void**) {
  assert_true(unix_address(std::string(107, 'x')).is_ok());
  for (const size_t length : {0, 108}) {
    const auto address = unix_address(std::string(length, 'x'));
    assert_false(address.is_ok());
    assert_non_null(strstr(address.status().message.c_str(), "107 bytes"));
  }
}

void the_empty_address_has_a_text(void**) {
  assert_string_equal(Address{}.text().c_str(), "no address");
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(literals_are_printed_with_their_port),
      cmocka_unit_test(a_literal_fits_its_socket_address),
      cmocka_unit_test(what_is_no_literal_is_left_to_the_resolver),
      cmocka_unit_test(a_nul_does_not_end_a_literal),
      cmocka_unit_test(a_zone_goes_by_name_or_number),
      cmocka_unit_test(a_zone_without_an_interface_keeps_its_number),
      cmocka_unit_test(an_unknown_zone_is_named_with_the_known_ones),
      cmocka_unit_test(an_ipv4_address_takes_no_zone),
      cmocka_unit_test(addresses_differ_by_family_host_and_port),
      cmocka_unit_test(a_copy_of_a_system_address_is_the_same),
      cmocka_unit_test(a_unix_socket_is_an_address_without_a_port),
      cmocka_unit_test(a_path_of_a_unix_socket_has_a_length),
      cmocka_unit_test(the_empty_address_has_a_text),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
