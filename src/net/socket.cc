#include "net/socket.hh"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <system_error>

namespace dyno {
namespace {

std::string unix_remedy(int error) {
  switch (error) {
    case EADDRINUSE:
      return "stop the program that listens there, or choose another path";
    case ENOENT:
    case ENOTDIR:
      return "make its folder first";
    default:
      return "choose a path where this user may make files";
  }
}

Status listen_failed(const Address& address, int error) {
  std::string text = "cannot listen on " + address.text() + ": ";
  text += error_text(error) + "; ";
  if (address.family() == AF_UNIX)
    return fail(Code::system, text + unix_remedy(error));
  switch (error) {
    case EADDRINUSE:
      text +=
          "stop the program that has the port, or choose another one (port 0 "
          "takes a free one)";
      break;
    case EACCES:
      text += "choose a port from 1024 up, or run with CAP_NET_BIND_SERVICE";
      break;
    case EADDRNOTAVAIL:
      text += "use an address of this host, such as 127.0.0.1 or 0.0.0.0";
      break;
    case EAFNOSUPPORT:
      text += "use an IPv4 address, such as 127.0.0.1 or 0.0.0.0";
      break;
    case EMFILE:
    case ENFILE:
      text += "raise the limit with \"ulimit -n\" (LimitNOFILE= in a unit)";
      break;
    default:
      text += "try 127.0.0.1 and port 0";
  }
  return fail(Code::system, std::move(text));
}

bool set_option(int fd, int option) {
  const int on = 1;
  return setsockopt(fd, SOL_SOCKET, option, &on, sizeof on) == 0;
}

bool is_socket(const char* path) {
  struct stat facts {};
  return lstat(path, &facts) == 0 && S_ISSOCK(facts.st_mode);
}

// A file of a socket that nobody listens on is in the way of no one.
void remove_if_dead(const Address& address) {
  const Fd fd(open_stream(AF_UNIX));
  if (fd.is_open() && start_connect(fd.get(), address) == ECONNREFUSED)
    remove_unix_socket(address);
}

bool bind_and_listen(int fd, const Address& address, int backlog,
                     bool reuse_port) {
  return set_option(fd, SO_REUSEADDR) &&
         (!reuse_port || set_option(fd, SO_REUSEPORT)) &&
         bind(fd, address.get(), address.length) == 0 &&
         listen(fd, backlog) == 0;
}

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this == &other) return *this;
  if (is_open()) close_now(fd_);
  fd_ = other.release();
  return *this;
}

Fd::~Fd() {
  if (is_open()) close_now(fd_);
}

std::string error_text(int error) {
  std::string text = std::system_category().message(error);
  // "RPC ..." and the like stay as they are.
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
    text[0] =
        static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

int open_stream(int family) {
  return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                family == AF_UNIX ? 0 : IPPROTO_TCP);
}

int bind_local(int fd, const Address& address) {
  const int on = 1;
  (void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  return bind(fd, address.get(), address.length) == 0 ? 0 : errno;
}

int start_connect(int fd, const Address& address) {
  if (connect(fd, address.get(), address.length) == 0) return 0;
  // Interrupted, a connect goes on by itself (POSIX); it is not called again.
  return errno == EINTR ? EINPROGRESS : errno;
}

int pending_error(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error;
}

bool is_connected(int fd) {
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  return getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &length) == 0;
}

bool is_self_connected(int fd) {
  Address peer;
  peer.length = sizeof peer.storage;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer.storage),
                  &peer.length) != 0)
    return false;
  const Result<Address> local = local_address(fd);
  return local.is_ok() && local.value() == peer;
}

void set_nodelay(int fd) {
  const int on = 1;
  // Only a socket that is not TCP refuses, and it has no Nagle to turn off.
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// send() and recv() are cancellation points: in a program with threads each
// call costs two atomic exchanges more than the system call itself.
ssize_t send_some(int fd, const void* data, size_t size) {
  ssize_t sent = 0;
  do {
    sent = syscall(SYS_sendto, fd, data, size, MSG_NOSIGNAL, nullptr, 0);
  } while (sent < 0 && errno == EINTR);
  return sent;
}

ssize_t read_some(int fd, void* data, size_t size) {
  ssize_t got = 0;
  do {
    got = syscall(SYS_recvfrom, fd, data, size, 0, nullptr, nullptr);
  } while (got < 0 && errno == EINTR);
  return got;
}

// Linux frees the descriptor even when close() is interrupted: never again.
void close_now(int fd) {
  (void)close(fd);
}

void reset(int fd) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  (void)close(fd);
}

Result<Address> local_address(int fd) {
  Address address;
  address.length = sizeof address.storage;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage),
                  &address.length) != 0)
    return fail(Code::system, "a socket's local address: " + error_text(errno));
  return address;
}

Result<int> listen_on(const Address& address, int backlog, bool reuse_port) {
  if (address.family() == AF_UNIX) remove_if_dead(address);
  Fd fd(open_stream(address.family()));
  if (!fd.is_open() || !bind_and_listen(fd.get(), address, backlog, reuse_port))
    return listen_failed(address, errno);
  return fd.release();
}

void remove_unix_socket(const Address& address) {
  const char* path =
      reinterpret_cast<const sockaddr_un*>(&address.storage)->sun_path;
  if (is_socket(path)) (void)unlink(path);
}

Status share_port(int listener) {
  if (set_option(listener, SO_REUSEPORT)) return {};
  return fail(Code::system, "cannot share a listening port (SO_REUSEPORT): " +
                                error_text(errno) + "; use one thread");
}

}  // namespace dyno
