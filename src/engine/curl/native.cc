#include "engine/curl/native.hh"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "net/socket.hh"

namespace dyno {
namespace {

// What CURLOPT_RESOLVE takes: HOST:PORT:ADDRESS,ADDRESS.
std::string resolved_text(const CurlOptions& options) {
  const Config& config = *options.request.config;
  Url url = options.request.url;
  if (!config.proxy.empty()) url = parse_url(config.proxy).value();
  if (config.proxy.empty() && !config.tls_server_name.empty())
    url.host = config.tls_server_name;
  std::string text = url.host + ':' + std::to_string(url.port) + ':';
  bool is_first = true;
  for (const Address& address : options.dial.addresses) {
    if (!is_first) text += ',';
    is_first = false;
    const std::string with_port = address.text();
    text += with_port.substr(0, with_port.rfind(':'));
  }
  return text;
}

}  // namespace

CurlNative::CurlNative(LibeventLoop& loop, const CurlOptions& options,
                       Sink& sink)
    : loop_(loop),
      sink_(sink),
      options_(options),
      free_descriptors_(options.dial.descriptors),
      slots_(options.dial.slots),
      multi_(loop, *this) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].owner = this;
    slots_[i].id = static_cast<SlotId>(i);
  }
  const auto most = static_cast<long>(options.connections);
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, most);
  curl_multi_setopt(multi_.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS, most);
  curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
  resolve_ = resolved_text(options);
  resolved_ = curl_slist_append(nullptr, resolve_.c_str());
}

CurlNative::~CurlNative() {
  for (Slot& slot : slots_) {
    close(slot.id);
    slot.call.reset();
  }
  curl_slist_free_all(resolved_);
}

void CurlNative::open(SlotId id, int64_t) {
  Slot& slot = slots_[id];
  if (slot.call == nullptr) make_call(slot);
  slot.is_open = true;
  opening_.push_back(id);
  multi_.settle_soon();
}

void CurlNative::make_call(Slot& slot) {
  const Config& config = *options_.request.config;
  slot.call = std::make_unique<CurlCall>(options_.request, "", loop_, &slot);
  slot.call->tell_ready(on_ready);
  CURL* const easy = slot.call->easy();
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &slot);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_RESOLVE, resolved_);
  if (!config.unix_socket.empty())
    curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH,
                     config.unix_socket.c_str());
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(std::max<int64_t>(
                       options_.dial.timeout_ns / kMillisecond, 1)));
}

void CurlNative::send(SlotId id, uint32_t) {
  dirty_.push_back(id);
}

void CurlNative::close(SlotId id) {
  Slot& slot = slots_[id];
  slot.is_open = false;
  if (!slot.is_busy) return;
  count(slot);
  slot.is_busy = false;
  multi_.remove(slot.call->easy());
}

// libcurl's cache.
void CurlNative::end() {
  for (Slot& slot : slots_) close(slot.id);
  dirty_.clear();
  multi_.end();
}

void CurlNative::flush() {
  if (dirty_.empty()) return;
  for (const SlotId id : dirty_) {
    Slot& slot = slots_[id];
    if (!slot.is_open || slot.is_busy) continue;
    slot.is_busy = true;
    slot.call->begin();
    multi_.add(slot.call->easy());
  }
  dirty_.clear();
  multi_.kick();
  multi_.settle_soon();
}

void CurlNative::settled(int64_t now_ns) {
  std::vector<SlotId> opening;
  opening.swap(opening_);
  for (const SlotId id : opening)
    if (slots_[id].is_open) sink_.opened(id, 0, now_ns);
  for (const auto& [id, made] : handshakes_)
    sink_.handshaken(id, made.took_ns, made.was_resumed, now_ns);
  handshakes_.clear();
  flush();
}

// An idle connection of libcurl's: it will find out by itself.
bool CurlNative::spoke(int, int64_t) {
  return false;
}

void CurlNative::count(const Slot& slot) {
  traffic_.bytes_in += slot.call->bytes_in();
  traffic_.bytes_out += slot.call->bytes_out();
  traffic_.requests_sent += slot.call->requests_sent();
  if (slot.call->readied() > 1) traffic_.retried += slot.call->readied() - 1;
}

