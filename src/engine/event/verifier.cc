#include "engine/event/verifier.hh"

#include <charconv>

#include "http/verification.hh"

namespace dyno {
namespace {

constexpr size_t kDigits = 16;
constexpr std::string_view kHex = "0123456789abcdef";

// False where the text is no number of that base and nothing else.
template <typename Number>
bool parse(std::string_view text, Number& number, int base) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number, base);
  return parsed.ec == std::errc() && parsed.ptr == end && !text.empty();
}

}  // namespace

std::string id_header() {
  return std::string(kIdField) + ": " + std::string(kDigits, '0');
}

Verifier::Verifier(const VerifyOptions& options, const std::string& request)
    : options_(options), request_(request) {
  if (options_.has_id)
    id_at_ = request_.find(id_header()) + kIdField.size() + 2;
}

void Verifier::reset() {
  unwritten_.clear();
  ids_.clear();
}

void Verifier::add(uint64_t id) {
  const size_t begin = unwritten_.size();
  unwritten_ += request_;
  if (!options_.has_id) return;
  ids_.push(id);
  for (size_t i = 0; i < kDigits; ++i, id >>= 4)
    unwritten_[begin + id_at_ + kDigits - 1 - i] = kHex[id & 15];
}

void Verifier::wrote(size_t requests) {
  unwritten_.erase(0, requests * request_.size());
}

ResponseTap::Verdict Verifier::head(std::string_view bytes,
                                    const Framing& framing) {
  if (options_.has_id)
    if (const Verdict verdict = check_id(bytes); verdict.reason != nullptr)
      return verdict;
  return options_.has_body ? begin_body(bytes, framing) : Verdict();
}

ResponseTap::Verdict Verifier::check_id(std::string_view head) {
  const uint64_t wanted = ids_.pop();
  const std::string_view text = find_field(head, kIdField);
  uint64_t got = 0;
  if (text.empty())
    return {Failure::misdelivered,
            "the answer has no X-Dyno-Id: verify.id needs a server that sends "
            "it back, as httpdyno serve does"};
  if (!parse(text, got, 16) || got != wanted)
    return {Failure::misdelivered, "the answer has the id of another request"};
  return {};
}

ResponseTap::Verdict Verifier::begin_body(std::string_view head,
                                          const Framing& framing) {
  uint64_t connection = 0, number = 0;
  int64_t seed = 0;
  if (!parse(find_field(head, kConnectionField), connection, 10) ||
      !parse(find_field(head, kRequestField), number, 10) ||
      !parse(find_field(head, kSeedField), seed, 10))
    return {Failure::body_mismatch,
            "the answer does not say which one it is: verify.body needs "
            "httpdyno serve --sequence-header"};
  const bool has_length = framing.body == BodyKind::length;
  const auto length = static_cast<int64_t>(has_length ? framing.length : 0);
  if (options_.body_bytes != kUnlimited && length != options_.body_bytes)
    return {Failure::body_mismatch, "the body has another length"};
  start_ = random_start(seed, connection, number);
  offset_ = 0;
  return {};
}

ResponseTap::Verdict Verifier::body(std::string_view piece) {
  if (!options_.has_body) return {};
  for (const char byte : piece)
    if (byte != random_byte(start_, offset_++))
      return {Failure::body_mismatch, "the body has other bytes"};
  return {};
}

}  // namespace dyno
