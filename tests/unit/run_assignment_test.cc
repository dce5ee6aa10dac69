// The workers' shares of a cell: they add up to what the plan says, nobody is
// left out, and a caller's own slot exists and has room.
#include <algorithm>
#include <set>
#include <string>

#include "run/assignment.hh"
#include "unit/plan_support.hh"

namespace dyno {
namespace {

std::vector<Assignment> shares_of(const Settings& settings) {
  return assign(config_of(settings));
}

using Numbers = std::vector<int64_t>;

template <typename Of>
Numbers each(const std::vector<Assignment>& all, Of of) {
  Numbers numbers;
  for (const Assignment& one : all)
    numbers.push_back(static_cast<int64_t>(of(one)));
  return numbers;
}

Numbers slots(const std::vector<Assignment>& all) {
  return each(all, [](const Assignment& one) { return one.slots(); });
}

Numbers callers(const std::vector<Assignment>& all) {
  return each(all, [](const Assignment& one) { return one.homes.size(); });
}

Numbers budgets(const std::vector<Assignment>& all) {
  return each(all, [](const Assignment& one) { return one.budget; });
}

void fifteen_connections_on_eight_threads_are_fifteen(void**) {
  const Numbers expected = {2, 2, 2, 2, 2, 2, 2, 1};
  for (const char* client : {"dedicated", "fifo-lazy", "none"}) {
    const auto all = shares_of(
        {{"client", client}, {"connections", "15"}, {"threads", "8"}});
    assert_true(slots(all) == expected);
    assert_true(callers(all) == expected);
    for (const Assignment& one : all) assert_int_equal(one.pools, 1);
  }
}

void pools_are_dealt_out_whole(void**) {
  const auto all = shares_of({{"client", "fifo-lazy"},
                              {"pool.count", "7"},
                              {"pool.size", "5"},
                              {"threads", "3"}});
  assert_true(each(all, [](const Assignment& one) { return one.pools; }) ==
              (Numbers{3, 2, 2}));
  for (const Assignment& one : all) assert_int_equal(one.slots_per_pool, 5);
  assert_true(callers(all) == (Numbers{15, 10, 10}));
}

void callers_follow_the_slots(void**) {
  const struct {
    const char* client;
    const char* connections;
    const char* threads;
    const char* callers;
    Numbers shares;
  } cases[] = {
      {"fifo-lazy", "4", "2", "1000", {500, 500}},
      {"fifo-lazy", "3", "2", "10", {7, 3}},
      {"fifo-lazy", "8", "4", "5", {2, 1, 1, 1}},
      {"dedicated", "64", "8", "8", {1, 1, 1, 1, 1, 1, 1, 1}},
      {"dedicated", "64", "4", "6", {2, 2, 1, 1}},
      {"dedicated", "15", "8", "15", {2, 2, 2, 2, 2, 2, 2, 1}},
  };
  for (const auto& one : cases)
    assert_true(callers(shares_of({{"client", one.client},
                                   {"connections", one.connections},
                                   {"threads", one.threads},
                                   {"load.callers", one.callers}})) ==
                one.shares);
}

void budgets_are_exact_and_follow_the_callers(void**) {
  const struct {
    const char* requests;
    const char* connections;
    const char* threads;
    Numbers shares;
  } cases[] = {
      {"1000", "3", "3", {334, 333, 333}},
      {"1000", "3", "2", {667, 333}},
      {"1", "4", "4", {1, 0, 0, 0}},
      {"100000", "7", "1", {100'000}},
  };
  for (const auto& one : cases)
    assert_true(budgets(shares_of({{"load.requests", one.requests},
                                   {"connections", one.connections},
                                   {"threads", one.threads}})) == one.shares);
  for (const int64_t budget : budgets(shares_of({{"threads", "4"}})))
    assert_int_equal(budget, kUnlimited);
}

void an_own_slot_exists_and_has_room(void**) {
  const struct {
    const char* connections;
    const char* threads;
    const char* depth;
    const char* callers;
  } cases[] = {
      {"15", "8", "1", "15"}, {"15", "8", "4", "60"}, {"15", "8", "4", "37"},
      {"7", "3", "2", "11"},  {"64", "8", "1", "9"},  {"1", "1", "16", "16"},
  };
  for (const auto& one : cases) {
    const auto all = shares_of({{"connections", one.connections},
                                {"threads", one.threads},
                                {"pool.depth", one.depth},
                                {"load.callers", one.callers}});
    for (const Assignment& worker : all) {
      std::vector<int64_t> of_slot(worker.slots());
      for (const uint32_t home : worker.homes) {
        assert_true(home < worker.slots());
        ++of_slot[home];
      }
      const auto [least, most] = std::ranges::minmax(of_slot);
      assert_true(most <= std::stoll(one.depth));
      assert_true(most - least <= 1);
    }
  }
}

void owners_spread_over_the_pools_of_a_worker(void**) {
  const auto all = shares_of({{"pool.count", "4"},
                              {"pool.size", "2"},
                              {"pool.depth", "3"},
                              {"load.callers", "24"},
                              {"threads", "2"}});
  for (const Assignment& worker : all) {
    assert_int_equal(worker.slots(), 4);
    for (uint32_t slot = 0; slot < 4; ++slot)
      assert_int_equal(
          std::count(worker.homes.begin(), worker.homes.end(), slot), 3);
  }
}

void dials_are_shared_and_nobody_has_none(void**) {
  const struct {
    const char* concurrency;
    Numbers shares;
  } cases[] = {
      {"256", {64, 64, 64, 64}}, {"6", {2, 2, 1, 1}}, {"1", {1, 1, 1, 1}}};
  for (const auto& [concurrency, shares] : cases)
    assert_true(each(shares_of({{"connect.concurrency", concurrency}}),
                     [](const Assignment& one) {
                       return one.connect_concurrency;
                     }) == shares);
}

void descriptors_are_shared_exactly(void**) {
  const struct {
    const char* nofile;
    Numbers shares;
  } cases[] = {{"0", {kUnlimited, kUnlimited, kUnlimited, kUnlimited}},
               {"10", {3, 3, 2, 2}},
               {"2", {1, 1, 0, 0}}};
  for (const auto& [nofile, shares] : cases)
    assert_true(each(shares_of({{"host.nofile", nofile}}),
                     [](const Assignment& one) { return one.descriptors; }) ==
                shares);
}

void every_worker_of_every_seed_draws_differently(void**) {
  std::set<uint64_t> seeds;
  for (const char* seed : {"1", "2", "3"})
    for (const Assignment& one : shares_of({{"run.seed", seed}}))
      assert_true(seeds.insert(one.seed).second);
  assert_true(shares_of({{"run.seed", "2"}}).front().seed ==
              shares_of({{"run.seed", "2"}}).front().seed);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(fifteen_connections_on_eight_threads_are_fifteen),
      cmocka_unit_test(pools_are_dealt_out_whole),
      cmocka_unit_test(callers_follow_the_slots),
      cmocka_unit_test(budgets_are_exact_and_follow_the_callers),
      cmocka_unit_test(an_own_slot_exists_and_has_room),
      cmocka_unit_test(owners_spread_over_the_pools_of_a_worker),
      cmocka_unit_test(dials_are_shared_and_nobody_has_none),
      cmocka_unit_test(descriptors_are_shared_exactly),
      cmocka_unit_test(every_worker_of_every_seed_draws_differently),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
