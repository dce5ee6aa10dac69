#include "engine/curl/transport.hh"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include "net/socket.hh"

namespace dyno {
namespace {

// An address of nobody for each slot (RFC 1918), by which libcurl tells its
// connections apart.
std::string place_of(SlotId slot) {
  return "10." + std::to_string(slot >> 16 & 255) + '.' +
         std::to_string(slot >> 8 & 255) + '.' + std::to_string(slot & 255);
}

// After a FIN the state would be CLOSE_WAIT.
bool is_reset_by_peer(int fd) {
  tcp_info info{};
  socklen_t length = sizeof info;
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
         info.tcpi_state == TCP_CLOSE;
}

}  // namespace

CurlTransport::CurlTransport(LibeventLoop& loop, const CurlOptions& options,
                             Sink& sink)
    : loop_(loop),
      sink_(sink),
      request_(options.request),
      dialer_(loop, options.dial, *this),
      slots_(options.dial.slots),
      multi_(loop, *this) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].owner = this;
    slots_[i].id = static_cast<SlotId>(i);
  }
  // Twice: one that is gone stays in the cache until libcurl looks at it.
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS,
                    static_cast<long>(2 * slots_.size() + 16));
  curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
}

CurlTransport::~CurlTransport() {
  for (Slot& slot : slots_) {
    tear_down(slot);
    slot.call.reset();
  }
}

// --- connections -------------------------------------------------------------

void CurlTransport::open(SlotId id, int64_t now_ns) {
  Slot& slot = slots_[id];
  slot.dial_started_ns = now_ns;
  slot.state = State::dialing;
  dialer_.open(id, now_ns);
}

void CurlTransport::not_dialed(SlotId id, Failure kind, std::string_view detail,
                               int64_t now_ns) {
  slots_[id].state = State::closed;
  sink_.dial_failed(id, kind, detail, now_ns);
  flush();
}

void CurlTransport::dialed(SlotId id, int fd, int64_t now_ns) {
  Slot& slot = slots_[id];
  slot.fd = fd;
  slot.is_lent = slot.was_reset = slot.is_ready = slot.is_told = false;
  slot.state = State::open;
  ++traffic_.opened;
  const auto index = static_cast<size_t>(fd);
  if (slot_of_.size() <= index) slot_of_.resize(index + 1);
  slot_of_[index] = id;
  multi_.watch(fd);
  if (slot.call == nullptr) make_call(slot);
  curl_easy_setopt(slot.call->easy(), CURLOPT_FRESH_CONNECT, 1L);
  sink_.opened(id, now_ns - slot.dial_started_ns, now_ns);
  flush();
}

void CurlTransport::make_call(Slot& slot) {
  slot.call =
      std::make_unique<CurlCall>(request_, place_of(slot.id), loop_, &slot);
  slot.call->tell_ready(on_ready);
  CURL* const easy = slot.call->easy();
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &slot);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_made);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, &slot);
}

void CurlTransport::close(SlotId id) {
  tear_down(slots_[id]);
}

void CurlTransport::tear_down(Slot& slot) {
  if (slot.state == State::closed) return;
  if (slot.state == State::dialing) {
    const bool was_made = dialer_.stop(slot.id);
    traffic_.opened += was_made;
    traffic_.closed += was_made;
  } else {
    ++traffic_.closed;
    if (slot.is_busy) {
      count(slot);
      slot.is_busy = false;
      multi_.remove(slot.call->easy());
    }
    if (slot.fd >= 0) {
      multi_.unwatch(slot.fd);
      if (slot.is_lent)
        give_up_lent(slot);
      else
        dialer_.close_fd(slot.fd);
    }
  }
  slot.fd = -1;
  slot.state = State::closed;
}

// libcurl closes the descriptor when it looks and finds that nobody is there.
void CurlTransport::give_up_lent(Slot& slot) {
  (void)shutdown(slot.fd, SHUT_RDWR);
  dialer_.forget_fd();
}

// libcurl wants a socket: ours, once. Any further one would be a retry.
int CurlTransport::lend(Slot& slot) {
  if (slot.fd < 0 || slot.is_lent) return CURL_SOCKET_BAD;
  slot.is_lent = true;
  return slot.fd;
}

// libcurl is done with a socket.
void CurlTransport::take_back(Slot* slot, int fd) {
  if (slot->fd != fd) return close_now(fd);  // given up before
  multi_.unwatch(fd);
  slot->was_reset = is_reset_by_peer(fd);
  slot->fd = -1;
  dialer_.close_fd(fd);
}

void CurlTransport::sweep(int64_t now_ns) {
  dialer_.sweep(now_ns);
}

