// Counts, sizes, durations and rates: what is read, what is refused, and that
// what is printed exactly is read back as the same value.
#include <cmath>
#include <optional>
#include <string>

#include "base/units.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

using Parser = std::optional<int64_t> (*)(std::string_view);

struct Reading {
  const char* text;
  int64_t value;
};

template <size_t N>
void assert_reads(Parser parse, const Reading (&table)[N]) {
  for (const auto& [text, value] : table) {
    const auto read = parse(text);
    if (!read || *read != value) print_error("\"%s\"\n", text);
    assert_true(read.has_value());
    assert_int_equal(*read, value);
  }
}

template <size_t N>
void assert_refuses(Parser parse, const char* const (&table)[N]) {
  for (const char* text : table) {
    const auto read = parse(text);
    if (read) print_error("\"%s\"\n", text);
    assert_false(read.has_value());
  }
}

void counts_take_decimal_multiples(void**) {
  assert_reads(parse_count,
               {{"0", 0},
                {"1", 1},
                {"64", 64},
                {"10k", 10'000},
                {"10K", 10'000},
                {"1M", 1'000'000},
                {"2G", 2'000'000'000},
                {"1.5k", 1'500},
                {"1.1k", 1'100},
                {"0.29k", 290},
                {"1.000001M", 1'000'001},
                {"007", 7},
                {"1000000000000000", 1'000'000'000'000'000},
                {"9000000000000000000", 9'000'000'000'000'000'000}});
}

void what_is_no_whole_count_is_refused(void**) {
  assert_refuses(parse_count, {"",
                               " ",
                               "k",
                               "-1",
                               "+1",
                               " 1",
                               "1 ",
                               "1 k",
                               "1kk",
                               "1ki",
                               "1e3",
                               "0x10",
                               "1,000",
                               "1_000",
                               "one",
                               "inf",
                               "nan",
                               ".5",
                               "0.5",
                               "1.0005k",
                               "0.0001",
                               "1.0004",
                               "1.2.3",
                               "99999999999999999999",
                               "10000000000G"});
}

void sizes_take_decimal_and_binary_multiples(void**) {
  assert_reads(parse_size, {{"0", 0},
                            {"512", 512},
                            {"3B", 3},
                            {"2kB", 2'000},
                            {"2KB", 2'000},
                            {"1MB", 1'000'000},
                            {"1GB", 1'000'000'000},
                            {"64KiB", 65'536},
                            {"1MiB", 1'048'576},
                            {"1GiB", 1'073'741'824},
                            {"0.5KiB", 512},
                            {"1.5MiB", 1'572'864}});
}

void what_is_no_whole_size_is_refused(void**) {
  assert_refuses(parse_size, {"", "B", "1k", "1K", "1M", "1kib", "1KIB", "1b",
                              "-1B", "0.3KiB", "1 KiB", "64KiBs", "1.5B"});
}

void durations_add_up_their_parts(void**) {
  assert_reads(parse_duration, {{"0", 0},
                                {"0s", 0},
                                {"1ns", 1},
                                {"500us", 500'000},
                                {"10ms", 10'000'000},
                                {"30s", 30 * kSecond},
                                {"1m", 60 * kSecond},
                                {"2h", 7'200 * kSecond},
                                {"1m30s", 90 * kSecond},
                                {"1h1m1s1ms1us1ns", 3'661'001'001'001},
                                {"1.5s", 1'500'000'000},
                                {"0.1ms", 100'000},
                                {"1.1s", 1'100'000'000},
                                {"0.001s", 1'000'000}});
}

void what_is_no_duration_is_refused(void**) {
  assert_refuses(parse_duration,
                 {"", "s", "3", "3x", "3S", "1d", "-1s", "+1s", "1 s", "s1",
                  "1m30", "1s ", " 1s", "1..5s", "1sm", "00", "1e3s",
                  "99999999999h", "9999999999999999999s"});
}

void rates_are_per_second_unless_they_say_so(void**) {
  const struct {
    const char* text;
    double value;
  } table[] = {
      {"1000", 1000},     {"5k", 5000},  {"5k/s", 5000}, {"100/ms", 100'000},
      {"30/m", 0.5},      {"3600/h", 1}, {"1/us", 1e6},  {"0.25", 0.25},
      {"2.5k/ms", 2.5e6}, {"0", 0},
  };
  for (const auto& [text, value] : table) {
    const auto read = parse_rate(text);
    assert_true(read.has_value());
    assert_true(std::abs(*read - value) <= value * 1e-12);
  }
  for (const char* text : {"", "fast", "/s", "1/", "1/x", "1//s", "1/s/s", "-1",
                           "1 /s", "1/ s", "1kk", "inf", "1/2s"})
    assert_false(parse_rate(text).has_value());
}

void a_rate_beyond_all_numbers_is_refused(void**) {
  const std::string digits = "1" + std::string(308, '0');
  assert_true(parse_rate(digits).has_value());
  assert_false(parse_rate(digits + "G").has_value());
  assert_false(parse_rate(digits + "/ms").has_value());
  assert_false(parse_rate(digits + "0").has_value());
}

void durations_are_printed_in_their_largest_whole_unit(void**) {
  const struct {
    int64_t ns;
    const char* text;
  } table[] = {
      {0, "0s"},
      {1, "1ns"},
      {999, "999ns"},
      {1'000, "1us"},
      {1'500'000, "1500us"},
      {10'000'000, "10ms"},
      {kSecond, "1s"},
      {59 * kSecond, "59s"},
      {60 * kSecond, "1m"},
      {90 * kSecond, "1m30s"},
      {90'500'000'000, "90500ms"},
      {3'600 * kSecond, "60m"},
  };
  for (const auto& [ns, text] : table)
    assert_string_equal(format_duration(ns).c_str(), text);
}

void sizes_are_printed_in_their_largest_whole_unit(void**) {
  const struct {
    int64_t bytes;
    const char* text;
  } table[] = {
      {0, "0"},
      {1, "1"},
      {1'000, "1000"},
      {1'024, "1KiB"},
      {1'536, "1536"},
      {65'536, "64KiB"},
      {1'048'576, "1MiB"},
      {1'572'864, "1536KiB"},
      {1'073'741'824, "1GiB"},
  };
  for (const auto& [bytes, text] : table)
    assert_string_equal(format_size(bytes).c_str(), text);
}

void what_is_printed_exactly_is_read_back(void**) {
  for (int64_t value = 1; value < 4'000'000'000'000'000;
       value = value * 3 + 1) {
    for (const int64_t near : {value, value * 2, value - 1}) {
      const auto duration = parse_duration(format_duration(near));
      assert_true(duration.has_value());
      assert_int_equal(*duration, near);
      const auto size = parse_size(format_size(near));
      assert_true(size.has_value());
      assert_int_equal(*size, near);
    }
  }
}

void people_read_three_digits(void**) {
  const struct {
    int64_t ns;
    const char* text;
  } times[] = {
      {0, "0ns"},
      {812, "812ns"},
      {999, "999ns"},
      {1'000, "1.00us"},
      {9'994, "9.99us"},
      {9'995, "10.0us"},
      {99'949, "99.9us"},
      {99'950, "100us"},
      {999'499, "999us"},
      {999'500, "1.00ms"},
      {10'300'000, "10.3ms"},
      {1'214'000'000, "1.21s"},
      {61'000'000'000, "61.0s"},
  };
  for (const auto& [ns, text] : times)
    assert_string_equal(brief_duration(ns).c_str(), text);
  const struct {
    double bytes;
    const char* text;
  } sizes[] = {
      {0, "0 B"},
      {1023, "1023 B"},
      {1024, "1.00 KiB"},
      {65'536, "64.0 KiB"},
      {1'048'576, "1.00 MiB"},
      {5'368'709'120, "5.00 GiB"},
  };
  for (const auto& [bytes, text] : sizes)
    assert_string_equal(brief_size(bytes).c_str(), text);
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(counts_take_decimal_multiples),
      cmocka_unit_test(what_is_no_whole_count_is_refused),
      cmocka_unit_test(sizes_take_decimal_and_binary_multiples),
      cmocka_unit_test(what_is_no_whole_size_is_refused),
      cmocka_unit_test(durations_add_up_their_parts),
      cmocka_unit_test(what_is_no_duration_is_refused),
      cmocka_unit_test(rates_are_per_second_unless_they_say_so),
      cmocka_unit_test(a_rate_beyond_all_numbers_is_refused),
      cmocka_unit_test(durations_are_printed_in_their_largest_whole_unit),
      cmocka_unit_test(sizes_are_printed_in_their_largest_whole_unit),
      cmocka_unit_test(what_is_printed_exactly_is_read_back),
      cmocka_unit_test(people_read_three_digits),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
