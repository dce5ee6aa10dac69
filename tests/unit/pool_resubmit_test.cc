// Requests that go back to the pool when their connection ends.
#include "unit/pool_bench.hh"

namespace dyno {
namespace {

Settings resubmitting(const char* size, const char* callers) {
  return {{"client", "fifo-lazy"},
          {"pool.size", size},
          {"pool.on_close_pending", "resubmit"},
          {"load.callers", callers}};
}

void what_goes_back_to_the_pool_gets_another_slot(void**) {
  PoolBench bench(resubmitting("2", "2"));
  bench.submit_all({0, 1});
  bench.opened(0);
  bench.opened(1);
  bench.answer(0);
  bench.answer(1);
  bench.submit(0);
  bench.take_notes();
  bench.closed(0);
  assert_notes(bench, "send 1 x1");
  bench.answer(1);
  assert_notes(bench, "done 0");
  assert_int_equal(bench.pool().counters().resubmit, 1);
}

void what_goes_back_to_the_pool_waits_behind_the_others(void**) {
  PoolBench bench(resubmitting("1", "3"));
  bench.submit(0);
  bench.opened(0);
  bench.answer(0);
  bench.submit_all({0, 1, 2});
  bench.take_notes();
  bench.closed(0);
  assert_notes(bench, "open 0; granted 1");
  bench.opened(0);
  for (int i = 0; i < 3; ++i) bench.answer(0);
  assert_notes(bench,
               "done 1; granted 2; done 2; granted 0; done 0; send 0 x3");
}

void what_the_pool_does_not_take_back_fails(void**) {
  Settings settings = resubmitting("1", "3");
  settings.emplace_back("pool.queue_limit", "1");
  PoolBench bench(settings);
  bench.submit(0);
  bench.opened(0);
  bench.answer(0);
  bench.submit_all({0, 1});
  bench.take_notes();
  bench.closed(0);
  assert_notes(bench, "open 0; granted 1");  // 0 waits in its place
  bench.submit(2);
  assert_notes(bench, "queue_full 2");
  PoolBench mux({{"client", "random-mux-failfast"},
                 {"pool.size", "1"},
                 {"pool.on_close_pending", "resubmit"},
                 {"load.callers", "2"}});
  warm_up(mux);
  mux.submit_all({0, 1});
  mux.closed(0);
  assert_notes(mux, "no_connection 0; no_connection 1; send 0 x2");
  assert_int_equal(mux.pool().in_use(), 0);
}

// A server that accepts and closes must not be asked for ever.
void the_oldest_on_a_fresh_connection_does_not_go_back(void**) {
  Settings settings = resubmitting("1", "3");
  settings.emplace_back("pool.depth", "3");
  PoolBench bench(settings);
  bench.submit_all({0, 1, 2});
  for (const char* notes :
       {"closed 0; open 0; send 0 x3", "closed 1; open 0; send 0 x2",
        "closed 2; send 0 x1"}) {
    bench.opened(0);
    bench.closed(0);
    const std::string seen = bench.take_notes();
    assert_true(seen.ends_with(notes));
  }
  assert_int_equal(bench.out(), 0);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(what_goes_back_to_the_pool_gets_another_slot),
      cmocka_unit_test(what_goes_back_to_the_pool_waits_behind_the_others),
      cmocka_unit_test(what_the_pool_does_not_take_back_fails),
      cmocka_unit_test(the_oldest_on_a_fresh_connection_does_not_go_back),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
