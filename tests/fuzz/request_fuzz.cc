// Fuzzes the server's request heads and bodies: every input is read whole, byte
// by byte and in pieces, with a cold and a warm head cache; all must agree, and
// what the parser takes must be what its bytes say. The oracle is plain llhttp;
// where the two differ, the difference must be one of the written deviations
// (the table in src/http/head_scan.cc).
//
// Input: one byte of settings (the size of the pieces), then the bytes of a
// connection.
#include <llhttp.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/request_head.hh"
#include "oracle.hh"

namespace {

using dyno::BodyKind;
using dyno::RequestBodyReader;
using dyno::RequestHead;
using dyno::RequestHeadParser;
using fuzz::differ;
using fuzz::has_any;
using fuzz::is_plain;
using fuzz::lower;
using fuzz::may_be_lax;
using fuzz::may_be_strict_in_body;

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
  std::string reason;  // of malformed; may depend on how bytes were split
  bool operator==(const Outcome& other) const {
    return requests == other.requests && end == other.end;
  }
};

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
    if (parsed.what == What::malformed) {
      outcome.end = "malformed";
      outcome.reason = parsed.reason;
    }
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
    if (read.state == RequestBodyReader::State::malformed) {
      outcome.end = "malformed";
      outcome.reason = "a malformed body";
    }
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

// --- the oracle
// ---------------------------------------------------------------

struct Oracle {
  llhttp_t parser;
  llhttp_settings_t settings;
  std::vector<Seen> requests;
};

Seen& last_of(llhttp_t* parser) {
  return static_cast<Oracle*>(parser->data)->requests.back();
}

int on_begin(llhttp_t* parser) {
  static_cast<Oracle*>(parser->data)->requests.emplace_back();
  return 0;
}

int on_target(llhttp_t* parser, const char* at, size_t size) {
  last_of(parser).target.append(at, size);
  return 0;
}

// Told at the end of a head, so that one that is not whole has no method.
int on_headers(llhttp_t* parser) {
  last_of(parser).method =
      llhttp_method_name(static_cast<llhttp_method_t>(parser->method));
  return 0;
}

int on_body(llhttp_t* parser, const char* at, size_t size) {
  last_of(parser).body.append(at, size);
  return 0;
}

bool ask(Oracle& oracle, std::string_view data) {
  llhttp_settings_init(&oracle.settings);
  oracle.settings.on_message_begin = on_begin;
  oracle.settings.on_url = on_target;
  oracle.settings.on_headers_complete = on_headers;
  oracle.settings.on_body = on_body;
  llhttp_init(&oracle.parser, HTTP_REQUEST, &oracle.settings);
  oracle.parser.data = &oracle;
  const llhttp_errno_t error =
      llhttp_execute(&oracle.parser, data.data(), data.size());
  while (!oracle.requests.empty() && oracle.requests.back().method.empty())
    oracle.requests.pop_back();
  return error == HPE_OK;
}

// Reasons of ours that llhttp does not have: rows of the table.
bool is_stricter(const Outcome& ours, std::string_view text) {
  if (ours.reason == "a malformed body") return may_be_strict_in_body(text);
  for (const char* reason :
       {"not an HTTP/1 request", "a fragment in the request target",
        "more than one Host field", "no Host field", "a field without a name",
        "a line that ends with LF alone",
        "Transfer-Encoding in an HTTP/1.0 request"})
    if (ours.reason == reason) return true;
  return false;
}

// After "Connection: close" the server reads no more; here all is read.
bool is_laxer(const Oracle& oracle, std::string_view data) {
  return has_any(llhttp_get_error_reason(&oracle.parser), {"Data after"}) ||
         may_be_lax(oracle.parser, data);
}

void compare(const Outcome& ours, std::string_view data) {
  const std::string text = lower(data);
  // What follows CONNECT is none of HTTP.
  if (!is_plain(text) || has_any(text, {"connect "})) return;
  Oracle oracle;
  const bool is_taken = ask(oracle, data);
  const size_t both = std::min(ours.requests.size(), oracle.requests.size());
  for (size_t i = 0; i < both; ++i) {
    const Seen& one = ours.requests[i];
    const Seen& other = oracle.requests[i];
    if (one.method != other.method) differ("a method", data);
    if (one.target != other.target) differ("a target", data);
    const bool is_whole = is_taken && ours.end == "open";
    if ((i + 1 < both || is_whole) && one.body != other.body)
      differ("a body", data);
  }
  if (is_taken && ours.end == "open" &&
      ours.requests.size() != oracle.requests.size())
    differ("the number of requests", data);
  if (is_taken && ours.end != "open" && !is_stricter(ours, text))
    differ(ours.reason.c_str(), data);
  if (!is_taken && ours.end == "open" && !is_laxer(oracle, data))
    differ(llhttp_get_error_reason(&oracle.parser), data);
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
  compare(whole, data);
  return 0;
}
