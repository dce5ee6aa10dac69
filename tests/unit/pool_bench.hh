// A bench with one pool on it: a transport and grants that only write down what
// they were told, and the little that a worker does. The notes of a step read
// like this: "open 0; granted 3; send 0 x2". Whatever no pool may ever do, such
// as to send on a closed connection or to end a request twice, is noted as well
// and spoils every comparison after it.
#pragma once

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pool/slot_pool.hh"
#include "unit/plan_support.hh"

namespace dyno {

class PoolBench final : private Transport, private Grants {
 public:
  // Slots, callers and rules are those of the plan's one cell.
  explicit PoolBench(const Settings& settings)
      : PoolBench(config_of(settings), config_of(settings).callers) {}
  // More or fewer callers than a plan would allow.
  PoolBench(const Config& config, int64_t callers)
      : rules_(make_rules(config)),
        requests_(static_cast<size_t>(callers)),
        wires_(static_cast<size_t>(config.grows()
                                       ? std::max(config.slots(), callers)
                                       : config.slots())),
        is_waiting_(requests_.size()),
        pool_(rules_, 0, static_cast<uint32_t>(wires_.size()), 1, requests_,
              *this, *this) {
    for (size_t i = 0; i < requests_.size(); ++i)
      requests_[i].home = static_cast<SlotId>(i % wires_.size());
  }

  enum class Wire : uint8_t { closed, dialing, open };

  // --- what a worker does ----------------------------------------------------

  void submit(RequestId id) {
    Request& request = requests_[id];
    if (request.is_out) complain("submitted twice");
    request.is_out = true;
    request.retries = 0;
    request.submitted_ns = now_ns_;
    const Admission admission = pool_.submit(id, now_ns_);
    if (admission.what == Admission::failed)
      fail_request(id, admission.kind);
    else if (admission.what == Admission::waiting)
      wait(id);
  }
  void submit_all(std::initializer_list<RequestId> ids) {
    for (const RequestId id : ids) submit(id);
  }

  bool submit_home(SlotId slot, const std::vector<RequestId>& ids) {
    if (!pool_.submit_home(slot, ids, now_ns_)) return false;
    for (const RequestId id : ids) {
      if (requests_[id].is_out) complain("submitted twice");
      requests_[id].is_out = true;
    }
    return true;
  }

  // --- what happens to the pool ----------------------------------------------

  void opened(SlotId slot) {
    wires_[slot].state = Wire::open;
    pool_.opened(slot, now_ns_);
  }
  void dial_failed(SlotId slot, Failure kind) {
    wires_[slot].state = Wire::closed;
    pool_.dial_failed(slot, kind, "refused", now_ns_);
  }
  void answer(SlotId slot, uint32_t count = 1) {
    take(slot, count);
    pool_.release(slot, now_ns_);
  }
  // The last of these answers says that the connection ends with it.
  void answer_and_close(SlotId slot, uint32_t count = 1) {
    take(slot, count);
    Ended ended;
    ended.announced = true;
    closed(slot, ended);
  }
  void answer_and_break(SlotId slot, uint32_t count = 1) {
    take(slot, count);
    closed(slot, Ended());
  }
  void closed(SlotId slot, const Ended& ended = {}) {
    cut(slot);
    pool_.closed(slot, ended, now_ns_);
  }
  // Its caller has taken another answer for its own.
  void finish_elsewhere(RequestId id) {
    end(id);
    ++completed_;
    pool_.abandon(id, now_ns_);
  }
  // Time alone; sweep() is when a worker looks at it.
  void pass(int64_t ns) { now_ns_ += ns; }
  void sweep() {
    pool_.sweep(now_ns_);
    pool_.advance(now_ns_);
  }
  void pass_and_sweep(int64_t ns) {
    pass(ns);
    sweep();
  }

  // --- what can be seen ------------------------------------------------------

  // The notes since the last call; what was sent comes last, by slot.
  std::string take_notes() {
    for (size_t slot = 0; slot < wires_.size(); ++slot)
      if (const uint32_t sent = std::exchange(wires_[slot].fresh, 0); sent > 0)
        note("send " + std::to_string(slot) + " x" + std::to_string(sent));
    return std::exchange(notes_, "") + problem_;
  }

  SlotPool& pool() { return pool_; }
  const SlotPool& pool() const { return pool_; }
  const Rules& rules() const { return rules_; }
  const Request& request(RequestId id) const { return requests_[id]; }
  int64_t now_ns() const { return now_ns_; }
  Wire state(SlotId slot) const { return wires_[slot].state; }
  uint32_t on_wire(SlotId slot) const { return wires_[slot].outstanding; }
  const std::string& problem() const { return problem_; }
  size_t slots() const { return wires_.size(); }
  size_t callers() const { return requests_.size(); }
  size_t waiting() const { return waiters_.size(); }
  size_t out() const {
    size_t count = 0;
    for (const Request& request : requests_) count += request.is_out;
    return count;
  }
  int64_t completed() const { return completed_; }
  int64_t late() const { return late_; }
  int64_t failed() const { return failed_; }
  // Off for long runs.
  void keep_notes(bool keeps) { keeps_notes_ = keeps; }

