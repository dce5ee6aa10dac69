// Loop: what a worker runs on. It is the only reader of the clock: time is read
// once per wake or read batch and passed on.
#pragma once

#include <cstdint>
#include <functional>

namespace dyno {

// The worker's part of a turn: called after every wake, when all that was ready
// has been handled.
class Turn {
 public:
  // Returns when it wants to be called next at the latest; a time that is not
  // after `now_ns` makes the loop look at its sockets without waiting.
  virtual int64_t turn(int64_t now_ns) = 0;

 protected:
  ~Turn() = default;
};

// What the end of a request costs the host: an answer that is handed over, or a
// failure that its caller is told.
enum class Work : uint8_t { completed, failed };

class Loop {
 public:
  virtual ~Loop() = default;

  // Runs turns until stop(). The thread that runs it owns all that hangs on it.
  // An exception of a turn or of a batch of input ends it and comes out here.
  virtual void run(Turn& turn) = 0;
  // Ends run() after the current turn. The loop's thread only.
  virtual void stop() noexcept = 0;

  // The time in ns of the current turn or read batch.
  virtual int64_t now_ns() const noexcept = 0;

  // When work that is taken up now is done on this host. Real work is done by
  // doing it: now. A modelled host has other work before it, and it has a cost.
  virtual int64_t charge(Work work) noexcept = 0;
  // Processor time that was used so far by the thread that runs the loop, or by
  // the modelled host. The loop's thread only.
  virtual int64_t cpu_ns() noexcept = 0;

  // Runs a task at the next turn. Any thread; false once run() has returned,
  // and then the task never runs.
  virtual bool post(std::function<void()> task) = 0;
  // Makes the loop take a turn soon. Any thread, a signal handler too.
  virtual void wake() noexcept = 0;
};

}  // namespace dyno
