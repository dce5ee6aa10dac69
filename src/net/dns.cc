#include "net/dns.hh"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <optional>

#include "base/units.hh"

namespace dyno {
namespace {

// c-ares doubles the time-out of a try with every round over the servers: with
// four rounds it never gives up before the look-up's own deadline does, and a
// dead first server costs a quarter of it.
constexpr int kTries = 4;
constexpr int64_t kLongestTry = 5 * kSecond;

// ares_library_init() counts its users, but not atomically.
std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

class Library {
 public:
  Library() {
    const std::lock_guard lock(library_mutex());
    status_ = ares_library_init(ARES_LIB_INIT_ALL);
  }
  ~Library() {
    if (status_ != ARES_SUCCESS) return;
    const std::lock_guard lock(library_mutex());
    ares_library_cleanup();
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  int status() const { return status_; }

 private:
  int status_ = ARES_SUCCESS;
};

// What c-ares does not tell: why a server was of no use.
struct Trace {
  int socket_error = 0;  // the last errno
  int refusal = ARES_SUCCESS;
};

template <typename Number>
Number keep_error(Number result, void* trace) {
  if (result < 0 && errno != EAGAIN && errno != EINPROGRESS)
    static_cast<Trace*>(trace)->socket_error = errno;
  return result;
}

// c-ares goes on to the next server after these, and when there is none it
// says that it could reach nobody.
void keep_refusal(const uint8_t* reply, Trace& trace) {
  switch (reply[3] & 0x0f) {
    case 2:
      trace.refusal = ARES_ESERVFAIL;
      break;
    case 4:
      trace.refusal = ARES_ENOTIMP;
      break;
    case 5:
      trace.refusal = ARES_EREFUSED;
      break;
    default:
      break;
  }
}

// The socket calls of c-ares as it makes them itself, but for two things: they
// keep the trace, and no send raises SIGPIPE (its writev over TCP could).
extern "C" {

static ares_socket_t dns_open(int family, int type, int protocol,
                              void* trace) noexcept {
  return keep_error(
      socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol), trace);
}

static int dns_close(ares_socket_t fd, void*) noexcept {
  return close(fd);
}

static int dns_connect(ares_socket_t fd, const sockaddr* address,
                       ares_socklen_t length, void* trace) noexcept {
  return keep_error(connect(fd, address, length), trace);
}

static ares_ssize_t dns_receive(ares_socket_t fd, void* data, size_t size,
                                int flags, sockaddr* from,
                                ares_socklen_t* length, void* trace) noexcept {
  constexpr ares_ssize_t kHeader = 12;
  const ares_ssize_t got = recvfrom(fd, data, size, flags, from, length);
  const bool is_datagram = from != nullptr;
  if (is_datagram && got >= kHeader)
    keep_refusal(static_cast<const uint8_t*>(data),
                 *static_cast<Trace*>(trace));
  return keep_error(got, trace);
}

static ares_ssize_t dns_send(ares_socket_t fd, const iovec* parts, int count,
                             void* trace) noexcept {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = static_cast<size_t>(count);
  return keep_error(sendmsg(fd, &message, MSG_NOSIGNAL), trace);
}

static void dns_done(void* lookup, int status, int timeouts,
                     ares_addrinfo* found) noexcept;

}  // extern "C"

constexpr ares_socket_functions kSocketCalls{
    .asocket = dns_open,
    .aclose = dns_close,
    .aconnect = dns_connect,
    .arecvfrom = dns_receive,
    .asendv = dns_send,
};

int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// Not shorter than `ns`, so that a wait is never a spin before its deadline.
int wait_ms(int64_t ns) {
  constexpr int64_t kLongest = 60'000;
  if (ns <= 0) return 0;
  return static_cast<int>(std::min((ns - 1) / kMillisecond + 1, kLongest));
}

class Lookup {
 public:
  explicit Lookup(const DnsQuestion& question) : question_(question) {}
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  DnsAnswer run();
  void done(int status, ares_addrinfo* found) noexcept;

 private:
  int open();
  void ask();
  DnsEnd wait();
  // Why not to go on, if so.
  std::optional<DnsEnd> turn(int64_t deadline_ns);
  size_t watched(std::array<pollfd, ARES_GETSOCK_MAXNUM + 1>& fds);
  int64_t next_try_ns(int64_t left_ns);
  std::vector<Address> addresses() const;

