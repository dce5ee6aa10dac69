// Random walks: any axes, any events in any order, and after every step the
// books must balance. The bench complains of what no pool may ever do; here is
// what can be known from outside about where every request is. At the end of
// each walk the server gets well again, and every request must come to an end.
#include <array>
#include <string>

#include "base/rng.hh"
#include "plan/options.hh"
#include "unit/pool_bench.hh"

namespace dyno {
namespace {

constexpr int kSteps = 1'000'000;
constexpr int kStepsPerWalk = 400;

using Wire = PoolBench::Wire;

// Small pools with short times: the corners are never far.
Config random_axes(Rng& rng) {
  const auto any = [&rng](auto last) {
    return static_cast<decltype(last)>(
        rng.below(static_cast<uint32_t>(last) + 1));
  };
  const auto one_of = [&rng](std::array<int64_t, 3> values) {
    return values[rng.below(3)];
  };
  Config config;
  config.pool_count = 1;
  config.pool_size = 1 + rng.below(4);
  config.select = any(Select::least_ready);
  config.full = config.select == Select::least_ready ? any(Full::new_connection)
                                                     : any(Full::fail);
  config.open = any(Open::per_request);
  config.leak_on_done =
      config.open == Open::per_request && any(Cancel::eager) == Cancel::eager;
  config.on_close = any(OnClose::next_use_error);
  config.pending = any(Pending::resubmit);
  config.on_timeout = any(OnTimeout::abandon);
  config.budget = any(Budget::active_only);
  config.down_tries = one_of({0, 1, 3});
  config.idle_timeout_ns = one_of({kUnlimited, kUnlimited, 3 * kMillisecond});
  config.owner = any(OwnerKind::serial);
  config.cancel = any(Cancel::eager);
  config.owner_cost_ns = one_of({0, 10'000, kMillisecond});
  config.owner_slot_cost_ns = one_of({0, 0, 1'000});
  config.cancel_scan_ns = one_of({0, 50, 100'000});
  config.depth = config.open == Open::per_request ? 1 : one_of({1, 2, 5});
  config.slot_queue = config.leak_on_done ? 0 : one_of({0, 0, 2});
  config.queue_limit = one_of({0, 3, kUnlimited});
  config.wait_ns = one_of({5 * kMillisecond, 50 * kMillisecond, kUnlimited});
  config.retry_closed = one_of({0, 1, 3});
  config.request_timeout_ns =
      one_of({10 * kMillisecond, 100 * kMillisecond, kUnlimited});
  config.backoff_ns = 5 * kMillisecond;
  config.backoff_max_ns = 20 * kMillisecond;
  config.connect_backoff_ns = kMillisecond;
  config.connect_backoff_max_ns = 8 * kMillisecond;
  return config;
}

// What happened so far; a walk that never came somewhere has proved nothing.
struct Seen {
  int64_t completed = 0, failed = 0, late = 0, waited = 0;
  PoolCounters counters;
};

class Walk {
 public:
  Walk(Rng& rng, const Config& config, int64_t callers)
      : rng_(rng), bench_(config, callers) {
    bench_.keep_notes(false);
  }

  void step() {
    const auto slot = rng_.below(static_cast<uint32_t>(bench_.slots()));
    switch (rng_.below(10)) {
      case 0:
      case 1:
      case 2:
        return submit();
      case 3:
        if (bench_.state(slot) == Wire::dialing) dial_ends(slot);
        return;
      case 4:
      case 5:
      case 6:
        if (bench_.on_wire(slot) > 0) answers(slot);
        return;
      case 7:
        if (bench_.state(slot) == Wire::open && rng_.below(3) == 0)
          bench_.closed(slot, ended(slot));
        return;
      case 8:
        bench_.pass(rng_.below(8'000'000));
        return bench_.sweep();
      default:
        bench_.pass(rng_.below(100'000));
        if (rng_.below(40) == 0) bench_.pool().open_some(1, bench_.now_ns());
    }
  }

  // What does not balance, or nothing.
  std::string wrong() const {
    if (!bench_.problem().empty()) return bench_.problem();
    const auto out = static_cast<int64_t>(bench_.out());
    if (submitted_ != bench_.completed() + bench_.failed() + out)
      return "the counts do not add up";
    size_t on_wire = 0, busy = 0;
    for (SlotId slot = 0; slot < bench_.slots(); ++slot) {
      on_wire += bench_.on_wire(slot);
      busy += bench_.on_wire(slot) > 0;
    }
    const Rules& rules = bench_.rules();
    const size_t room = bench_.slots() * rules.room;
    const bool can_go_back = rules.pending == Pending::resubmit ||
                             rules.on_close == OnClose::fail_fast ||
                             rules.selects_by_load();
    const bool may_pile_up = rules.on_timeout == OnTimeout::abandon;
    if (on_wire > room && !may_pile_up)
      return "more on the wire than there is room";
    if (!can_go_back && bench_.out() - bench_.waiting() > room)
      return "more in slots than there is room";
    const uint32_t in_use = bench_.pool().in_use();
    if (in_use < busy || in_use > bench_.slots()) return "in_use is wrong";
    if (out == 0 && in_use != busy) return "in_use counts what is not there";
    return somebody_waits_for_nothing() ? "a waiter and a free place" : "";
  }

  // Dials succeed and requests are answered until nothing is out.
  std::string end_well() {
    for (int round = 0; bench_.out() > 0; ++round) {
      if (round == 1000) return "a request never ends";
      bench_.pass(kMillisecond);
      bench_.sweep();
      answer_all();
      if (!wrong().empty()) return wrong();
    }
    answer_all();
    return bench_.pool().in_use() > 0 ? "in_use at the end" : wrong();
  }

  void add_to(Seen& seen) {
    seen.completed += bench_.completed();
    seen.failed += bench_.failed();
    seen.late += bench_.late();
    seen.waited += waited_;
    seen.counters.add(bench_.pool().counters());
  }

 private:
  void submit() {
    const auto id = rng_.below(static_cast<uint32_t>(bench_.callers()));
    if (bench_.request(id).is_out) return;
    ++submitted_;
    bench_.submit(id);
    waited_ += bench_.waiting() > 0;
  }

  void dial_ends(SlotId slot) {
    if (rng_.below(3) > 0)
      bench_.opened(slot);
    else
      bench_.dial_failed(slot, Failure::connect_refused);
  }

  void answers(SlotId slot) {
    const uint32_t count = 1 + rng_.below(bench_.on_wire(slot));
    switch (rng_.below(8)) {
      case 0:
        return bench_.answer_and_close(slot, count);
      case 1:
        return bench_.answer_and_break(slot, count);
      default:
        return bench_.answer(slot, count);
    }
  }

  Ended ended(SlotId slot) {
    Ended made;
    made.in_answer = bench_.on_wire(slot) > 0 && rng_.below(3) == 0;
    made.kind = made.in_answer       ? Failure::truncated
                : rng_.below(2) == 0 ? Failure::reset
                                     : Failure::closed;
    return made;
  }

  void answer_all() {
    for (SlotId slot = 0; slot < bench_.slots(); ++slot) {
      if (bench_.state(slot) == Wire::dialing) bench_.opened(slot);
      if (bench_.on_wire(slot) > 0) bench_.answer(slot, bench_.on_wire(slot));
      const bool is_open = bench_.state(slot) == Wire::open;
      if (bench_.rules().leaks && is_open) bench_.closed(slot);
    }
  }

  // Where slots have no queue of their own, what is on the wire of an open one
  // is all that it holds.
  bool somebody_waits_for_nothing() const {
    const Rules& rules = bench_.rules();
    if (bench_.waiting() == 0 || rules.room > rules.depth) return false;
    if (rules.is_serial || rules.leaks) return false;
    for (SlotId slot = 0; slot < bench_.slots(); ++slot) {
      if (bench_.state(slot) != Wire::open) continue;
      const bool is_ready =
          rules.select != Select::least_ready || bench_.pool().was_used(slot);
      const uint32_t most = is_ready ? rules.depth : 1;
      if (bench_.on_wire(slot) < most) return true;
    }
    return false;
  }

  Rng& rng_;
  PoolBench bench_;
  int64_t submitted_ = 0;
  int64_t waited_ = 0;
};

std::string axes_of(const Config& config) {
  std::string text;
  for (const OptionRow& row : plan_options().rows())
    if (std::string_view(row.key).starts_with("pool.") ||
        std::string_view(row.key) == "request.timeout")
      text += std::string(row.key) + "=" +
              format_value(row, row.field.load(&config)) + " ";
  return text;
}

void assert_right(const std::string& wrong, const Config& config, int step) {
  if (wrong.empty()) return;
  print_error("step %d, %s: %s\n", step, axes_of(config).c_str(),
              wrong.c_str());
  assert_true(wrong.empty());
}

void no_walk_loses_a_request_or_ends_one_twice(void**) {
  Rng rng(20190515);
  Seen seen;
  for (int walked = 0; walked < kSteps; walked += kStepsPerWalk) {
    const Config config = random_axes(rng);
    Walk walk(rng, config, 1 + rng.below(12));
    for (int i = 0; i < kStepsPerWalk; ++i) {
      walk.step();
      assert_right(walk.wrong(), config, walked + i);
    }
    assert_right(walk.end_well(), config, walked + kStepsPerWalk);
    walk.add_to(seen);
  }
  assert_true(seen.completed > 1000 && seen.failed > 1000);
  assert_true(seen.late > 100 && seen.waited > 100);
  assert_true(seen.counters.retry > 100 && seen.counters.resubmit > 100);
  assert_true(seen.counters.pipelined_discarded > 100);
  assert_true(seen.counters.reconnect > 1000);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(no_walk_loses_a_request_or_ends_one_twice),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
