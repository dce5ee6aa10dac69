// Resolver: the addresses of a host, looked up once before a run. It blocks the
// calling thread, in poll() only and never longer than the time-out, and reads
// the clock itself. Any number of threads may call it at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hh"
#include "base/units.hh"
#include "net/address.hh"

namespace dyno {

struct ResolveOptions {
  int64_t timeout_ns = 5 * kSecond;  // for the whole look-up, not for each try
  int cancel_fd = -1;                // readable: stop, Code::canceled
  std::string servers;  // HOST:PORT,… asked in place of the system's servers
};

// At least one address, in the order to try them in (RFC 6724), each once. A
// literal needs no look-up; a zone only goes with an IPv6 literal. Names come
// from the hosts file, then from DNS; localhost never from DNS (RFC 6761).
// Errors are Code::resolve with key "target.url", Code::canceled, or
// Code::memory.
Result<std::vector<Address>> resolve(const std::string& host,
                                     const std::string& zone, uint16_t port,
                                     const ResolveOptions& options = {});

}  // namespace dyno
