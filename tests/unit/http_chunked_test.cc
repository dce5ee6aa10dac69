// Chunked coding: RFC 9112 section 7.1 under every splitting.
#include <string>

#include "http/chunked.hh"
#include "unit/cmocka.hh"
#include "unit/http_feeding.hh"

namespace dyno {
namespace {

const char* name_of(ChunkDecoder::State state) {
  switch (state) {
    case ChunkDecoder::State::more:
      return "more";
    case ChunkDecoder::State::done:
      return "done";
    case ChunkDecoder::State::malformed:
      return "malformed";
    case ChunkDecoder::State::trailer_too_large:
      return "trailer too large";
  }
  return "?";
}

std::string transcript(ChunkDecoder::State state, size_t consumed,
                       const std::string& body) {
  std::string text = name_of(state);
  text += ' ';
  if (state == ChunkDecoder::State::done) {
    text += std::to_string(consumed);
    text += ' ';
  }
  text += '[';
  text += body;
  text += ']';
  return text;
}

// "state, consumed bytes if done, body" of all the pieces, read with next().
std::string play(const Pieces& pieces, size_t limit) {
  ChunkDecoder decoder;
  ChunkDecoder::State state = ChunkDecoder::State::more;
  std::string body;
  size_t consumed = 0;
  for (std::string_view piece : pieces) {
    while (!piece.empty() && state == ChunkDecoder::State::more) {
      const auto read = decoder.next(piece, limit);
      state = read.state;
      body += read.data;
      consumed += read.consumed;
      piece.remove_prefix(read.consumed);
    }
  }
  return transcript(state, consumed, body);
}

// The same with feed(), which only counts the body.
std::string count(const Pieces& pieces, size_t limit) {
  ChunkDecoder decoder;
  ChunkDecoder::Read read;
  uint64_t body_bytes = 0;
  size_t consumed = 0;
  for (const std::string_view piece : pieces) {
    if (read.state != ChunkDecoder::State::more) break;
    read = decoder.feed(piece, limit);
    body_bytes += read.body_bytes;
    consumed += read.consumed;
  }
  return transcript(read.state, consumed, std::to_string(body_bytes));
}

struct Row {
  std::string_view bytes;
  const char* transcript;
  size_t limit = 100;
};

void check(const Row& row) {
  const std::string body = std::string(row.transcript);
  const size_t open = body.find('[');
  std::string counted = body.substr(0, open + 1);
  counted += std::to_string(body.size() - open - 2);
  counted += ']';
  for_each_splitting(row.bytes, [&](const Pieces& pieces) {
    assert_string_equal(play(pieces, row.limit).c_str(), row.transcript);
    assert_string_equal(count(pieces, row.limit).c_str(), counted.c_str());
  });
}

void bodies_are_decoded_and_what_follows_is_left(void**) {
  const Row rows[] = {
      {"0\r\n\r\n", "done 5 []"},
      {"5\r\nhello\r\n0\r\n\r\n", "done 15 [hello]"},
      {"5\r\nhello\r\n1\r\n!\r\n0\r\n\r\nHTTP/1.1", "done 21 [hello!]"},
      {"A\r\n0123456789\r\n0\r\n\r\n", "done 20 [0123456789]"},
      {"00a\r\n0123456789\r\n000\r\n\r\n", "done 24 [0123456789]"},
      {"4\r\n\r\n\r\n\r\n0\r\n\r\n", "done 14 [\r\n\r\n]"},
      {"2\r\n0\r\r\n0\r\n\r\n", "done 12 [0\r]"},
  };
  for (const Row& row : rows) check(row);
}

void extensions_and_trailers_are_skipped(void**) {
  const Row rows[] = {
      {"5;ext=\"a;b\"\r\nhello\r\n0\r\nX-Foo: bar\r\nX-Sum: 1\r\n\r\n",
       "done 47 [hello]"},
      {"1;a\r\nx\r\n0;b=c;d\r\n\r\n", "done 19 [x]"},
      {"1 ; a = b\r\nx\r\n0\r\n\r\n", "done 19 [x]"},
      {"1  \r\nx\r\n0\t\r\n\r\n", "done 14 [x]"},
      {"0\r\nX:\r\n\r\n", "done 9 []"},
      {"0\r\nX: a\r\n b\r\n\tc\r\n\r\n", "done 19 []"},
  };
  for (const Row& row : rows) check(row);
}

void faults_are_found(void**) {
  const Row rows[] = {
      {"\r\n", "malformed []"},
      {"x\r\n", "malformed []"},
      {"-1\r\n", "malformed []"},
      {" 1\r\n", "malformed []"},
      {"0x1\r\n", "malformed []"},
      {"1x\r\n", "malformed []"},
      {"1 1\r\n", "malformed []"},
      {"1\nx\r\n", "malformed []"},
      {"1\r1", "malformed []"},
      {"1;a\nx", "malformed []"},
      {";a\r\n", "malformed []"},
      {"1\r\nxy", "malformed [x]"},
      {"1\r\nx\n", "malformed [x]"},
      {"1\r\nx\rx", "malformed [x]"},
      {"1\r\nx\r\n\r\n", "malformed [x]"},
      {"8000000000000000\r\n", "malformed []"},
      {"ffffffffffffffffff\r\n", "malformed []"},
      {"7fffffffffffffff\r\nx", "more [x]"},
      {"0000000000000000000000000000001\r\nx", "more [x]"},
      {"0\r\n\n", "malformed []"},
      {"0\r\n\rx", "malformed []"},
      {"0\r\nHTTP/1.1 200 OK\r\n", "malformed []"},
      {"0\r\nX\r\n", "malformed []"},
      {"0\r\n: a\r\n", "malformed []"},
      {"0\r\n X: a\r\n", "malformed []"},
      {"0\r\nX: a\n", "malformed []"},
      {"0\r\nX: a\r\rb", "malformed []"},
  };
  for (const Row& row : rows) check(row);
}

void a_line_and_the_trailers_together_are_bounded(void**) {
  const Row rows[] = {
      {"1;34567\r\nx\r\n0\r\n\r\n", "done 17 [x]", 9},
      {"1;345678\r\nx\r\n0\r\n\r\n", "malformed []", 9},
      {"000000001\r\nx", "malformed []", 9},
      {"0\r\nA: b\r\n\r\n", "done 11 []", 8},
      {"0\r\nA: bc\r\n\r\n", "trailer too large []", 8},
      {"0\r\nA:\r\nB:\r\nC:\r\n", "trailer too large []", 8},
      // Every line starts anew; chunk data counts for none.
      {"9\r\n012345678\r\n9\r\n012345678\r\n0\r\nA: b\r\n\r\n",
       "done 39 [012345678012345678]", 8},
  };
  for (const Row& row : rows) check(row);
}

void every_prefix_of_a_body_wants_more(void**) {
  const std::string_view body =
      "5 ;ext=\"a;b\"\r\nhello\r\n0\r\nX-Foo: bar\r\n  baz\r\n\r\n";
  for (size_t size = 0; size < body.size(); ++size) {
    ChunkDecoder decoder;
    const auto read = decoder.feed(body.substr(0, size), 100);
    assert_int_equal(read.state, ChunkDecoder::State::more);
    assert_int_equal(read.consumed, size);
  }
}

void a_decoder_is_ready_again_after_a_body(void**) {
  const std::string_view body = "2\r\nok\r\n0\r\nA: b\r\n\r\n";
  ChunkDecoder decoder;
  for (int i = 0; i < 3; ++i) {
    const auto read = decoder.feed(body, 9);
    assert_int_equal(read.state, ChunkDecoder::State::done);
    assert_int_equal(read.consumed, body.size());
    assert_int_equal(read.body_bytes, 2);
  }
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(bodies_are_decoded_and_what_follows_is_left),
      cmocka_unit_test(extensions_and_trailers_are_skipped),
      cmocka_unit_test(faults_are_found),
      cmocka_unit_test(a_line_and_the_trailers_together_are_bounded),
      cmocka_unit_test(every_prefix_of_a_body_wants_more),
      cmocka_unit_test(a_decoder_is_ready_again_after_a_body),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
