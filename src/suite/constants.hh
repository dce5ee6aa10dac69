// Constants: what the host and the clients of httpc-bench cost, for simulated
// time. One set for the host and one per client, never one per row: what does
// not fit is listed, not tuned away.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "plan/presets.hh"

namespace dyno {

// The closed form that a client's rows obey (suite/closed_form.hh).
enum class Law : uint8_t { unknown, burn, queue, owner, leak };

// Linux lends out 32768 ... 60999 for connections to one address: a client that
// leaks its connections has no more.
inline constexpr int64_t kLocalPorts = 28'232;

struct BenchClient {
  const char* name;  // as published; an alias of its preset
  Law law;
  // Processor time of one request.
  int64_t completed_us;
  int64_t failed_us;
  // The serial owner of its pool: each message, and each slot in each message.
  int64_t owner_ns;
  int64_t owner_slot_ns;
  // And each waiter that it passes when one of them gives up.
  int64_t scan_ns;
  // How long a connection is held beyond the server's delay, the processor time
  // of the answer included.
  int64_t hold_us;
};

std::span<const BenchClient> bench_clients();
const BenchClient* find_bench_client(std::string_view name);

// What all the clients share: the host and its server.
std::span<const PresetAxis> bench_host();

}  // namespace dyno
