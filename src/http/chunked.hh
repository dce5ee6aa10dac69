// Chunked transfer coding, RFC 9112 section 7.1: extensions are skipped,
// trailers are skipped and bounded. A byte machine without memory of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dyno {

class ChunkDecoder {
 public:
  enum class State : uint8_t { more, done, malformed, trailer_too_large };
  struct Read {
    State state = State::more;
    size_t consumed = 0;
    uint64_t body_bytes = 0;  // decoded in this call
  };
  // `limit` bounds one size line with its extensions, and all trailers
  // together, in bytes. What follows a `done` is left alone, and the decoder is
  // ready for the next body.
  Read feed(std::string_view data, size_t limit);

  struct Piece {
    State state = State::more;
    size_t consumed = 0;
    std::string_view data;  // decoded, a slice of what was given; may be empty
  };
  // The same for whoever wants the body itself: stops after each contiguous
  // piece of it. Call it again with the rest while the state is `more` and
  // bytes are left.
  Piece next(std::string_view data, size_t limit);

 private:
  enum class Step : uint8_t {
    size_first,  // the first digit must come
    size,
    size_blank,  // blanks after the digits
    extension,
    size_lf,
    data,
    data_cr,
    data_lf,
    trailer_first,  // a trailer's name, or the CR of the last line
    trailer_line,   // the same, or the fold of the line before
    trailer_name,
    trailer_value,
    trailer_lf,
    last_lf,
  };

  State take(char byte, size_t limit);
  State take_size_digit(char byte);
  State take_size_end(char byte);
  State take_trailer_start(char byte);
  State take_trailer(char byte);
  State move_to(Step step);

  Step step_ = Step::size_first;
  uint32_t line_bytes_ = 0;  // of the size line or the trailer section so far
  uint64_t left_ = 0;        // of the chunk's data
};

}  // namespace dyno