  const DnsQuestion& question_;
  Library library_;
  ares_channel channel_ = nullptr;
  ares_addrinfo* found_ = nullptr;
  int status_ = ARES_SUCCESS;
  Trace trace_;
  bool is_done_ = false;
};

Lookup::~Lookup() {
  if (found_ != nullptr) ares_freeaddrinfo(found_);
  if (channel_ != nullptr) ares_destroy(channel_);
}

DnsAnswer Lookup::run() {
  DnsAnswer answer;
  answer.status = open();
  if (answer.status != ARES_SUCCESS) return answer;
  ask();
  answer.end = wait();
  // What one address family had answered by then is an answer too; c-ares
  // hands it over on ares_cancel().
  if (answer.end != DnsEnd::answered) ares_cancel(channel_);
  answer.status = status_;
  if (status_ == ARES_ECONNREFUSED && trace_.refusal != ARES_SUCCESS)
    answer.status = trace_.refusal;
  answer.socket_error = trace_.socket_error;
  answer.addresses = addresses();
  if (answer.end == DnsEnd::timed_out && status_ == ARES_SUCCESS)
    answer.end = DnsEnd::answered;
  return answer;
}

int Lookup::open() {
  if (library_.status() != ARES_SUCCESS) return library_.status();
  ares_options options{};
  const int64_t one_try = std::min(question_.timeout_ns / kTries, kLongestTry);
  options.timeout = std::max(wait_ms(one_try), 1);
  options.tries = kTries;
  std::string sources = question_.sources;
  options.lookups = sources.data();
  const int status =
      ares_init_options(&channel_, &options,
                        ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS);
  if (status != ARES_SUCCESS) return status;
  ares_set_socket_functions(channel_, &kSocketCalls, &trace_);
  if (question_.servers.empty()) return ARES_SUCCESS;
  return ares_set_servers_ports_csv(channel_, question_.servers.c_str());
}

void Lookup::ask() {
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  ares_getaddrinfo(channel_, question_.name.c_str(), nullptr, &hints, dns_done,
                   this);
}

extern "C" {
static void dns_done(void* lookup, int status, int,
                     ares_addrinfo* found) noexcept {
  static_cast<Lookup*>(lookup)->done(status, found);
}
}

void Lookup::done(int status, ares_addrinfo* found) noexcept {
  status_ = status;
  found_ = found;
  is_done_ = true;
}

DnsEnd Lookup::wait() {
  const int64_t now = now_ns();
  const int64_t deadline_ns = question_.timeout_ns > INT64_MAX - now
                                  ? INT64_MAX
                                  : now + question_.timeout_ns;
  while (!is_done_)
    if (const std::optional<DnsEnd> end = turn(deadline_ns)) return *end;
  return DnsEnd::answered;
}

std::optional<DnsEnd> Lookup::turn(int64_t deadline_ns) {
  const int64_t left_ns = deadline_ns - now_ns();
  if (left_ns <= 0) return DnsEnd::timed_out;
  std::array<pollfd, ARES_GETSOCK_MAXNUM + 1> fds{};
  const size_t count = watched(fds);
  fds[count] = {.fd = question_.cancel_fd, .events = POLLIN, .revents = 0};
  const int ready = poll(fds.data(), count + 1, wait_ms(next_try_ns(left_ns)));
  if (ready < 0) return {};  // EINTR: the fields are not to be read
  if (fds[count].revents != 0) return DnsEnd::canceled;
  if (ready == 0) ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
  for (size_t i = 0; i < count; ++i) {
    const short events = fds[i].revents;
    if (events == 0) continue;
    const bool is_failed = (events & (POLLERR | POLLHUP | POLLNVAL)) != 0;
    const bool reads = is_failed || (events & POLLIN) != 0;
    const bool writes = (events & POLLOUT) != 0;
    ares_process_fd(channel_, reads ? fds[i].fd : ARES_SOCKET_BAD,
                    writes ? fds[i].fd : ARES_SOCKET_BAD);
  }
  return {};
}

size_t Lookup::watched(std::array<pollfd, ARES_GETSOCK_MAXNUM + 1>& fds) {
  std::array<ares_socket_t, ARES_GETSOCK_MAXNUM> sockets{};
  const auto bits = static_cast<unsigned>(
      ares_getsock(channel_, sockets.data(), ARES_GETSOCK_MAXNUM));
  size_t count = 0;
  for (unsigned i = 0; i < ARES_GETSOCK_MAXNUM; ++i) {
    const bool reads = (bits >> i & 1u) != 0;
    const bool writes = (bits >> (i + ARES_GETSOCK_MAXNUM) & 1u) != 0;
    if (!reads && !writes) continue;
    const int events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0);
    fds[count++] = {
        .fd = sockets[i], .events = static_cast<short>(events), .revents = 0};
  }
  return count;
}

int64_t Lookup::next_try_ns(int64_t left_ns) {
  timeval next{};
  if (ares_timeout(channel_, nullptr, &next) == nullptr) return left_ns;
  const int64_t next_ns = next.tv_sec * kSecond + next.tv_usec * kMicrosecond;
  return std::min(left_ns, next_ns);
}

std::vector<Address> Lookup::addresses() const {
  std::vector<Address> all;
  if (found_ == nullptr) return all;
  for (const ares_addrinfo_node* node = found_->nodes; node != nullptr;
       node = node->ai_next) {
    Address address = make_address(node->ai_addr, node->ai_addrlen);
    address.set_port(question_.port);
    if (std::find(all.begin(), all.end(), address) == all.end())
      all.push_back(address);
  }
  return all;
}

}  // namespace

DnsAnswer look_up(const DnsQuestion& question) {
  return Lookup(question).run();
}

}  // namespace dyno
