// The loop in virtual time: what happens when, in which order, and that other
// threads can ask without leaving a trace.
#include <atomic>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/rng.hh"
#include "base/units.hh"
#include "engine/sim/loop.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

// Does what it was told, one thing a turn, and writes down what happened.
class Bench final : public Turn, public SimModel {
 public:
  explicit Bench(SimHostOptions host = {}) : loop(host) {
    loop.set_model(this);
  }

  // The next turn: `what` it does and when it wants to be called again, in ns
  // from the start.
  void then(
      int64_t next_ns, std::function<void()> what = [] {}) {
    script_.push_back({next_ns, std::move(what)});
  }
  void plan(int64_t at_ns, SlotId slot) {
    loop.plan(kStart + at_ns, 0, slot, 0);
  }
  std::string run() {
    loop.run(*this);
    return notes_;
  }

  static constexpr int64_t kStart = kSecond;
  SimLoop loop;

 private:
  struct Step {
    int64_t next_ns;
    std::function<void()> what;
  };

  int64_t turn(int64_t now_ns) override {
    notes_ += "t" + std::to_string(now_ns - kStart) + " ";
    if (script_.empty()) {
      loop.stop();
      return kUnlimited;
    }
    const Step step = script_.front();
    script_.pop_front();
    step.what();
    return step.next_ns == kUnlimited ? kUnlimited : kStart + step.next_ns;
  }

  void happened(const SimEvent& event) override {
    notes_ += std::to_string(event.slot) + "@" +
              std::to_string(event.at_ns - kStart) + " ";
    assert_int_equal(loop.now_ns(), event.at_ns);
  }

  std::deque<Step> script_;
  std::string notes_;
};

void time_goes_from_one_event_to_the_next(void**) {
  Bench bench;
  bench.plan(30, 3);
  bench.plan(10, 1);
  bench.then(kUnlimited);
  bench.then(20);  // before the next event
  bench.then(100);
  assert_string_equal(bench.run().c_str(), "t0 1@10 t10 t20 3@30 t30 ");
}

void events_of_an_instant_come_in_the_order_of_their_plan(void**) {
  Bench bench;
  for (const SlotId slot : {5u, 2u, 9u, 1u}) bench.plan(7, slot);
  bench.plan(6, 8);
  bench.then(kUnlimited);
  bench.then(kUnlimited);
  assert_string_equal(bench.run().c_str(), "t0 8@6 t6 5@7 2@7 9@7 1@7 t7 ");
}

void an_event_for_now_comes_before_time_goes_on(void**) {
  Bench bench;
  bench.then(50, [&bench] { bench.plan(0, 4); });
  bench.then(50);
  assert_string_equal(bench.run().c_str(), "t0 4@0 t0 t50 ");
}

