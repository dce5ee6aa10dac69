// Behaviour: when and how an answer comes, and what goes wrong with it. Chance
// is a pure function of seed, connection and request number, so that a run's
// faults, jitter and random bodies can be repeated and verified.
#pragma once

#include <cstdint>

#include "base/chance.hh"
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

}  // namespace dyno::server
