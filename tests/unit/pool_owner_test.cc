// A serial owner: what it is told takes effect when it has read it, in order,
// each message at its cost.
#include "pool/owner.hh"
#include "pool/waiters.hh"
#include "unit/pool_bench.hh"

namespace dyno {
namespace {

// One slot; a message takes 1 ms, and a cancel 1 ms more for each waiter.
Settings owned(const char* cancel) {
  return {{"client", "fifo-eager"},   {"pool.size", "1"},
          {"pool.cancel", cancel},    {"pool.owner_cost", "1ms"},
          {"pool.cancel_scan", "0s"}, {"pool.wait", "100ms"},
          {"load.callers", "8"}};
}

void step(PoolBench& bench, int64_t ms) {
  bench.pass(ms * kMillisecond);
  bench.pool().advance(bench.now_ns());
}

void a_checkout_takes_the_owner_its_time(void**) {
  PoolBench bench(owned("eager"));
  bench.submit(0);
  assert_int_equal(bench.pool().next_due_ns() - bench.now_ns(), kMillisecond);
  bench.pass(kMillisecond - 1);
  bench.pool().advance(bench.now_ns());
  assert_notes(bench, "waits 0");
  bench.pass(1);
  bench.pool().advance(bench.now_ns());
  assert_notes(bench, "open 0; granted 0");
}

void messages_are_read_one_after_another(void**) {
  PoolBench bench(owned("eager"));
  bench.submit_all({0, 1});
  step(bench, 1);
  bench.opened(0);
  bench.take_notes();
  bench.answer(0);
  bench.submit(0);
  // Its mailbox: checkout 1, check-in of slot 0, checkout 0.
  assert_notes(bench, "done 0; waits 0");
  step(bench, 1);
  assert_notes(bench, "");
  step(bench, 1);
  assert_notes(bench, "granted 1; send 0 x1");
}

void a_slot_per_cost_makes_larger_pools_slower(void**) {
  Settings settings = owned("eager");
  settings.emplace_back("pool.size", "100");
  settings.emplace_back("pool.owner_slot_cost", "10us");
  PoolBench bench(settings);
  bench.submit(0);
  assert_int_equal(bench.pool().next_due_ns() - bench.now_ns(),
                   2 * kMillisecond);
}

void without_costs_nobody_waits_for_the_owner(void**) {
  PoolBench bench({{"client", "fifo-eager"}, {"load.callers", "2"}});
  bench.submit(0);
  assert_notes(bench, "open 0");
  assert_true(bench.pool().next_due_ns() == kUnlimited);
}

void patience_runs_while_the_message_lies_in_the_mailbox(void**) {
  Settings settings = owned("eager");
  settings.emplace_back("pool.owner_cost", "1s");
  PoolBench bench(settings);
  bench.submit(0);
  step(bench, 99);
  assert_notes(bench, "waits 0");
  step(bench, 1);
  assert_notes(bench, "pool_timeout 0");
}

// The grant of a slot to one who has gone holds it until the cancel is read.
void an_eager_owner_grants_to_who_has_gone(void**) {
  Settings settings = owned("eager");
  settings.emplace_back("pool.owner_cost", "150ms");
  PoolBench bench(settings);
  bench.submit_all({0, 1});
  step(bench, 100);
  assert_notes(bench, "waits 0; waits 1; pool_timeout 0; pool_timeout 1");
  step(bench, 50);  // the checkout of 0: the slot is held
  bench.submit(2);
  step(bench, 99);
  step(bench, 51);  // the checkout of 1: queued
  assert_notes(bench, "waits 2; pool_timeout 2");
  assert_int_equal(bench.pool().counters().queue_peak, 1);
  step(bench, 150);  // the cancel of 0: the slot goes to 1, who has gone too
  step(bench, 150);  // the cancel of 1: the slot is free
  step(bench, 150);  // the checkout of 2, who has gone
  step(bench, 150);  // and its cancel
  assert_notes(bench, "");
  bench.submit(3);
  step(bench, 99);
  assert_notes(bench, "waits 3");
}

void a_lazy_owner_passes_over_who_has_gone(void**) {
  Settings settings = owned("lazy");
  settings.emplace_back("pool.wait", "10ms");
  PoolBench bench(settings);
  bench.submit_all({0, 1});
  step(bench, 1);
  bench.opened(0);
  step(bench, 1);
  step(bench, 8);
  assert_notes(bench,
               "waits 0; waits 1; open 0; granted 0; pool_timeout 1; "
               "send 0 x1");
  bench.submit(2);
  bench.answer(0);
  step(bench, 1);  // the checkout of 2
  step(bench, 1);  // the check-in: 1 is passed over
  assert_notes(bench, "waits 2; done 0; granted 2; send 0 x1");
}

void a_cancel_costs_more_the_longer_the_queue(void**) {
  Settings settings = owned("eager");
  settings.emplace_back("pool.cancel_scan", "5ms");
  PoolBench bench(settings);
  bench.submit_all({0, 1, 2, 3});
  bench.pass(4 * kMillisecond);
  bench.pool().advance(bench.now_ns());
  bench.opened(0);
  step(bench, 96);  // 1, 2 and 3 give up
  assert_int_equal(bench.pool().next_due_ns() - bench.now_ns(),
                   (1 + 3 * 5) * kMillisecond);
}

void one_who_left_and_came_back_stands_at_the_end(void**) {
  Waiters waiters(4);
  waiters.push({0, 1});
  waiters.push({1, 1});
  waiters.push({0, 2});
  assert_int_equal(waiters.size(), 2);
  assert_false(waiters.remove({0, 1}));
  assert_int_equal(waiters.front().id, 1);
  assert_true(waiters.remove({1, 1}));
  const Waiters::Entry last = waiters.pop();
  assert_int_equal(last.id, 0);
  assert_int_equal(last.ticket, 2);
  assert_true(waiters.is_empty());
}

void who_must_give_up_first_comes_first(void**) {
  Patience patience;
  for (const int64_t due_ns : {5, 1, 9, 3, 7})
    patience.push({due_ns, {static_cast<RequestId>(due_ns), 1}});
  for (const uint32_t id : {1u, 3u, 5u, 7u, 9u}) {
    assert_int_equal(patience.next_ns(), id);
    assert_int_equal(patience.pop().id, id);
  }
  assert_true(patience.is_empty());
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_checkout_takes_the_owner_its_time),
      cmocka_unit_test(messages_are_read_one_after_another),
      cmocka_unit_test(a_slot_per_cost_makes_larger_pools_slower),
      cmocka_unit_test(without_costs_nobody_waits_for_the_owner),
      cmocka_unit_test(patience_runs_while_the_message_lies_in_the_mailbox),
      cmocka_unit_test(an_eager_owner_grants_to_who_has_gone),
      cmocka_unit_test(a_lazy_owner_passes_over_who_has_gone),
      cmocka_unit_test(a_cancel_costs_more_the_longer_the_queue),
      cmocka_unit_test(one_who_left_and_came_back_stands_at_the_end),
      cmocka_unit_test(who_must_give_up_first_comes_first),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
