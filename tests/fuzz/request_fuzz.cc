// Fuzzes the server's request heads and bodies: every input is read whole, byte
// by byte and in pieces, with a cold and a warm head cache; all must agree, and
// what the parser takes must be what its bytes say.
//
// Input: one byte of settings (the size of the pieces), then the bytes of a
// connection.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/request_head.hh"

namespace {

using dyno::BodyKind;
using dyno::RequestBodyReader;
using dyno::RequestHead;
using dyno::RequestHeadParser;

constexpr size_t kHeadLimit = 4096;

struct Seen {
  std::string target;
  std::string method;
  std::string body;
  bool keep_alive;
  bool expect_continue;
  bool operator==(const Seen&) const = default;
};

struct Outcome {
  std::vector<Seen> requests;
  std::string end = "open";
  bool operator==(const Outcome&) const = default;
};

[[noreturn]] void differ(const char* what, std::string_view data) {
  fprintf(stderr, "differs: %s, %zu bytes\n", what, data.size());
  abort();
}

class Connection {
 public:
  Connection(RequestHeadParser& parser, std::string_view all)
      : parser_(parser), all_(all) {}

  void feed(std::string_view bytes) {
    held_ += bytes;
    while (outcome.end == "open" && step()) {
    }
  }

  Outcome outcome;

 private:
  // False when more bytes are needed.
  bool step() { return is_in_body_ ? read_body() : read_head(); }

  bool read_head() {
    if (held_.empty()) return false;
    const auto parsed = parser_.parse(held_);
    using What = RequestHeadParser::Outcome;
    if (parsed.what == What::too_large) outcome.end = "too large";
    if (parsed.what == What::malformed) outcome.end = "malformed";
    if (parsed.what == What::incomplete && held_.size() > kHeadLimit)
      differ("an endless head", all_);
    if (parsed.what != What::complete) return false;
    take(*parsed.head);
    return true;
  }

  void take(const RequestHead& head) {
    if (head.bytes.size() > held_.size() ||
        std::string_view(held_).substr(0, head.bytes.size()) != head.bytes)
      differ("a head that is not there", all_);
    if (head.target.empty()) differ("an empty target", all_);
    if (head.bytes.find(head.target) == std::string_view::npos)
      differ("a target that is not in the head", all_);
    if (!head.bytes.ends_with("\r\n\r\n")) differ("no empty line", all_);
    outcome.requests.push_back({std::string(head.target),
                                std::string(head.method), "", head.keep_alive,
                                head.expect_continue});
    body_ = RequestBodyReader(head);
    is_in_body_ = head.body != BodyKind::none;
    held_.erase(0, head.bytes.size());
  }

  bool read_body() {
    if (held_.empty()) return false;
    const auto read = body_.next(held_, kHeadLimit);
    if (read.consumed > held_.size()) differ("consumed too much", all_);
    outcome.requests.back().body += read.piece;
    const bool is_stuck =
        read.consumed == 0 && read.state == RequestBodyReader::State::more;
    held_.erase(0, read.consumed);
    if (read.state == RequestBodyReader::State::malformed) outcome.end = "body";
    if (read.state == RequestBodyReader::State::done) is_in_body_ = false;
    return !is_stuck;
  }

  RequestHeadParser& parser_;
  std::string_view all_;
  std::string held_;
  RequestBodyReader body_;
  bool is_in_body_ = false;
};

Outcome read_all(RequestHeadParser& parser, std::string_view data,
                 size_t piece) {
  Connection connection(parser, data);
  for (size_t at = 0; at < data.size(); at += piece)
    connection.feed(data.substr(at, piece));
  return connection.outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  if (size == 0) return 0;
  const std::string_view data(reinterpret_cast<const char*>(bytes) + 1,
                              size - 1);
  const size_t piece = 2 + bytes[0] % 61;
  RequestHeadParser parser(kHeadLimit);
  const Outcome whole = read_all(parser, data, data.size() + 1);
  if (read_all(parser, data, data.size() + 1) != whole)
    differ("with a warm cache", data);
  if (read_all(parser, data, piece) != whole) differ("in pieces, warm", data);
  RequestHeadParser fresh(kHeadLimit);
  if (read_all(fresh, data, 1) != whole) differ("byte by byte", data);
  return 0;
}
