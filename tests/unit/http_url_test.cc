// URLs: what reaches the wire, what reaches the connection, what is refused.
#include "http/url.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

struct Row {
  std::string_view url;
  const char* host;
  uint16_t port;
  const char* authority;
  const char* target;
};

void check(const Row& row) {
  Result<Url> url = parse_url(row.url);
  if (!url.is_ok()) fail_msg("%s", url.status().message.c_str());
  assert_string_equal(url.value().scheme.c_str(), "http");
  assert_string_equal(url.value().host.c_str(), row.host);
  assert_int_equal(url.value().port, row.port);
  assert_string_equal(url.value().authority().c_str(), row.authority);
  assert_string_equal(url.value().target.c_str(), row.target);
}

void targets_are_path_and_query_as_written(void**) {
  const Row rows[] = {
      {"http://h/", "h", 80, "h", "/"},
      {"http://h", "h", 80, "h", "/"},
      // 27: no fragment on the wire, a query without a path, %20 untouched.
      {"http://h/ok?a=1&b=%20x#frag", "h", 80, "h", "/ok?a=1&b=%20x"},
      {"http://h?x=1", "h", 80, "h", "/?x=1"},
      {"http://h#f", "h", 80, "h", "/"},
      {"http://h?x#a?b", "h", 80, "h", "/?x"},
      {"http://h/#?b", "h", 80, "h", "/"},
      // No dot segments, slashes or escapes are folded.
      {"http://h/a/../b/./c", "h", 80, "h", "/a/../b/./c"},
      {"http://h//a//", "h", 80, "h", "//a//"},
      {"http://h/%7Ea%zz", "h", 80, "h", "/%7Ea%zz"},
      {"http://h/a@b:c", "h", 80, "h", "/a@b:c"},
      {"http://h/?u=http://x:1/y", "h", 80, "h", "/?u=http://x:1/y"},
      {"http://h/a|{b}", "h", 80, "h", "/a|{b}"},
  };
  for (const Row& row : rows) check(row);
}

void the_host_field_has_a_port_only_where_it_is_not_the_default(void**) {
  const Row rows[] = {
      {"http://h:8080/", "h", 8080, "h:8080", "/"},
      {"http://h:80/", "h", 80, "h", "/"},
      {"http://h:/", "h", 80, "h", "/"},
      {"http://h:", "h", 80, "h", "/"},
      {"http://h:443/", "h", 443, "h:443", "/"},
      {"http://h:1?x", "h", 1, "h:1", "/?x"},
      {"http://h:65535", "h", 65535, "h:65535", "/"},
      {"http://h:0080/", "h", 80, "h", "/"},
      {"HTTP://Some-Host_1.example.:81/A", "Some-Host_1.example.", 81,
       "Some-Host_1.example.:81", "/A"},
      {"http://127.0.0.1:8080", "127.0.0.1", 8080, "127.0.0.1:8080", "/"},
      {"http://xn--bcher-kva.example/", "xn--bcher-kva.example", 80,
       "xn--bcher-kva.example", "/"},
  };
  for (const Row& row : rows) check(row);
}

void ipv6_literals_keep_their_brackets_in_the_host_field(void**) {
  const Row rows[] = {
      {"http://[::1]:8080/", "::1", 8080, "[::1]:8080", "/"},
      {"http://[::1]/", "::1", 80, "[::1]", "/"},
      {"http://[::1]", "::1", 80, "[::1]", "/"},
      {"http://[::1]:?x", "::1", 80, "[::1]", "/?x"},
      {"http://[::ffff:127.0.0.1]:81/", "::ffff:127.0.0.1", 81,
       "[::ffff:127.0.0.1]:81", "/"},
      {"http://[fe80::1%25lo]:81/", "fe80::1", 81, "[fe80::1]:81", "/"},
  };
  for (const Row& row : rows) {
    check(row);
    assert_true(parse_url(row.url).value().is_ipv6);
  }
  assert_false(parse_url("http://127.0.0.1/").value().is_ipv6);
}

void a_zone_is_decoded_and_kept_for_the_connection_alone(void**) {
  const auto zone_of = [](std::string_view url) {
    return parse_url(url).value().zone;
  };
  assert_string_equal(zone_of("http://[fe80::1%25lo]/").c_str(), "lo");
  assert_string_equal(zone_of("http://[fe80::1%25eth0.1]/").c_str(), "eth0.1");
  assert_string_equal(zone_of("http://[fe80::1%25a%2Fb]/").c_str(), "a/b");
  assert_string_equal(zone_of("http://[fe80::1]/").c_str(), "");
}

struct Refusal {
  std::string_view url;
  const char* words;  // of the message
};

