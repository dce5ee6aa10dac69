// Request heads on the server's side: meaning, cache, runs and bodies.
#include <string>

#include "http/request_head.hh"
#include "unit/cmocka.hh"
#include "unit/http_feeding.hh"

namespace dyno {
namespace {

constexpr size_t kHeadLimit = 8192;

const char* name_of(BodyKind body) {
  switch (body) {
    case BodyKind::none:
      return "none";
    case BodyKind::length:
      return "length";
    case BodyKind::chunked:
      return "chunked";
    case BodyKind::until_close:
      return "until close";
  }
  return "?";
}

std::string describe(const RequestHead& head) {
  std::string text(head.method);
  text += head.verb == Method::get    ? " (get) "
          : head.verb == Method::head ? " (head) "
          : head.verb == Method::post ? " (post) "
                                      : " ";
  text += head.target;
  text += ' ';
  text += name_of(head.body);
  text += ' ' + std::to_string(head.length);
  if (head.is_http_10) text += " 1.0";
  if (!head.keep_alive) text += " close";
  if (head.expect_continue) text += " expect";
  return text;
}

std::string describe(const RequestHeadParser::Outcome& outcome) {
  using Outcome = RequestHeadParser::Outcome;
  switch (outcome.what) {
    case Outcome::complete:
      return describe(*outcome.head);
    case Outcome::incomplete:
      return "incomplete";
    case Outcome::too_large:
      return "too large";
    case Outcome::malformed:
      return *outcome.reason == '\0' ? "malformed without a reason"
                                     : "malformed";
  }
  return "?";
}

// The verdict on a head whose bytes come in these pieces.
std::string play(RequestHeadParser& parser, const Pieces& pieces) {
  std::string pending;
  for (const std::string_view piece : pieces) {
    pending += piece;
    const auto outcome = parser.parse(pending);
    if (outcome.what != RequestHeadParser::Outcome::incomplete)
      return describe(outcome);
  }
  return "incomplete";
}

struct Row {
  std::string_view bytes;
  const char* transcript;
};

void check(const Row& row) {
  RequestHeadParser warm(kHeadLimit);
  for_each_splitting(row.bytes, [&](const Pieces& pieces) {
    RequestHeadParser cold(kHeadLimit);
    for (RequestHeadParser* parser : {&cold, &warm})
      assert_string_equal(play(*parser, pieces).c_str(), row.transcript);
  });
}

void heads_say_what_the_server_needs(void**) {
  const Row rows[] = {
      {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET (get) / none 0"},
      {"HEAD /a?b=c HTTP/1.1\r\nhost:h\r\n\r\n", "HEAD (head) /a?b=c none 0"},
      {"DELETE /a HTTP/1.1\r\nHost: h\r\n\r\n", "DELETE /a none 0"},
      {"M-SEARCH /a HTTP/1.1\r\nHost: h\r\n\r\n", "M-SEARCH /a none 0"},
      {"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS * none 0"},
      {"GET http://h:80/x?y HTTP/1.1\r\nHost: h:80\r\n\r\n",
       "GET (get) http://h:80/x?y none 0"},
      {"CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n", "CONNECT h:80 none 0"},
      {"\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET (get) / none 0"},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
       "GET (get) / none 0 close"},
      {"GET / HTTP/1.0\r\n\r\n", "GET (get) / none 0 1.0 close"},
      {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
       "GET (get) / none 0 1.0"},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\n"
       "Upgrade: h2c\r\n\r\n",
       "GET (get) / none 0"},
      {"GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\tc\r\n\r\n",
       "GET (get) / none 0"},
  };
  for (const Row& row : rows) check(row);
}

void body_framing_is_said_by_the_head(void**) {
  const Row rows[] = {
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
       "POST (post) / length 5"},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
       "POST (post) / none 0"},
      {"POST / HTTP/1.1\r\nHost: h\r\n\r\n", "POST (post) / none 0"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 5, 5\r\n\r\nhello",
       "GET (get) / length 5"},
      {"PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
       "PUT / chunked 0"},
      {"PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
       "PUT / chunked 0"},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n"
       "Expect: 100-Continue\r\n\r\n",
       "POST (post) / length 5 expect"},
      {"POST / HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
       "POST (post) / length 5 1.0 close"},
  };
  for (const Row& row : rows) check(row);
}

