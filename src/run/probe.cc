#include "run/probe.hh"

#include <poll.h>

#include <cerrno>
#include <chrono>
#include <memory>
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

// A connection of its own, in the clear or over TLS, that is waited for.
class Line {
 public:
  Line(const Target& target, int64_t until_ns)
      : target_(target), until_ns_(until_ns) {}

  bool open(const Address& address) {
    return connect_to(address, until_ns_, fd_) &&
           (target_.tls == nullptr || shake_hands());
  }
  // What fits into a socket's buffer.
  bool send(const std::string& text) {
    const ssize_t sent = tls_ ? tls_->write(text.data(), text.size())
                              : send_some(fd_.get(), text.data(), text.size());
    return sent == static_cast<ssize_t>(text.size());
  }
  // The whole answer; the server closes after it.
  std::string read_to_end() {
    std::string answer;
    char buffer[4096];
    for (;;) {
      const ssize_t size = tls_ ? tls_->read(buffer, sizeof buffer)
                                : read_some(fd_.get(), buffer, sizeof buffer);
      if (size > 0)
        answer.append(buffer, static_cast<size_t>(size));
      else if (size == 0 || errno != EAGAIN || !waits(POLLIN))
        return answer;
    }
  }

 private:
  bool waits(short events) { return wait_for(fd_.get(), events, until_ns_); }

  bool shake_hands() {
    tls_ = std::make_unique<TlsStream>(target_.tls, fd_.get(), nullptr);
    for (;;) {
      const TlsStream::Step step = tls_->handshake();
      if (step == TlsStream::Step::done) return true;
      if (step == TlsStream::Step::failed) return false;
      if (!waits(step == TlsStream::Step::wants_read ? POLLIN : POLLOUT))
        return false;
    }
  }

  const Target& target_;
  int64_t until_ns_;
  Fd fd_;
  std::unique_ptr<TlsStream> tls_;
};

}  // namespace

Result<ServerStats> read_stats(const Target& target, int64_t timeout_ns) {
  const int64_t until_ns = monotonic_ns() + timeout_ns;
  const std::string request =
      "GET /stats HTTP/1.1\r\nHost: " + target.url.authority() +
      "\r\nConnection: close\r\n\r\n";
  for (const Address& address : target.addresses) {
    Line line(target, until_ns);
    if (!line.open(address) || !line.send(request)) continue;
    const std::string answer = line.read_to_end();
    const size_t head = answer.find("\r\n\r\n");
    if (head == std::string::npos) continue;
    return parse_server_stats(std::string_view(answer).substr(head + 4));
  }
  return fail(Code::connect, "the server did not answer GET /stats");
}

Result<ServerStats> read_stable_stats(const Target& target) {
  const int64_t until_ns = monotonic_ns() + kStableTimeout;
  Result<ServerStats> last = read_stats(target, kStableTimeout);
  while (last.is_ok() && monotonic_ns() < until_ns) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(kBetweenReadings));
    Result<ServerStats> next = read_stats(target, until_ns - monotonic_ns());
    if (!next.is_ok()) break;
    const bool is_stable = next.value().same_counts(last.value());
    last = std::move(next);
    if (is_stable) break;
  }
  return last;
}

}  // namespace dyno
