// Layout: numbers, texts and tables as people read them.
#include "report/layout.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

void expect(const std::string& text, const char* expected) {
  assert_string_equal(text.c_str(), expected);
}

void thousands_are_grouped(void**) {
  expect(grouped(0), "0");
  expect(grouped(999), "999");
  expect(grouped(1'000), "1,000");
  expect(grouped(-1'234'567), "-1,234,567");
  expect(grouped(3'124.46, 1), "3,124.5");
  expect(grouped(999.96, 1), "1,000.0");
  expect(milliseconds(10'312'499), "10.312");
  expect(milliseconds(1'010'312'000), "1,010.312");
  expect(percent(97.55, 0), "98 %");
}

void a_text_is_one_harmless_line(void**) {
  expect(printable("a\nb\tc"), "a\\nb\\x09c");
  expect(printable("\x1b[31m\x7f"), "\\x1b[31m\\x7f");
  expect(printable("\xc2\x9b"
                   "31m \xc3\xa9"),
         "\\u009b31m \xc3\xa9");
  expect(printable("\xff"), "\xef\xbf\xbd");
}

void running_text_is_wrapped_at_blanks(void**) {
  expect(wrapped("one two three four five six", 4, 24),
         "one two three four\n    five six");
  expect(wrapped("", 4, 24), "");
  expect(wrapped("a-word-that-is-longer-than-the-line and more", 0, 20),
         "a-word-that-is-longer-than-the-line\nand more");
  expect(wrapped("never narrower than is readable", 0, 0),
         "never narrower than\nis readable");
}

Table sample() {
  Table table;
  table.add_column("name", true);
  table.add_column("value");
  table.add_column("why", true);
  table.add_row({{"a"}, {"1"}, {"x|y"}});
  table.add_row({{"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"},
                 {"12,345", Paint::bad},
                 {"-"}});
  table.add_row({{"c"}}, "left out");
  return table;
}

void a_table_aligns_texts_left_and_numbers_right(void**) {
  expect(sample().text(2, false),
         "  name    value  why\n"
         "  a           1  x|y\n"
         "  \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9  12,345  -\n"
         "  c      left out\n");
}

void colour_changes_no_column(void**) {
  std::string text = sample().text(0, true);
  assert_true(text.find("\x1b[31m12,345\x1b[0m") != std::string::npos);
  for (size_t at = text.find('\x1b'); at != text.npos; at = text.find('\x1b'))
    text.erase(at, text.find('m', at) - at + 1);
  expect(text, sample().text(0, false).c_str());
}

void markdown_escapes_what_would_break_it(void**) {
  expect(sample().markdown(),
         "| name | value | why |\n"
         "| --- | ---: | --- |\n"
         "| a | 1 | x\\|y |\n"
         "| \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 | 12,345 | - |\n"
         "| c | | left out |\n");
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(thousands_are_grouped),
      cmocka_unit_test(a_text_is_one_harmless_line),
      cmocka_unit_test(running_text_is_wrapped_at_blanks),
      cmocka_unit_test(a_table_aligns_texts_left_and_numbers_right),
      cmocka_unit_test(colour_changes_no_column),
      cmocka_unit_test(markdown_escapes_what_would_break_it),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