 private:
  struct Line {
    Wire state = Wire::closed;
    uint32_t outstanding = 0;
    uint32_t fresh = 0;  // sent since the last look at the notes
  };

  // --- transport -------------------------------------------------------------

  void open(SlotId slot, int64_t) override {
    if (wires_[slot].state != Wire::closed) complain("opened what is open");
    wires_[slot].state = Wire::dialing;
    note("open " + std::to_string(slot));
  }
  void send(SlotId slot, uint32_t count) override {
    Line& line = wires_[slot];
    if (line.state != Wire::open) complain("sent on what is closed");
    line.outstanding += count;
    line.fresh += count;
    const bool may_pile_up = rules_.on_timeout == OnTimeout::abandon;
    if (line.outstanding > rules_.depth && !may_pile_up)
      complain("sent beyond the depth");
  }
  void close(SlotId slot) override {
    if (wires_[slot].state == Wire::closed) complain("closed what is closed");
    cut(slot);
    note("close " + std::to_string(slot));
  }
  void cut(SlotId slot) {
    wires_[slot].state = Wire::closed;
    wires_[slot].outstanding = 0;
  }
  void flush() override {}
  void sweep(int64_t) override {}
  const Traffic& traffic() const override { return traffic_; }
  std::vector<std::string> notes() const override { return {}; }

  // --- grants ----------------------------------------------------------------

  void granted(RequestId id, int64_t) noexcept override {
    // Who asks a serial owner waits, and then may draw a slot that is free.
    if (is_waiting_[id] && !rules_.is_serial && waiters_.front() != id)
      complain("served out of turn");
    stop_waiting(id);
    note("granted " + std::to_string(id));
  }
  void refused(RequestId id, Failure kind, std::string_view,
               int64_t) noexcept override {
    if (is_waiting_[id]) stop_waiting(id);
    fail_request(id, kind);
  }
  void expired(RequestId id, int64_t) noexcept override {
    stop_waiting(id);
    fail_request(id, Failure::pool_timeout);
  }

  // --- books -----------------------------------------------------------------

  void wait(RequestId id) {
    if (is_waiting_[id]) complain("queued twice");
    is_waiting_[id] = true;
    waiters_.push_back(id);
    note("waits " + std::to_string(id));
  }
  // A request that went back to the pool waits without having been submitted.
  void stop_waiting(RequestId id) {
    if (!is_waiting_[id]) return note_resubmitted(id);
    is_waiting_[id] = false;
    std::erase(waiters_, id);
  }
  void note_resubmitted(RequestId id) {
    if (rules_.pending == Pending::fail && !rules_.selects_by_load())
      complain("granted without waiting");
    if (!requests_[id].is_out) complain("granted what is not out");
  }
  void take(SlotId slot, uint32_t count) {
    Line& line = wires_[slot];
    if (line.outstanding < count) complain("answered what was not sent");
    line.outstanding -= count;
    for (uint32_t i = 0; i < count; ++i) {
      const RequestId id = pool_.take(slot);
      if (is_late(id)) {
        ++late_;
        note("late");
        continue;
      }
      end(id);
      ++completed_;
      note("done " + std::to_string(id));
    }
  }
  void fail_request(RequestId id, Failure kind) {
    end(id);
    ++failed_;
    note(std::string(failure_row(kind).name) + " " + std::to_string(id));
  }
  void end(RequestId id) {
    if (!requests_[id].is_out) complain("ended twice");
    if (is_waiting_[id]) complain("ended while it waits");
    requests_[id].is_out = false;
  }
  void note(const std::string& text) {
    if (!keeps_notes_) return;
    if (!notes_.empty()) notes_ += "; ";
    notes_ += text;
  }
  void complain(const char* what) {
    if (problem_.empty()) problem_ = std::string(" (problem: ") + what + ")";
  }

  Rules rules_;
  Requests requests_;
  std::vector<Line> wires_;
  std::vector<bool> is_waiting_;
  std::deque<RequestId> waiters_;
  Traffic traffic_;
  std::string notes_;
  std::string problem_;
  bool keeps_notes_ = true;
  int64_t completed_ = 0;
  int64_t late_ = 0;
  int64_t failed_ = 0;
  int64_t now_ns_ = 1'000 * kSecond;
  SlotPool pool_;
};

// Slot 0 is open, has answered request 0 and is idle.
inline void warm_up(PoolBench& bench) {
  bench.submit(0);
  bench.opened(0);
  bench.answer(0);
  bench.take_notes();
}

#define assert_notes(bench, expected) \
  assert_string_equal((bench).take_notes().c_str(), expected)

}  // namespace dyno
