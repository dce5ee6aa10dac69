// The Nth allocation fails, alone or with all that follow, for every N over one
// small run: the answer is a status code, nothing leaks, nothing crashes. Every
// operator new of this program is counted, on whatever thread.
//
// The JSON renderer is left out: nlohmann-json allocates in a destructor, which
// must not throw.
#include <httpdyno/httpdyno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "unit/cmocka.hh"

namespace {

std::atomic<long> counted = 0;
std::atomic<long> first_to_fail = LONG_MAX;
std::atomic<long> last_to_fail = LONG_MAX;
std::atomic<long> live = 0;

void* allocate(size_t size) {
  const long number = counted++;
  if (number >= first_to_fail && number <= last_to_fail) return nullptr;
  void* made = malloc(size > 0 ? size : 1);
  if (made != nullptr) ++live;
  return made;
}

}  // namespace

void* operator new(size_t size) {
  void* made = allocate(size);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void operator delete(void* made) noexcept {
  if (made == nullptr) return;
  --live;
  free(made);
}
void operator delete(void* made, size_t) noexcept {
  operator delete(made);
}

namespace {

constexpr char kAnswer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
constexpr int kMostAllocations = 100000;

// Answers everything that it reads, without any C++ allocation, until its
// parent is gone. One read of this small load is one request.
[[noreturn]] void serve(int listener) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd fds[64] = {{listener, POLLIN, 0}};
  nfds_t count = 1;
  char buffer[4096];
  while (poll(fds, count, -1) > 0) {
    if ((fds[0].revents & POLLIN) != 0 && count < 64)
      fds[count++] = {accept(listener, nullptr, nullptr), POLLIN, 0};
    for (nfds_t i = 1; i < count; ++i) {
      if (fds[i].revents == 0) continue;
      if (read(fds[i].fd, buffer, sizeof buffer) > 0) {
        send(fds[i].fd, kAnswer, sizeof kAnswer - 1, MSG_NOSIGNAL);
        continue;
      }
      close(fds[i].fd);
      fds[i--] = fds[--count];
    }
  }
  _exit(0);
}

struct Server {
  pid_t pid = 0;
  int port = 0;
};

Server start_server() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  assert_int_equal(bind(listener, generic, length), 0);
  assert_int_equal(listen(listener, 64), 0);
  assert_int_equal(getsockname(listener, generic, &length), 0);
  Server server;
  server.port = ntohs(address.sin_port);
  server.pid = fork();
  if (server.pid == 0) serve(listener);
  close(listener);
  return server;
}

// Everything a program does with a run. The first failure ends it.
dyno_status use(const char* url) {
  dyno_plan* plan = nullptr;
  dyno_run* run = nullptr;
  dyno_result* result = nullptr;
  const char* text = nullptr;
  int64_t p99 = 0;
  dyno_status status = dyno_plan_new(&plan);
  const char* settings[][2] = {
      {"target.url", url},    {"client", "fifo-lazy"},
      {"pool.size", "2"},     {"load.callers", "3"},
      {"load.requests", "6"}, {"http.header", "X-A: b"}};
  for (const auto& [key, value] : settings)
    if (status == DYNO_OK) status = dyno_plan_set(plan, key, value);
  if (status == DYNO_OK) status = dyno_run_start(&run, plan);
  if (status == DYNO_OK) status = dyno_run_wait(run, -1);
  if (status == DYNO_OK) status = dyno_run_result(run, &result);
  if (status == DYNO_OK)
    status = dyno_result_quantile(result, "latency.response", 0.99, &p99);
  if (status == DYNO_OK)
    status = dyno_result_render(result, "csv", &text, nullptr);
  dyno_result_free(result);
  dyno_run_free(run);
  dyno_plan_free(plan);
  return status;
}

void every_allocation_may_fail(bool alone) {
  const Server server = start_server();
  char url[64];
  snprintf(url, sizeof url, "http://127.0.0.1:%d/", server.port);
  // Tables that are made once and stay are none of the run's.
  assert_int_equal(use(url), DYNO_OK);
  long failed = 0;
  for (int n = 0; n < kMostAllocations; ++n) {
    const long before = live;
    counted = 0;
    first_to_fail = n;
    last_to_fail = alone ? n : LONG_MAX - 1;
    const dyno_status status = use(url);
    const bool has_failed = counted > n;
    first_to_fail = LONG_MAX;
    if (live != before) fail_msg("allocation %d: %ld leaks", n, live - before);
    if (!has_failed) break;
    if (status != DYNO_OK) ++failed;
    if (status == DYNO_E_INTERNAL) fail_msg("allocation %d: internal", n);
  }
  kill(server.pid, SIGKILL);
  waitpid(server.pid, nullptr, 0);
  // The runs before the last one met the failure somewhere.
  assert_true(failed > 100);
}

void one_allocation_fails(void**) {
  every_allocation_may_fail(true);
}

void no_allocation_succeeds_from_one_on(void**) {
  every_allocation_may_fail(false);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(one_allocation_fails),
      cmocka_unit_test(no_allocation_succeeds_from_one_on)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
