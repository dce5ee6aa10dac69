// LibeventLoop: the loop of the engines that use sockets. Timers are one
// timerfd that is set only when the next due time changes, so that waiting
// costs no system call of its own.
#pragma once

#include <event2/event.h>

#include <exception>
#include <functional>
#include <memory>

#include "engine/loop.hh"
#include "engine/posted.hh"

namespace dyno {

// CLOCK_MONOTONIC in ns: what every instant in a run is measured with.
int64_t monotonic_ns() noexcept;

class LibeventLoop final : public Loop {
 public:
  LibeventLoop();
  ~LibeventLoop() override;
  LibeventLoop(const LibeventLoop&) = delete;
  LibeventLoop& operator=(const LibeventLoop&) = delete;

  bool is_usable() const { return base_ != nullptr && wake_fd_ >= 0; }

  void run(Turn& turn) override;
  void stop() noexcept override { is_stopped_ = true; }
  int64_t now_ns() const noexcept override { return now_ns_; }
  int64_t charge(Work) noexcept override { return now_ns_; }
  int64_t cpu_ns() noexcept override;
  bool post(std::function<void()> task) override;
  void wake() noexcept override;

  event_base* base() { return base_; }
  // Reads the clock for a new batch of input.
  int64_t tick() noexcept { return now_ns_ = monotonic_ns(); }
  // For callbacks from libevent, which no exception may pass: an exception of
  // `body` ends run() and comes out there.
  template <typename Body>
  void guard(Body body) noexcept {
    try {
      body();
    } catch (...) {
      caught(std::current_exception());
    }
  }

 private:
  void caught(std::exception_ptr error) noexcept;
  void set_timer(int64_t due_ns);
  void take_turn(Turn& turn);
  static void on_wake(evutil_socket_t fd, short what, void* self) noexcept;
  static void on_timer(evutil_socket_t fd, short what, void* self) noexcept;

  event_base* base_ = nullptr;
  event* wake_event_ = nullptr;
  event* timer_event_ = nullptr;
  int wake_fd_ = -1;
  int timer_fd_ = -1;
  int64_t timer_due_ns_ = 0;  // 0: not set
  int64_t now_ns_ = 0;
  bool is_stopped_ = false;
  std::exception_ptr error_;

  Posted posted_;
};

}  // namespace dyno
