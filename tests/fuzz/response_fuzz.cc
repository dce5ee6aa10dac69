// Fuzzes the framing of answers. Every input is framed whole, byte by byte and
// in pieces, with a cold and a warm head cache: all must agree to the byte. The
// oracle is plain llhttp; where the two differ, the difference must be one of
// the written deviations (the table in src/http/head_scan.cc).
//
// Input: one byte of settings (HEAD or not, size of the pieces), then the bytes
// of a connection, which ends after them.
#include <llhttp.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/response.hh"
#include "oracle.hh"

namespace {

using dyno::HeadParser;
using dyno::RequestKind;
using dyno::Response;
using dyno::ResponseReader;
using fuzz::differ;
using fuzz::has_any;
using fuzz::is_plain;
using fuzz::lower;
using fuzz::may_be_lax;
using fuzz::may_be_strict_in_body;

constexpr size_t kHeadLimit = 4096;
constexpr uint32_t kExpected = 1000;

struct Message {
  int status;
  uint64_t body;
  bool operator==(const Message&) const = default;
};

struct Framed {
  std::vector<Message> messages;
  std::string end;     // open, closing, surplus, truncated or failed
  std::string reason;  // of failed; may depend on how the bytes were split
  bool operator==(const Framed& other) const {
    return messages == other.messages && end == other.end;
  }
};

void add(const std::vector<Response>& done, Framed& framed) {
  for (const Response& one : done)
    for (uint32_t i = 0; i < one.count; ++i)
      framed.messages.push_back({one.status, one.body_bytes});
}

// What the event engine does with a connection's bytes, `piece` at a time.
Framed frame(HeadParser& heads, std::string_view data, RequestKind kind,
             size_t piece) {
  Framed framed;
  ResponseReader reader;
  std::string held;
  framed.end = "open";
  for (size_t at = 0; at < data.size() && framed.end == "open"; at += piece) {
    held += data.substr(at, piece);
    std::vector<Response> done;
    const auto expected =
        static_cast<uint32_t>(kExpected - framed.messages.size());
    const auto read = reader.feed(heads, held, kind, expected, 1, done);
    add(done, framed);
    if (read.state == ResponseReader::State::closing) framed.end = "closing";
    if (read.state == ResponseReader::State::surplus) framed.end = "surplus";
    if (read.state == ResponseReader::State::failed) {
      framed.end = "failed";
      framed.reason = read.reason;
    }
    if (read.consumed > held.size()) differ("consumed too much", data);
    held.erase(0, read.consumed);
    if (held.size() > kHeadLimit && framed.end == "open")
      differ("holds more than a head", data);
  }
  if (framed.end != "open") return framed;
  std::vector<Response> done;
  const bool is_complete =
      reader.finish(done).state == ResponseReader::State::closing;
  add(done, framed);
  framed.end = is_complete                 ? "closing"
               : reader.is_inside_answer() ? "truncated"
                                           : "open";
  return framed;
}

// --- the oracle
// ---------------------------------------------------------------

struct Oracle {
  llhttp_t parser;
  llhttp_settings_t settings;
  RequestKind kind;
  std::vector<Message> messages;
  Message current{};
};

Oracle& oracle_of(llhttp_t* parser) {
  return *static_cast<Oracle*>(parser->data);
}

int on_headers(llhttp_t* parser) {
  Oracle& oracle = oracle_of(parser);
  oracle.current = {parser->status_code, 0};
  // The written overrides: these have no body whatever their fields say.
  const int status = parser->status_code;
  const bool is_bodiless = status < 200 || status == 204 || status == 304;
  return oracle.kind == RequestKind::head || is_bodiless ? 1 : 0;
}

int on_body(llhttp_t* parser, const char*, size_t size) {
  oracle_of(parser).current.body += size;
  return 0;
}

int on_complete(llhttp_t* parser) {
  Oracle& oracle = oracle_of(parser);
  // The other override: 1xx is never the final answer.
  if (oracle.current.status >= 200) oracle.messages.push_back(oracle.current);
  return 0;
}

bool ask(Oracle& oracle, std::string_view data, RequestKind kind) {
  oracle.kind = kind;
  llhttp_settings_init(&oracle.settings);
  oracle.settings.on_headers_complete = on_headers;
  oracle.settings.on_body = on_body;
  oracle.settings.on_message_complete = on_complete;
  llhttp_init(&oracle.parser, HTTP_RESPONSE, &oracle.settings);
  oracle.parser.data = &oracle;
  const llhttp_errno_t error =
      llhttp_execute(&oracle.parser, data.data(), data.size());
  if (error == HPE_OK) llhttp_finish(&oracle.parser);
  return error == HPE_OK;
}

// --- the deviations
// -------------------------------------------------------------

// Reasons of ours that llhttp does not have: rows of the table.
bool is_stricter(const std::string& end, std::string_view text) {
  if (end == "a malformed chunk") return may_be_strict_in_body(text);
  for (const char* reason :
       {"a status that is not three digits", "a status below 100",
        "a 101 that no request asked for", "a field without a name",
        "a line that ends with LF alone", "a response head beyond the limit",
        "a trailer section beyond the limit", "an invalid Content-Length",
        "not an HTTP/1 response"})
    if (end == reason) return true;
  return false;
}

// And the other way round: an interim answer ends no connection.
bool is_laxer(const Oracle& oracle, std::string_view data) {
  if (has_any(llhttp_get_error_reason(&oracle.parser), {"Data after"}))
    return oracle.current.status < 200;
  return may_be_lax(oracle.parser, data);
}

void compare(const Framed& ours, std::string_view data, RequestKind kind) {
  Oracle oracle;
  const bool is_taken = ask(oracle, data, kind);
  const std::string text = lower(data);
  if (!is_plain(text)) return;
  const size_t both = std::min(ours.messages.size(), oracle.messages.size());
  for (size_t i = 0; i < both; ++i)
    if (ours.messages[i] != oracle.messages[i]) differ("a message", data);
  if (is_taken && ours.end == "open" &&
      ours.messages.size() != oracle.messages.size())
    differ("the number of messages", data);
  if (is_taken && ours.end == "failed" && !is_stricter(ours.reason, text))
    differ(ours.reason.c_str(), data);
  if (is_taken || ours.end == "failed" || ours.end == "closing") return;
  if (!is_laxer(oracle, data))
    differ(llhttp_get_error_reason(&oracle.parser), data);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  if (size == 0) return 0;
  const uint8_t settings = bytes[0];
  const std::string_view data(reinterpret_cast<const char*>(bytes) + 1,
                              size - 1);
  const RequestKind kind =
      (settings & 1) != 0 ? RequestKind::head : RequestKind::ordinary;
  const size_t piece = 2 + (settings >> 1) % 61;

  HeadParser cold(kHeadLimit);
  const Framed whole = frame(cold, data, kind, data.size() + 1);
  if (frame(cold, data, kind, data.size() + 1) != whole)
    differ("with a warm cache", data);
  if (frame(cold, data, kind, piece) != whole) differ("in pieces, warm", data);
  HeadParser fresh(kHeadLimit);
  if (frame(fresh, data, kind, 1) != whole) differ("byte by byte", data);
  compare(whole, data, kind);
  return 0;
}