// Or time would stand still.
void a_turn_that_always_has_something_to_do_takes_a_nanosecond(void**) {
  Bench bench;
  bench.then(0);
  bench.then(-1'000);
  bench.then(2);  // that is now
  assert_string_equal(bench.run().c_str(), "t0 t1 t2 t3 ");
}

void a_loop_ends_when_nothing_can_ever_happen(void**) {
  Bench bench;
  bench.then(kUnlimited);
  bench.then(kUnlimited);
  assert_string_equal(bench.run().c_str(), "t0 ");
}

// Grows, then shrinks to nothing; many times occur more than once.
void the_queue_gives_back_in_order_whatever_went_in(void**) {
  constexpr uint32_t kRounds = 20'000;
  Rng rng(7);
  EventQueue queue;
  int64_t last_ns = 0;
  uint64_t last_order = 0;
  for (uint32_t round = 0; round < kRounds || !queue.is_empty(); ++round) {
    if (rng.below(kRounds) > round) {
      queue.push(last_ns + 1 + rng.below(50), 0, 0, 0);
    } else if (!queue.is_empty()) {
      const SimEvent event = queue.pop();
      assert_true(event.at_ns >= last_ns);
      assert_true(event.at_ns > last_ns || event.order > last_order);
      last_ns = event.at_ns;
      last_order = event.order;
    }
  }
}

void an_event_keeps_its_kind_slot_and_epoch(void**) {
  EventQueue queue;
  queue.push(1, 7, UINT32_MAX, UINT32_MAX);
  queue.push(1, 0, 3, 4);
  SimEvent event = queue.pop();
  assert_int_equal(event.kind(), 7);
  assert_int_equal(event.slot, UINT32_MAX);
  assert_int_equal(event.epoch, UINT32_MAX);
  event = queue.pop();
  assert_int_equal(event.kind(), 0);
  assert_int_equal(event.slot, 3);
  assert_int_equal(event.epoch, 4);
}

void work_is_charged_to_the_host_at_the_loops_time(void**) {
  Bench bench({.cpus = 1, .completed_cost_ns = 100, .failed_cost_ns = 0});
  int64_t done_ns = 0, used_ns = 0;
  bench.then(70, [&] { done_ns = bench.loop.charge(Work::completed); });
  bench.then(1'000, [&] { used_ns = bench.loop.cpu_ns(); });
  bench.run();
  assert_int_equal(done_ns, Bench::kStart + 100);
  assert_int_equal(used_ns, 70);
  assert_int_equal(bench.loop.cpu_ns(), 100);
}

// --- other threads -----------------------------------------------------------

void a_posted_task_runs_and_takes_no_turn(void**) {
  Bench bench;
  int seen = 0;
  assert_true(bench.loop.post([&seen] { ++seen; }));
  bench.then(5, [&] {
    assert_int_equal(seen, 1);
    assert_true(bench.loop.post([&seen] { ++seen; }));
  });
  assert_string_equal(bench.run().c_str(), "t0 t5 ");
  assert_int_equal(seen, 2);
  assert_false(bench.loop.post([&seen] { ++seen; }));
  assert_int_equal(seen, 2);
}

void a_task_posted_in_the_last_turn_still_runs(void**) {
  Bench bench;
  int seen = 0;
  bench.then(kUnlimited, [&] { bench.loop.post([&seen] { ++seen; }); });
  bench.run();
  assert_int_equal(seen, 1);
}

void an_exception_comes_out_of_run_and_nobody_waits(void**) {
  Bench bench;
  int seen = 0;
  bench.then(1, [&] {
    bench.loop.post([&seen] { ++seen; });
    throw std::runtime_error("broken");
  });
  bool was_thrown = false;
  try {
    bench.run();
  } catch (const std::runtime_error&) {
    was_thrown = true;
  }
  assert_true(was_thrown);
  assert_int_equal(seen, 1);
  assert_false(bench.loop.post([] {}));
}

void any_thread_may_post_while_it_runs(void**) {
  Bench bench;
  std::atomic<int> answers = 0;
  int all_asked = 0;
  for (int i = 0; i < 200'000; ++i) bench.then(i + 1);
  std::thread asker([&] {
    int asked = 0;
    while (asked < 10'000 && bench.loop.post([&answers] { ++answers; }))
      ++asked;
    all_asked = asked;
  });
  bench.run();
  asker.join();
  assert_int_equal(answers, all_asked);
  assert_true(bench.loop.now_ns() == Bench::kStart + 200'000);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(time_goes_from_one_event_to_the_next),
      cmocka_unit_test(events_of_an_instant_come_in_the_order_of_their_plan),
      cmocka_unit_test(an_event_for_now_comes_before_time_goes_on),
      cmocka_unit_test(
          a_turn_that_always_has_something_to_do_takes_a_nanosecond),
      cmocka_unit_test(a_loop_ends_when_nothing_can_ever_happen),
      cmocka_unit_test(the_queue_gives_back_in_order_whatever_went_in),
      cmocka_unit_test(an_event_keeps_its_kind_slot_and_epoch),
      cmocka_unit_test(work_is_charged_to_the_host_at_the_loops_time),
      cmocka_unit_test(a_posted_task_runs_and_takes_no_turn),
      cmocka_unit_test(a_task_posted_in_the_last_turn_still_runs),
      cmocka_unit_test(an_exception_comes_out_of_run_and_nobody_waits),
      cmocka_unit_test(any_thread_may_post_while_it_runs),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
