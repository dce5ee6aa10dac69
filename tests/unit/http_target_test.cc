// Targets: their path, their parameters, and sizes in them.
#include <string>

#include "http/target.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

void a_target_of_any_form_has_a_path_and_a_query(void**) {
  const struct {
    const char* target;
    const char* path;
    const char* query;
  } cases[] = {
      {"/", "/", ""},
      {"/a/b?", "/a/b", ""},
      {"/a?b=1&c?d", "/a", "b=1&c?d"},
      {"/a?u=http://h/x", "/a", "u=http://h/x"},
      {"http://h:80/a?b", "/a", "b"},
      {"http://h", "/", ""},
      {"http://h?b", "/", "b"},
      {"*", "*", ""},
      {"", "", ""},
  };
  for (const auto& [target, path, query] : cases) {
    const TargetParts parts = split_target(target);
    assert_string_equal(std::string(parts.path).c_str(), path);
    assert_string_equal(std::string(parts.query).c_str(), query);
  }
}

void parameters_come_one_by_one(void**) {
  std::string_view query = "a=1&b&=2&&c=d=e";
  std::string text;
  while (!query.empty()) {
    const Parameter one = take_parameter(query);
    text += "[" + std::string(one.name) + ":" + std::string(one.value) + "]";
  }
  assert_string_equal(text.c_str(), "[a:1][b:][:2][:][c:d=e]");
}

void a_size_beyond_the_largest_body_is_none(void**) {
  const struct {
    const char* text;
    uint64_t bytes;
  } cases[] = {{"0", 0}, {"64KiB", 65536}, {"1024GiB", uint64_t{1} << 40}};
  for (const auto& [text, bytes] : cases)
    assert_int_equal(parse_body_bytes("/bytes/N", text).value(), bytes);
  for (const char* text : {"", "-1", "x", "1099511627777", "2000GiB"}) {
    const auto refused = parse_body_bytes("/bytes/N", text);
    assert_false(refused.is_ok());
    const std::string why = "/bytes/N: \"" + std::string(text) +
                            "\" is not a number of bytes up to 1024GiB; try "
                            "2048 or 64KiB";
    assert_string_equal(refused.status().message.c_str(), why.c_str());
  }
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_target_of_any_form_has_a_path_and_a_query),
      cmocka_unit_test(parameters_come_one_by_one),
      cmocka_unit_test(a_size_beyond_the_largest_body_is_none),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
