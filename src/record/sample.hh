// Sample: the six instants of one completed request, and how the latencies of
// the reports are made from them. The only place where they are defined.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dyno {

// Instants in ns of the loop's monotonic clock.
struct Sample {
  int64_t intended;    // when the load wanted it to start
  int64_t submitted;   // when it was handed to the pool
  int64_t granted;     // when the pool gave it a slot
  int64_t sent;        // when its first byte was handed to the transport
  int64_t first_byte;  // when the first byte of its answer had been read
  int64_t done;        // when its answer was complete
};

enum class Latency : uint8_t {
  response,
  service,
  pool_wait,
  first_byte,
  connect,
  tls,
  pacing_error
};
inline constexpr size_t kLatencies = 7;

struct LatencyRow {
  Latency metric;
  const char* name;
  const char* help;
  bool is_optional = false;  // of a part that many cells do not have
};

// `connect` has a sample per connection opened, `tls` one per handshake of
// these, `pacing_error` one per request of an open loop that nothing but the
// generator held up, the others one per completed request.
inline constexpr std::array<LatencyRow, kLatencies> kLatencyTable{{
    {Latency::response, "response", "intended start to complete answer"},
    {Latency::service, "service", "request sent to complete answer"},
    {Latency::pool_wait, "pool_wait", "handed to the pool to slot granted"},
    {Latency::first_byte, "first_byte", "request sent to first byte read"},
    {Latency::connect, "connect", "connection wanted to connection usable"},
    {Latency::tls, "tls", "TLS handshake begun to handshake done", true},
    {Latency::pacing_error, "pacing_error",
     "open loop: intended start to the generator's own", true},
}};

// Of connections, not of requests: the warm-up is in it.
constexpr bool is_of_connections(Latency metric) {
  return metric == Latency::connect || metric == Latency::tls;
}

}  // namespace dyno
