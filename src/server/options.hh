// The option table of the test server: one row per key, the typed values that
// they fill, and nothing else. The same rows make the setter's check, the flags
// of `serve`, and the fault parameters of a request's query.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/options.hh"
#include "base/status.hh"
#include "base/units.hh"

namespace dyno::server {

// Pipelined requests of one connection: each one's delay runs from its arrival,
// or from the moment the answer before it was written.
enum class Pipelined : uint8_t { concurrent, serial };
// What has arrived behind the last request that a connection may make.
enum class AfterClose : uint8_t { discard, answer };
enum class Fault : uint8_t { none, reset, close, never };

struct ServerConfig {
  std::string host;
  int64_t port = 0;
  int64_t threads = 1;
  std::string cpus;
  std::string unix_socket;
  bool tls = false;
  std::string tls_cert;
  std::string tls_key;
  std::string tls_ca;
  int64_t tls_handshake_ns = 0;

  // Limits that shape what a client can measure.
  int64_t backlog = 0;
  int64_t max_connections = kUnlimited;
  int64_t max_requests = kUnlimited;
  bool close_header = true;
  AfterClose after_close = AfterClose::discard;
  int64_t idle_close_ns = kUnlimited;
  Pipelined pipelined = Pipelined::concurrent;

  // What the answers are like.
  int64_t seed = 1;
  bool sequence_header = false;
  int64_t delay_ns = 0;
  int64_t jitter_ns = 0;
  Fault fault = Fault::none;
  int64_t truncate = kUnlimited;  // bytes of body
  int64_t fault_share = 100;      // percent
  int64_t split = kUnlimited;     // bytes per piece
};

const OptionTable& server_options();

// An error of the network layer, which names the keys of a run, under a key of
// this table.
Status under_key(Status status, std::string_view theirs, const char* ours);

}  // namespace dyno::server
