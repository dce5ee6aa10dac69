// Ids as text, and fields that are looked up by name.
#include <string>

#include "http/verification.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

void an_id_is_sixteen_digits(void**) {
  assert_string_equal(id_text(0).c_str(), "0000000000000000");
  assert_string_equal(id_text(0x1234abcd).c_str(), "000000001234abcd");
  assert_string_equal(id_text(UINT64_MAX).c_str(), "ffffffffffffffff");
}

void a_field_is_found_by_its_name(void**) {
  const std::string head =
      "HTTP/1.1 200 OK\r\nA: 1\r\nx-dyno-ID: \t 7f \r\nX-Dyno-Id: 8\r\n"
      "Empty:\r\nNot-X-Dyno-Id: 9\r\n\r\n";
  const struct {
    const char* name;
    const char* value;
  } cases[] = {
      {"X-Dyno-Id", "7f"}, {"a", "1"}, {"Empty", ""},           {"Id", ""},
      {"X-Dyno", ""},      {"", ""},   {"HTTP/1.1 200 OK", ""},
  };
  for (const auto& [name, value] : cases)
    assert_string_equal(std::string(find_field(head, name)).c_str(), value);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(an_id_is_sixteen_digits),
      cmocka_unit_test(a_field_is_found_by_its_name),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
