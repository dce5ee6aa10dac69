// One name look-up through c-ares: hosts file, then DNS. Knows neither literals
// nor messages; resolver.cc is its only user. One thread, one look-up each.
#pragma once

#include <ares.h>

#include <cstdint>
#include <string>
#include <vector>

#include "net/address.hh"

namespace dyno {

struct DnsQuestion {
  std::string name;
  uint16_t port = 0;
  const char* sources = "fb";  // f: hosts file, b: DNS, in this order
  int64_t timeout_ns = 0;      // for all of it
  int cancel_fd = -1;
  std::string servers;  // "" = the system's
};

enum class DnsEnd : uint8_t { answered, timed_out, canceled };

struct DnsAnswer {
  DnsEnd end = DnsEnd::answered;
  int status = ARES_SUCCESS;  // of c-ares; ARES_SUCCESS: there are addresses
  int socket_error = 0;       // errno of the last socket call that failed
  std::vector<Address> addresses;
};

DnsAnswer look_up(const DnsQuestion& question);

}  // namespace dyno
