#include "server/body.hh"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "http/rnd_body.hh"

namespace dyno::server {
namespace {

constexpr uint64_t kLargestChunk = 16384;
constexpr std::string_view kLastChunk = "0\r\n\r\n";

void fill(Cursor& to, uint64_t bytes) {
  const std::span<char> part = to.take(bytes).bytes;
  std::memset(part.data(), 'x', part.size());
}

void copy_random(Cursor& to, uint64_t bytes, uint64_t start) {
  const Cursor::Part part = to.take(bytes);
  copy_rnd(part.bytes, part.offset, start);
}

// At least four chunks where there are bytes for four.
uint64_t chunk_size(uint64_t bytes) {
  return std::clamp((bytes + 3) / 4, uint64_t{1}, kLargestChunk);
}

std::string chunk_line(uint64_t size) {
  std::array<char, 16> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), size, 16).ptr;
  return std::string(digits.data(), end) + "\r\n";
}

uint64_t encoded_size(uint64_t chunk) {
  return chunk == 0 ? 0 : chunk_line(chunk).size() + chunk + 2;
}

uint64_t chunked_size(uint64_t bytes) {
  const uint64_t chunk = chunk_size(bytes);
  return bytes / chunk * encoded_size(chunk) + encoded_size(bytes % chunk) +
         kLastChunk.size();
}

void copy_chunk(Cursor& to, uint64_t chunk, const std::string& line) {
  to.add(line);
  fill(to, chunk);
  to.add("\r\n");
}

void copy_chunked(Cursor& to, uint64_t bytes) {
  const uint64_t chunk = chunk_size(bytes);
  const std::string line = chunk_line(chunk);
  const uint64_t whole = bytes / chunk;
  const uint64_t rest = bytes % chunk;
  for (uint64_t i = to.skip_whole(encoded_size(chunk), whole);
       i < whole && !to.is_full(); ++i)
    copy_chunk(to, chunk, line);
  if (rest > 0) copy_chunk(to, rest, chunk_line(rest));
  to.add(kLastChunk);
}

}  // namespace

uint64_t Cursor::skip_whole(uint64_t size, uint64_t count) {
  const uint64_t skipped = std::min(skip_ / size, count);
  skip_ -= skipped * size;
  return skipped;
}

Cursor::Part Cursor::take(uint64_t size) {
  const uint64_t offset = std::min(skip_, size);
  skip_ -= offset;
  const size_t fits =
      static_cast<size_t>(std::min(size - offset, room_.size() - used_));
  const Part part{offset, room_.subspan(used_, fits)};
  used_ += fits;
  return part;
}

void Cursor::add(std::string_view text) {
  const Part part = take(text.size());
  std::memcpy(part.bytes.data(), text.data() + part.offset, part.bytes.size());
}

uint64_t Body::size() const {
  switch (kind) {
    case Kind::text:
      return text.size();
    case Kind::fill:
    case Kind::random:
      return bytes;
    case Kind::chunked:
      return chunked_size(bytes);
  }
  return 0;
}

void Body::copy(Cursor& to, uint64_t start) const {
  switch (kind) {
    case Kind::text:
      return to.add(text);
    case Kind::fill:
      return fill(to, bytes);
    case Kind::random:
      return copy_random(to, bytes, start);
    case Kind::chunked:
      return copy_chunked(to, bytes);
  }
}

Body text_body(std::string text) {
  Body body;
  body.text = std::move(text);
  return body;
}

}  // namespace dyno::server
