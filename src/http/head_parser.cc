#include "http/head_parser.hh"

#include <algorithm>

#include "http/head_cache.hh"
#include "http/head_scan.hh"

namespace dyno {

struct HeadParser::State {
  size_t head_limit;
  HeadCache<Framing> cache;
  Framing uncached;
};

HeadParser::HeadParser(size_t head_limit) : state_(std::make_unique<State>()) {
  state_->head_limit = head_limit;
}

HeadParser::~HeadParser() = default;

size_t HeadParser::head_limit() const {
  return state_->head_limit;
}

namespace {

// d is any digit; the version's last digit is llhttp's business.
constexpr std::string_view kStatusLine = "HTTP/1.d ddd";
constexpr size_t kStatusAt = 9;

bool matches(char pattern, char byte) {
  return pattern == 'd' ? byte >= '0' && byte <= '9' : pattern == byte;
}

// Why these bytes begin no status line, or null while they may.
const char* status_line_fault(std::string_view data) {
  const size_t size = std::min(data.size(), kStatusLine.size());
  for (size_t i = 0; i < size; ++i)
    if (!matches(kStatusLine[i], data[i]))
      return i < kStatusAt ? "not an HTTP/1 response"
                           : "a status that is not three digits";
  if (data.size() > kStatusAt && data[kStatusAt] == '0')
    return "a status below 100";
  if (data.size() > size && data[size] != ' ' && data[size] != '\r')
    return "a status that is not three digits";
  return nullptr;
}

uint16_t status_of(std::string_view data) {
  int status = 0;
  for (const char digit : data.substr(kStatusAt, 3))
    status = status * 10 + (digit - '0');
  return static_cast<uint16_t>(status);
}

// RFC 9112 section 6.3, rule 1.
bool is_bodiless(uint16_t status, RequestKind kind) {
  return kind == RequestKind::head || status < 200 || status == 204 ||
         status == 304;
}

// Rules 4 to 8; rule 2 is about CONNECT.
BodyKind body_of(const HeadFields& fields) {
  if (fields.is_chunked) return BodyKind::chunked;
  if (fields.has_coding || !fields.has_length) return BodyKind::until_close;
  return fields.length > 0 ? BodyKind::length : BodyKind::none;
}

Framing framing_of(std::string_view head, const HeadFields& fields,
                   RequestKind kind) {
  const bool is_http_10 = head[7] == '0';
  Framing framing;
  framing.status = status_of(head);
  framing.is_interim = framing.status < 200;
  framing.own_server = fields.own_server;
  framing.head_bytes = static_cast<uint32_t>(head.size());
  framing.keep_alive = fields.keep_alive(is_http_10);
  if (is_bodiless(framing.status, kind)) return framing;
  framing.body = body_of(fields);
  if (framing.body == BodyKind::length) framing.length = fields.length;
  // A length that only the close tells, and a coding that HTTP/1.0 does not
  // know (section 6.1): both end the connection.
  if (framing.body == BodyKind::until_close ||
      (is_http_10 && fields.has_coding))
    framing.keep_alive = false;
  return framing;
}

const char* fault_of(const Framing& framing, const HeadFields& fields,
                     RequestKind kind) {
  if (framing.status == 101) return "a 101 that no request asked for";
  const bool is_length_used =
      !fields.has_coding && !is_bodiless(framing.status, kind);
  if (is_length_used && !fields.is_length_valid)
    return "an invalid Content-Length";
  return nullptr;
}

}  // namespace

HeadParser::Outcome HeadParser::parse(std::string_view data, RequestKind kind) {
  State& state = *state_;
  const auto key = static_cast<uint8_t>(kind);
  if (const auto* entry = state.cache.find(data, key))
    return {Outcome::complete, &entry->meaning};
  if (const char* fault = status_line_fault(data))
    return {Outcome::malformed, nullptr, fault};

  const HeadScan scan = scan_response_head(data.substr(0, state.head_limit));
  if (scan.what == HeadScan::malformed)
    return {Outcome::malformed, nullptr, scan.reason};
  if (scan.what == HeadScan::incomplete)
    return {data.size() > state.head_limit ? Outcome::too_large
                                           : Outcome::incomplete};

  const std::string_view head = data.substr(0, scan.head_bytes);
  const Framing framing = framing_of(head, scan.fields, kind);
  if (const char* fault = fault_of(framing, scan.fields, kind))
    return {Outcome::malformed, nullptr, fault};
  Framing& kept = head.size() <= state.cache.kHeadBytes
                      ? state.cache.insert(head, key).meaning
                      : state.uncached;
  kept = framing;
  return {Outcome::complete, &kept};
}

}  // namespace dyno