void CurlNative::ended(CURL* easy, CURLcode code, int64_t now_ns) {
  Slot& slot = *static_cast<Slot*>(CurlCall::owner_of(easy));
  count(slot);
  const CurlCall::Outcome outcome = slot.call->outcome(code, false);
  multi_.remove(easy);
  slot.is_busy = false;
  if (!outcome.is_complete) return fail(slot, outcome, now_ns);
  sink_.done(slot.id, {&outcome.answer, 1}, nullptr, now_ns);
}

// The errno of our own socket or of libcurl's last connect().
void CurlNative::fail_dial(Slot& slot, const CurlCall::Outcome& outcome,
                           int64_t now_ns) {
  long error = 0;
  curl_easy_getinfo(slot.call->easy(), CURLINFO_OS_ERRNO, &error);
  if (socket_error_ != 0) error = std::exchange(socket_error_, 0);
  Failure kind = outcome.kind;
  std::string detail = outcome.detail;
  if (kind == Failure::closed && error != 0) {
    kind = connect_failure(static_cast<int>(error));
    detail = error_text(static_cast<int>(error));
  }
  detail = options_.dial.addresses.front().text() + ": " + detail;
  sink_.dial_failed(slot.id, kind, detail, now_ns);
}

void CurlNative::fail(Slot& slot, const CurlCall::Outcome& outcome,
                      int64_t now_ns) {
  slot.is_open = false;
  if (outcome.is_dial) return fail_dial(slot, outcome, now_ns);
  Ended ended;
  ended.kind = outcome.kind;
  ended.in_answer = true;  // libcurl has tried again what can be tried again
  ended.detail = outcome.detail;
  sink_.closed(slot.id, ended, now_ns);
}

// --- sockets -----------------------------------------------------------------

int CurlNative::make_socket(Slot& slot, int family) {
  errno = EMFILE;
  const int fd = free_descriptors_ > 0 ? open_stream(family) : -1;
  if (fd < 0) {
    socket_error_ = errno;
    return CURL_SOCKET_BAD;
  }
  --free_descriptors_;
  const auto index = static_cast<size_t>(fd);
  if (sockets_.size() <= index) sockets_.resize(index + 1);
  sockets_[index] = Socket::dialing;
  multi_.watch(fd);
  slot.dialed.push_back(fd);
  return fd;
}

// Before a request goes out: on a new connection if one was dialed for it. (Of
// two families libcurl may have dialed both; it closes the loser.)
void CurlNative::ready(Slot& slot) {
  for (const int fd : slot.dialed) {
    Socket& socket = sockets_[static_cast<size_t>(fd)];
    if (socket != Socket::dialing || !is_connected(fd)) continue;
    socket = Socket::open;
    ++traffic_.opened;
    ++traffic_.usable;
    if (options_.request.url.is_tls())
      handshakes_.emplace_back(slot.id, slot.call->handshake());
    multi_.settle_soon();
  }
  slot.dialed.clear();
}

void CurlNative::close_socket(int fd) {
  multi_.unwatch(fd);
  Socket& socket = sockets_[static_cast<size_t>(fd)];
  const bool was_made = socket == Socket::dialing && is_connected(fd);
  traffic_.opened += was_made;
  traffic_.closed += was_made || socket == Socket::open;
  socket = Socket::none;
  close_now(fd);
  ++free_descriptors_;
}

curl_socket_t CurlNative::on_open(void* argument, curlsocktype,
                                  curl_sockaddr* address) noexcept {
  Slot& slot = *static_cast<Slot*>(argument);
  return slot.owner->make_socket(slot, address->family);
}

int CurlNative::on_close(void* self, curl_socket_t fd) noexcept {
  static_cast<CurlNative*>(self)->close_socket(fd);
  return 0;
}

void CurlNative::on_ready(void* argument) noexcept {
  Slot& slot = *static_cast<Slot*>(argument);
  slot.owner->ready(slot);
}

}  // namespace dyno
