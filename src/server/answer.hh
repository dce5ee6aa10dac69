// Answer: the bytes of a response. Where they are the same for every request
// with the same head, any number of answers is one slice of a prebuilt block;
// otherwise each is composed when it is written. One thread's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "server/behaviour.hh"
#include "server/body.hh"

namespace dyno::server {

struct AnswerSpec {
  int status = 200;
  std::string fields;  // further ones, each with its CRLF
  std::string_view type = "text/plain";
  Body body;
  bool is_head_only = false;  // the answer to a HEAD
  bool is_http_10 = false;    // no chunks
  bool says_keep_alive = false;
  bool is_sequenced = false;  // X-Dyno-Connection, -Request and -Seed
  int64_t seed = 1;           // of a random body
};

// What two answers to the same head may differ in.
struct Stamp {
  Place place;
  bool says_close = false;
};

class Answer {
 public:
  explicit Answer(AnswerSpec spec);
  // These bytes and no others: an interim answer.
  explicit Answer(std::string text);

  uint64_t head_size(const Stamp& stamp) const;
  uint64_t size(const Stamp& stamp) const {
    if (is_uniform() && !stamp.says_close) return unit_;
    return head_size(stamp) + body_.size();
  }
  // From `offset` on, as much as fits.
  size_t copy(const Stamp& stamp, uint64_t offset, std::span<char> to) const;

  // The same bytes for every stamp that does not say close.
  bool is_uniform() const { return unit_ > 0; }
  // Of a uniform answer: lets slices be as long as `count` answers, within
  // reason. Moves the block: slices that were given are gone.
  void prepare(uint64_t count) {
    if (count > copies_) grow(count);
  }
  // How many answers one slice can hold.
  uint64_t copies() const { return copies_; }
  // `count` of them (at most copies()), without the first `offset` bytes.
  std::string_view slice(uint64_t count, uint64_t offset) const {
    return {block_.data() + offset, count * unit_ - offset};
  }

 private:
  class Ending;
  void grow(uint64_t count);

  std::string head_;  // without the empty line
  Body body_;
  bool is_sequenced_ = false;
  int64_t seed_ = 1;
  size_t unit_ = 0;      // bytes of a uniform answer
  uint64_t copies_ = 0;  // of it in the block
  std::string block_;
};

std::string_view reason_of(int status);

}  // namespace dyno::server
