#include "engine/loop_libevent.hh"

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <utility>

#include "base/units.hh"

namespace dyno {
namespace {

event_base* make_base() {
  event_config* config = event_config_new();
  if (config == nullptr) return nullptr;
  event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
  event_base* base = event_base_new_with_config(config);
  event_config_free(config);
  return base;
}

event* watch(event_base* base, int fd, event_callback_fn callback, void* self) {
  event* made = event_new(base, fd, EV_READ | EV_PERSIST, callback, self);
  if (made != nullptr) event_add(made, nullptr);
  return made;
}

void drain(int fd) {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t n = read(fd, &count, sizeof count);
}

}  // namespace

int64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

LibeventLoop::LibeventLoop()
    : base_(make_base()),
      wake_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      timer_fd_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
      now_ns_(monotonic_ns()) {
  if (base_ == nullptr || wake_fd_ < 0 || timer_fd_ < 0) return;
  wake_event_ = watch(base_, wake_fd_, on_wake, this);
  timer_event_ = watch(base_, timer_fd_, on_timer, this);
}

LibeventLoop::~LibeventLoop() {
  if (wake_event_ != nullptr) event_free(wake_event_);
  if (timer_event_ != nullptr) event_free(timer_event_);
  if (base_ != nullptr) event_base_free(base_);
  if (wake_fd_ >= 0) close(wake_fd_);
  if (timer_fd_ >= 0) close(timer_fd_);
}

void LibeventLoop::run(Turn& turn) {
  is_stopped_ = false;
  while (!is_stopped_) guard([&] { take_turn(turn); });
  posted_.close();
  guard([this] { posted_.run(); });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void LibeventLoop::take_turn(Turn& turn) {
  posted_.run();
  const int64_t next_ns = turn.turn(tick());
  if (is_stopped_) return;
  if (next_ns <= now_ns_) {
    event_base_loop(base_, EVLOOP_ONCE | EVLOOP_NONBLOCK);
  } else {
    set_timer(next_ns);
    event_base_loop(base_, EVLOOP_ONCE);
  }
}

void LibeventLoop::caught(std::exception_ptr error) noexcept {
  if (!error_) error_ = std::move(error);
  is_stopped_ = true;
  event_base_loopbreak(base_);
}

int64_t LibeventLoop::cpu_ns() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const auto total = [](const timeval& t) {
    return t.tv_sec * kSecond + t.tv_usec * kMicrosecond;
  };
  return total(usage.ru_utime) + total(usage.ru_stime);
}

bool LibeventLoop::post(std::function<void()> task) {
  if (!posted_.add(std::move(task))) return false;
  wake();
  return true;
}

void LibeventLoop::wake() noexcept {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = write(wake_fd_, &one, sizeof one);
}

void LibeventLoop::set_timer(int64_t due_ns) {
  if (due_ns == timer_due_ns_) return;
  timer_due_ns_ = due_ns;
  itimerspec spec{};
  spec.it_value.tv_sec = due_ns / kSecond;
  spec.it_value.tv_nsec = due_ns % kSecond;
  timerfd_settime(timer_fd_, TFD_TIMER_ABSTIME, &spec, nullptr);
}

void LibeventLoop::on_wake(evutil_socket_t fd, short, void*) noexcept {
  drain(fd);
}

void LibeventLoop::on_timer(evutil_socket_t fd, short, void* self) noexcept {
  drain(fd);
  static_cast<LibeventLoop*>(self)->timer_due_ns_ = 0;
}

}  // namespace dyno
