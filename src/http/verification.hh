// Verification: what client and server must agree on, so that an answer can be
// told from another's: the fields that say whose it is, and the bytes of a
// random body, which are a function of seed, connection and request number.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/rng.hh"

namespace dyno {

// Sent with a request and back with its answer: 16 hexadecimal digits.
inline constexpr std::string_view kIdField = "X-Dyno-Id";
// Of a server's answers: which one of which connection, both from 1, and the
// seed of its random bodies.
inline constexpr std::string_view kConnectionField = "X-Dyno-Connection";
inline constexpr std::string_view kRequestField = "X-Dyno-Request";
inline constexpr std::string_view kSeedField = "X-Dyno-Seed";

// The value of the first field of that name in a head, trimmed; empty when
// there is none.
std::string_view find_field(std::string_view head, std::string_view name);

// 64 even bits that depend on nothing else.
inline uint64_t place_bits(int64_t seed, uint64_t connection, uint64_t number) {
  uint64_t z = Rng(static_cast<uint64_t>(seed)).next();
  z = Rng(z ^ connection).next();
  return Rng(z ^ number).next();
}

// Byte i of a random body is 32 + (start + i % 1024) % 96 (as published: the
// pattern begins again every 1024 bytes).
inline constexpr uint64_t kRandomStarts = 96;
inline constexpr uint64_t kRandomBlock = 1024;
inline uint64_t random_start(int64_t seed, uint64_t connection,
                             uint64_t number) {
  return place_bits(seed, connection, number) % kRandomStarts;
}
constexpr char random_byte(uint64_t start, uint64_t offset) {
  return static_cast<char>(32 +
                           (start + offset % kRandomBlock) % kRandomStarts);
}

}  // namespace dyno
