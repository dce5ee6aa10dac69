// Other ways to the target: another address than the URL's, and local addresses
// of one's own.
#include <set>
#include <string>

#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::always;
using dyno::test::answer;
using dyno::test::fresh_trial;
using dyno::test::Trial;

namespace {

std::string port_of(Trial& trial) {
  return std::to_string(trial.server().port());
}

void it_connects_elsewhere_and_asks_the_same(void** state) {
  for (const char* engine : {"event", "curl"}) {
    Trial& trial = fresh_trial(state);
    trial.serve(always({answer("hello")}));
    assert_int_equal(
        trial.run({{"engine", engine},
                   {"target.url", "http://nowhere.example/x"},
                   {"target.connect_to", "127.0.0.1:" + port_of(trial)},
                   {"connections", "2"},
                   {"load.requests", "10"}}),
        DYNO_OK);
    trial.expect({{"counts.completed", 10}, {"connections.opened", 2}});
    const std::string head = trial.server().heads().at(0);
    assert_int_equal(head.find("GET /x HTTP/1.1\r\nHost: nowhere.example\r\n"),
                     0);
  }
}

// All of 127.0.0.0/8 is this host.
void it_connects_from_the_address_that_is_given(void** state) {
  for (const char* engine : {"event", "curl"}) {
    Trial& trial = fresh_trial(state);
    trial.serve(always({answer("hello")}));
    assert_int_equal(trial.run({{"engine", engine},
                                {"target.local_address", "127.0.0.2"},
                                {"threads", "1"},
                                {"connections", "4"},
                                {"load.requests", "12"}}),
                     DYNO_OK);
    trial.expect({{"counts.completed", 12}, {"connections.opened", 4}});
    assert_true(trial.server().peers() == std::set<std::string>{"127.0.0.2"});
  }
}

void several_are_taken_in_turn(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(always({answer("hello")}));
  trial.plan({{"connections", "4"}, {"threads", "1"}, {"load.requests", "8"}});
  for (const char* one : {"127.0.0.2", "127.0.0.3"})
    trial.append("target.local_address", one);
  assert_int_equal(trial.start(), DYNO_OK);
  assert_int_equal(trial.finish(), DYNO_OK);
  const std::set<std::string> both{"127.0.0.2", "127.0.0.3"};
  assert_true(trial.server().peers() == both);
}

void an_address_of_another_host_is_a_failed_dial(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(always({answer("hello")}));
  assert_int_equal(trial.run({{"target.local_address", "192.0.2.1"},
                              {"connect.give_up", "100ms"},
                              {"load.requests", "1"}}),
                   DYNO_E_SYSTEM);
  assert_true(trial.message().find("assign requested address") !=
              std::string::npos);
}

void what_is_no_address_is_refused(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(always({answer("hello")}));
  assert_int_equal(trial.run({{"target.local_address", "localhost"},
                              {"load.requests", "1"}}),
                   DYNO_E_VALUE);
  assert_true(trial.message().find("target.local_address") !=
              std::string::npos);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(it_connects_elsewhere_and_asks_the_same),
      TRIAL(it_connects_from_the_address_that_is_given),
      TRIAL(several_are_taken_in_turn),
      TRIAL(an_address_of_another_host_is_a_failed_dial),
      TRIAL(what_is_no_address_is_refused),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
