// The life and the writing half of a connection.
#include "server/connection.hh"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "net/socket.hh"

namespace dyno::server {
namespace {

// A peer that sends without reading its answers is read no further.
constexpr size_t kMostRuns = 16 * 1024;
constexpr size_t kKeptCapacity = 4096;
constexpr int64_t kSplitGap = kMillisecond;
constexpr int64_t kLinger = 2 * kSecond;
constexpr uint64_t kLingerSequence = UINT64_MAX;
constexpr uint64_t kHandshakeSequence = UINT64_MAX - 1;
constexpr size_t kRecordBytes = 16 * 1024;

ssize_t send_slices(int fd, std::span<iovec> slices) {
  if (slices.size() == 1)
    return send_some(fd, slices[0].iov_base, slices[0].iov_len);
  msghdr message{};
  message.msg_iov = slices.data();
  message.msg_iovlen = slices.size();
  return sendmsg(fd, &message, MSG_NOSIGNAL);
}

}  // namespace

void Connection::hold(int fd, uint64_t number) {
  fd_ = fd;
  phase_ = Phase::held;
  life_ = {};
  life_.number = number;
  event_assign(&readable_, kit_.base, fd, EV_READ | EV_PERSIST, on_readable,
               this);
  event_assign(&writable_, kit_.base, fd, EV_WRITE, on_writable, this);
}

void Connection::start() {
  phase_ = Phase::open;
  life_.active_tick = kit_.tick;
  if (kit_.tls != nullptr) {
    tls_ = std::make_unique<TlsStream>(kit_.tls, fd_, nullptr);
    schedule(kHandshakeSequence, kit_.config.tls_handshake_ns);
  }
  update_reading();
}

void Connection::on_readable(evutil_socket_t, short, void* self) noexcept {
  Connection& connection = *static_cast<Connection*>(self);
  connection.kit_.begin_event();
  if (connection.phase_ == Phase::lingering) return connection.drain();
  connection.read();
}

void Connection::on_writable(evutil_socket_t, short, void* self) noexcept {
  Connection& connection = *static_cast<Connection*>(self);
  connection.kit_.begin_event();
  connection.life_.is_blocked = false;
  // A handshake that had to write goes on.
  if (connection.tls_ && !connection.tls_->is_established())
    return connection.read();
  connection.flush();
}

void Connection::drain() {
  const ssize_t got = read_some(fd_, kit_.input.data(), kInputBytes);
  if (got == 0 || (got < 0 && !would_block())) close();
}

void Connection::schedule(uint64_t sequence, int64_t delay_ns) {
  const int64_t now_ns = kit_.now_ns();
  kit_.delays.add({now_ns + delay_ns, this, sequence, generation_}, delay_ns,
                  now_ns);
}

void Connection::due(uint64_t sequence) {
  if (phase_ == Phase::lingering && sequence == kLingerSequence) return close();
  if (sequence == kHandshakeSequence) {
    if (phase_ == Phase::open && !tls_->is_established()) handshake_failed();
    return;
  }
  if (phase_ == Phase::open) outbox_.at(sequence).state = Run::State::ready;
}

void Connection::flush() {
  write();
  update_reading();
}

void Connection::write() {
  while (phase_ == Phase::open && !life_.is_blocked) {
    kit_.parcel.clear();
    const Outbox::Stop stop = outbox_.collect(kit_.parcel, life_.number);
    if (kit_.parcel.is_empty()) {
      if (!go_on(stop)) return;
      continue;
    }
    if (!send() || is_at_rest()) return;
    if (stop == Outbox::Stop::split) pause_split();
  }
}

// Hands the parcel to the kernel; false when there is no going on.
bool Connection::send() {
  const ssize_t sent = send_parcel();
  if (sent < 0 && !would_block() && errno != EINTR) {
    close();
    return false;
  }
  const size_t taken = sent > 0 ? static_cast<size_t>(sent) : 0;
  const uint64_t written = outbox_.wrote(taken, life_.number);
  kit_.counters.add(Stat::written, static_cast<int64_t>(written));
  life_.active_tick = kit_.tick;
  if (taken == kit_.parcel.bytes()) return true;
  life_.is_blocked = true;
  event_add(&writable_, nullptr);
  return false;
}

ssize_t Connection::send_parcel() {
  return tls_ ? send_records() : send_slices(fd_, kit_.parcel.slices());
}

// Records as large as they may be: one system call each.
ssize_t Connection::send_records() {
  ssize_t total = 0;
  const auto send_out = [&] {
    const ssize_t sent = tls_->write(kit_.output.data(), kit_.output.size());
    const bool is_whole = sent == static_cast<ssize_t>(kit_.output.size());
    if (sent > 0) total += sent;
    if (sent < 0 && total == 0) total = -1;
    kit_.output.clear();
    return is_whole;
  };
  kit_.output.clear();
  for (const iovec& slice : kit_.parcel.slices()) {
    const char* data = static_cast<const char*>(slice.iov_base);
    for (size_t left = slice.iov_len; left > 0;) {
      const size_t part = std::min(left, kRecordBytes - kit_.output.size());
      kit_.output.insert(kit_.output.end(), data, data + part);
      data += part;
      left -= part;
      if (kit_.output.size() == kRecordBytes && !send_out()) return total;
    }
  }
  if (!kit_.output.empty()) (void)send_out();
  return total;
}

bool Connection::is_at_rest() const {
  return outbox_.is_empty() && !life_.is_ending && !life_.is_at_end;
}

// What comes next where there is nothing to write; true: look again.
bool Connection::go_on(Outbox::Stop stop) {
  switch (stop) {
    case Outbox::Stop::empty:
      if (life_.is_ending)
        finish();
      else if (life_.is_at_end)
        close();
      return false;
    case Outbox::Stop::parked:
      begin_delay(outbox_.front_sequence());
      return false;
    case Outbox::Stop::never:
      if (life_.is_at_end) close();
      return false;
    case Outbox::Stop::reset:
      reset_peer();
      return false;
    case Outbox::Stop::hang_up:
      hang_up();
      return false;
    case Outbox::Stop::waits:
    case Outbox::Stop::more:
    case Outbox::Stop::split:
      break;
  }
  return false;
}

void Connection::pause_split() {
  if (outbox_.is_empty() || outbox_.front().offset == 0) return;
  outbox_.front().state = Run::State::waiting;
  schedule(outbox_.front_sequence(), kSplitGap);
}

void Connection::update_reading() {
  const bool wanted = phase_ == Phase::lingering ||
                      (phase_ == Phase::open && !life_.is_at_end &&
                       !life_.is_blocked && outbox_.size() < kMostRuns);
  if (wanted == life_.is_reading || phase_ == Phase::closed) return;
  life_.is_reading = wanted;
  if (!wanted)
    event_del(&readable_);
  else if (event_add(&readable_, nullptr) != 0)
    close();
}

void Connection::finish() {
  if (life_.lingers && !life_.is_at_end) return linger();
  close();
}

void Connection::hang_up() {
  outbox_.clear();
  if (life_.is_at_end) return close();
  linger();
}

// A close() with unread input makes the kernel send RST, which could overtake
// the last answer (RFC 9112 section 9.6).
void Connection::linger() {
  phase_ = Phase::lingering;
  forget_tail();
  if (tls_) tls_->shut();
  (void)shutdown(fd_, SHUT_WR);
  schedule(kLingerSequence, kLinger);
}

void Connection::close_if_idle(uint32_t ticks) {
  if (phase_ != Phase::open || !outbox_.is_empty()) return;
  if (kit_.tick - life_.active_tick < ticks) return;
  kit_.counters.add(Stat::idle_closed);
  close();
}

void Connection::close() {
  if (phase_ == Phase::closed) return;
  event_del(&readable_);
  event_del(&writable_);
  if (tls_ && phase_ == Phase::open) tls_->shut();
  close_now(std::exchange(fd_, -1));
  forget();
}

void Connection::reset_peer() {
  event_del(&readable_);
  event_del(&writable_);
  reset(std::exchange(fd_, -1));
  forget();
}

void Connection::forget() {
  phase_ = Phase::closed;
  ++generation_;
  outbox_.clear();
  kept_body_ = {};
  tls_.reset();
  forget_tail();
  if (life_.is_counted) kit_.counters.add(Stat::closed);
  kit_.keeper.closed(*this);
}

void Connection::forget_tail() {
  if (tail_.empty()) return;
  tail_.clear();
  if (tail_.capacity() > kKeptCapacity) tail_.shrink_to_fit();
}

bool Connection::would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK;
}

}  // namespace dyno::server
