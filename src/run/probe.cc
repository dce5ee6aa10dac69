#include "run/probe.hh"

#include <poll.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/units.hh"
#include "engine/loop_libevent.hh"
#include "net/socket.hh"

namespace dyno {
namespace {

constexpr int64_t kStableTimeout = 500 * kMillisecond;
constexpr int64_t kBetweenReadings = 20 * kMillisecond;

bool wait_for(int fd, short events, int64_t until_ns) {
  const int64_t left_ms = (until_ns - monotonic_ns()) / kMillisecond;
  pollfd entry{fd, events, 0};
  return left_ms > 0 && poll(&entry, 1, static_cast<int>(left_ms)) > 0;
}

bool connect_to(const Address& address, int64_t until_ns, Fd& fd) {
  fd = Fd(open_stream(address.family()));
  if (!fd.is_open()) return false;
  const int error = start_connect(fd.get(), address);
  if (error == 0) return true;
  return error == EINPROGRESS && wait_for(fd.get(), POLLOUT, until_ns) &&
         pending_error(fd.get()) == 0;
}

// The whole answer; the server closes after it.
std::string read_to_end(int fd, int64_t until_ns) {
  std::string answer;
  char buffer[4096];
  while (wait_for(fd, POLLIN, until_ns)) {
    const ssize_t size = read_some(fd, buffer, sizeof buffer);
    if (size == 0 || (size < 0 && errno != EAGAIN)) break;
    if (size > 0) answer.append(buffer, static_cast<size_t>(size));
  }
  return answer;
}

}  // namespace

Result<ServerStats> read_stats(const std::vector<Address>& addresses,
                               const std::string& host, int64_t timeout_ns) {
  const int64_t until_ns = monotonic_ns() + timeout_ns;
  const std::string request =
      "GET /stats HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  for (const Address& address : addresses) {
    Fd fd;
    if (!connect_to(address, until_ns, fd)) continue;
    if (send_some(fd.get(), request.data(), request.size()) < 0) continue;
    const std::string answer = read_to_end(fd.get(), until_ns);
    const size_t head = answer.find("\r\n\r\n");
    if (head == std::string::npos) continue;
    return parse_server_stats(std::string_view(answer).substr(head + 4));
  }
  return fail(Code::connect, "the server did not answer GET /stats");
}

Result<ServerStats> read_stable_stats(const std::vector<Address>& addresses,
                                      const std::string& host) {
  const int64_t until_ns = monotonic_ns() + kStableTimeout;
  Result<ServerStats> last = read_stats(addresses, host, kStableTimeout);
  while (last.is_ok() && monotonic_ns() < until_ns) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(kBetweenReadings));
    Result<ServerStats> next =
        read_stats(addresses, host, until_ns - monotonic_ns());
    if (!next.is_ok()) break;
    const bool is_stable = next.value().same_counts(last.value());
    last = std::move(next);
    if (is_stable) break;
  }
  return last;
}

}  // namespace dyno
