#include "engine/event/verifier.hh"

#include <charconv>

#include "http/rnd_body.hh"
#include "http/text.hh"
#include "http/verification.hh"

namespace dyno {
namespace {

// False where the field is not there or is no number and nothing else.
template <typename Number>
bool read_number(std::string_view head, std::string_view field,
                 Number& number) {
  const std::string_view text = find_field(head, field);
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

}  // namespace

std::string id_header() {
  return std::string(kIdField) + ": " + id_text(0);
}

Verifier::Verifier(const VerifyOptions& options, const std::string& request)
    : options_(options), request_(request) {
  const std::string line = "\r\n" + id_header();
  if (options_.has_id) id_at_ = request_.find(line) + line.size() - kIdDigits;
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
  unwritten_.replace(begin + id_at_, kIdDigits, id_text(id));
}

void Verifier::wrote(size_t requests) {
  unwritten_.erase(0, requests * request_.size());
}

ResponseTap::Verdict Verifier::find_fault(Failure failure, std::string why) {
  reason_ = std::move(why);
  return {failure, reason_.c_str()};
}

ResponseTap::Verdict Verifier::head(std::string_view bytes) {
  if (options_.has_id)
    if (const Verdict verdict = check_id(bytes); verdict.reason != nullptr)
      return verdict;
  return options_.has_body ? begin_body(bytes) : Verdict();
}

ResponseTap::Verdict Verifier::check_id(std::string_view head) {
  const std::string due = id_text(ids_.pop());
  const std::string_view came = find_field(head, kIdField);
  if (came == due) return {};
  if (came.empty())
    return find_fault(Failure::misdelivered,
                      "the answer has no X-Dyno-Id, where " + quoted(due) +
                          " was due: verify.id needs a server that sends it "
                          "back, as httpdyno serve does");
  return find_fault(Failure::misdelivered,
                    "the answer to request " + quoted(came) +
                        " came where that to " + quoted(due) + " was due");
}

ResponseTap::Verdict Verifier::begin_body(std::string_view head) {
  Place place;
  int64_t seed = 0;
  if (!read_number(head, kConnectionField, place.connection) ||
      !read_number(head, kRequestField, place.number) ||
      !read_number(head, kSeedField, seed))
    return find_fault(Failure::body_mismatch,
                      "the answer does not say which one it is: verify.body "
                      "needs httpdyno serve --sequence-header");
  start_ = rnd_start(seed, place);
  offset_ = 0;
  return {};
}

ResponseTap::Verdict Verifier::body(std::string_view piece) {
  if (!options_.has_body) return {};
  if (piece.size() > options_.body_bytes - offset_)
    return find_fault(Failure::body_mismatch,
                      "the body is longer than the " +
                          std::to_string(options_.body_bytes) +
                          " bytes that were asked for");
  const size_t right = count_rnd(piece, offset_, start_);
  offset_ += right;
  if (right == piece.size()) return {};
  return find_fault(
      Failure::body_mismatch,
      "byte " + std::to_string(offset_) + " of the body, from 0, is wrong");
}

ResponseTap::Verdict Verifier::end() {
  if (!options_.has_body || offset_ == options_.body_bytes) return {};
  return find_fault(Failure::body_mismatch,
                    "the body has " + std::to_string(offset_) + " bytes, not " +
                        std::to_string(options_.body_bytes));
}

}  // namespace dyno
