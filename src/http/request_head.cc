#include "http/request_head.hh"

#include "http/head_cache.hh"
#include "http/head_scan.hh"

namespace dyno {

struct RequestHeadParser::State {
  size_t head_limit;
  uint64_t last_id = 0;
  HeadCache<RequestHead> cache;
  RequestHead uncached;

  // Remembers a head where it fits, and lets its slices point to what was
  // remembered.
  const RequestHead& keep(RequestHead head, std::string_view bytes,
                          size_t target_at) {
    RequestHead* place = &uncached;
    head.bytes = bytes;
    if (bytes.size() <= cache.kHeadBytes) {
      auto& entry = cache.insert(bytes, 0);
      place = &entry.meaning;
      head.bytes = entry.head();
    }
    head.target = head.bytes.substr(target_at, head.target.size());
    *place = head;
    return *place;
  }
};

RequestHeadParser::RequestHeadParser(size_t head_limit)
    : state_(std::make_unique<State>()) {
  state_->head_limit = head_limit;
}

RequestHeadParser::~RequestHeadParser() = default;

namespace {

Method verb_of(std::string_view method) {
  if (method == "GET") return Method::get;
  if (method == "HEAD") return Method::head;
  if (method == "POST") return Method::post;
  return Method::other;
}

// Why a head that llhttp took is none for us, or null.
const char* fault_of(const HeadScan& scan, std::string_view version,
                     bool is_http_10) {
  const HeadFields& fields = scan.fields;
  if (!version.starts_with(" HTTP/1.")) return "not an HTTP/1 request";
  if (scan.target.find('#') != std::string_view::npos)
    return "a fragment in the request target";
  if (fields.hosts > 1) return "more than one Host field";
  if (fields.hosts == 0 && !is_http_10) return "no Host field";
  if (!fields.is_length_valid) return "an invalid Content-Length";
  if (!fields.has_coding) return nullptr;
  if (fields.has_length) return "Content-Length beside Transfer-Encoding";
  if (!fields.is_chunked) return "a last transfer coding that is not chunked";
  if (is_http_10) return "Transfer-Encoding in an HTTP/1.0 request";
  return nullptr;
}

RequestHead meaning_of(const HeadScan& scan, bool is_http_10) {
  const HeadFields& fields = scan.fields;
  RequestHead head;
  head.target = scan.target;
  head.method = scan.method;
  head.verb = verb_of(scan.method);
  head.is_http_10 = is_http_10;
  head.keep_alive = fields.keep_alive(is_http_10);
  head.expect_continue = fields.expect_continue && !is_http_10;
  if (fields.is_chunked) {
    head.body = BodyKind::chunked;
  } else if (fields.length > 0) {
    head.body = BodyKind::length;
    head.length = fields.length;
  }
  return head;
}

}  // namespace

RequestHeadParser::Outcome RequestHeadParser::parse(std::string_view data) {
  State& state = *state_;
  if (const auto* entry = state.cache.find(data, 0))
    return {Outcome::complete, &entry->meaning};

  const HeadScan scan = scan_request_head(data.substr(0, state.head_limit));
  if (scan.what == HeadScan::malformed)
    return {Outcome::malformed, nullptr, scan.reason};
  if (scan.what == HeadScan::incomplete)
    return {data.size() > state.head_limit ? Outcome::too_large
                                           : Outcome::incomplete};

  const std::string_view bytes = data.substr(0, scan.head_bytes);
  const auto target_at = static_cast<size_t>(scan.target.data() - bytes.data());
  const std::string_view version = bytes.substr(target_at + scan.target.size());
  const bool is_http_10 = version.starts_with(" HTTP/1.0");
  if (const char* fault = fault_of(scan, version, is_http_10))
    return {Outcome::malformed, nullptr, fault};

  RequestHead head = meaning_of(scan, is_http_10);
  head.id = ++state.last_id;
  return {Outcome::complete, &state.keep(head, bytes, target_at)};
}

RequestBodyReader::Read RequestBodyReader::next(std::string_view data,
                                                size_t limit) {
  if (is_chunked_) {
    const ChunkDecoder::Piece piece = chunks_.next(data, limit);
    const State state = piece.state == ChunkDecoder::State::more ? State::more
                        : piece.state == ChunkDecoder::State::done
                            ? State::done
                            : State::malformed;
    return {state, piece.consumed, piece.data};
  }
  const std::string_view piece = data.substr(0, left_);
  left_ -= piece.size();
  return {left_ == 0 ? State::done : State::more, piece.size(), piece};
}

}  // namespace dyno
