// Sockets: each function is one idea about one descriptor. All of them are
// non-blocking and close-on-exec, no send raises SIGPIPE, and nothing here
// waits. A descriptor belongs to one thread at a time.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/status.hh"
#include "net/address.hh"

namespace dyno {

// A descriptor that is closed with its owner.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // The descriptor is the caller's from now on.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// What the errno means, in lower case: connection refused.
std::string error_text(int error);

// A stream socket, TCP but for AF_UNIX, or -1 and errno (EMFILE, ENFILE: out of
// descriptors).
int open_stream(int family);

// Makes it connect from that address; its port is chosen at connect(), among
// those that are free towards the peer. 0, or the errno of the failure.
int bind_local(int fd, const Address& address);

// 0: connected; EINPROGRESS: writable will tell, then pending_error(); anything
// else: the errno of the failure.
int start_connect(int fd, const Address& address);

// The errno that the socket holds for us (SO_ERROR), 0 when there is none.
int pending_error(int fd);

// The handshake is done, whether anybody has been told or not.
bool is_connected(int fd);

// A connect to a free local port of the ephemeral range can meet itself (TCP
// simultaneous open); such a connection has no server.
bool is_self_connected(int fd);

void set_nodelay(int fd);

// Bytes taken, or -1 and errno; EINTR is retried.
ssize_t send_some(int fd, const void* data, size_t size);
// Bytes read, 0 at the end, or -1 and errno; EINTR is retried.
ssize_t read_some(int fd, void* data, size_t size);

// The orderly close: FIN after what is still buffered.
void close_now(int fd);
// RST at once (SO_LINGER 0); what is buffered is lost, TIME_WAIT is spared.
void reset(int fd);

// The local end, e.g. the port that port 0 became.
Result<Address> local_address(int fd);

// A bound and listening socket, SO_REUSEADDR set. A Unix socket that nobody
// listens on any more is replaced. `reuse_port` lets others that
// set it too share the port. Errors are Code::system and name the address.
Result<int> listen_on(const Address& address, int backlog, bool reuse_port);

// Removes the file of a Unix socket.
void remove_unix_socket(const Address& address);

// Lets later listen_on(…, true) calls share the port of a listener that was
// bound alone: so a server knows that nobody else had the port before it.
Status share_port(int listener);

}  // namespace dyno
