// Pre-flight: limits that are met pass, and those that are not are named with
// both numbers and a remedy.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "net/preflight.hh"
#include "unit/cmocka.hh"

using dyno::check_fds;
using dyno::check_ports;
using dyno::Code;
using dyno::FdLimits;
using dyno::PortRange;
using dyno::Status;

namespace {

void check_message(const Status& status, const char* part) {
  assert_non_null(strstr(status.message.c_str(), part));
}

void open_descriptors_are_counted(void**) {
  const int64_t before = dyno::open_fds();
  int64_t counted = 0;
  for (int fd = 0; fd < 1024; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) ++counted;
  assert_int_equal(before, counted);
  const int copy = dup(STDERR_FILENO);
  const int64_t after = dyno::open_fds();
  close(copy);
  assert_int_equal(after, before + 1);
  assert_int_equal(dyno::open_fds(), before);
}

void the_last_descriptor_may_be_used(void**) {
  const FdLimits limits{.soft = 40, .hard = 40};
  assert_true(check_fds(30, "30 connections", limits, 10).is_ok());
  assert_false(check_fds(31, "31 connections", limits, 10).is_ok());
}

void too_few_descriptors_are_named_with_the_number_needed(void**) {
  const Status status =
      check_fds(100, "100 connections", {.soft = 40, .hard = 4096}, 10);
  assert_int_equal(status.code, Code::system);
  check_message(status, "100 connections: 110 file descriptors are needed");
  check_message(status, "40 are allowed");
  check_message(status, "ulimit -n 110");
  check_message(status, "host.raise_nofile=on");
}

void a_hard_limit_is_named(void**) {
  const Status status =
      check_fds(100, "100 connections", {.soft = 40, .hard = 60}, 10);
  check_message(status, "the hard limit is 60");
  check_message(status, "LimitNOFILE=110");
  assert_null(strstr(status.message.c_str(), "host.raise_nofile"));
}

void no_limit_is_never_in_the_way(void**) {
  const FdLimits unlimited{.soft = INT64_MAX, .hard = INT64_MAX};
  assert_true(check_fds(INT64_MAX, "all", unlimited, 10).is_ok());
  const FdLimits limits{.soft = 40, .hard = 40};
  assert_false(check_fds(INT64_MAX, "all", limits, 10).is_ok());
}

void the_process_own_limit_is_read_and_raised(void**) {
  rlimit before{};
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 32;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
  const FdLimits lowered = dyno::fd_limits();
  const Status few = check_fds(32, "32 connections");
  const Status raised = dyno::raise_nofile();
  const FdLimits limits = dyno::fd_limits();
  setrlimit(RLIMIT_NOFILE, &before);
  assert_int_equal(lowered.soft, 32);
  assert_int_equal(few.code, Code::system);
  assert_true(raised.is_ok());
  assert_int_equal(limits.soft, limits.hard);
}

void a_full_table_leaves_no_descriptor(void**) {
  rlimit before{};
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit full = before;
  full.rlim_cur = 1;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &full), 0);
  const Status status = check_fds(1, "1 connection");
  setrlimit(RLIMIT_NOFILE, &before);
  assert_int_equal(status.code, Code::system);
}

void a_port_range_is_two_numbers(void**) {
  const auto range = dyno::parse_port_range("32768\t60999\n");
  assert_true(range.has_value());
  assert_int_equal(range->first, 32768);
  assert_int_equal(range->last, 60999);
  assert_int_equal(range->count(), 28232);
  assert_int_equal(dyno::parse_port_range("7 7")->count(), 1);
  for (const char* text :
       {"", "32768", "x 1", "9 8", "0 9", "1 65536", "1 2 3", "1 2x"})
    assert_false(dyno::parse_port_range(text).has_value());
}

void the_host_has_a_port_range(void**) {
  assert_true(dyno::ephemeral_ports().count() > 0);
  assert_true(check_ports(1, 1).is_ok());
  assert_false(check_ports(65536, 1).is_ok());
}

void each_address_brings_all_the_ports(void**) {
  const PortRange range{.first = 40000, .last = 40063};
  assert_true(check_ports(64, 1, range).is_ok());
  assert_false(check_ports(65, 1, range).is_ok());
  assert_true(check_ports(128, 2, range).is_ok());
  assert_false(check_ports(129, 2, range).is_ok());
  assert_true(check_ports(INT64_MAX, SIZE_MAX / 2, range).is_ok());
}

void too_few_ports_are_named_with_both_numbers(void**) {
  const Status status = check_ports(1000, 1, {.first = 40000, .last = 40063});
  assert_int_equal(status.code, Code::system);
  check_message(status, "1000 connections to one address");
  check_message(status, "(40000 to 40063) gives 64");
  check_message(status, "sysctl -w net.ipv4.ip_local_port_range");
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(open_descriptors_are_counted),
      cmocka_unit_test(the_last_descriptor_may_be_used),
      cmocka_unit_test(too_few_descriptors_are_named_with_the_number_needed),
      cmocka_unit_test(a_hard_limit_is_named),
      cmocka_unit_test(no_limit_is_never_in_the_way),
      cmocka_unit_test(the_process_own_limit_is_read_and_raised),
      cmocka_unit_test(a_full_table_leaves_no_descriptor),
      cmocka_unit_test(a_port_range_is_two_numbers),
      cmocka_unit_test(the_host_has_a_port_range),
      cmocka_unit_test(each_address_brings_all_the_ports),
      cmocka_unit_test(too_few_ports_are_named_with_both_numbers),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
