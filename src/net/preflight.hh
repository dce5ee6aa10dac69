// Pre-flight: does this process have the descriptors and the host the ports
// that a run needs? Asked before the run, so that a limit of the machine is
// said once, with its remedy, and not met as thousands of failed connects. Any
// thread may ask; only raise_nofile() changes anything, for the whole process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.hh"

namespace dyno {

// RLIMIT_NOFILE; INT64_MAX: unlimited.
struct FdLimits {
  int64_t soft = 0;
  int64_t hard = 0;
};
FdLimits fd_limits();

// Descriptors open in this process now; 3 where /proc cannot tell.
int64_t open_fds();

// The soft limit becomes the hard limit.
Status raise_nofile();

// Code::system unless `needed_more` descriptors can still be opened; `what_for`
// is what they are for: "64 connections".
Status check_fds(int64_t needed_more, std::string_view what_for);
Status check_fds(int64_t needed_more, std::string_view what_for,
                 const FdLimits& limits, int64_t open);

// The local ports that a connect without bind() draws from.
struct PortRange {
  int first = 0;
  int last = 0;
  int64_t count() const { return last < first ? 0 : int64_t{last} - first + 1; }
};
PortRange ephemeral_ports();
// The text of /proc/sys/net/ipv4/ip_local_port_range.
std::optional<PortRange> parse_port_range(std::string_view text);

// Code::system when so many simultaneous connections to `addresses` pairs of
// address and port would run out of local ports.
Status check_ports(int64_t connections, size_t addresses);
Status check_ports(int64_t connections, size_t addresses,
                   const PortRange& range);

}  // namespace dyno
