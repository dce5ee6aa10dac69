#include "http/chunked.hh"

#include <algorithm>

#include "http/text.hh"

namespace dyno {

namespace {

// The value of a hexadecimal digit, or -1.
int digit_value(char byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  const char lower = to_lower(byte);
  if (lower >= 'a' && lower <= 'f') return lower - 'a' + 10;
  return -1;
}

}  // namespace

ChunkDecoder::Read ChunkDecoder::feed(std::string_view data, size_t limit) {
  Read read;
  while (read.state == State::more && read.consumed < data.size()) {
    const Piece piece = next(data.substr(read.consumed), limit);
    read.state = piece.state;
    read.consumed += piece.consumed;
    read.body_bytes += piece.data.size();
  }
  return read;
}

ChunkDecoder::Piece ChunkDecoder::next(std::string_view data, size_t limit) {
  Piece piece;
  while (piece.consumed < data.size()) {
    if (step_ == Step::data) {
      piece.data = data.substr(piece.consumed, left_);
      piece.consumed += piece.data.size();
      left_ -= piece.data.size();
      if (left_ == 0) step_ = Step::data_cr;
      return piece;
    }
    piece.state = take(data[piece.consumed], limit);
    ++piece.consumed;
    if (piece.state != State::more) return piece;
  }
  return piece;
}

ChunkDecoder::State ChunkDecoder::move_to(Step step) {
  step_ = step;
  return State::more;
}

// One byte that is not chunk data.
ChunkDecoder::State ChunkDecoder::take(char byte, size_t limit) {
  switch (step_) {
    case Step::data_cr:
      return byte == '\r' ? move_to(Step::data_lf) : State::malformed;
    case Step::data_lf:
      line_bytes_ = 0;
      return byte == '\n' ? move_to(Step::size_first) : State::malformed;
    default:
      break;
  }
  const bool is_size = step_ < Step::data;
  if (line_bytes_ >= limit)
    return is_size ? State::malformed : State::trailer_too_large;
  ++line_bytes_;
  if (step_ <= Step::size) return take_size_digit(byte);
  return is_size ? take_size_end(byte) : take_trailer(byte);
}

ChunkDecoder::State ChunkDecoder::take_size_digit(char byte) {
  const int digit = digit_value(byte);
  if (digit < 0)
    return step_ == Step::size ? take_size_end(byte) : State::malformed;
  if (left_ > uint64_t{INT64_MAX} >> 4) return State::malformed;
  left_ = left_ << 4 | static_cast<uint64_t>(digit);
  return move_to(Step::size);
}

// Blanks after the size are not in the grammar, but servers pad with them.
ChunkDecoder::State ChunkDecoder::take_size_end(char byte) {
  if (step_ == Step::size_lf) {
    if (byte != '\n') return State::malformed;
    if (left_ > 0) return move_to(Step::data);
    line_bytes_ = 0;
    return move_to(Step::trailer_first);
  }
  if (byte == '\r') return move_to(Step::size_lf);
  if (step_ == Step::extension)
    return byte == '\n' ? State::malformed : State::more;
  if (byte == ';') return move_to(Step::extension);
  if (byte == ' ' || byte == '\t') return move_to(Step::size_blank);
  return State::malformed;
}

// A trailer must at least begin like a field: where a server forgets the last
// empty line, the next answer must not be swallowed as one.
ChunkDecoder::State ChunkDecoder::take_trailer_start(char byte) {
  if (byte == '\r') return move_to(Step::last_lf);
  if (is_token_char(byte)) return move_to(Step::trailer_name);
  const bool is_fold = byte == ' ' || byte == '\t';
  if (is_fold && step_ == Step::trailer_line)
    return move_to(Step::trailer_value);
  return State::malformed;
}

ChunkDecoder::State ChunkDecoder::take_trailer(char byte) {
  switch (step_) {
    case Step::trailer_name:
      if (byte == ':') return move_to(Step::trailer_value);
      return is_token_char(byte) ? State::more : State::malformed;
    case Step::trailer_value:
      if (byte == '\r') return move_to(Step::trailer_lf);
      return byte == '\n' ? State::malformed : State::more;
    case Step::trailer_lf:
      return byte == '\n' ? move_to(Step::trailer_line) : State::malformed;
    case Step::last_lf:
      if (byte != '\n') return State::malformed;
      *this = ChunkDecoder();
      return State::done;
    default:
      return take_trailer_start(byte);
  }
}

}  // namespace dyno
