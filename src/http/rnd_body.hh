// The bodies of /rnd: made by our own server, made again by a client that
// verifies them. Each is a pure function of the target, a seed, and which
// request of which connection it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/chance.hh"
#include "base/status.hh"

namespace dyno {

inline constexpr std::string_view kRndPath = "/rnd";
inline constexpr uint64_t kRndStarts = 96;
// Where the target does not say how many bytes, as published.
inline constexpr uint64_t kRndBytes = 100;

// Byte i of a body is 32 + (start + i % 1024) % 96 (as published: the pattern
// begins again every 1024 bytes).
inline uint64_t rnd_start(int64_t seed, Place place) {
  return draw(seed, place, Chance::body) % kRndStarts;
}

// Fills `to` with the bytes from `offset` on.
void copy_rnd(std::span<char> to, uint64_t offset, uint64_t start);
// How many of the bytes at the front of `piece`, which stands at `offset`, are
// the right ones.
size_t count_rnd(std::string_view piece, uint64_t offset, uint64_t start);

// The bytes that a target asks for: /rnd or /rnd?c=N. An error says what is
// wrong with another one.
Result<uint64_t> rnd_bytes_of(std::string_view target);

}  // namespace dyno
