// Work on a few threads: each piece once, whatever the numbers, and an
// exception reaches the caller.
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "run/at_once.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

void every_piece_is_done_once(void**) {
  const struct {
    size_t count, threads;
  } cases[] = {{0, 4}, {1, 4}, {7, 1}, {7, 0}, {3, 8}, {1'000, 4}};
  for (const auto& [count, threads] : cases) {
    std::vector<std::atomic<int>> done(count);
    at_once(count, threads, [&done](size_t i) { ++done[i]; });
    for (const auto& times : done) assert_int_equal(times, 1);
  }
}

void one_thread_is_the_callers_own_and_keeps_the_order(void**) {
  std::vector<size_t> order;
  const auto here = std::this_thread::get_id();
  at_once(5, 1, [&](size_t i) {
    assert_true(std::this_thread::get_id() == here);
    order.push_back(i);
  });
  assert_true((order == std::vector<size_t>{0, 1, 2, 3, 4}));
}

// Two pieces that wait for each other end only where both run.
void pieces_run_side_by_side(void**) {
  std::atomic<int> there = 0;
  at_once(2, 2, [&there](size_t) {
    ++there;
    while (there < 2) std::this_thread::yield();
  });
  assert_int_equal(there, 2);
}

void an_exception_ends_it_and_comes_out(void**) {
  std::atomic<int> done = 0;
  bool was_thrown = false;
  try {
    at_once(1'000, 1, [&done](size_t i) {
      if (i == 3) throw std::runtime_error("broken");
      ++done;
    });
  } catch (const std::runtime_error&) {
    was_thrown = true;
  }
  assert_true(was_thrown);
  assert_int_equal(done, 3);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(every_piece_is_done_once),
      cmocka_unit_test(one_thread_is_the_callers_own_and_keeps_the_order),
      cmocka_unit_test(pieces_run_side_by_side),
      cmocka_unit_test(an_exception_ends_it_and_comes_out),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
