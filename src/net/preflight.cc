#include "net/preflight.hh"

#include <dirent.h>
#include <sys/resource.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>

#include "net/socket.hh"

namespace dyno {
namespace {

constexpr PortRange kLinuxDefault{.first = 32768, .last = 60999};

int64_t limit_value(rlim_t limit) {
  if (limit == RLIM_INFINITY || limit > static_cast<rlim_t>(INT64_MAX))
    return INT64_MAX;
  return static_cast<int64_t>(limit);
}

// Both are counts, never negative.
int64_t add_capped(int64_t a, int64_t b) {
  return a > INT64_MAX - b ? INT64_MAX : a + b;
}

int64_t multiply_capped(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

// Takes a number off the front of `text`, blanks before it included.
std::optional<int> take_number(std::string_view& text) {
  const size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start);
  int number = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{}) return {};
  text.remove_prefix(static_cast<size_t>(parsed.ptr - text.data()));
  return number;
}

std::string how_to_raise(int64_t needed, const FdLimits& limits) {
  const std::string number = std::to_string(needed);
  if (needed <= limits.hard)
    return "run \"ulimit -n " + number +
           "\" first, or set host.raise_nofile=on";
  return "the hard limit is " + std::to_string(limits.hard) +
         ": raise it in /etc/security/limits.conf or with LimitNOFILE=" +
         number + " in the systemd unit, then run \"ulimit -n " + number + "\"";
}

}  // namespace

FdLimits fd_limits() {
  rlimit limit{};
  // With a good pointer this call cannot fail.
  (void)getrlimit(RLIMIT_NOFILE, &limit);
  return {.soft = limit_value(limit.rlim_cur),
          .hard = limit_value(limit.rlim_max)};
}

int64_t open_fds() {
  DIR* const directory = opendir("/proc/self/fd");
  if (directory == nullptr) return errno == EMFILE ? fd_limits().soft : 3;
  int64_t count = 0;
  while (const dirent* entry = readdir(directory))
    if (entry->d_name[0] != '.') ++count;
  closedir(directory);
  return count - 1;  // the directory itself
}

Status raise_nofile() {
  rlimit limit{};
  (void)getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur == limit.rlim_max) return {};
  const std::string hard = std::to_string(limit_value(limit.rlim_max));
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  return fail(Code::system,
              "host.raise_nofile: cannot raise the limit of open files to " +
                  hard + ": " + error_text(errno) +
                  "; set it with \"ulimit -n\" and host.raise_nofile=off",
              "host.raise_nofile");
}

Status check_fds(int64_t needed_more, std::string_view what_for) {
  return check_fds(needed_more, what_for, fd_limits(), open_fds());
}

Status check_fds(int64_t needed_more, std::string_view what_for,
                 const FdLimits& limits, int64_t open) {
  const int64_t needed = add_capped(open, needed_more);
  if (needed <= limits.soft) return {};
  return fail(Code::system,
              std::string(what_for) + ": " + std::to_string(needed) +
                  " file descriptors are needed (" + std::to_string(open) +
                  " of them open now), " + std::to_string(limits.soft) +
                  " are allowed; " + how_to_raise(needed, limits));
}

PortRange ephemeral_ports() {
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  std::string line;
  std::getline(file, line);
  return parse_port_range(line).value_or(kLinuxDefault);
}

std::optional<PortRange> parse_port_range(std::string_view text) {
  const std::optional<int> first = take_number(text);
  const std::optional<int> last = take_number(text);
  if (!first || !last || *first < 1 || *last < *first || *last > 65535)
    return {};
  if (text.find_first_not_of(" \t\n") != std::string_view::npos) return {};
  return PortRange{.first = *first, .last = *last};
}

Status check_ports(int64_t connections, size_t addresses) {
  return check_ports(connections, addresses, ephemeral_ports());
}

Status check_ports(int64_t connections, size_t addresses,
                   const PortRange& range) {
  const int64_t ports =
      multiply_capped(range.count(), static_cast<int64_t>(addresses));
  if (connections <= ports) return {};
  return fail(
      Code::system,
      std::to_string(connections) + " connections to " +
          (addresses == 1 ? "one address"
                          : std::to_string(addresses) + " addresses") +
          " need a local port each, but net.ipv4.ip_local_port_range (" +
          std::to_string(range.first) + " to " + std::to_string(range.last) +
          ") gives " + std::to_string(ports) +
          "; ask for fewer connections, add target addresses, or widen the "
          "range: sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"");
}

}  // namespace dyno
