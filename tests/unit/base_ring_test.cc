// The ring against a deque, wrapped around at every place.
#include <array>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/ring.hh"
#include "base/rng.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

void assert_same(const Ring<int>& ring, const std::deque<int>& model) {
  assert_int_equal(ring.size(), model.size());
  assert_true(ring.is_empty() == model.empty());
  for (size_t i = 0; i < model.size(); ++i) assert_int_equal(ring[i], model[i]);
}

void first_in_is_first_out(void**) {
  Ring<int> ring;
  assert_true(ring.is_empty());
  for (int i = 0; i < 5; ++i) ring.push(i);
  assert_int_equal(ring.front(), 0);
  for (int i = 0; i < 5; ++i) assert_int_equal(ring.pop(), i);
  assert_true(ring.is_empty());
}

void the_newest_can_be_taken_from_the_back(void**) {
  Ring<int> ring;
  for (int i = 0; i < 5; ++i) ring.push(i);
  assert_int_equal(ring.pop_back(), 4);
  assert_int_equal(ring.pop(), 0);
  assert_int_equal(ring.pop_back(), 3);
  assert_int_equal(ring.size(), 2);
}

void growing_keeps_the_order_wherever_the_front_is(void**) {
  for (int turned = 0; turned < 8; ++turned) {
    Ring<int> ring;
    std::deque<int> model;
    for (int i = 0; i < turned; ++i) {
      ring.push(-1);
      ring.pop();
    }
    for (int i = 0; i < 20; ++i) {
      ring.push(i);
      model.push_back(i);
      assert_same(ring, model);
    }
  }
}

void an_element_can_be_changed_in_its_place(void**) {
  Ring<int> ring;
  for (int i = 0; i < 3; ++i) ring.push(i);
  ring.pop();
  ring.push(3);
  ring[1] = 20;
  ring.front() = 10;
  assert_int_equal(ring.pop(), 10);
  assert_int_equal(ring.pop(), 20);
  assert_int_equal(ring.pop(), 3);
}

void a_cleared_ring_starts_again(void**) {
  Ring<int> ring;
  for (int i = 0; i < 3; ++i) ring.push(i);
  ring.pop();
  ring.clear();
  assert_true(ring.is_empty());
  ring.push(7);
  assert_int_equal(ring.front(), 7);
  assert_int_equal(ring.size(), 1);
}

void it_holds_what_can_only_be_moved(void**) {
  Ring<std::unique_ptr<int>> ring;
  for (int i = 0; i < 9; ++i) ring.push(std::make_unique<int>(i));
  assert_int_equal(*ring.pop(), 0);
  assert_int_equal(*ring.pop_back(), 8);
  assert_int_equal(*ring[0], 1);
}

void any_sequence_of_steps_behaves_like_a_deque(void**) {
  Rng rng(7);
  Ring<int> ring;
  std::deque<int> model;
  for (int step = 0; step < 20'000; ++step) {
    const uint32_t kind = rng.below(8);
    if (kind < 4) {
      ring.push(step);
      model.push_back(step);
    } else if (kind < 6 && !model.empty()) {
      assert_int_equal(ring.pop(), model.front());
      model.pop_front();
    } else if (kind == 6 && !model.empty()) {
      assert_int_equal(ring.pop_back(), model.back());
      model.pop_back();
    } else if (rng.below(50) == 0) {
      ring.clear();
      model.clear();
    }
    if (step % 16 == 0) assert_same(ring, model);
  }
}

void several_come_out_in_order_across_the_end(void**) {
  Ring<int> ring;
  for (int i = 0; i < 6; ++i) ring.push(i);
  std::array<int, 5> out{};
  ring.pop(out);
  assert_true((out == std::array{0, 1, 2, 3, 4}));
  for (int i = 6; i < 11; ++i) ring.push(i);
  ring.pop(out);
  assert_true((out == std::array{5, 6, 7, 8, 9}));
  assert_int_equal(ring.size(), 1);
  assert_int_equal(ring.pop(), 10);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(first_in_is_first_out),
      cmocka_unit_test(the_newest_can_be_taken_from_the_back),
      cmocka_unit_test(growing_keeps_the_order_wherever_the_front_is),
      cmocka_unit_test(an_element_can_be_changed_in_its_place),
      cmocka_unit_test(a_cleared_ring_starts_again),
      cmocka_unit_test(it_holds_what_can_only_be_moved),
      cmocka_unit_test(any_sequence_of_steps_behaves_like_a_deque),
      cmocka_unit_test(several_come_out_in_order_across_the_end),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
