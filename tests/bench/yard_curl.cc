// Yardstick: the least a client on libcurl's multi interface can do. One easy
// handle per connection on a libevent loop, given back to libcurl as soon as it
// is done; answers are dropped. Prints requests per second.
// Usage: yard_curl URL CONNECTIONS SECONDS
#include <curl/curl.h>
#include <event2/event.h>
#include <event2/event_struct.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Yard {
  event_base* base = nullptr;
  CURLM* multi = nullptr;
  event timer;
  std::map<int, event*> sockets;
  long long done = 0;
  Clock::time_point until;
};

void settle(Yard& yard) {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(yard.multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    if (message->data.result != CURLE_OK) {
      std::fprintf(stderr, "yard_curl: %s\n",
                   curl_easy_strerror(message->data.result));
      std::exit(1);
    }
    ++yard.done;
    CURL* const easy = message->easy_handle;
    curl_multi_remove_handle(yard.multi, easy);
    if (Clock::now() < yard.until) curl_multi_add_handle(yard.multi, easy);
  }
  if (Clock::now() >= yard.until) event_base_loopbreak(yard.base);
}

void on_event(evutil_socket_t fd, short what, void* self) {
  Yard& yard = *static_cast<Yard*>(self);
  int running = 0;
  const int action = ((what & EV_READ) != 0 ? CURL_CSELECT_IN : 0) |
                     ((what & EV_WRITE) != 0 ? CURL_CSELECT_OUT : 0);
  curl_multi_socket_action(yard.multi, fd, action, &running);
  settle(yard);
}

void on_timer(evutil_socket_t, short, void* self) {
  Yard& yard = *static_cast<Yard*>(self);
  int running = 0;
  curl_multi_socket_action(yard.multi, CURL_SOCKET_TIMEOUT, 0, &running);
  settle(yard);
}

int set_socket(CURL*, curl_socket_t fd, int what, void* self, void*) {
  Yard& yard = *static_cast<Yard*>(self);
  event*& one = yard.sockets[fd];
  if (one == nullptr)
    one = event_new(yard.base, fd, 0, on_event, self);
  else
    event_del(one);
  if (what == CURL_POLL_REMOVE) return 0;
  const int kind = ((what & CURL_POLL_IN) != 0 ? EV_READ : 0) |
                   ((what & CURL_POLL_OUT) != 0 ? EV_WRITE : 0);
  event_assign(one, yard.base, fd, static_cast<short>(kind | EV_PERSIST),
               on_event, self);
  event_add(one, nullptr);
  return 0;
}

int set_timer(CURLM*, long timeout_ms, void* self) {
  Yard& yard = *static_cast<Yard*>(self);
  if (timeout_ms < 0) return event_del(&yard.timer), 0;
  const timeval wait{.tv_sec = timeout_ms / 1000,
                     .tv_usec = timeout_ms % 1000 * 1000};
  event_add(&yard.timer, &wait);
  return 0;
}

size_t drop(char*, size_t, size_t size, void*) {
  return size;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: yard_curl URL CONNECTIONS SECONDS\n", stderr);
    return 2;
  }
  const long connections = std::atol(argv[2]);
  const double seconds = std::atof(argv[3]);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  Yard yard;
  yard.base = event_base_new();
  yard.multi = curl_multi_init();
  evtimer_assign(&yard.timer, yard.base, on_timer, &yard);
  curl_multi_setopt(yard.multi, CURLMOPT_SOCKETFUNCTION, set_socket);
  curl_multi_setopt(yard.multi, CURLMOPT_SOCKETDATA, &yard);
  curl_multi_setopt(yard.multi, CURLMOPT_TIMERFUNCTION, set_timer);
  curl_multi_setopt(yard.multi, CURLMOPT_TIMERDATA, &yard);
  curl_multi_setopt(yard.multi, CURLMOPT_MAXCONNECTS, connections);
  const auto start = Clock::now();
  yard.until = start + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(seconds));
  std::vector<CURL*> handles;
  for (long i = 0; i < connections; ++i) {
    CURL* const easy = handles.emplace_back(curl_easy_init());
    curl_easy_setopt(easy, CURLOPT_URL, argv[1]);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
    curl_multi_add_handle(yard.multi, easy);
  }
  event_base_dispatch(yard.base);
  const std::chrono::duration<double> took = Clock::now() - start;
  std::printf("%.1f\n", static_cast<double>(yard.done) / took.count());
  for (CURL* easy : handles) {
    curl_multi_remove_handle(yard.multi, easy);
    curl_easy_cleanup(easy);
  }
  curl_multi_cleanup(yard.multi);
  for (const auto& [fd, one] : yard.sockets) event_free(one);
  event_del(&yard.timer);
  event_base_free(yard.base);
  return 0;
}
