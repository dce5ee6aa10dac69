// Verifier: whether an answer belongs to the request that its connection has
// sent first, and whether a random body is the one that was asked for. It
// stamps requests with ids and reads every answer: the slow path, taken only
// with verify.id or verify.body. One per connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ring.hh"
#include "http/response.hh"

namespace dyno {

struct VerifyOptions {
  bool has_id = false;      // the request has a field for one
  bool has_body = false;    // the answers have the bodies of /rnd
  uint64_t body_bytes = 0;  // of each of these
  uint64_t first_id = 0;    // of this worker in this cell; then counted up

  bool is_on() const { return has_id || has_body; }
};

class Verifier final : public ResponseTap {
 public:
  // `request` must outlive it; with ids it has an id field.
  Verifier(const VerifyOptions& options, const std::string& request);

  // A new connection.
  void reset();
  // The next request is to be written; `id` is its own.
  void add(uint64_t id);
  // What is to be written, from `offset` bytes of its first request on.
  std::string_view slice(size_t offset) const {
    return std::string_view(unwritten_).substr(offset);
  }
  void wrote(size_t requests);

  Verdict head(std::string_view bytes) override;
  Verdict body(std::string_view piece) override;
  Verdict end() override;

 private:
  Verdict find_fault(Failure failure, std::string why);
  Verdict check_id(std::string_view head);
  Verdict begin_body(std::string_view head);

  VerifyOptions options_;
  const std::string& request_;
  size_t id_at_ = 0;  // of the id's digits in the request
  std::string unwritten_;
  Ring<uint64_t> ids_;   // of the requests without an answer
  uint64_t start_ = 0;   // of the body that is being read
  uint64_t offset_ = 0;  // bytes of it that were right; no more than asked for
  std::string reason_;
};

// The field that a request with an id must have; the digits are the id's place.
std::string id_header();

}  // namespace dyno
