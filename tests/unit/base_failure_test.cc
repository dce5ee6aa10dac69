// The failure table: complete, unambiguous, and what connect() errors become.
#include <cerrno>
#include <set>
#include <string>

#include "base/failure.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

void every_kind_has_a_row_of_its_own(void**) {
  assert_int_equal(failure_table().size(), kFailureKinds);
  assert_int_equal(static_cast<size_t>(Failure::misdelivered) + 1,
                   kFailureKinds);
  std::set<std::string> names;
  for (const FailureRow& row : failure_table()) {
    assert_true(&failure_row(row.kind) == &row);
    assert_true(names.insert(row.name).second);
  }
}

void every_row_is_filled_with_known_words(void**) {
  const std::set<std::string> phases = {"pool", "resolve", "connect", "send",
                                        "response"};
  const std::set<std::string> sides = {"ours", "theirs", "network"};
  for (const FailureRow& row : failure_table()) {
    assert_true(phases.contains(row.phase));
    assert_true(sides.contains(row.side));
    assert_true(*row.hint != '\0');
    for (const char* c = row.name; *c != '\0'; ++c)
      assert_true((*c >= 'a' && *c <= 'z') || *c == '_');
  }
}

void a_kind_is_found_by_its_whole_name_only(void**) {
  for (const FailureRow& row : failure_table())
    assert_true(find_failure(row.name) == &row);
  for (const char* name : {"", "clos", "closed ", "Closed", "connect"})
    assert_null(find_failure(name));
}

void what_the_pool_refuses_is_our_own_doing(void**) {
  for (const Failure kind :
       {Failure::pool_timeout, Failure::queue_full, Failure::busy,
        Failure::backlog_full, Failure::retry_later, Failure::no_connection,
        Failure::budget_exhausted}) {
    assert_string_equal(failure_row(kind).phase, "pool");
    assert_string_equal(failure_row(kind).side, "ours");
  }
}

void connect_errors_have_their_kinds(void**) {
  const struct {
    int error;
    Failure kind;
  } table[] = {
      {ECONNREFUSED, Failure::connect_refused},
      {ETIMEDOUT, Failure::connect_timeout},
      {EMFILE, Failure::fd_exhausted},
      {ENFILE, Failure::fd_exhausted},
      {EADDRNOTAVAIL, Failure::address_exhausted},
      {EADDRINUSE, Failure::address_exhausted},
      {ENETUNREACH, Failure::connect_other},
      {ECONNRESET, Failure::connect_other},
      {0, Failure::connect_other},
  };
  for (const auto& [error, kind] : table)
    assert_true(connect_failure(error) == kind);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_has_a_row_of_its_own),
      cmocka_unit_test(every_row_is_filled_with_known_words),
      cmocka_unit_test(a_kind_is_found_by_its_whole_name_only),
      cmocka_unit_test(what_the_pool_refuses_is_our_own_doing),
      cmocka_unit_test(connect_errors_have_their_kinds),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
