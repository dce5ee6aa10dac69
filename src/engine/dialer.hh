// Dialer: connects the slots of a worker, each to the target's addresses in
// turn, and keeps to the descriptors that connections may take. For every
// engine that uses sockets, so that a failed dial is the same failure on each.
// One per worker.
#pragma once

#include <event2/event.h>
#include <event2/event_struct.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hh"
#include "engine/addresses.hh"
#include "engine/loop_libevent.hh"
#include "engine/transport.hh"

namespace dyno {

// Told by Dialer, never from inside a call to it.
class Dials {
 public:
  // Connected; the descriptor goes back by Dialer::close_fd.
  virtual void dialed(SlotId slot, int fd, int64_t now_ns) = 0;
  // At no address.
  virtual void not_dialed(SlotId slot, Failure kind, std::string_view detail,
                          int64_t now_ns) = 0;

 protected:
  ~Dials() = default;
};

struct DialOptions {
  std::vector<Address> addresses;
  size_t slots = 0;
  int64_t descriptors = kUnlimited;  // that connections may take
  int64_t timeout_ns = 0;            // for each address
  std::vector<Address> from;         // of this host, in turn; none: any
};

class Dialer {
 public:
  Dialer(LibeventLoop& loop, const DialOptions& options, Dials& dials);
  ~Dialer();
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;

  void open(SlotId slot, int64_t now_ns);
  // Stops the slot's dial. True: the peer may have seen a connection.
  bool stop(SlotId slot);
  // Closes what dialed() gave, or leaves that to somebody else.
  void close_fd(int fd);
  void forget_fd() { ++free_descriptors_; }
  // Ends dials that have lasted longer than the time-out. Coarse.
  void sweep(int64_t now_ns);

  // "127.0.0.1:80: what", the address that the slot was dialed at last.
  std::string describe(SlotId slot, std::string_view what) const;
  std::vector<std::string> notes() const { return addresses_.notes(); }

 private:
  struct Dial {
    event writable;
    Dialer* owner = nullptr;
    SlotId slot = 0;
    int fd = -1;
    int64_t attempt_ns = 0;  // when the current address was tried
    size_t attempts = 0;     // addresses tried
    int error = 0;           // of an attempt that failed at once
  };

  void try_next_address(Dial& dial, int64_t now_ns);
  void start_attempt(Dial& dial);
  int connect_from_here(int fd, const Address& address);
  void ended(Dial& dial, int error, int64_t now_ns);
  void give_up(Dial& dial, int error, int64_t now_ns);
  static void on_writable(evutil_socket_t, short, void* dial) noexcept;

  LibeventLoop& loop_;
  Dials& sink_;
  Addresses addresses_;
  int64_t timeout_ns_;
  int64_t free_descriptors_;
  const std::vector<Address> from_;
  size_t from_turn_ = 0;
  std::vector<std::unique_ptr<Dial>> dials_;  // by slot, while under way
  std::vector<uint32_t> address_of_;          // by slot, of its last dial
  size_t under_way_ = 0;
};

// An unanswered SYN that meets a RST is refused: these come later.
bool is_reset(int error);

}  // namespace dyno
