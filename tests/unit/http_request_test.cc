// Request text and the block that repeats it.
#include "http/request.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

RequestSpec spec_of(const char* method, std::vector<std::string> headers = {},
                    std::string body = {}) {
  RequestSpec spec;
  spec.method = method;
  spec.url = parse_url("http://h:81/p?q=1#f").value();
  spec.headers = std::move(headers);
  spec.body = std::move(body);
  return spec;
}

struct Row {
  RequestSpec spec;
  const char* text;
};

void a_request_is_no_longer_than_it_must_be(void**) {
  const Row rows[] = {
      {spec_of("GET"), "GET /p?q=1 HTTP/1.1\r\nHost: h:81\r\n\r\n"},
      {spec_of("HEAD"), "HEAD /p?q=1 HTTP/1.1\r\nHost: h:81\r\n\r\n"},
      {spec_of("DELETE"), "DELETE /p?q=1 HTTP/1.1\r\nHost: h:81\r\n\r\n"},
      {spec_of("get"), "get /p?q=1 HTTP/1.1\r\nHost: h:81\r\n\r\n"},
      {spec_of("GET", {"B: 2", "a:1", "Empty:"}),
       "GET /p?q=1 HTTP/1.1\r\nHost: h:81\r\nB: 2\r\na:1\r\nEmpty:\r\n\r\n"},
  };
  for (const Row& row : rows)
    assert_string_equal(request_text(row.spec).value().c_str(), row.text);
}

void a_host_given_replaces_ours_and_stays_first(void**) {
  const Row rows[] = {
      {spec_of("GET", {"A: 1", "hOST: other", "B: 2"}),
       "GET /p?q=1 HTTP/1.1\r\nhOST: other\r\nA: 1\r\nB: 2\r\n\r\n"},
      {spec_of("GET", {"Host:"}), "GET /p?q=1 HTTP/1.1\r\nHost:\r\n\r\n"},
  };
  for (const Row& row : rows)
    assert_string_equal(request_text(row.spec).value().c_str(), row.text);
}

void a_length_is_sent_where_a_body_is_or_could_be_expected(void**) {
  const Row rows[] = {
      {spec_of("POST", {}, "hello"),
       "POST /p?q=1 HTTP/1.1\r\nHost: h:81\r\nContent-Length: 5\r\n\r\nhello"},
      {spec_of("GET", {"A: 1"}, "hello"),
       "GET /p?q=1 HTTP/1.1\r\nHost: h:81\r\nA: 1\r\nContent-Length: 5\r\n\r\n"
       "hello"},
      {spec_of("POST"),
       "POST /p?q=1 HTTP/1.1\r\nHost: h:81\r\nContent-Length: 0\r\n\r\n"},
      {spec_of("PUT"),
       "PUT /p?q=1 HTTP/1.1\r\nHost: h:81\r\nContent-Length: 0\r\n\r\n"},
      {spec_of("PATCH"),
       "PATCH /p?q=1 HTTP/1.1\r\nHost: h:81\r\nContent-Length: 0\r\n\r\n"},
      {spec_of("POST", {"content-length: 5"}, "hello"),
       "POST /p?q=1 HTTP/1.1\r\nHost: h:81\r\ncontent-length: 5\r\n\r\nhello"},
      {spec_of("GET", {"Content-Length: 0"}),
       "GET /p?q=1 HTTP/1.1\r\nHost: h:81\r\nContent-Length: 0\r\n\r\n"},
      {spec_of("POST", {"Transfer-Encoding: chunked"},
               "5\r\nhello\r\n0\r\nX: 1\r\n\r\n"),
       "POST /p?q=1 HTTP/1.1\r\nHost: h:81\r\nTransfer-Encoding: chunked\r\n"
       "\r\n5\r\nhello\r\n0\r\nX: 1\r\n\r\n"},
  };
  for (const Row& row : rows)
    assert_string_equal(request_text(row.spec).value().c_str(), row.text);
}

void a_body_may_have_any_bytes(void**) {
  const std::string body("\0\r\n\xff", 4);
  const std::string text = request_text(spec_of("POST", {}, body)).value();
  assert_true(text.ends_with("Content-Length: 4\r\n\r\n" + body));
}

void without_keep_alive_the_request_says_close_once(void**) {
  RequestSpec spec = spec_of("GET");
  spec.keep_alive = false;
  assert_string_equal(
      request_text(spec).value().c_str(),
      "GET /p?q=1 HTTP/1.1\r\nHost: h:81\r\nConnection: close\r\n\r\n");
  spec.headers = {"connection: te, Close"};
  assert_string_equal(
      request_text(spec).value().c_str(),
      "GET /p?q=1 HTTP/1.1\r\nHost: h:81\r\nconnection: te, Close\r\n\r\n");
}

struct Refusal {
  RequestSpec spec;
  const char* key;
  const char* words;  // of the message
};

