// Affinity: lists of processors, and a thread that is really pinned.
#include <sched.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "net/affinity.hh"
#include "unit/cmocka.hh"

using dyno::Code;
using dyno::parse_cpus;
using dyno::Status;

namespace {

std::string read(std::string_view text) {
  const auto cpus = parse_cpus(text);
  if (!cpus.is_ok()) return "error";
  std::string read;
  for (const int cpu : cpus.value()) read += std::to_string(cpu) + " ";
  return read;
}

void lists_and_ranges_are_read_in_order(void**) {
  assert_string_equal(read("0").c_str(), "0 ");
  assert_string_equal(read("0,2-3").c_str(), "0 2 3 ");
  assert_string_equal(read("3,1").c_str(), "3 1 ");
  assert_string_equal(read("5-5").c_str(), "5 ");
  assert_string_equal(read("1023").c_str(), "1023 ");
}

void a_processor_named_twice_is_there_once(void**) {
  assert_string_equal(read("1,0-2,1").c_str(), "1 0 2 ");
}

void what_is_no_list_is_refused(void**) {
  for (const char* text :
       {"", ",", "0,", ",0", "0,,1", "a", "0-", "-1", "0--1", "1-2-3", "0 1",
        "+1", "3-1", "1024", "0-1024", "99999999999999999999"})
    assert_string_equal(read(text).c_str(), "error");
}

void a_refusal_names_key_value_and_remedy(void**) {
  const auto cpus = parse_cpus("3-1");
  assert_int_equal(cpus.status().code, Code::value);
  assert_string_equal(cpus.status().key.c_str(), "host.cpus");
  const char* const message = cpus.status().message.c_str();
  assert_non_null(strstr(message, "host.cpus: \"3-1\""));
  assert_non_null(strstr(message, "try 0, 0,2 or 0-3"));
}

void a_thread_is_pinned_alone(void**) {
  const std::string before = dyno::allowed_cpus();
  const int cpu = parse_cpus(before).value().front();
  bool is_pinned = false;
  std::string allowed;
  std::thread thread([&] {
    is_pinned = dyno::pin_thread(std::array{cpu}).is_ok();
    allowed = dyno::allowed_cpus();
  });
  thread.join();
  assert_true(is_pinned);
  assert_string_equal(allowed.c_str(), std::to_string(cpu).c_str());
  assert_string_equal(dyno::allowed_cpus().c_str(), before.c_str());
}

void a_missing_processor_changes_nothing(void**) {
  const std::string before = dyno::allowed_cpus();
  const int cpu = parse_cpus(before).value().front();
  for (const auto& cpus :
       {std::vector<int>{1023}, std::vector<int>{cpu, 1023}}) {
    const Status status = dyno::pin_thread(cpus);
    assert_int_equal(status.code, Code::system);
    assert_string_equal(status.key.c_str(), "host.cpus");
    assert_non_null(strstr(status.message.c_str(), "1023"));
    assert_non_null(
        strstr(status.message.c_str(), ("may use " + before).c_str()));
    assert_string_equal(dyno::allowed_cpus().c_str(), before.c_str());
  }
}

void no_processors_leave_the_thread_free(void**) {
  const std::string before = dyno::allowed_cpus();
  assert_true(dyno::pin_thread({}).is_ok());
  assert_string_equal(dyno::allowed_cpus().c_str(), before.c_str());
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(lists_and_ranges_are_read_in_order),
      cmocka_unit_test(a_processor_named_twice_is_there_once),
      cmocka_unit_test(what_is_no_list_is_refused),
      cmocka_unit_test(a_refusal_names_key_value_and_remedy),
      cmocka_unit_test(a_thread_is_pinned_alone),
      cmocka_unit_test(a_missing_processor_changes_nothing),
      cmocka_unit_test(no_processors_leave_the_thread_free),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
