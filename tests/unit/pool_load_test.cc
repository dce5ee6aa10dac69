// Slots that are chosen by load: all of them opened first, or the ones that
// have answered before.
#include "pool/candidates.hh"
#include "unit/pool_bench.hh"

namespace dyno {
namespace {

Settings least_loaded(const char* size, const char* depth) {
  return {{"client", "least-pipeline"},
          {"pool.size", size},
          {"pool.depth", depth},
          {"load.callers", "8"}};
}

Settings least_ready() {
  return {{"client", "least-queue"}, {"pool.size", "2"}, {"load.callers", "8"}};
}

void all_slots_are_opened_before_one_is_shared(void**) {
  PoolBench bench(least_loaded("2", "3"));
  bench.submit(0);
  bench.opened(0);
  bench.answer(0);
  assert_notes(bench, "open 0; done 0; send 0 x1");
  bench.submit(1);
  assert_notes(bench, "open 1");
}

void then_the_one_with_the_fewest_requests_the_oldest_first(void**) {
  PoolBench bench(least_loaded("2", "3"));
  bench.submit_all({0, 1});
  bench.opened(0);
  bench.opened(1);
  bench.answer(1);
  bench.take_notes();
  bench.submit_all({1, 2, 3});
  assert_notes(bench, "send 0 x1; send 1 x2");
}

void one_still_being_opened_has_a_load_too(void**) {
  PoolBench bench(least_loaded("2", "3"));
  bench.submit_all({0, 1, 2, 3, 4});
  bench.opened(1);
  assert_notes(bench, "open 0; open 1; send 1 x2");
  bench.opened(0);
  assert_notes(bench, "send 0 x3");
}

void a_full_set_says_retry_later(void**) {
  PoolBench bench(least_loaded("2", "1"));
  bench.submit_all({0, 1, 2});
  assert_notes(bench, "open 0; open 1; retry_later 2");
}

void what_a_close_takes_along_goes_to_another_slot(void**) {
  PoolBench bench(least_loaded("2", "3"));
  bench.submit_all({0, 1});
  bench.opened(0);
  bench.opened(1);
  bench.submit_all({2, 3});
  bench.take_notes();
  bench.answer_and_close(0);
  // The closed one is opened again before the other is shared.
  assert_notes(bench, "done 0; open 0");
  bench.opened(0);
  assert_notes(bench, "send 0 x1");
  assert_int_equal(bench.pool().counters().retry, 1);
}

void a_retry_needs_a_twentieth_of_the_time(void**) {
  for (const int64_t ms : {28'400, 28'600}) {
    Settings settings = least_loaded("1", "2");
    PoolBench bench(settings);
    bench.submit(0);
    bench.opened(0);
    bench.answer(0);
    bench.submit_all({1, 2});
    bench.pass(ms * kMillisecond);
    bench.take_notes();
    bench.answer_and_close(0);
    assert_notes(bench, ms < 28'500 ? "done 1; open 0" : "done 1; closed 2");
  }
}

void only_who_has_answered_before_is_asked(void**) {
  PoolBench bench(least_ready());
  bench.submit_all({0, 1, 2});
  assert_notes(bench, "open 0; open 1; open 2");
  bench.opened(0);
  bench.answer(0);
  bench.submit_all({0, 3});
  assert_notes(bench, "done 0; send 0 x2");
  bench.answer(0);
  assert_notes(bench, "done 0; send 0 x1");
}

void an_open_one_that_was_never_asked_is_ready(void**) {
  PoolBench bench(least_ready());
  bench.pool().open_some(1, bench.now_ns());
  bench.opened(0);
  bench.submit(0);
  assert_notes(bench, "open 0; send 0 x1");
}

void its_queue_goes_to_the_others_when_it_closes(void**) {
  PoolBench bench(least_ready());
  bench.submit_all({0, 1});
  bench.opened(0);
  bench.opened(1);
  bench.answer(0);
  bench.submit_all({0, 2});
  bench.answer(1);
  bench.take_notes();
  bench.answer_and_close(0);
  assert_notes(bench, "done 0; send 1 x1");
  assert_int_equal(bench.pool().counters().resubmit, 1);
}

// Its time-out runs on the wire alone.
void who_waits_in_a_slot_does_not_time_out(void**) {
  PoolBench bench(least_ready());
  bench.submit(0);
  bench.opened(0);
  bench.answer(0);
  bench.submit_all({0, 1});
  bench.pass_and_sweep(900 * kMillisecond);
  bench.answer(0);
  bench.pass_and_sweep(900 * kMillisecond);
  assert_notes(bench, "open 0; done 0; done 0; send 0 x3");
  bench.pass_and_sweep(100 * kMillisecond);
  assert_notes(bench, "request_timeout 1; close 0");
}

void the_heap_gives_the_least_by_load_and_age(void**) {
  LoadHeap heap(100);
  Rng rng(7);
  std::vector<std::pair<uint64_t, uint32_t>> keys(100, {UINT64_MAX, 0});
  for (int step = 0; step < 20'000; ++step) {
    const uint32_t slot = rng.below(100);
    if (rng.below(4) == 0) {
      heap.remove(slot);
      keys[slot].first = UINT64_MAX;
    } else {
      keys[slot] = {rng.below(20), slot * 7 % 100};
      heap.put(slot, keys[slot].first, keys[slot].second);
    }
    const auto least = std::min_element(keys.begin(), keys.end());
    const bool is_empty = least->first == UINT64_MAX;
    assert_int_equal(heap.is_empty(), is_empty);
    if (!is_empty) assert_int_equal(heap.top(), least - keys.begin());
  }
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(all_slots_are_opened_before_one_is_shared),
      cmocka_unit_test(then_the_one_with_the_fewest_requests_the_oldest_first),
      cmocka_unit_test(one_still_being_opened_has_a_load_too),
      cmocka_unit_test(a_full_set_says_retry_later),
      cmocka_unit_test(what_a_close_takes_along_goes_to_another_slot),
      cmocka_unit_test(a_retry_needs_a_twentieth_of_the_time),
      cmocka_unit_test(only_who_has_answered_before_is_asked),
      cmocka_unit_test(an_open_one_that_was_never_asked_is_ready),
      cmocka_unit_test(its_queue_goes_to_the_others_when_it_closes),
      cmocka_unit_test(who_waits_in_a_slot_does_not_time_out),
      cmocka_unit_test(the_heap_gives_the_least_by_load_and_age),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
