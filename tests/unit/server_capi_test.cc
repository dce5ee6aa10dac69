// The bridge of dyno_server: what a C program sees.
#include <httpdyno/server.h>

#include <cstring>

#include "unit/cmocka.hh"

namespace {

void null_is_an_argument_error_everywhere(void**) {
  assert_int_equal(dyno_server_new(nullptr), DYNO_E_ARGUMENT);
  assert_int_equal(dyno_server_set(nullptr, "port", "0"), DYNO_E_ARGUMENT);
  assert_int_equal(dyno_server_start(nullptr), DYNO_E_ARGUMENT);
  assert_int_equal(dyno_server_stop(nullptr), DYNO_E_ARGUMENT);
  assert_int_equal(dyno_server_port(nullptr), 0);
  assert_int_equal(dyno_server_stat(nullptr, "read"), -1);
  assert_null(dyno_server_stats(nullptr));
  assert_string_equal(dyno_server_error(nullptr), "");
  assert_string_equal(dyno_server_error_key(nullptr), "");
  dyno_server_free(nullptr);

  dyno_server* server = nullptr;
  assert_int_equal(dyno_server_new(&server), DYNO_OK);
  assert_int_equal(dyno_server_set(server, nullptr, "0"), DYNO_E_ARGUMENT);
  assert_int_equal(dyno_server_set(server, "port", nullptr), DYNO_E_ARGUMENT);
  assert_int_equal(dyno_server_stat(server, nullptr), -1);
  dyno_server_free(server);
}

void tables_end_where_they_say(void**) {
  const size_t options = dyno_server_option_count();
  for (size_t i = 0; i < options; ++i) {
    assert_non_null(dyno_server_option_name(i));
    assert_non_null(dyno_server_option_default(i));
    assert_non_null(dyno_server_option_values(i));
    assert_non_null(dyno_server_option_unit(i));
    assert_non_null(dyno_server_option_help(i));
    assert_non_null(dyno_server_option_flag(i));
    assert_non_null(dyno_server_option_short_flag(i));
    assert_in_range(dyno_server_option_type(i), DYNO_TYPE_TEXT,
                    DYNO_TYPE_CHOICE);
    assert_int_equal(dyno_server_option_is_list(i), DYNO_LIST_SINGLE);
  }
  assert_null(dyno_server_option_name(options));
  assert_int_equal(dyno_server_option_type(options), -1);
  const size_t stats = dyno_server_stat_count();
  assert_string_equal(dyno_server_stat_name(0), "accepted");
  assert_non_null(dyno_server_stat_help(stats - 1));
  assert_null(dyno_server_stat_name(stats));
  assert_null(dyno_server_stat_help(SIZE_MAX));
}

void a_server_lives_and_dies(void**) {
  dyno_server* server = nullptr;
  assert_int_equal(dyno_server_new(&server), DYNO_OK);
  assert_int_equal(dyno_server_port(server), 0);
  assert_int_equal(dyno_server_stat(server, "accepted"), 0);
  assert_int_equal(dyno_server_set(server, "prot", "0"), DYNO_E_OPTION);
  assert_non_null(std::strstr(dyno_server_error(server), "port"));
  assert_string_equal(dyno_server_error_key(server), "prot");
  assert_int_equal(dyno_server_set(server, "port", "x"), DYNO_E_VALUE);
  assert_int_equal(dyno_server_set(server, "port", "0"), DYNO_OK);
  assert_int_equal(dyno_server_start(server), DYNO_OK);
  assert_in_range(dyno_server_port(server), 1, 65535);
  assert_int_equal(dyno_server_start(server), DYNO_E_STATE);
  const char* stats = dyno_server_stats(server);
  assert_int_equal(std::strncmp(stats, "{\"server\":\"httpdyno\"", 20), 0);
  assert_int_equal(dyno_server_stop(server), DYNO_OK);
  assert_int_equal(dyno_server_stat(server, "open"), 0);
  assert_int_equal(dyno_server_stat(server, "nothing"), -1);
  dyno_server_free(server);
}

void a_running_server_may_be_freed(void**) {
  dyno_server* server = nullptr;
  assert_int_equal(dyno_server_new(&server), DYNO_OK);
  assert_int_equal(dyno_server_set(server, "port", "0"), DYNO_OK);
  assert_int_equal(dyno_server_set(server, "threads", "4"), DYNO_OK);
  assert_int_equal(dyno_server_start(server), DYNO_OK);
  dyno_server_free(server);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(null_is_an_argument_error_everywhere),
      cmocka_unit_test(tables_end_where_they_say),
      cmocka_unit_test(a_server_lives_and_dies),
      cmocka_unit_test(a_running_server_may_be_freed),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
