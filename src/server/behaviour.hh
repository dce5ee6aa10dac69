// Behaviour: when and how an answer comes, and what goes wrong with it. Chance
// is a pure function of seed, connection and request number, so that a run's
// faults, jitter and random bodies can be repeated and verified.
#pragma once

#include <cstdint>

#include "base/rng.hh"
#include "http/verification.hh"
#include "server/options.hh"

namespace dyno::server {

struct Behaviour {
  int64_t delay_ns = 0;
  int64_t jitter_ns = 0;
  Fault fault = Fault::none;
  int64_t truncate = kUnlimited;
  int64_t fault_share = 100;
  int64_t split = kUnlimited;

  bool is_late() const { return delay_ns > 0 || jitter_ns > 0; }
  bool is_split() const { return split != kUnlimited; }
  bool has_fault() const {
    return (fault != Fault::none || truncate != kUnlimited) && fault_share > 0;
  }
  // Equal requests in a row may meet different fates.
  bool differs_by_request() const {
    return has_fault() || is_split() || jitter_ns > 0;
  }
};

inline Behaviour behaviour_of(const ServerConfig& config) {
  return {config.delay_ns, config.jitter_ns,   config.fault,
          config.truncate, config.fault_share, config.split};
}

// Which request of which connection, both counted from 1 (connections over all
// threads of the server).
struct Place {
  uint64_t connection = 0;
  uint64_t number = 0;
};

enum class Chance : uint64_t { jitter = 1, fault = 2 };

// 64 even bits that depend on nothing else.
inline uint64_t draw(int64_t seed, Place place, Chance what) {
  const uint64_t z = place_bits(seed, place.connection, place.number);
  return Rng(z ^ static_cast<uint64_t>(what)).next();
}

}  // namespace dyno::server
