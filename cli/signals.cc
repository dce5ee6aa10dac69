#include "signals.hh"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "stop.hh"

namespace cli {
namespace {

// A terminal's Ctrl-C reaches the whole process group, and a wrapper may pass
// it on once more: within this time both are one.
constexpr int64_t kSameNs = 300'000'000;

// All that the handler touches.
std::atomic<const dyno_run*> run_to_cancel{nullptr};
std::atomic<int> first_signal{0};
std::atomic<int64_t> first_ns{0};
int wake_read = -1;
int wake_write = -1;
static_assert(std::atomic<const dyno_run*>::is_always_lock_free);
static_assert(std::atomic<int64_t>::is_always_lock_free);

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Async-signal-safe throughout.
extern "C" void on_signal(int number) {
  const int saved_errno = errno;
  int none = 0;
  if (first_signal.compare_exchange_strong(none, number)) {
    first_ns = now_ns();
    const dyno_run* run = run_to_cancel;
    if (run != nullptr) (void)dyno_run_cancel(run);
    const char byte = 0;
    if (write(wake_write, &byte, 1) < 0) errno = 0;  // the flag says it too
  } else if (now_ns() - first_ns > kSameNs) {
    _exit(128 + number);
  }
  errno = saved_errno;
}

}  // namespace

void watch_signals() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Stop(kFailed, "cannot make a pipe: out of file descriptors");
  wake_read = ends[0];
  wake_write = ends[1];
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int signal_seen() {
  return first_signal;
}

int signal_fd() {
  return wake_read;
}

int interrupted_code() {
  const int number = first_signal;
  return 128 + (number == 0 ? SIGINT : number);
}

CancelOnSignal::CancelOnSignal(const dyno_run* run) {
  run_to_cancel = run;
  if (signal_seen() != 0) (void)dyno_run_cancel(run);
}

CancelOnSignal::~CancelOnSignal() {
  run_to_cancel = nullptr;
}

}  // namespace cli