// Nobody had asked: the server closes, or says what belongs to no request.
bool CurlTransport::spoke(int fd, int64_t now_ns) {
  Slot& slot = slots_[slot_of_[static_cast<size_t>(fd)]];
  if (slot.is_busy) return false;
  char byte = 0;
  const ssize_t size = recv(fd, &byte, 1, MSG_PEEK);
  const int error = errno;
  if (size < 0 && error == EAGAIN) return true;
  const bool is_2 = request_.config->http_version == HttpVersion::v2;
  if (size > 0 && is_2) return false;  // libcurl's to read, when it can
  // Over TLS that is the announcement of the end.
  const bool is_surplus = size > 0 && !request_.url.is_tls();
  Ended ended;
  std::string detail = "closed without an answer";
  if (is_surplus) {
    ended.kind = Failure::protocol;
    detail = "bytes beyond the last answer";
  } else if (size < 0) {
    ended.kind = is_reset(error) ? Failure::reset : Failure::closed;
    detail = error_text(error);
  }
  detail = dialer_.describe(slot.id, detail);
  ended.detail = detail;
  tear_down(slot);
  sink_.closed(slot.id, ended, now_ns);
  return true;
}

// --- requests ----------------------------------------------------------------

void CurlTransport::send(SlotId id, uint32_t) {
  dirty_.push_back(id);
}

void CurlTransport::flush() {
  if (dirty_.empty()) return;
  for (const SlotId id : dirty_) {
    Slot& slot = slots_[id];
    if (slot.state != State::open || slot.is_busy) continue;
    slot.is_busy = true;
    slot.call->begin();
    multi_.add(slot.call->easy());
  }
  dirty_.clear();
  multi_.kick();
  multi_.settle_soon();
}

void CurlTransport::settled(int64_t now_ns) {
  std::vector<SlotId> ready;
  ready.swap(ready_);
  for (const SlotId id : ready) tell_handshake(slots_[id], now_ns);
  flush();
}

void CurlTransport::count(const Slot& slot) {
  traffic_.bytes_in += slot.call->bytes_in();
  traffic_.bytes_out += slot.call->bytes_out();
  traffic_.requests_sent += slot.call->requests_sent();
}

// From inside libcurl: the first request of a connection is about to go out.
void CurlTransport::ready(Slot& slot) {
  if (slot.is_ready) return;
  slot.is_ready = true;
  ++traffic_.usable;
  if (!request_.url.is_tls()) return;
  ready_.push_back(slot.id);
  multi_.settle_soon();
}

void CurlTransport::tell_handshake(Slot& slot, int64_t now_ns) {
  if (slot.state != State::open || slot.is_told || !slot.is_ready) return;
  slot.is_told = true;
  if (!request_.url.is_tls()) return;
  const CurlCall::Handshake made = slot.call->handshake();
  sink_.handshaken(slot.id, made.took_ns, made.was_resumed, now_ns);
}

void CurlTransport::ended(CURL* easy, CURLcode code, int64_t now_ns) {
  Slot& slot = *static_cast<Slot*>(CurlCall::owner_of(easy));
  count(slot);
  const CurlCall::Outcome outcome = slot.call->outcome(code, slot.was_reset);
  tell_handshake(slot, now_ns);
  if (slot.is_ready) curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 0L);
  multi_.remove(easy);
  slot.is_busy = false;
  if (outcome.is_complete)
    complete(slot, outcome.answer, now_ns);
  else
    fail(slot, outcome, now_ns);
}

// A connection that ended with the answer had been announced to end, unless it
// is for one request anyway: then the pool ends it.
void CurlTransport::complete(Slot& slot, const Answer& answer, int64_t now_ns) {
  const bool is_for_one = request_.config->open == Open::per_request;
  Ended ended;
  ended.announced = true;
  const bool is_over = request_.says_close || (slot.fd < 0 && !is_for_one);
  if (is_over) tear_down(slot);
  sink_.done(slot.id, {&answer, 1}, is_over ? &ended : nullptr, now_ns);
}

void CurlTransport::fail(Slot& slot, const CurlCall::Outcome& outcome,
                         int64_t now_ns) {
  const std::string detail = dialer_.describe(slot.id, outcome.detail);
  tear_down(slot);
  const bool is_dial = !slot.is_ready && (outcome.kind == Failure::tls ||
                                          outcome.kind == Failure::proxy);
  if (is_dial) return sink_.dial_failed(slot.id, outcome.kind, detail, now_ns);
  Ended ended;
  ended.kind = outcome.kind;
  ended.in_answer = outcome.in_answer || outcome.kind == Failure::protocol ||
                    outcome.kind == Failure::too_many_redirects;
  ended.detail = detail;
  sink_.closed(slot.id, ended, now_ns);
}

// --- callbacks from libcurl --------------------------------------------------

void CurlTransport::on_ready(void* slot) noexcept {
  Slot& one = *static_cast<Slot*>(slot);
  one.owner->ready(one);
}

curl_socket_t CurlTransport::on_open(void* slot, curlsocktype,
                                     curl_sockaddr*) noexcept {
  Slot& one = *static_cast<Slot*>(slot);
  return one.owner->lend(one);
}

int CurlTransport::on_made(void*, curl_socket_t, curlsocktype) noexcept {
  return CURL_SOCKOPT_ALREADY_CONNECTED;
}

int CurlTransport::on_close(void* slot, curl_socket_t fd) noexcept {
  Slot& one = *static_cast<Slot*>(slot);
  one.owner->take_back(&one, fd);
  return 0;
}

}  // namespace dyno
