// Body: the content of an answer as a pure function of an offset, so that a
// large one is made while it is sent and a write that stopped anywhere can go
// on without a copy having been kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dyno::server {

// Copies a row of texts of which the first `skip` bytes are not wanted.
class Cursor {
 public:
  Cursor(uint64_t skip, std::span<char> room) : skip_(skip), room_(room) {}

  void add(std::string_view text);
  // The part of the next `size` bytes that is wanted and fits; to be filled
  // from `offset` of them on.
  struct Part {
    uint64_t offset;
    std::span<char> bytes;
  };
  Part take(uint64_t size);
  // Of `count` texts of `size` bytes each, how many are not wanted at all.
  uint64_t skip_whole(uint64_t size, uint64_t count);
  bool is_full() const { return used_ == room_.size(); }
  size_t used() const { return used_; }

 private:
  uint64_t skip_;
  std::span<char> room_;
  size_t used_ = 0;
};

struct Body {
  enum class Kind : uint8_t {
    text,
    fill,     // `bytes` times x
    random,   // /rnd: text bytes that depend on a start value
    chunked,  // the same as fill, in chunks
  };
  Kind kind = Kind::text;
  std::string text;
  uint64_t bytes = 0;

  uint64_t size() const;  // on the wire
  // `start` is of a random body: 0 … kRndStarts - 1.
  void copy(Cursor& to, uint64_t start) const;
};

Body text_body(std::string text);

}  // namespace dyno::server