void what_could_not_be_one_request_is_refused(void**) {
  const Refusal rows[] = {
      {spec_of(""), "http.method", "try GET"},
      {spec_of("GET /x"), "http.method", "try GET"},
      {spec_of("GET\r\n"), "http.method", "GET\\x0d\\x0a"},
      {spec_of("CONNECT"), "http.method", "tunnel"},
      {spec_of("GET", {"nocolon"}), "http.header", "Name: value"},
      {spec_of("GET", {""}), "http.header", "no colon"},
      {spec_of("GET", {": v"}), "http.header", "name"},
      {spec_of("GET", {"A B: v"}), "http.header", "name"},
      {spec_of("GET", {" A: v"}), "http.header", "name"},
      {spec_of("GET", {"A : v"}), "http.header", "name"},
      {spec_of("GET", {"A: v\r\nB: w"}), "http.header", "\\x0d\\x0a"},
      {spec_of("GET", {"A: v\nB: w"}), "http.header", "CR, LF or NUL"},
      {spec_of("GET", {"A: v\r"}), "http.header", "CR, LF or NUL"},
      {spec_of("GET", {std::string("A: \0", 4)}), "http.header", "NUL"},
      {spec_of("GET", {"A\n: v"}), "http.header", "CR, LF or NUL"},
      {spec_of("GET", {"Host: a", "host: b"}), "http.header", "second Host"},
      {spec_of("POST", {"Content-Length: 4"}, "hello"), "http.header",
       "5 bytes"},
      {spec_of("POST", {"Content-Length: 5x"}, "hello"), "http.header",
       "5 bytes"},
      {spec_of("GET", {"Content-Length: 1"}), "http.header", "0 bytes"},
      {spec_of("POST", {"Content-Length: 5", "content-length: 5"}, "hello"),
       "http.header", "second Content-Length"},
      {spec_of("POST", {"Transfer-Encoding: chunked"}, "hello"), "http.header",
       "chunked already"},
      {spec_of("POST", {"Transfer-Encoding: chunked"}, "0\r\n\r\nmore"),
       "http.header", "chunked already"},
      {spec_of("POST", {"Transfer-Encoding: chunked"}), "http.header",
       "chunked already"},
      {spec_of("POST", {"Transfer-Encoding: gzip"}, "0\r\n\r\n"), "http.header",
       "chunked already"},
      {spec_of("POST", {"Transfer-Encoding: chunked", "Content-Length: 5"},
               "0\r\n\r\n"),
       "http.header", "one or none"},
      {spec_of("POST", {"Content-Length: 5", "Transfer-Encoding: chunked"},
               "0\r\n\r\n"),
       "http.header", "one or none"},
  };
  for (const Refusal& row : rows) {
    const Result<std::string> text = request_text(row.spec);
    if (text.is_ok()) fail_msg("taken: %s", text.value().c_str());
    const Status& status = text.status();
    assert_int_equal(status.code, Code::value);
    assert_string_equal(status.key.c_str(), row.key);
    assert_true(status.message.starts_with(std::string(row.key) + ": \""));
    if (status.message.find(row.words) == std::string::npos)
      fail_msg("%s: without %s", status.message.c_str(), row.words);
  }
}

void a_slice_starts_anywhere_in_a_request_and_ends_with_one(void**) {
  const std::string request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  const RequestBlock block(request);
  assert_int_equal(block.unit(), request.size());
  std::string three = request + request + request;
  for (size_t offset = 0; offset < request.size(); ++offset) {
    assert_int_equal(block.slice(0, offset).size(), 0);
    assert_true(block.slice(1, offset) == request.substr(offset));
    assert_true(block.slice(3, offset) == three.substr(offset));
  }
}

void slices_are_long_and_no_copies(void**) {
  const std::string request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  const RequestBlock block(request);
  const std::string_view all = block.slice(1'000'000, 0);
  assert_true(all.size() >= 64 * 1024);
  assert_int_equal(all.size() % request.size(), 0);
  assert_ptr_equal(block.slice(2, 5).data(), all.data() + 5);
}

// Any number of requests, written in slices of any length, come out whole.
void slices_follow_one_another_to_the_byte(void**) {
  for (const size_t unit : {size_t{1}, size_t{29}, size_t{40'000},
                            size_t{65'536}, size_t{100'000}}) {
    std::string request(unit, '.');
    request.front() = '<';
    request.back() = '>';
    const RequestBlock block(request);
    const size_t total = unit < 1000 ? 5000 : 4;
    std::string written;
    size_t step = 1;
    while (written.size() < total * unit) {
      const size_t offset = written.size() % unit;
      const size_t left = total - written.size() / unit;
      const std::string_view slice = block.slice(left, offset);
      assert_true(!slice.empty());
      assert_int_equal((offset + slice.size()) % unit, 0);
      written += slice.substr(0, step);
      step = step * 7 % 30'011;
    }
    assert_int_equal(written.size(), total * unit);
    for (size_t i = 0; i < total; ++i)
      assert_true(written.compare(i * unit, unit, request) == 0);
  }
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_request_is_no_longer_than_it_must_be),
      cmocka_unit_test(a_host_given_replaces_ours_and_stays_first),
      cmocka_unit_test(a_length_is_sent_where_a_body_is_or_could_be_expected),
      cmocka_unit_test(a_body_may_have_any_bytes),
      cmocka_unit_test(without_keep_alive_the_request_says_close_once),
      cmocka_unit_test(what_could_not_be_one_request_is_refused),
      cmocka_unit_test(a_slice_starts_anywhere_in_a_request_and_ends_with_one),
      cmocka_unit_test(slices_are_long_and_no_copies),
      cmocka_unit_test(slices_follow_one_another_to_the_byte),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
