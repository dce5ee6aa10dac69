#include "engine/dialer.hh"

#include <cerrno>

#include "net/socket.hh"

namespace dyno {
namespace {

// A connection was made, even if it is gone again or nobody was told.
bool was_made(int fd) {
  return is_connected(fd) || is_reset(pending_error(fd));
}

}  // namespace

bool is_reset(int error) {
  return error == ECONNRESET || error == EPIPE;
}

Dialer::Dialer(LibeventLoop& loop, const DialOptions& options, Dials& dials)
    : loop_(loop),
      sink_(dials),
      addresses_(options.addresses),
      timeout_ns_(options.timeout_ns),
      free_descriptors_(options.descriptors),
      from_(options.from),
      dials_(options.slots),
      address_of_(options.slots) {}

Dialer::~Dialer() {
  for (SlotId slot = 0; slot < dials_.size(); ++slot) stop(slot);
}

void Dialer::open(SlotId slot, int64_t now_ns) {
  dials_[slot] = std::make_unique<Dial>();
  Dial& dial = *dials_[slot];
  dial.owner = this;
  dial.slot = slot;
  ++under_way_;
  try_next_address(dial, now_ns);
}

void Dialer::try_next_address(Dial& dial, int64_t now_ns) {
  address_of_[dial.slot] = static_cast<uint32_t>(addresses_.next());
  ++dial.attempts;
  dial.attempt_ns = now_ns;
  start_attempt(dial);
}

void Dialer::start_attempt(Dial& dial) {
  const Address& address = addresses_.at(address_of_[dial.slot]);
  errno = EMFILE;  // what it would be if the system had set the limit
  dial.fd = free_descriptors_ > 0 ? open_stream(address.family()) : -1;
  dial.error = dial.fd < 0 ? errno : 0;
  if (dial.error == 0) {
    --free_descriptors_;
    dial.error = connect_from_here(dial.fd, address);
    if (dial.error == EINPROGRESS) dial.error = 0;
  }
  event_assign(&dial.writable, loop_.base(), dial.fd, EV_WRITE, on_writable,
               &dial);
  // What failed at once is told by the next turn: no up-call from open().
  if (dial.error != 0)
    event_active(&dial.writable, EV_WRITE, 0);
  else
    event_add(&dial.writable, nullptr);
}

int Dialer::connect_from_here(int fd, const Address& address) {
  if (!from_.empty()) {
    const Address& from = from_[from_turn_++ % from_.size()];
    if (const int error = bind_local(fd, from); error != 0) return error;
  }
  return start_connect(fd, address);
}

void Dialer::ended(Dial& dial, int error, int64_t now_ns) {
  if (error == 0 && is_self_connected(dial.fd)) error = ECONNREFUSED;
  if (is_reset(error)) error = 0;  // the first write or read will tell
  event_del(&dial.writable);
  const SlotId slot = dial.slot;
  if (error == 0) {
    addresses_.succeeded(address_of_[slot]);
    const int fd = dial.fd;
    set_nodelay(fd);
    --under_way_;
    dials_[slot].reset();
    return sink_.dialed(slot, fd, now_ns);
  }
  if (dial.fd >= 0) close_fd(dial.fd);
  dial.fd = -1;
  // Without a descriptor no other address would do better.
  const bool is_ours = error == EMFILE || error == ENFILE;
  if (is_ours) return give_up(dial, error, now_ns);
  addresses_.failed(address_of_[slot], error_text(error));
  if (dial.attempts < addresses_.size()) return try_next_address(dial, now_ns);
  give_up(dial, error, now_ns);
}

void Dialer::give_up(Dial& dial, int error, int64_t now_ns) {
  const SlotId slot = dial.slot;
  --under_way_;
  dials_[slot].reset();
  sink_.not_dialed(slot, connect_failure(error),
                   describe(slot, error_text(error)), now_ns);
}

bool Dialer::stop(SlotId slot) {
  if (dials_[slot] == nullptr) return false;
  Dial& dial = *dials_[slot];
  event_del(&dial.writable);
  const bool is_there = dial.fd >= 0 && was_made(dial.fd);
  if (dial.fd >= 0) close_fd(dial.fd);
  --under_way_;
  dials_[slot].reset();
  return is_there;
}

void Dialer::close_fd(int fd) {
  close_now(fd);
  ++free_descriptors_;
}

void Dialer::sweep(int64_t now_ns) {
  if (under_way_ == 0) return;
  for (size_t slot = 0; slot < dials_.size(); ++slot) {
    Dial* const dial = dials_[slot].get();
    if (dial != nullptr && dial->error == 0 &&
        now_ns - dial->attempt_ns >= timeout_ns_)
      ended(*dial, was_made(dial->fd) ? 0 : ETIMEDOUT, now_ns);
  }
}

std::string Dialer::describe(SlotId slot, std::string_view what) const {
  std::string text = addresses_.at(address_of_[slot]).text();
  text += ": ";
  text += what;
  return text;
}

void Dialer::on_writable(evutil_socket_t, short, void* argument) noexcept {
  Dial& dial = *static_cast<Dial*>(argument);
  Dialer& owner = *dial.owner;
  owner.loop_.guard([&] {
    const int error = dial.error != 0 ? dial.error : pending_error(dial.fd);
    owner.ended(dial, error, owner.loop_.tick());
  });
}

}  // namespace dyno
