#include "engine/curl/multi.hh"

#include <new>
#include <utility>

#include "net/tls.hh"

namespace dyno {
namespace {

// A transfer takes a few steps that need no waiting; then the sockets' turn.
constexpr int kMostKicks = 16;

}  // namespace

bool curl_is_ready() {
  set_up_openssl();
  static const bool is_ready = curl_global_init(CURL_GLOBAL_DEFAULT) == 0;
  return is_ready;
}

CurlMulti::CurlMulti(LibeventLoop& loop, CurlEnds& ends)
    : loop_(loop), ends_(ends), multi_(curl_multi_init()) {
  if (multi_ == nullptr) throw std::bad_alloc();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  event_assign(&due_, loop.base(), -1, EV_TIMEOUT, on_due, this);
  event_assign(&soon_, loop.base(), -1, EV_TIMEOUT, on_soon, this);
}

void CurlMulti::end() {
  event_del(&due_);
  event_del(&soon_);
  curl_multi_cleanup(std::exchange(multi_, nullptr));
}

CurlMulti::~CurlMulti() {
  if (multi_ != nullptr) end();
  for (const std::unique_ptr<Watch>& watch : watches_)
    if (watch != nullptr) unwatch(watch->fd);
}

void CurlMulti::kick() {
  int running = 0;
  for (int i = 0; is_due_ && i < kMostKicks; ++i) {
    is_due_ = false;
    curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
  }
  if (is_due_) event_active(&due_, EV_TIMEOUT, 0);
}

// --- sockets -----------------------------------------------------------------

void CurlMulti::watch(int fd) {
  const auto index = static_cast<size_t>(fd);
  if (watches_.size() <= index) watches_.resize(index + 1);
  watches_[index] = std::make_unique<Watch>();
  Watch& watch = *watches_[index];
  watch.owner = this;
  watch.fd = fd;
  event_assign(&watch.readable, loop_.base(), fd, EV_READ | EV_PERSIST,
               on_readable, &watch);
  event_assign(&watch.writable, loop_.base(), fd, EV_WRITE | EV_PERSIST,
               on_writable, &watch);
  watch.is_read = event_add(&watch.readable, nullptr) == 0;
}

void CurlMulti::unwatch(int fd) {
  const auto index = static_cast<size_t>(fd);
  if (index >= watches_.size() || watches_[index] == nullptr) return;
  event_del(&watches_[index]->readable);
  event_del(&watches_[index]->writable);
  watches_[index].reset();
}

void CurlMulti::change(int fd, int what) {
  const auto index = static_cast<size_t>(fd);
  if (index >= watches_.size() || watches_[index] == nullptr) return;
  Watch& watch = *watches_[index];
  watch.wants_read = what == CURL_POLL_IN || what == CURL_POLL_INOUT;
  if (watch.wants_read && !watch.is_read)
    watch.is_read = event_add(&watch.readable, nullptr) == 0;
  if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
    event_add(&watch.writable, nullptr);
  else
    event_del(&watch.writable);
}

void CurlMulti::act(int fd, int what) {
  int running = 0;
  curl_multi_socket_action(multi_, fd, what, &running);
  settle();
}

void CurlMulti::settle() {
  kick();
  const int64_t now_ns = loop_.now_ns();
  tell_ends(now_ns);
  ends_.settled(now_ns);
}

void CurlMulti::tell_ends(int64_t now_ns) {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* const easy = message->easy_handle;
    const CURLcode code = message->data.result;
    ends_.ended(easy, code, now_ns);
  }
}

void CurlMulti::readable(Watch& watch) {
  const int64_t now_ns = loop_.tick();
  if (watch.wants_read) return act(watch.fd, CURL_CSELECT_IN);
  const int fd = watch.fd;
  if (ends_.spoke(fd, now_ns)) return ends_.settled(now_ns);
  event_del(&watch.readable);
  watch.is_read = false;
}

// --- callbacks ---------------------------------------------------------------

int CurlMulti::on_socket(CURL*, curl_socket_t fd, int what, void* self,
                         void*) noexcept {
  static_cast<CurlMulti*>(self)->change(fd, what);
  return 0;
}

int CurlMulti::on_timer(CURLM*, long timeout_ms, void* self) noexcept {
  CurlMulti& multi = *static_cast<CurlMulti*>(self);
  multi.is_due_ = timeout_ms == 0;
  if (timeout_ms < 0) {
    event_del(&multi.due_);
  } else if (timeout_ms > 0) {
    const timeval wait{.tv_sec = timeout_ms / 1000,
                       .tv_usec = timeout_ms % 1000 * 1000};
    event_add(&multi.due_, &wait);
  }
  return 0;
}

void CurlMulti::on_readable(evutil_socket_t, short, void* watch) noexcept {
  Watch& one = *static_cast<Watch*>(watch);
  CurlMulti& owner = *one.owner;
  owner.loop_.guard([&] { owner.readable(one); });
}

void CurlMulti::on_writable(evutil_socket_t fd, short, void* watch) noexcept {
  CurlMulti& owner = *static_cast<Watch*>(watch)->owner;
  owner.loop_.guard([&] {
    owner.loop_.tick();
    owner.act(fd, CURL_CSELECT_OUT);
  });
}

void CurlMulti::on_due(evutil_socket_t, short, void* self) noexcept {
  CurlMulti& multi = *static_cast<CurlMulti*>(self);
  multi.loop_.guard([&] {
    multi.loop_.tick();
    multi.is_due_ = true;
    multi.settle();
  });
}

void CurlMulti::on_soon(evutil_socket_t, short, void* self) noexcept {
  CurlMulti& multi = *static_cast<CurlMulti*>(self);
  multi.loop_.guard([&] {
    multi.loop_.tick();
    multi.settle();
  });
}

}  // namespace dyno
