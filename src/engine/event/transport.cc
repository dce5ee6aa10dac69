#include "engine/event/transport.hh"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "net/socket.hh"

namespace dyno {
namespace {

constexpr size_t kReadSize = 256 * 1024;

}  // namespace

EventTransport::EventTransport(LibeventLoop& loop, const EventOptions& options,
                               Sink& sink)
    : loop_(loop),
      sink_(sink),
      dialer_(loop, options.dial, *this),
      request_(options.request),
      block_(request_),
      kind_(options.kind),
      says_close_(options.says_close),
      connect_timeout_ns_(options.dial.timeout_ns),
      tls_(options.tls),
      heads_(options.head_limit),
      headroom_(options.head_limit),
      buffer_(new char[headroom_ + kReadSize]),
      connections_(options.dial.slots),
      next_id_(options.verify.first_id) {
  for (size_t i = 0; i < connections_.size(); ++i) {
    connections_[i].owner = this;
    connections_[i].slot = static_cast<SlotId>(i);
    if (options.verify.is_on())
      connections_[i].verifier =
          std::make_unique<Verifier>(options.verify, request_);
  }
  dirty_.reserve(options.dial.slots);
  responses_.reserve(64);
  answers_.reserve(64);
}

EventTransport::~EventTransport() {
  for (Connection& connection : connections_) tear_down(connection);
}

// --- dialing ---------------------------------------------------------------

void EventTransport::open(SlotId slot, int64_t now_ns) {
  Connection& connection = connections_[slot];
  connection.dial_started_ns = now_ns;
  connection.state = State::dialing;
  dialer_.open(slot, now_ns);
}

void EventTransport::not_dialed(SlotId slot, Failure kind,
                                std::string_view detail, int64_t now_ns) {
  connections_[slot].state = State::closed;
  sink_.dial_failed(slot, kind, detail, now_ns);
  flush();
}

void EventTransport::dialed(SlotId slot, int fd, int64_t now_ns) {
  Connection& connection = connections_[slot];
  connection.fd = fd;
  ++traffic_.opened;
  connection.write_error = 0;
  connection.outstanding = connection.unwritten = 0;
  connection.written = 0;
  connection.reader.reset();
  connection.tail.clear();
  if (connection.verifier) connection.verifier->reset();
  event_assign(&connection.write_event, loop_.base(), fd, EV_WRITE, on_writable,
               &connection);
  event_assign(&connection.read_event, loop_.base(), fd, EV_READ | EV_PERSIST,
               on_readable, &connection);
  event_add(&connection.read_event, nullptr);
  if (tls_ != nullptr) return begin_handshake(connection, now_ns);
  usable(connection, now_ns);
}

void EventTransport::begin_handshake(Connection& connection, int64_t now_ns) {
  connection.state = State::shaking_hands;
  ++shaking_hands_;
  connection.handshake_ns = now_ns;
  connection.tls =
      std::make_unique<TlsStream>(tls_, connection.fd, &tls_sessions_);
  shake_hands(connection, now_ns);
}

void EventTransport::shake_hands(Connection& connection, int64_t now_ns) {
  switch (connection.tls->handshake()) {
    case TlsStream::Step::wants_read:
      return;
    case TlsStream::Step::wants_write:
      event_add(&connection.write_event, nullptr);
      return;
    case TlsStream::Step::failed:
      return give_up_handshake(connection, connection.tls->error(), now_ns);
    case TlsStream::Step::done:
      break;
  }
  --shaking_hands_;
  sink_.handshaken(connection.slot, now_ns - connection.handshake_ns,
                   connection.tls->was_resumed(), now_ns);
  usable(connection, now_ns);
}

// Another address of the same server would do no better.
void EventTransport::give_up_handshake(Connection& connection,
                                       std::string_view reason,
                                       int64_t now_ns) {
  const std::string detail = describe(connection, reason);
  tear_down(connection);
  sink_.dial_failed(connection.slot, Failure::tls, detail, now_ns);
  flush();
}

void EventTransport::usable(Connection& connection, int64_t now_ns) {
  connection.state = State::open;
  sink_.opened(connection.slot, now_ns - connection.dial_started_ns, now_ns);
  flush();
}

void EventTransport::sweep(int64_t now_ns) {
  dialer_.sweep(now_ns);
  if (shaking_hands_ == 0) return;
  for (Connection& connection : connections_)
    if (connection.state == State::shaking_hands &&
        now_ns - connection.handshake_ns >= connect_timeout_ns_)
      give_up_handshake(connection,
                        "the TLS handshake did not end within connect.timeout",
                        now_ns);
}

// --- reading ---------------------------------------------------------------

ssize_t EventTransport::read_some_of(Connection& connection) {
  if (connection.tls) return read_records(connection);
  return read_some(connection.fd, buffer_.get() + headroom_, kReadSize);
}

// All the records that have come, so that their answers end together.
ssize_t EventTransport::read_records(Connection& connection) {
  char* const start = buffer_.get() + headroom_;
  size_t total = 0;
  ssize_t size = 0;
  do {
    size = connection.tls->read(start + total, kReadSize - total);
    if (size > 0) total += static_cast<size_t>(size);
  } while (size > 0 && total < kReadSize && connection.tls->has_pending());
  if (total == 0) return size;
  // What is left to be told is in no socket that could become readable.
  const bool is_over = size == 0 || (size < 0 && errno != EAGAIN);
  if (is_over || (size > 0 && connection.tls->has_pending()))
    event_active(&connection.read_event, EV_READ, 0);
  return static_cast<ssize_t>(total);
}

void EventTransport::readable(Connection& connection) {
  if (connection.state == State::shaking_hands)
    return shake_hands(connection, loop_.tick());
  const ssize_t size = read_some_of(connection);
  const int error = errno;
  const int64_t now_ns = loop_.tick();
  if (size > 0) return received(connection, static_cast<size_t>(size), now_ns);
  // A write that failed took the socket's error with it.
  if (connection.write_error != 0)
    return broken(connection, connection.write_error, now_ns);
  // Over TLS an end that was not announced may have been made by anybody: it
  // completes no answer (RFC 9112 section 9.8).
  if (size == 0 || (connection.tls && error == ECONNABORTED))
    return peer_closed(connection, size == 0, now_ns);
  if (error != EAGAIN) broken(connection, error, now_ns);
}

// The bytes just read, with what was kept of an incomplete head before them.
std::string_view EventTransport::with_tail(Connection& connection,
                                           size_t size) {
  const size_t kept = connection.tail.size();
  char* start = buffer_.get() + headroom_ - kept;
  if (kept == 0) return {start, size};
  memcpy(start, connection.tail.data(), kept);
  connection.tail.clear();
  return {start, kept + size};
}

void EventTransport::received(Connection& connection, size_t size,
                              int64_t now_ns) {
  traffic_.bytes_in += static_cast<int64_t>(size);
  const std::string_view data = with_tail(connection, size);
  // A request that is half written can be answered early.
  const uint32_t on_wire = connection.outstanding - connection.unwritten +
                           (connection.written > 0 ? 1 : 0);
  responses_.clear();
  const ResponseReader::Read read =
      connection.reader.feed(heads_, data, kind_, on_wire, now_ns, responses_,
                             connection.verifier.get());
  if (read.state != ResponseReader::State::open)
    return last_answers(connection, read, now_ns);
  if (read.consumed < data.size())
    connection.tail.assign(data.substr(read.consumed));
  finish(connection, nullptr, now_ns);
}

// The connection is over, whatever else came.
void EventTransport::last_answers(Connection& connection,
                                  const ResponseReader::Read& read,
                                  int64_t now_ns) {
  Ended ended;
  std::string detail;
  switch (read.state) {
    case ResponseReader::State::open:
    case ResponseReader::State::closing:
      ended.announced = true;
      break;
    case ResponseReader::State::surplus:
      ended.kind = Failure::protocol;
      detail = describe(connection, "bytes beyond the last answer");
      break;
    case ResponseReader::State::failed:
      ended.kind = read.failure;
      ended.in_answer = true;
      detail = describe(connection, read.reason);
      break;
  }
  ended.detail = detail;
  finish(connection, &ended, now_ns);
}

void EventTransport::peer_closed(Connection& connection, bool is_announced,
                                 int64_t now_ns) {
  responses_.clear();
  if (is_announced) {
    const ResponseReader::Read read =
        connection.reader.finish(responses_, connection.verifier.get());
    if (read.state != ResponseReader::State::open)
      return last_answers(connection, read, now_ns);
  }
  Ended ended;
  ended.in_answer = connection.reader.is_inside_answer();
  ended.kind = ended.in_answer ? Failure::truncated : Failure::closed;
  const std::string detail =
      describe(connection, ended.in_answer ? "closed in the middle of an answer"
                                           : "closed without an answer");
  ended.detail = detail;
  finish(connection, &ended, now_ns);
}

void EventTransport::broken(Connection& connection, int error, int64_t now_ns) {
  responses_.clear();
  const std::string detail = describe(connection, reason_of(connection, error));
  Ended ended;
  ended.kind = is_reset(error)                     ? Failure::reset
               : connection.tls && error == EPROTO ? Failure::tls
                                                   : Failure::closed;
  ended.in_answer = connection.reader.is_inside_answer();
  ended.detail = detail;
  finish(connection, &ended, now_ns);
}

std::string EventTransport::reason_of(const Connection& connection,
                                      int error) const {
  return connection.tls && error == EPROTO ? connection.tls->error()
                                           : error_text(error);
}

// Hands over what became complete, then writes what came of it.
void EventTransport::finish(Connection& connection, const Ended* ended,
                            int64_t now_ns) {
  answers_.clear();
  uint32_t count = 0;
  for (const Response& response : responses_) {
    answers_.push_back({response.count, response.status, response.own_server,
                        response.body_bytes, response.first_byte_ns});
    count += response.count;
  }
  connection.outstanding -= count;
  // An answer to a half-written request: the rest of it must not be sent. And
  // after the answer to a request that said close, the connection is over
  // whatever the server says (RFC 9112 section 9.6).
  Ended ours;
  ours.announced = true;
  const bool is_over = connection.outstanding < connection.unwritten ||
                       (says_close_ && count > 0);
  if (is_over && ended == nullptr) ended = &ours;
  if (ended != nullptr) tear_down(connection);
  const SlotId slot = connection.slot;
  if (count > 0)
    sink_.done(slot, answers_, ended, now_ns);
  else if (ended != nullptr)
    sink_.closed(slot, *ended, now_ns);
  flush();
}

// --- writing ---------------------------------------------------------------

void EventTransport::send(SlotId slot, uint32_t count) {
  Connection& connection = connections_[slot];
  connection.outstanding += count;
  connection.unwritten += count;
  if (connection.verifier)
    for (uint32_t i = 0; i < count; ++i) connection.verifier->add(next_id_++);
  if (connection.is_dirty) return;
  connection.is_dirty = true;
  dirty_.push_back(slot);
}

void EventTransport::flush() {
  for (size_t i = 0; i < dirty_.size(); ++i) {
    Connection& connection = connections_[dirty_[i]];
    connection.is_dirty = false;
    if (connection.state == State::open) write_some(connection);
  }
  dirty_.clear();
}

std::string_view EventTransport::to_write(const Connection& connection) const {
  if (connection.verifier)
    return connection.verifier->slice(connection.written);
  return block_.slice(connection.unwritten, connection.written);
}

void EventTransport::write_some(Connection& connection) {
  while (connection.unwritten > 0 && connection.write_error == 0) {
    const std::string_view slice = to_write(connection);
    const ssize_t size =
        connection.tls ? connection.tls->write(slice.data(), slice.size())
                       : send_some(connection.fd, slice.data(), slice.size());
    if (size < 0) {
      if (errno == EAGAIN)
        event_add(&connection.write_event, nullptr);
      else
        write_failed(connection, errno);
      return;
    }
    traffic_.bytes_out += size;
    const size_t total = connection.written + static_cast<size_t>(size);
    const auto whole = static_cast<uint32_t>(total / block_.unit());
    connection.written = total % block_.unit();
    connection.unwritten -= whole;
    if (connection.verifier) connection.verifier->wrote(whole);
    traffic_.requests_sent += whole;
  }
}

void EventTransport::writable(Connection& connection) {
  if (connection.state == State::shaking_hands)
    return shake_hands(connection, loop_.tick());
  if (connection.state == State::open) write_some(connection);
}

// An answer may have arrived before the failure, so the end is left to the
// reading side, which is called even if the socket has nothing to say.
void EventTransport::write_failed(Connection& connection, int error) {
  connection.write_error = error;
  event_active(&connection.read_event, EV_READ, 0);
}

// --- closing ---------------------------------------------------------------

void EventTransport::close(SlotId slot) {
  tear_down(connections_[slot]);
}

void EventTransport::tear_down(Connection& connection) {
  if (connection.state == State::closed) return;
  if (connection.state == State::dialing) {
    const bool was_made = dialer_.stop(connection.slot);
    traffic_.opened += was_made;
    traffic_.closed += was_made;
  } else {
    if (connection.state == State::shaking_hands) --shaking_hands_;
    ++traffic_.closed;
    event_del(&connection.read_event);
    event_del(&connection.write_event);
    if (connection.tls) connection.tls->shut();
    connection.tls.reset();
    dialer_.close_fd(connection.fd);
  }
  connection.fd = -1;
  connection.state = State::closed;
  connection.tail = std::string();
}

std::string EventTransport::describe(const Connection& connection,
                                     std::string_view what) const {
  return dialer_.describe(connection.slot, what);
}

// --- callbacks from libevent -----------------------------------------------

void EventTransport::on_readable(evutil_socket_t, short,
                                 void* connection) noexcept {
  auto* self = static_cast<Connection*>(connection);
  EventTransport& owner = *self->owner;
  owner.loop_.guard([&] { owner.readable(*self); });
}

void EventTransport::on_writable(evutil_socket_t, short,
                                 void* connection) noexcept {
  auto* self = static_cast<Connection*>(connection);
  EventTransport& owner = *self->owner;
  owner.loop_.guard([&] { owner.writable(*self); });
}

}  // namespace dyno
