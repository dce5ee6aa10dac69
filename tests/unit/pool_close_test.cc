// Connections that end: what the slot does next, and what becomes of the
// requests that they took with them.
#include <string>

#include "pool/slot_pool.hh"
#include "unit/pool_bench.hh"

namespace dyno {
namespace {

Ended broken(Failure kind, bool in_answer) {
  Ended ended;
  ended.kind = kind;
  ended.in_answer = in_answer;
  return ended;
}

// One slot that belongs to its callers.
Settings one_slot(const char* depth, const char* pending) {
  return {{"pool.size", "1"},
          {"pool.open", "lazy"},
          {"pool.depth", depth},
          {"pool.on_close_pending", pending}};
}

// --- the slot ----------------------------------------------------------------

void a_closed_slot_reopens_when_it_is_used_next(void**) {
  PoolBench bench(one_slot("1", "fail"));
  warm_up(bench);
  bench.closed(0);
  bench.pass_and_sweep(kSecond);
  assert_notes(bench, "");
  bench.submit(0);
  bench.opened(0);
  assert_notes(bench, "open 0; send 0 x1");
  assert_false(bench.pool().was_used(0));
  assert_int_equal(bench.pool().counters().reconnect, 1);
}

void reopen_now_needs_no_request(void**) {
  PoolBench bench({{"client", "random-trylock"},
                   {"pool.size", "1"},
                   {"load.callers", "1"}});
  warm_up(bench);
  bench.closed(0);
  assert_notes(bench, "open 0");
  bench.submit(0);
  bench.opened(0);
  assert_notes(bench, "send 0 x1");
  bench.answer_and_close(0);
  assert_notes(bench, "done 0; open 0");
}

// A server that accepts and closes is not dialed without a pause.
void reopen_now_rests_where_a_connection_never_answered(void**) {
  PoolBench bench({{"client", "random-trylock"},
                   {"pool.size", "1"},
                   {"pool.slot_queue", "1"},
                   {"load.callers", "2"}});
  bench.submit_all({0, 1});
  bench.opened(0);
  bench.closed(0);
  assert_notes(bench, "open 0; closed 0; send 0 x1");
  bench.pass_and_sweep(9 * kMillisecond);
  assert_notes(bench, "");
  bench.pass_and_sweep(kMillisecond);
  bench.opened(0);
  bench.answer(0);
  bench.closed(0);
  assert_notes(bench, "open 0; done 1; open 0; send 0 x1");
  bench.opened(0);
  bench.closed(0);
  assert_notes(bench, "");
  bench.pass_and_sweep(10 * kMillisecond);
  assert_notes(bench, "open 0");
}

void fail_fast_fails_what_was_out_and_rests(void**) {
  PoolBench bench({{"client", "random-mux-failfast"},
                   {"pool.size", "1"},
                   {"load.callers", "4"}});
  warm_up(bench);
  bench.submit_all({0, 1, 2});
  bench.answer_and_close(0);
  bench.submit(3);
  assert_notes(bench, "done 0; closed 1; closed 2; no_connection 3; send 0 x3");
  bench.pass_and_sweep(499 * kMillisecond);
  bench.submit(3);
  assert_notes(bench, "no_connection 3");
  bench.pass_and_sweep(251 * kMillisecond);
  assert_notes(bench, "open 0");
  bench.submit(3);
  bench.opened(0);
  assert_notes(bench, "send 0 x1");
}

void fail_fast_does_not_keep_what_was_not_sent_either(void**) {
  PoolBench bench({{"client", "random-mux-failfast"},
                   {"pool.size", "1"},
                   {"pool.depth", "1"},
                   {"pool.slot_queue", "1"},
                   {"load.callers", "2"}});
  bench.submit_all({0, 1});
  bench.opened(0);
  bench.closed(0);
  assert_notes(bench, "open 0; closed 0; no_connection 1; send 0 x1");
  assert_int_equal(bench.pool().in_use(), 0);
}

// --- the requests: fail ------------------------------------------------------

void only_the_oldest_was_hit_in_its_answer(void**) {
  const struct {
    Ended ended;
    const char* notes;
  } cases[] = {
      {broken(Failure::closed, false), "closed 0; closed 1; closed 2"},
      {broken(Failure::reset, false), "reset 0; reset 1; reset 2"},
      {broken(Failure::truncated, true), "truncated 0; closed 1; closed 2"},
      {broken(Failure::reset, true), "reset 0; reset 1; reset 2"},
      {broken(Failure::protocol, true), "protocol 0; closed 1; closed 2"},
      {broken(Failure::header_too_large, true),
       "header_too_large 0; closed 1; closed 2"},
  };
  for (const auto& [ended, notes] : cases) {
    PoolBench bench(one_slot("3", "fail"));
    warm_up(bench);
    bench.submit_all({0, 1, 2});
    bench.take_notes();
    bench.closed(0, ended);
    assert_notes(bench, notes);
    assert_int_equal(bench.pool().in_use(), 0);
  }
}

void what_was_not_sent_yet_is_sent_on_the_next_connection(void**) {
  Settings settings = one_slot("1", "fail");
  settings.emplace_back("pool.slot_queue", "2");
  settings.emplace_back("load.callers", "3");
  PoolBench bench(settings);
  bench.submit_all({0, 1, 2});
  bench.opened(0);
  bench.closed(0);
  assert_notes(bench, "open 0; closed 0; open 0; send 0 x1");
  assert_int_equal(bench.pool().in_use(), 1);
  bench.opened(0);
  bench.answer(0);
  bench.answer(0);
  assert_notes(bench, "done 1; done 2; send 0 x2");
  assert_int_equal(bench.pool().counters().retry, 0);
}

// --- the requests: retry -----------------------------------------------------

void a_connection_that_had_served_is_worth_one_retry(void**) {
  PoolBench bench({{"client", "random-trylock"},
                   {"pool.size", "1"},
                   {"load.callers", "1"}});
  warm_up(bench);
  bench.submit(0);
  bench.closed(0);
  bench.opened(0);
  assert_notes(bench, "open 0; send 0 x2");
  bench.answer(0);
  assert_notes(bench, "done 0");
  assert_int_equal(bench.pool().counters().retry, 1);
  bench.submit(0);  // another request has its own retries
  bench.closed(0);
  bench.opened(0);
  bench.answer(0);
  assert_notes(bench, "open 0; done 0; send 0 x2");
}

void a_fresh_connection_that_closes_is_an_answer(void**) {
  PoolBench bench(one_slot("2", "retry"));
  bench.submit_all({0, 1});
  bench.opened(0);
  bench.take_notes();
  bench.closed(0);
  assert_notes(bench, "closed 0; closed 1");
  assert_int_equal(bench.pool().counters().retry, 0);
}

void what_was_cut_in_its_answer_is_not_sent_again(void**) {
  PoolBench bench(one_slot("3", "retry"));
  warm_up(bench);
  bench.submit_all({0, 1, 2});
  bench.closed(0, broken(Failure::truncated, true));
  bench.opened(0);
  bench.answer(0, 2);
  assert_notes(bench, "truncated 0; open 0; done 1; done 2; send 0 x5");
  assert_int_equal(bench.pool().counters().pipelined_discarded, 2);
}

void retries_come_before_what_had_not_been_sent(void**) {
  Settings settings = one_slot("2", "retry");
  settings.emplace_back("pool.slot_queue", "2");
  settings.emplace_back("load.callers", "4");
  PoolBench bench(settings);
  warm_up(bench);
  bench.submit_all({0, 1, 2, 3});
  bench.closed(0);
  bench.opened(0);
  bench.answer(0, 2);
  bench.answer(0, 2);
  assert_notes(bench, "open 0; done 0; done 1; done 2; done 3; send 0 x6");
}

// RFC 9112 section 9.6: what follows the last answer was not processed.
void what_is_behind_an_announced_close_is_sent_again_for_ever(void**) {
  PoolBench bench(one_slot("8", "retry"));
  for (RequestId id = 0; id < 8; ++id) bench.submit(id);
  bench.opened(0);
  for (int64_t left = 7; left > 0; --left) {
    const int64_t before = bench.pool().counters().pipelined_discarded;
    bench.answer_and_close(0);
    assert_int_equal(bench.pool().counters().pipelined_discarded - before,
                     left);
    bench.opened(0);
    assert_int_equal(bench.on_wire(0), left);
  }
  bench.answer_and_close(0);
  assert_int_equal(bench.completed(), 8);
  assert_int_equal(bench.failed(), 0);
  assert_int_equal(bench.pool().counters().retry, 7 + 6 + 5 + 4 + 3 + 2 + 1);
  assert_string_equal(bench.problem().c_str(), "");
}

// Such a repetition needs no retry and takes none away.
void an_announced_close_is_no_matter_of_retries(void**) {
  Settings none_allowed = one_slot("2", "retry");
  none_allowed.emplace_back("pool.retry_closed", "0");
  PoolBench without(none_allowed);
  warm_up(without);
  without.submit_all({0, 1});
  without.answer_and_close(0);
  without.opened(0);
  without.answer(0);
  assert_notes(without, "done 0; open 0; done 1; send 0 x3");

  PoolBench with_one(one_slot("3", "retry"));
  warm_up(with_one);
  with_one.submit_all({0, 1, 2});
  with_one.answer_and_close(0);
  with_one.opened(0);
  with_one.answer_and_break(0);
  with_one.opened(0);
  with_one.answer(0);
  assert_notes(with_one, "done 0; open 0; done 1; open 0; done 2; send 0 x6");
}

void what_is_behind_an_unannounced_close_has_its_retries_only(void**) {
  for (const char* retries : {"0", "1", "3"}) {
    Settings settings = one_slot("8", "retry");
    settings.emplace_back("pool.retry_closed", retries);
    PoolBench bench(settings);
    for (RequestId id = 0; id < 8; ++id) bench.submit(id);
    int64_t closes = 0;
    while (bench.out() > 0) {
      bench.opened(0);
      bench.answer_and_break(0);
      ++closes;
    }
    assert_int_equal(closes, std::stoll(retries) + 1);
    assert_int_equal(bench.completed(), closes);
    assert_int_equal(bench.failed(), 8 - closes);
    assert_string_equal(bench.problem().c_str(), "");
  }
}

void what_a_fail_fast_slot_lost_is_tried_on_another(void**) {
  PoolBench bench({{"client", "random-mux-failfast"},
                   {"pool.select", "round-robin"},
                   {"pool.size", "2"},
                   {"pool.on_close_pending", "retry"},
                   {"load.callers", "2"}});
  for (const SlotId slot : {0u, 1u}) {
    bench.submit(slot);
    bench.opened(slot);
    bench.answer(slot);
  }
  bench.submit(0);
  bench.take_notes();
  bench.closed(0);
  assert_notes(bench, "send 1 x1");
  assert_int_equal(bench.pool().counters().retry, 1);
  bench.closed(1);  // its only retry is spent
  assert_notes(bench, "closed 0");
  assert_int_equal(bench.pool().in_use(), 0);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_closed_slot_reopens_when_it_is_used_next),
      cmocka_unit_test(reopen_now_needs_no_request),
      cmocka_unit_test(reopen_now_rests_where_a_connection_never_answered),
      cmocka_unit_test(fail_fast_fails_what_was_out_and_rests),
      cmocka_unit_test(fail_fast_does_not_keep_what_was_not_sent_either),
      cmocka_unit_test(only_the_oldest_was_hit_in_its_answer),
      cmocka_unit_test(what_was_not_sent_yet_is_sent_on_the_next_connection),
      cmocka_unit_test(a_connection_that_had_served_is_worth_one_retry),
      cmocka_unit_test(a_fresh_connection_that_closes_is_an_answer),
      cmocka_unit_test(what_was_cut_in_its_answer_is_not_sent_again),
      cmocka_unit_test(retries_come_before_what_had_not_been_sent),
      cmocka_unit_test(
          what_is_behind_an_announced_close_is_sent_again_for_ever),
      cmocka_unit_test(an_announced_close_is_no_matter_of_retries),
      cmocka_unit_test(
          what_is_behind_an_unannounced_close_has_its_retries_only),
      cmocka_unit_test(what_a_fail_fast_slot_lost_is_tried_on_another),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
