// Response framing: RFC 9112 section 6.3, and runs of answers.
#include <string>

#include "http/response.hh"
#include "unit/cmocka.hh"
#include "unit/http_play.hh"

namespace dyno {
namespace {

const Case kBodies[] = {
    {"length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
     "200:5 open"},
    {"length 0", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200:0 open"},
    {"error status", "HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno",
     "503:2 open"},
    {"status beyond the classes", "HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n",
     "999:0 open"},
    {"01 until close",
     "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nHello World!",
     "open, eof: 200:12! "},
    {"01 until close, no Connection", "HTTP/1.1 200 OK\r\n\r\nHello World!",
     "open, eof: 200:12! "},
    {"until close, empty", "HTTP/1.1 200 OK\r\n\r\n", "open, eof: 200:0! "},
    {"03 short body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123456",
     "open, eof: cut"},
    {"short chunked",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
     "open, eof: cut"},
    {"short head", "HTTP/1.1 200 OK\r\nContent-Le", "open, eof: cut"},
    {"05 early hints",
     "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
     "200:5 open"},
    {"any number of 1xx, with lengths",
     "HTTP/1.1 100 Continue\r\n\r\n"
     "HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\n"
     "HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\n"
     "HTTP/1.1 102 Processing\r\nTransfer-Encoding: chunked\r\n\r\n"
     "HTTP/1.1 204 No\r\n\r\n",
     "204:0 open"},
    {"1xx and nothing more", "HTTP/1.1 100 Continue\r\n\r\n", "open, eof: cut"},
    {"101 unasked",
     "HTTP/1.1 101 X\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
     "failed protocol"},
    {"07 HEAD with a length",
     "HTTP/1.1 200 OK\r\nContent-Length: 51115\r\n\r\n", "200:0 open", kHead},
    {"07 HEAD, chunked",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "200:0 open",
     kHead},
    {"HEAD without a length", "HTTP/1.1 200 OK\r\n\r\n", "200:0 open", kHead},
    {"204 with a length", "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n",
     "204:0 open"},
    {"304 with a length", "HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n",
     "304:0 open"},
    {"304, chunked", "HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n",
     "304:0 open"},
    {"205 is framed like others", "HTTP/1.1 205 R\r\nContent-Length: 0\r\n\r\n",
     "205:0 open"},
    {"17 length and no close",
     "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
     "200:5! closing"},
};

#define CODED(fields) \
  "HTTP/1.1 200 OK\r\n" fields "\r\n\r\n5\r\nhello\r\n0\r\n\r\n"

const Case kCodings[] = {
    {"chunked", CODED("Transfer-Encoding: chunked"), "200:5 open"},
    {"any letter case", CODED("TRANSFER-encoding: Chunked"), "200:5 open"},
    {"blanks after", CODED("Transfer-Encoding: chunked \t"), "200:5 open"},
    {"empty list elements", CODED("Transfer-Encoding: ,chunked, ,"),
     "200:5 open"},
    {"last of two", CODED("Transfer-Encoding: gzip, chunked"), "200:5 open"},
    {"last of two fields",
     CODED("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked"),
     "200:5 open"},
    {"last of a folded list", CODED("Transfer-Encoding: gzip,\r\n chunked"),
     "200:5 open"},
    {"not the last", CODED("Transfer-Encoding: chunked, gzip"),
     "open, eof: 200:15! "},
    {"not the last field",
     CODED("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip"),
     "open, eof: 200:15! "},
    {"another name", CODED("Transfer-Encoding: xchunked"),
     "open, eof: 200:15! "},
    {"in a quoted string", CODED("Transfer-Encoding: gzip;q=\"a, chunked\""),
     "open, eof: 200:15! "},
    {"identity beats the length",
     CODED("Content-Length: 5\r\nTransfer-Encoding: identity"),
     "open, eof: 200:15! "},
    {"chunked in HTTP/1.0",
     "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n"
     "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
     "200:5! closing"},
    {"11 extensions and trailers, then another answer",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
     "5;ext=\"a;b\"\r\nhello\r\n0\r\nX-Foo: bar\r\nX-Sum: 1\r\n\r\n"
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
     "200:5 200:2 open", RequestKind::ordinary, 2},
    {"malformed size",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
     "failed protocol"},
    {"last empty line forgotten",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
     "failed protocol", RequestKind::ordinary, 2},
};

const Case kSequences[] = {
    {"two equal",
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno",
     "200:2 200:2 open", RequestKind::ordinary, 2},
    {"fewer than expected",
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nn",
     "200:2 open, eof: cut", RequestKind::ordinary, 3},
    {"surplus after the last",
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
     "200:2 surplus", RequestKind::ordinary, 1},
    {"surplus is any byte", "HTTP/1.1 204 No\r\n\r\n\r\n", "204:0 surplus"},
    {"surplus at once", "HTTP/1.1 200 OK\r\n", "surplus", RequestKind::ordinary,
     0},
    {"HEAD answers in a row",
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
     "200:0 200:0 open", kHead, 2},
    {"answers before a malformed one count",
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokgarbage",
     "200:2 failed protocol", RequestKind::ordinary, 2},
    {"all kinds in a row",
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
     "HTTP/1.1 304 No\r\n\r\n"
     "HTTP/1.1 103 E\r\n\r\n"
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
     "2\r\nok\r\n1\r\n!\r\n0\r\n\r\n"
     "HTTP/1.1 200 OK\r\n\r\nrest",
     "200:2 304:0 200:3 open, eof: 200:4! ", RequestKind::ordinary, 9},
};

void bodies_end_where_the_rfc_says(void**) {
  for (const Case& each : kBodies) check(each);
}

void chunked_counts_only_as_the_last_coding(void**) {
  for (const Case& each : kCodings) check(each);
}

void answers_follow_one_another(void**) {
  for (const Case& each : kSequences) check(each);
}

void every_prefix_of_an_answer_is_incomplete(void**) {
  const std::string_view answers[] = {
      "HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 204 No\r\nX-Note: one\r\n two\r\n\r\n",
      "HTTP/1.1 103 E\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No\r\n\r\n",
      "HTTP/1.0 200\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;a=\"b\"\r\nhello\r\nA \r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n",
  };
  for (const std::string_view answer : answers) {
    HeadParser heads(kHeadLimit);
    for (size_t size = 0; size < answer.size(); ++size) {
      ResponseReader reader;
      std::vector<Response> done;
      const auto read = reader.feed(heads, answer.substr(0, size),
                                    RequestKind::ordinary, 1, 1, done);
      assert_int_equal(read.state, ResponseReader::State::open);
      assert_int_equal(done.size(), 0);
      assert_int_equal(reader.is_inside_answer(), size > 0);
      assert_int_equal(reader.finish(done).state, ResponseReader::State::open);
    }
  }
}

void trailers_beyond_the_limit_are_a_protocol_failure(void**) {
  const std::string bytes =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " +
      std::string(1 << 20, 'x');
  HeadParser heads(kHeadLimit);
  const std::string text = play(heads, {bytes}, RequestKind::ordinary, 1);
  assert_string_equal(text.c_str(), "failed protocol");
}

void a_run_of_equal_answers_is_one_entry(void**) {
  const std::string answer =
      "HTTP/1.1 200 OK\r\nServer: httpdyno/0.1\r\nContent-Length: 5\r\n\r\n";
  std::string bytes;
  for (int i = 0; i < 60; ++i) bytes += answer + "body" + char('0' + i);
  bytes += "HTTP/1.1 204 No\r\n\r\n";
  for (int i = 0; i < 3; ++i) bytes += answer + "hello";
  HeadParser heads(kHeadLimit);
  ResponseReader reader;
  std::vector<Response> done;
  const auto read =
      reader.feed(heads, bytes, RequestKind::ordinary, 64, 7, done);
  assert_int_equal(read.state, ResponseReader::State::open);
  assert_int_equal(read.consumed, bytes.size());
  assert_int_equal(done.size(), 3);
  assert_int_equal(done[0].count, 60);
  assert_int_equal(done[0].bytes, answer.size() + 5);
  assert_int_equal(done[0].body_bytes, 5);
  assert_true(done[0].own_server);
  assert_int_equal(done[0].first_byte_ns, 7);
  assert_int_equal(done[1].count, 1);
  assert_int_equal(done[1].status, 204);
  assert_false(done[1].own_server);
  assert_int_equal(done[2].count, 3);
}

void a_run_stops_at_the_expected_number(void**) {
  std::string bytes;
  for (int i = 0; i < 5; ++i) bytes += "HTTP/1.1 204 No\r\n\r\n";
  HeadParser heads(kHeadLimit);
  ResponseReader reader;
  std::vector<Response> done;
  const auto read =
      reader.feed(heads, bytes, RequestKind::ordinary, 3, 7, done);
  assert_int_equal(read.state, ResponseReader::State::surplus);
  assert_int_equal(read.consumed, bytes.size() / 5 * 3);
  assert_int_equal(done.size(), 1);
  assert_int_equal(done[0].count, 3);
}

void runs_of_chunked_and_hinted_answers_are_one_entry_too(void**) {
  const std::string hint = "HTTP/1.1 103 E\r\n\r\n";
  const std::string answer = hint +
                             "HTTP/1.1 200 OK\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n"
                             "2\r\nok\r\n0\r\n\r\n";
  HeadParser heads(kHeadLimit);
  ResponseReader reader;
  std::vector<Response> done;
  const auto read = reader.feed(heads, answer + answer + answer,
                                RequestKind::ordinary, 3, 7, done);
  assert_int_equal(read.state, ResponseReader::State::open);
  assert_int_equal(done.size(), 1);
  assert_int_equal(done[0].count, 3);
  assert_int_equal(done[0].bytes, answer.size());
  assert_int_equal(done[0].body_bytes, 2);
}

// The order X Y X Y must not be taken for two answers XY.
void answers_that_alternate_are_counted_one_by_one(void**) {
  const std::string head =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string x = head + "1\r\nx\r\n0\r\n\r\n";
  const std::string y = head + "2\r\nyy\r\n0\r\n\r\n";
  HeadParser heads(kHeadLimit);
  const std::string text =
      play(heads, {x + y + x + y + y}, RequestKind::ordinary, 5);
  assert_string_equal(text.c_str(), "200:1 200:2 200:1 200:2 200:2 open");
}

void a_run_of_chunked_answers_stops_at_the_expected_number(void**) {
  std::string bytes;
  for (int i = 0; i < 5; ++i)
    bytes += "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  HeadParser heads(kHeadLimit);
  const std::string text = play(heads, {bytes}, RequestKind::ordinary, 3);
  assert_string_equal(text.c_str(), "200:0 200:0 200:0 surplus");
}

void earlier_answers_in_done_are_left_alone(void**) {
  HeadParser heads(kHeadLimit);
  ResponseReader reader;
  std::vector<Response> done;
  for (int i = 0; i < 2; ++i) {
    const auto read = reader.feed(heads, "HTTP/1.1 204 No\r\n\r\n",
                                  RequestKind::ordinary, 1, 7, done);
    assert_int_equal(read.state, ResponseReader::State::open);
  }
  assert_int_equal(done.size(), 2);
  assert_int_equal(done[0].count, 1);
}

void the_first_byte_is_that_of_the_answers_own_first_read(void**) {
  struct Piece {
    std::string_view bytes;
    int64_t now_ns;
  };
  const std::string_view head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
  const Piece pieces[] = {
      {"HTTP/1.1 103", 10},
      {" E\r\n\r\n", 20},
      {head, 30},
      {"okHTTP", 40},  // ends the first, begins the second
      {"/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 50},
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 60},
  };
  HeadParser heads(kHeadLimit);
  ResponseReader reader;
  std::vector<Response> done;
  std::string pending;
  for (const Piece& piece : pieces) {
    pending += piece.bytes;
    const auto read = reader.feed(heads, pending, RequestKind::ordinary, 9,
                                  piece.now_ns, done);
    pending.erase(0, read.consumed);
  }
  assert_int_equal(done.size(), 3);
  assert_int_equal(done[0].first_byte_ns, 10);
  assert_int_equal(done[1].first_byte_ns, 40);
  assert_int_equal(done[2].first_byte_ns, 60);
}

void answers_that_began_at_different_times_are_not_one_run(void**) {
  const std::string_view answer = "HTTP/1.1 204 No\r\n\r\n";
  HeadParser heads(kHeadLimit);
  ResponseReader reader;
  std::vector<Response> done;
  (void)reader.feed(heads, answer.substr(0, 4), RequestKind::ordinary, 3, 10,
                    done);
  (void)reader.feed(heads, std::string(answer) + std::string(answer),
                    RequestKind::ordinary, 3, 20, done);
  assert_int_equal(done.size(), 2);
  assert_int_equal(done[0].first_byte_ns, 10);
  assert_int_equal(done[1].first_byte_ns, 20);
}

void interim_heads_belong_to_their_answer(void**) {
  const std::string_view bytes =
      "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  HeadParser heads(kHeadLimit);
  ResponseReader reader;
  std::vector<Response> done;
  (void)reader.feed(heads, bytes, RequestKind::ordinary, 1, 1, done);
  assert_int_equal(done.size(), 1);
  assert_int_equal(done[0].bytes, bytes.size());
  assert_int_equal(done[0].body_bytes, 2);
}

void after_the_last_answer_everything_is_ignored_until_reset(void**) {
  HeadParser heads(kHeadLimit);
  ResponseReader reader;
  std::vector<Response> done;
  const std::string_view last =
      "HTTP/1.1 204 No\r\nConnection: close\r\n\r\nmore";
  auto read = reader.feed(heads, last, RequestKind::ordinary, 2, 1, done);
  assert_int_equal(read.state, ResponseReader::State::closing);
  assert_int_equal(read.consumed, last.size());
  read = reader.feed(heads, "even more", RequestKind::ordinary, 1, 2, done);
  assert_int_equal(read.state, ResponseReader::State::closing);
  assert_false(reader.is_inside_answer());
  assert_int_equal(reader.finish(done).state, ResponseReader::State::open);
  assert_int_equal(done.size(), 1);

  reader.reset();
  read = reader.feed(heads, "HTTP/1.1 204 No\r\n\r\n", RequestKind::ordinary, 1,
                     3, done);
  assert_int_equal(read.state, ResponseReader::State::open);
  assert_int_equal(done.size(), 2);
}

// 16,384 connections share 48 MiB with everything else that they need.
void a_reader_is_small(void**) {
  assert_true(sizeof(ResponseReader) <= 96);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(bodies_end_where_the_rfc_says),
      cmocka_unit_test(chunked_counts_only_as_the_last_coding),
      cmocka_unit_test(answers_follow_one_another),
      cmocka_unit_test(every_prefix_of_an_answer_is_incomplete),
      cmocka_unit_test(trailers_beyond_the_limit_are_a_protocol_failure),
      cmocka_unit_test(a_run_of_equal_answers_is_one_entry),
      cmocka_unit_test(a_run_stops_at_the_expected_number),
      cmocka_unit_test(runs_of_chunked_and_hinted_answers_are_one_entry_too),
      cmocka_unit_test(answers_that_alternate_are_counted_one_by_one),
      cmocka_unit_test(a_run_of_chunked_answers_stops_at_the_expected_number),
      cmocka_unit_test(earlier_answers_in_done_are_left_alone),
      cmocka_unit_test(the_first_byte_is_that_of_the_answers_own_first_read),
      cmocka_unit_test(answers_that_began_at_different_times_are_not_one_run),
      cmocka_unit_test(interim_heads_belong_to_their_answer),
      cmocka_unit_test(after_the_last_answer_everything_is_ignored_until_reset),
      cmocka_unit_test(a_reader_is_small),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
