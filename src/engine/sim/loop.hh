// SimLoop: a loop in virtual time. It goes from one event to the next, never
// waits and never looks at a clock, so that what it runs is the same every time
// and as fast as this machine can think.
#pragma once

#include <functional>
#include <utility>

#include "engine/loop.hh"
#include "engine/posted.hh"
#include "engine/sim/event_queue.hh"
#include "engine/sim/host.hh"

namespace dyno {

// Whose events they are: the modelled network and server.
class SimModel {
 public:
  virtual void happened(const SimEvent& event) = 0;

 protected:
  ~SimModel() = default;
};

class SimLoop final : public Loop {
 public:
  explicit SimLoop(const SimHostOptions& host) : host_(host) {}

  // Ends also when nothing is left that could ever happen.
  void run(Turn& turn) override;
  void stop() noexcept override { is_stopped_ = true; }
  int64_t now_ns() const noexcept override { return now_ns_; }
  int64_t charge(Work work) noexcept override {
    return host_.charge(work, now_ns_);
  }
  int64_t cpu_ns() noexcept override { return host_.used_ns(now_ns_); }
  // A task of another thread runs between two instants and takes no turn: it
  // leaves no trace in what is simulated.
  bool post(std::function<void()> task) override {
    return posted_.add(std::move(task));
  }
  void wake() noexcept override {}  // it never sleeps

  void set_model(SimModel* model) { model_ = model; }
  // `at_ns` not before now.
  void plan(int64_t at_ns, uint8_t kind, SlotId slot, uint32_t epoch) {
    events_.push(at_ns, kind, slot, epoch);
  }

 private:
  void close();
  bool advance(int64_t next_turn_ns);
  void let_happen();

  int64_t now_ns_ = 1'000'000'000;  // 0 would be "never" to some
  SimHost host_;
  EventQueue events_;
  SimModel* model_ = nullptr;
  bool is_stopped_ = false;

  Posted posted_;
};

}  // namespace dyno