void a_refusal_names_the_url_and_the_remedy(void**) {
  const Refusal rows[] = {
      {"", "try http://"},
      {"localhost:8080/x", "try http://localhost:8080/x"},
      {"localhost", "try http://localhost"},
      {"//localhost/", "try http://localhost/"},
      {"http:localhost/", "try http://localhost/"},
      {"http:/localhost/", "try http://localhost/"},
      {"https:localhost/", "try https://localhost/"},
      {"h/?u=http://x", "try http://h/?u=http://x"},
      {"://h/", "has no scheme"},
      {"ftp://h/", "try http://h/"},
      {"http://", "has no host"},
      {"http:///x", "has no host"},
      {"http://:80/", "has no host"},
      {"http://?x", "has no host"},
      {"http://h/a b", "%20"},
      {" http://h/", "%20"},
      {"http://h/\n", "percent-encode"},
      {"http://h/\x7f", "percent-encode"},
      {"http://h/\xc3\xa4", "percent-encode"},
      {std::string_view("http://h/\0", 10), "percent-encode"},
      {"http://h:0/", "1 to 65535"},
      {"http://h:65536/", "1 to 65535"},
      {"http://h:99999999999999999999/", "1 to 65535"},
      {"http://h:8o/", "1 to 65535"},
      {"http://h:-1/", "1 to 65535"},
      {"http://h:+1/", "1 to 65535"},
      {"http://h:80x/", "1 to 65535"},
      {"http://[::1]:x/", "1 to 65535"},
      {"http://[::1]8080/", "after the ]"},
      {"http://[::1/", "without its ]"},
      {"http://[]/", "no IPv6 address"},
      {"http://[127.0.0.1]/", "no IPv6 address"},
      {"http://[::g]/", "no IPv6 address"},
      {"http://[v1.x]/", "no IPv6 address"},
      {"http://[fe80::1%lo]/", "%25"},
      {"http://[fe80::1%25]/", "%25"},
      {"http://[fe80::1%25a%0]/", "%25"},
      {"http://[fe80::1%25a%00]/", "%25"},
      {"http://::1:8080/", "http://[::1]:8080/"},
      {"http://::1/", "http://[::1]:8080/"},
      {"http://a,b/", "no name"},
      {"http://a%41/", "no name"},
      {"http://a]/", "no name"},
      {"http://a\\b/", "no name"},
  };
  for (const Refusal& row : rows) {
    const Result<Url> url = parse_url(row.url);
    if (url.is_ok())
      fail_msg("%.*s was taken", static_cast<int>(row.url.size()),
               row.url.data());
    const Status& status = url.status();
    assert_int_equal(status.code, Code::value);
    assert_string_equal(status.key.c_str(), "target.url");
    assert_true(status.message.starts_with("target.url: \""));
    if (status.message.find(row.words) == std::string::npos)
      fail_msg("%s: without %s", status.message.c_str(), row.words);
  }
}

void https_has_its_own_default_port(void**) {
  const Url url = parse_url("HTTPS://h/x").value();
  assert_true(url.is_tls());
  assert_int_equal(url.port, 443);
  assert_string_equal(url.authority().c_str(), "h");
  const Url other = parse_url("https://h:80/").value();
  assert_string_equal(other.authority().c_str(), "h:80");
  const Url plain = parse_url("http://h:443/").value();
  assert_false(plain.is_tls());
  assert_string_equal(plain.authority().c_str(), "h:443");
}

void credentials_are_refused_and_not_repeated(void**) {
  for (const char* text :
       {"http://bob:secret@h:81/x", "http://secret@h:81/x",
        "http://bob:sec@ret@h:81/x", "http://bob:secret@[::1]:81/x"}) {
    const Result<Url> url = parse_url(text);
    assert_false(url.is_ok());
    const std::string& message = url.status().message;
    assert_true(message.find("Authorization") != std::string::npos);
    assert_true(message.find("sec") == std::string::npos);
    assert_true(message.find("ret") == std::string::npos);
  }
}

void a_message_has_no_byte_that_could_harm_a_terminal(void**) {
  const Result<Url> url =
      parse_url("http://h/\x1b[2J\n" + std::string(999, 'x'));
  const std::string& message = url.status().message;
  for (const char byte : message) assert_true(byte >= ' ' && byte <= '~');
  assert_true(message.find("\\x1b[2J\\x0a") != std::string::npos);
  assert_true(message.size() < 400);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(targets_are_path_and_query_as_written),
      cmocka_unit_test(
          the_host_field_has_a_port_only_where_it_is_not_the_default),
      cmocka_unit_test(ipv6_literals_keep_their_brackets_in_the_host_field),
      cmocka_unit_test(a_zone_is_decoded_and_kept_for_the_connection_alone),
      cmocka_unit_test(a_refusal_names_the_url_and_the_remedy),
      cmocka_unit_test(https_has_its_own_default_port),
      cmocka_unit_test(credentials_are_refused_and_not_repeated),
      cmocka_unit_test(a_message_has_no_byte_that_could_harm_a_terminal),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