void what_is_no_request_is_refused(void**) {
  const Row rows[] = {
      {"garbage", "malformed"},
      {"get / HTTP/1.1\r\n", "malformed"},
      {"FOO / HTTP/1.1\r\n", "malformed"},
      {"GET a HTTP/1.1\r\n", "malformed"},
      {"GET /a b HTTP/1.1\r\n", "malformed"},
      {"GET /\xff HTTP/1.1\r\n", "malformed"},
      {"GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n", "malformed"},
      {"GET /\r\n\r\n", "malformed"},
      {"GET / HTTP/2.0\r\nHost: h\r\n\r\n", "malformed"},
      {"GET / HTTP/0.9\r\nHost: h\r\n\r\n", "malformed"},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "malformed"},
      {"SOURCE / ICE/1.0\r\nHost: h\r\n\r\n", "malformed"},
      {"DESCRIBE / RTSP/1.0\r\nHost: h\r\n\r\n", "malformed"},
      {"GET / HTTP/1.1\r\n\r\n", "malformed"},
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "malformed"},
      {"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", "malformed"},
      {"GET / HTTP/1.1\nHost: h\r\n\r\n", "malformed"},
      {"GET / HTTP/1.1\r\nHost: h\r\n\n", "malformed"},
      {"GET / HTTP/1.1\r\nHost : h\r\n\r\n", "malformed"},
      {"GET / HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n", "malformed"},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n"
       "Content-Length: 6\r\n\r\n",
       "malformed"},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5x\r\n\r\n", "malformed"},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n"
       "Transfer-Encoding: chunked\r\n\r\n",
       "malformed"},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n",
       "malformed"},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
       "malformed"},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "malformed"},
  };
  for (const Row& row : rows) check(row);
}

void every_prefix_of_a_head_is_incomplete(void**) {
  const std::string_view head =
      "\r\nPOST /a?b HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n"
      "Content-Length: 5\r\n\r\n";
  RequestHeadParser parser(kHeadLimit);
  for (size_t size = 0; size < head.size(); ++size)
    assert_int_equal(parser.parse(head.substr(0, size)).what,
                     RequestHeadParser::Outcome::incomplete);
  assert_int_equal(parser.parse(head).what,
                   RequestHeadParser::Outcome::complete);
}

void a_head_beyond_the_limit_is_too_large_however_it_is_split(void**) {
  const std::string start = "GET / HTTP/1.1\r\nHost: ";
  for (const size_t size : {size_t{64}, size_t{65}, size_t{300}}) {
    const std::string head =
        start + std::string(size - start.size() - 4, 'h') + "\r\n\r\n";
    for_each_splitting(head, [&](const Pieces& pieces) {
      RequestHeadParser parser(64);
      assert_string_equal(play(parser, pieces).c_str(),
                          size <= 64 ? "GET (get) / none 0" : "too large");
    });
  }
}

void a_remembered_head_keeps_its_id_and_its_own_bytes(void**) {
  RequestHeadParser parser(kHeadLimit);
  std::string buffer = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
  const std::string same = buffer;
  const RequestHead* first = parser.parse(buffer).head;
  const uint64_t id = first->id;
  buffer.assign(buffer.size(), 'x');  // the head does not live in the buffer
  assert_true(first->bytes == same);
  assert_true(first->target == "/a");

  const RequestHead* again = parser.parse(same + "GET /b").head;
  assert_ptr_equal(again, first);
  assert_int_equal(again->id, id);
  const RequestHead* other =
      parser.parse("GET /b HTTP/1.1\r\nHost: h\r\n\r\n").head;
  assert_true(other->id != id);
  assert_true(other->target == "/b");
  assert_int_equal(parser.parse(same).head->id, id);
}

void a_forgotten_head_gets_a_new_id(void**) {
  RequestHeadParser parser(kHeadLimit);
  const std::string head = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
  const uint64_t id = parser.parse(head).head->id;
  for (int i = 0; i < 50; ++i)
    (void)parser.parse("GET /" + std::to_string(i) +
                       " HTTP/1.1\r\nHost: h\r\n\r\n");
  const RequestHead* again = parser.parse(head).head;
  assert_true(again->id > id + 50);
  assert_true(again->target == "/a");
}

