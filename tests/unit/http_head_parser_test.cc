// Response heads: lines, lengths and persistence, and the head cache.
#include <string>

#include "http/head_parser.hh"
#include "unit/cmocka.hh"
#include "unit/http_play.hh"

namespace dyno {
namespace {

const Case kLengths[] = {
    {"09 differing twice",
     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
     "failed protocol"},
    {"09 equal twice",
     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
     "200:5 open"},
    {"09 equal list", "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
     "200:5 open"},
    {"differing list", "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello!",
     "failed protocol"},
    {"list with an empty element",
     "HTTP/1.1 200 OK\r\nContent-Length: 5,\r\n\r\nhello", "failed protocol"},
    {"09 rubbish after", "HTTP/1.1 200 OK\r\nContent-Length: 5abc\r\n\r\n",
     "failed protocol"},
    {"09 negative", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
     "failed protocol"},
    {"09 plus", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
     "failed protocol"},
    {"09 huge",
     "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
     "failed protocol"},
    {"beyond 63 bits",
     "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n",
     "failed protocol"},
    {"63 bits",
     "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n",
     "open, eof: cut"},
    {"09 empty", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
     "failed protocol"},
    {"blank inside", "HTTP/1.1 200 OK\r\nContent-Length: 5 5\r\n\r\n",
     "failed protocol"},
    {"blanks around", "HTTP/1.1 200 OK\r\ncontent-length:\t 5 \r\n\r\nhello",
     "200:5 open"},
    {"rubbish where no length counts",
     "HTTP/1.1 304 No\r\nContent-Length: 5abc\r\n\r\n", "304:0 open"},
    {"rubbish, HEAD", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
     "200:0 open", kHead},
    {"chunked wins over a length",
     "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n"
     "\r\n5\r\nhello\r\n0\r\n\r\n",
     "200:5 open"},
    {"chunked wins over an invalid length",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: x\r\n"
     "\r\n5\r\nhello\r\n0\r\n\r\n",
     "200:5 open"},
};

#define PERSISTS(version, fields) \
  version " 200 OK\r\n" fields "Content-Length: 2\r\n\r\nok"

const Case kPersistence[] = {
    {"1.1", PERSISTS("HTTP/1.1", ""), "200:2 open"},
    {"1.1 close", PERSISTS("HTTP/1.1", "Connection: close\r\n"),
     "200:2! closing"},
    {"1.1 close in a list", PERSISTS("HTTP/1.1", "Connection: x , Close,y\r\n"),
     "200:2! closing"},
    {"1.1 close in a second field",
     PERSISTS("HTTP/1.1", "Connection: x\r\nConnection: close\r\n"),
     "200:2! closing"},
    {"close wins", PERSISTS("HTTP/1.1", "Connection: keep-alive, close\r\n"),
     "200:2! closing"},
    {"folded close", PERSISTS("HTTP/1.1", "Connection: x,\r\n close\r\n"),
     "200:2! closing"},
    {"not quite close", PERSISTS("HTTP/1.1", "Connection: closed\r\n"),
     "200:2 open"},
    {"Proxy-Connection says nothing",
     PERSISTS("HTTP/1.1", "Proxy-Connection: close\r\n"), "200:2 open"},
    {"1.0", PERSISTS("HTTP/1.0", ""), "200:2! closing"},
    {"1.0 keep-alive", PERSISTS("HTTP/1.0", "Connection: Keep-Alive\r\n"),
     "200:2 open"},
    {"1.0 keep-alive without a length",
     "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nok",
     "open, eof: 200:2! "},
    {"close on an interim answer is not the last word",
     "HTTP/1.1 103 E\r\nConnection: close\r\n\r\n"
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
     "200:2 open"},
    {"bytes after the last answer are ignored",
     PERSISTS("HTTP/1.1", "Connection: close\r\n") "HTTP/1.1 200 OK\r\n\r\n",
     "200:2! closing", RequestKind::ordinary, 3},
};

const Case kLines[] = {
    {"13 folded values",
     "HTTP/1.1 200 OK\r\nX-Note: one\r\n two\r\n\tthree\r\n"
     "Content-Length: 5\r\n\r\nhello",
     "200:5 open"},
    {"13 a fold of blanks is no end of the head",
     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n \t\r\nX-After: v\r\n\r\nhello",
     "200:5 open"},
    {"folded length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhello",
     "200:5 open"},
    {"number in two lines",
     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n 5\r\n\r\nhello",
     "failed protocol"},
    {"15 empty reason", "HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nhello",
     "200:5 open"},
    {"15 no reason", "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello",
     "200:5 open"},
    {"any byte in a reason",
     "HTTP/1.1 200 \xff\x01\r\nContent-Length: 5\r\n\r\nhello", "200:5 open"},
    {"empty value", "HTTP/1.1 200 OK\r\nX:\r\nContent-Length: 5\r\n\r\nhello",
     "200:5 open"},
    {"empty value after a length",
     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Length:\r\n\r\nhello",
     "200:5 open"},
    {"byte above 0x7f in a value",
     "HTTP/1.1 200 OK\r\nX: \xff\r\nContent-Length: 5\r\n\r\nhello",
     "200:5 open"},
    {"lone LF everywhere", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
     "failed protocol"},
    {"lone LF after the status line",
     "HTTP/1.1 200 OK\nContent-Length: 5\r\n\r\nhello", "failed protocol"},
    {"lone LF after a field", "HTTP/1.1 200 OK\r\nContent-Length: 5\n\r\nhello",
     "failed protocol"},
    {"lone LF as the last line",
     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\nhello", "failed protocol"},
    {"lone CR in the reason",
     "HTTP/1.1 200 O\rK\r\nContent-Length: 5\r\n\r\nhello", "failed protocol"},
    {"lone CR in a value",
     "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 5\r\n\r\nhello",
     "failed protocol"},
    {"NUL in a value", std::string_view("HTTP/1.1 200 OK\r\nX: \0\r\n\r\n", 25),
     "failed protocol"},
    {"nameless field", "HTTP/1.1 200 OK\r\n: a\r\n\r\n", "failed protocol"},
    {"blank before the colon",
     "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello", "failed protocol"},
    {"blank in a name", "HTTP/1.1 200 OK\r\nX Y: 5\r\n\r\nhello",
     "failed protocol"},
    {"no colon", "HTTP/1.1 200 OK\r\nnocolon\r\n\r\n", "failed protocol"},
    {"blank before the first field", "HTTP/1.1 200 OK\r\n X: a\r\n\r\n",
     "failed protocol"},
    {"empty line first", "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
     "failed protocol"},
    {"no digits", "HTTP/1.1 OK\r\n\r\n", "failed protocol"},
    {"two digits", "HTTP/1.1 20 X\r\n\r\n", "failed protocol"},
    {"four digits", "HTTP/1.1 2000 X\r\n\r\n", "failed protocol"},
    {"below 100", "HTTP/1.1 099 X\r\n\r\n", "failed protocol"},
    {"two spaces", "HTTP/1.1  200 X\r\n\r\n", "failed protocol"},
    {"2.0", "HTTP/2.0 200 X\r\n\r\n", "failed protocol"},
    {"0.9", "HTTP/0.9 200 X\r\n\r\n", "failed protocol"},
    {"1.2", "HTTP/1.2 200 X\r\n\r\n", "failed protocol"},
    {"lower case", "http/1.1 200 X\r\n\r\n", "failed protocol"},
    {"garbage", "garbage", "failed protocol"},
    {"another protocol", "SSH-2.0-x", "failed protocol"},
};

void content_length_is_one_number_or_a_failure(void**) {
  for (const Case& each : kLengths) check(each);
}

void connections_persist_as_version_and_fields_say(void**) {
  for (const Case& each : kPersistence) check(each);
}

void heads_are_lines_that_end_with_crlf(void**) {
  for (const Case& each : kLines) check(each);
}

void garbage_is_refused_at_its_first_wrong_byte(void**) {
  struct Row {
    std::string_view bytes;
    size_t wrong;  // its first wrong byte
  };
  const Row rows[] = {
      {"GARBAGE", 0},
      {"HTTP/2", 5},
      {"HTTP/1.1\t", 8},
      {"HTTP/1.1 x", 9},
      {"HTTP/1.1 0", 9},
      {"HTTP/1.1 20 ", 11},
      {"HTTP/1.1 200x", 12},
      {"HTTP/1.1 200 OK\n", 15},
      {"HTTP/1.1 200 OK\r\n\x01", 17},
  };
  for (const Row& row : rows) {
    HeadParser heads(kHeadLimit);
    const auto before =
        heads.parse(row.bytes.substr(0, row.wrong), RequestKind::ordinary);
    assert_int_equal(before.what, HeadParser::Outcome::incomplete);
    const auto after =
        heads.parse(row.bytes.substr(0, row.wrong + 1), RequestKind::ordinary);
    assert_int_equal(after.what, HeadParser::Outcome::malformed);
    assert_true(*after.reason != '\0');
  }
}

void a_head_beyond_the_limit_is_too_large_however_it_is_split(void**) {
  const std::string start = "HTTP/1.1 204 No\r\nX: ";
  const std::string end = "\r\n\r\n";
  for (const size_t size : {size_t{64}, size_t{65}, size_t{300}}) {
    const std::string head =
        start + std::string(size - start.size() - end.size(), 'x') + end;
    for_each_splitting(head, [&](const Pieces& pieces) {
      HeadParser heads(64);
      const std::string text = play(heads, pieces, RequestKind::ordinary, 1);
      assert_string_equal(text.c_str(),
                          size <= 64 ? "204:0 open" : "failed too-large");
    });
  }
  HeadParser heads(64);
  const std::string partial = start + std::string(64 - start.size(), 'x');
  assert_int_equal(heads.parse(partial, RequestKind::ordinary).what,
                   HeadParser::Outcome::incomplete);
  assert_int_equal(heads.parse(partial + 'x', RequestKind::ordinary).what,
                   HeadParser::Outcome::too_large);
}

void the_cache_gives_what_parsing_gives(void**) {
  HeadParser heads(kHeadLimit);
  const std::string long_head =
      "HTTP/1.1 200 OK\r\nX: " + std::string(2000, 'x') +
      "\r\nContent-Length: 7\r\n\r\n";
  const std::string_view rows[] = {
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n",
      "HTTP/1.1 201 OK\r\nContent-Length: 3\r\nServer: httpdyno/0.1\r\n\r\n",
      "HTTP/1.0 202 OK\r\nContent-Length: 4\r\n\r\n",
      "HTTP/1.1 203 OK\r\nContent-Length: 5\r\n\r\n",
      "HTTP/1.1 204 No\r\n\r\n",
      long_head,
  };
  // More heads than the cache has places for, in changing orders.
  for (size_t turn = 0; turn < 200; ++turn) {
    const std::string_view head = rows[turn * turn % std::size(rows)];
    const RequestKind kind = turn % 3 == 0 ? kHead : RequestKind::ordinary;
    HeadParser fresh(kHeadLimit);
    const auto want = fresh.parse(head, kind);
    const auto got = heads.parse(head, kind);
    assert_int_equal(want.what, HeadParser::Outcome::complete);
    assert_int_equal(got.what, HeadParser::Outcome::complete);
    assert_int_equal(got.framing->status, want.framing->status);
    assert_int_equal(got.framing->body, want.framing->body);
    assert_int_equal(got.framing->length, want.framing->length);
    assert_int_equal(got.framing->head_bytes, head.size());
    assert_int_equal(got.framing->keep_alive, want.framing->keep_alive);
    assert_int_equal(got.framing->own_server, want.framing->own_server);
  }
}

void the_kind_of_request_is_part_of_the_key(void**) {
  HeadParser heads(kHeadLimit);
  const std::string_view head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(heads.parse(head, RequestKind::ordinary).framing->body,
                     BodyKind::length);
    assert_int_equal(heads.parse(head, kHead).framing->body, BodyKind::none);
  }
}

void own_server_is_a_server_field_that_begins_with_our_name(void**) {
  struct Row {
    std::string_view head;
    bool own;
  };
  const Row rows[] = {
      {"HTTP/1.1 204 No\r\nServer: httpdyno\r\n\r\n", true},
      {"HTTP/1.1 204 No\r\nserver:httpdyno/0.1 (x)\r\n\r\n", true},
      {"HTTP/1.1 204 No\r\nServer: nginx httpdyno\r\n\r\n", false},
      {"HTTP/1.1 204 No\r\nX-Server: httpdyno\r\n\r\n", false},
      {"HTTP/1.1 204 No\r\n\r\n", false},
  };
  HeadParser heads(kHeadLimit);
  for (const Row& row : rows)
    assert_int_equal(
        heads.parse(row.head, RequestKind::ordinary).framing->own_server,
        row.own);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(content_length_is_one_number_or_a_failure),
      cmocka_unit_test(connections_persist_as_version_and_fields_say),
      cmocka_unit_test(heads_are_lines_that_end_with_crlf),
      cmocka_unit_test(garbage_is_refused_at_its_first_wrong_byte),
      cmocka_unit_test(
          a_head_beyond_the_limit_is_too_large_however_it_is_split),
      cmocka_unit_test(the_cache_gives_what_parsing_gives),
      cmocka_unit_test(the_kind_of_request_is_part_of_the_key),
      cmocka_unit_test(own_server_is_a_server_field_that_begins_with_our_name),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
