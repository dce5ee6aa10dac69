// Chance as a pure function of a seed and of which request of which connection:
// what happened by chance can be repeated, and verified by whoever is told the
// numbers.
#pragma once

#include <cstdint>

#include "base/rng.hh"

namespace dyno {

// Which request of which connection, both counted from 1 (connections over all
// threads of the server).
struct Place {
  uint64_t connection = 0;
  uint64_t number = 0;
};

enum class Chance : uint64_t { body = 0, jitter = 1, fault = 2 };

// 64 even bits that depend on nothing else.
inline uint64_t draw(int64_t seed, Place place, Chance what) {
  uint64_t z = Rng(static_cast<uint64_t>(seed)).next();
  z = Rng(z ^ place.connection).next();
  z = Rng(z ^ place.number).next();
  return what == Chance::body ? z : Rng(z ^ static_cast<uint64_t>(what)).next();
}

}  // namespace dyno