void a_head_too_long_for_the_cache_is_parsed_each_time(void**) {
  RequestHeadParser parser(kHeadLimit);
  const std::string head =
      "GET /a HTTP/1.1\r\nHost: h\r\nX: " + std::string(2000, 'x') + "\r\n\r\n";
  const uint64_t id = parser.parse(head).head->id;
  const RequestHead* again = parser.parse(head).head;
  assert_true(again->id != id);
  assert_true(again->bytes == head);
  assert_ptr_equal(again->bytes.data(), head.data());
  assert_true(again->target == "/a");
}

void equal_pipelined_requests_are_counted(void**) {
  const std::string head = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  std::string data;
  for (size_t count = 0; count < 5; ++count) {
    for (size_t tail = 0; tail < head.size(); ++tail)
      assert_int_equal(
          count_repeats(data + head.substr(0, tail), head, SIZE_MAX), count);
    assert_int_equal(count_repeats(data + "GET /b HTTP/1.1\r\nHost: h\r\n\r\n",
                                   head, SIZE_MAX),
                     count);
    assert_int_equal(count_repeats(data, head, 2), count < 2 ? count : 2);
    data += head;
  }
}

// The body's text, or "malformed", and what is left of the bytes.
std::string read_body(const RequestHead& head, const Pieces& pieces) {
  RequestBodyReader reader(head);
  auto state = RequestBodyReader::State::more;
  std::string text;
  std::string rest;
  for (std::string_view piece : pieces) {
    while (!piece.empty() && state == RequestBodyReader::State::more) {
      const auto read = reader.next(piece, 100);
      text += read.piece;
      state = read.state;
      piece.remove_prefix(read.consumed);
    }
    rest += piece;
  }
  if (state == RequestBodyReader::State::malformed) return "malformed";
  return text +
         (state == RequestBodyReader::State::done ? " done " : " more ") + rest;
}

void bodies_are_read_to_their_end_and_no_further(void**) {
  const Row rows[] = {
      {"Content-Length: 5\r\n\r\nhelloGET /", "hello done GET /"},
      {"Content-Length: 5\r\n\r\nhell", "hell more "},
      {"Transfer-Encoding: chunked\r\n\r\n"
       "2\r\nhe\r\n3;x\r\nllo\r\n0\r\nA: b\r\n\r\nGET /",
       "hello done GET /"},
      {"Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n", "he more "},
      {"Transfer-Encoding: chunked\r\n\r\n2\r\nhello", "malformed"},
  };
  RequestHeadParser parser(kHeadLimit);
  for (const Row& row : rows) {
    const std::string bytes =
        "POST / HTTP/1.1\r\nHost: h\r\n" + std::string(row.bytes);
    const RequestHead& head = *parser.parse(bytes).head;
    const std::string_view body =
        std::string_view(bytes).substr(head.bytes.size());
    for_each_splitting(body, [&](const Pieces& pieces) {
      assert_string_equal(read_body(head, pieces).c_str(), row.transcript);
    });
  }
}

void a_trailer_section_beyond_the_limit_is_malformed(void**) {
  RequestHeadParser parser(kHeadLimit);
  const RequestHead& head = *parser
                                 .parse(
                                     "POST / HTTP/1.1\r\nHost: h\r\n"
                                     "Transfer-Encoding: chunked\r\n\r\n")
                                 .head;
  const std::string body = "0\r\nX: " + std::string(200, 'x') + "\r\n\r\n";
  assert_string_equal(read_body(head, {body}).c_str(), "malformed");
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(heads_say_what_the_server_needs),
      cmocka_unit_test(body_framing_is_said_by_the_head),
      cmocka_unit_test(what_is_no_request_is_refused),
      cmocka_unit_test(every_prefix_of_a_head_is_incomplete),
      cmocka_unit_test(
          a_head_beyond_the_limit_is_too_large_however_it_is_split),
      cmocka_unit_test(a_remembered_head_keeps_its_id_and_its_own_bytes),
      cmocka_unit_test(a_forgotten_head_gets_a_new_id),
      cmocka_unit_test(a_head_too_long_for_the_cache_is_parsed_each_time),
      cmocka_unit_test(equal_pipelined_requests_are_counted),
      cmocka_unit_test(bodies_are_read_to_their_end_and_no_further),
      cmocka_unit_test(a_trailer_section_beyond_the_limit_is_malformed),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
