// What the tests of response framing share: a connection's bytes played through
// a reader, told as one line of text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/response.hh"
#include "unit/cmocka.hh"
#include "unit/http_feeding.hh"

namespace dyno {

inline constexpr size_t kHeadLimit = 8192;

inline const char* name_of(ResponseReader::State state) {
  switch (state) {
    case ResponseReader::State::open:
      return "open";
    case ResponseReader::State::closing:
      return "closing";
    case ResponseReader::State::surplus:
      return "surplus";
    case ResponseReader::State::failed:
      return "failed";
  }
  return "?";
}

inline void note(std::string& text, const std::vector<Response>& done) {
  for (const Response& response : done)
    for (uint32_t i = 0; i < response.count; ++i)
      text += std::to_string(response.status) + ":" +
              std::to_string(response.body_bytes) +
              (response.closes ? "! " : " ");
}

inline uint64_t sum_of(const std::vector<Response>& done) {
  uint64_t sum = 0;
  for (const Response& response : done) sum += response.count * response.bytes;
  return sum;
}

inline uint32_t count_of(const std::vector<Response>& done) {
  uint32_t count = 0;
  for (const Response& response : done) count += response.count;
  return count;
}

// What a connection does with its bytes, as text: each answer as status, body
// bytes and ! where it closes, then the state, then what the end of the stream
// says.
inline std::string play(HeadParser& heads, const Pieces& pieces,
                        RequestKind kind, uint32_t expected) {
  ResponseReader reader;
  ResponseReader::Read read;
  std::string text;
  std::string pending;
  uint64_t consumed = 0;
  uint64_t answered = 0;
  int64_t now_ns = 0;
  for (const std::string_view piece : pieces) {
    pending += piece;
    std::vector<Response> done;
    read = reader.feed(heads, pending, kind, expected, ++now_ns, done);
    expected -= count_of(done);
    note(text, done);
    consumed += read.consumed;
    answered += sum_of(done);
    pending.erase(0, read.consumed);
    if (read.state != ResponseReader::State::open) break;
  }
  text += name_of(read.state);
  if (read.state == ResponseReader::State::failed) {
    text += read.failure == Failure::protocol ? " protocol" : " too-large";
    if (*read.reason == '\0') text += " without a reason";
  }
  if (read.state != ResponseReader::State::open) return text;
  // Each byte belongs to one answer, complete or not.
  if (!reader.is_inside_answer() && (answered != consumed || !pending.empty()))
    text += " lost bytes";
  const bool was_inside = reader.is_inside_answer();
  std::vector<Response> done;
  const bool is_whole =
      reader.finish(done).state == ResponseReader::State::closing;
  note(text += is_whole ? ", eof: " : was_inside ? ", eof: cut" : "", done);
  return text;
}

struct Case {
  const char* name;
  std::string_view bytes;
  const char* transcript;
  RequestKind kind = RequestKind::ordinary;
  uint32_t expected = 1;
};

inline void check(const Case& each) {
  HeadParser warm(kHeadLimit);
  for_each_splitting(each.bytes, [&](const Pieces& pieces) {
    HeadParser cold(kHeadLimit);
    for (HeadParser* heads : {&cold, &warm}) {
      const std::string text = play(*heads, pieces, each.kind, each.expected);
      if (text != each.transcript)
        print_message("%s, first piece %zu bytes of %zu\n", each.name,
                      pieces[0].size(), each.bytes.size());
      assert_string_equal(text.c_str(), each.transcript);
    }
  });
}

inline constexpr RequestKind kHead = RequestKind::head;

}  // namespace dyno
