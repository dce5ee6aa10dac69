// Option rows by a table of their own: every type and kind of list, what is
// refused and how the refusal reads, and that a printed value is read back.
#include <array>
#include <string>

#include "base/options.hh"
#include "base/units.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

enum class Colour : uint8_t { red, green, blue };

struct Paint {
  std::string name;
  bool is_wet = false;
  int64_t tins = 0;
  int64_t left = 0;
  int64_t bytes = 0;
  int64_t drying_ns = 0;
  double flow = 0;
  Colour colour = Colour::red;
  Texts notes;
};

Status check_name(std::string_view text) {
  if (!text.empty() && text.front() != '!') return {};
  return Status{Code::value, "paint.name: begin with a letter", "paint.name"};
}

const std::array kRows{
    OptionRow{.key = "paint.name",
              .list = OptionList::expand,
              .field = field<&Paint::name>(),
              .fallback = "plain",
              .check = check_name},
    OptionRow{.key = "paint.is_wet",
              .type = OptionType::flag,
              .field = field<&Paint::is_wet>(),
              .fallback = "on"},
    OptionRow{.key = "paint.tins",
              .type = OptionType::count,
              .list = OptionList::expand,
              .field = field<&Paint::tins>(),
              .fallback = "2",
              .min = 1,
              .max = 1000},
    OptionRow{.key = "paint.left",
              .type = OptionType::count,
              .field = field<&Paint::left>(),
              .fallback = "unlimited",
              .min = 1},
    OptionRow{.key = "paint.bytes",
              .type = OptionType::size,
              .field = field<&Paint::bytes>(),
              .fallback = "64KiB",
              .min = 256,
              .max = 1048576},
    OptionRow{.key = "paint.drying",
              .type = OptionType::duration,
              .field = field<&Paint::drying_ns>(),
              .fallback = "1m30s",
              .min = kMicrosecond},
    OptionRow{.key = "paint.flow",
              .type = OptionType::rate,
              .field = field<&Paint::flow>(),
              .fallback = "2k"},
    OptionRow{.key = "paint.colour",
              .type = OptionType::choice,
              .field = field<&Paint::colour>(),
              .fallback = "green",
              .values = "red|green|blue"},
    OptionRow{.key = "paint.note",
              .list = OptionList::appended,
              .field = field<&Paint::notes>()},
};

const OptionTable& table() {
  static const OptionTable made(kRows);
  return made;
}

const OptionRow& row(const char* key) {
  return *table().find(key);
}

void a_row_is_found_by_its_whole_key(void**) {
  for (size_t i = 0; i < kRows.size(); ++i) {
    const OptionRow* found = table().find(kRows[i].key);
    assert_non_null(found);
    assert_int_equal(table().index_of(*found), i);
  }
  for (const char* key :
       {"", "paint", "paint.tin", "paint.tinss", "PAINT.TINS"})
    assert_null(table().find(key));
}

void an_unknown_key_names_the_nearest_one(void**) {
  const struct {
    const char* key;
    const char* message;
  } cases[] = {
      {"paint.tin", "paint.tin: no such option; did you mean paint.tins?"},
      {"paint.color",
       "paint.color: no such option; did you mean paint.colour?"},
      {"pain.note", "pain.note: no such option; did you mean paint.note?"},
      {"completely.different", "completely.different: no such option"},
  };
  for (const auto& [key, message] : cases) {
    const Status status = table().unknown(key);
    assert_true(status.code == Code::option);
    assert_string_equal(status.key.c_str(), key);
    assert_string_equal(status.message.c_str(), message);
  }
}

void defaults_fill_every_field(void**) {
  Paint paint;
  paint.notes = {"old"};
  table().set_defaults(&paint);
  assert_string_equal(paint.name.c_str(), "plain");
  assert_true(paint.is_wet);
  assert_int_equal(paint.tins, 2);
  assert_int_equal(paint.left, kUnlimited);
  assert_int_equal(paint.bytes, 65'536);
  assert_int_equal(paint.drying_ns, 90 * kSecond);
  assert_true(paint.flow == 2000);
  assert_true(paint.colour == Colour::green);
  assert_true(paint.notes.empty());
}

void a_field_gives_back_what_was_stored(void**) {
  Paint paint;
  const struct {
    const char* key;
    const char* text;
  } cases[] = {
      {"paint.name", "x, y"},
      {"paint.is_wet", "off"},
      {"paint.is_wet", "on"},
      {"paint.tins", "1000"},
      {"paint.left", "3"},
      {"paint.left", "unlimited"},
      {"paint.bytes", "1KiB"},
      {"paint.drying", "1500us"},
      {"paint.drying", "unlimited"},
      {"paint.flow", "0.125"},
      {"paint.flow", "100000000000000000"},
      {"paint.colour", "blue"},
  };
  for (const auto& [key, text] : cases) {
    const Result<Value> value = parse_value(row(key), text);
    assert_true(value.is_ok());
    row(key).field.store(&paint, value.value());
    const Value held = row(key).field.load(&paint);
    assert_true(held == value.value());
    assert_string_equal(format_value(row(key), held).c_str(), text);
  }
  row("paint.note").field.store(&paint, Value(Texts{"a,b", "c"}));
  const Value notes = row("paint.note").field.load(&paint);
  assert_string_equal(format_value(row("paint.note"), notes).c_str(), "a,b\nc");
  assert_string_equal(format_value(row("paint.tins"), Value()).c_str(), "");
}

void a_rate_of_any_size_is_read_back(void**) {
  for (const double rate :
       {1e-9, 0.1, 1 / 3.0, 5e3, 1.5e9, 1e16, 1e22, 3e100}) {
    const std::string text = format_value(row("paint.flow"), Value(rate));
    const Result<Value> read = parse_value(row("paint.flow"), text);
    assert_true(read.is_ok());
    assert_true(std::get<double>(read.value()) == rate);
  }
}

void a_refusal_names_key_value_and_remedy(void**) {
  const struct {
    const char* key;
    const char* text;
    const char* message;
  } cases[] = {
      {"paint.tins", "many",
       "paint.tins: \"many\" is not a count; try 64, 10k or 1M"},
      {"paint.tins", "", "paint.tins: \"\" is not a count; try 64, 10k or 1M"},
      {"paint.tins", "unlimited",
       "paint.tins: \"unlimited\" is not a count; try 64, 10k or 1M"},
      {"paint.tins", "0", "paint.tins: \"0\" is out of range; use 1 to 1000"},
      {"paint.tins", "1001",
       "paint.tins: \"1001\" is out of range; use 1 to 1000"},
      {"paint.left", "0", "paint.left: \"0\" is too small; the least is 1"},
      {"paint.bytes", "255",
       "paint.bytes: \"255\" is out of range; use 256 to 1MiB"},
      {"paint.bytes", "1k",
       "paint.bytes: \"1k\" is not a size; try 512, 64KiB or 2kB"},
      {"paint.drying", "3x",
       "paint.drying: \"3x\" is not a duration; try 500ms, 30s or 1m30s"},
      {"paint.drying", "1ns",
       "paint.drying: \"1ns\" is too small; the least is 1us"},
      {"paint.flow", "fast",
       "paint.flow: \"fast\" is not a rate; try 1000, 2k or 100/ms"},
      {"paint.is_wet", "yes",
       "paint.is_wet: \"yes\" is not on or off; use on or off"},
      {"paint.colour", "Red",
       "paint.colour: \"Red\" is not a known word; one of: red green blue"},
      {"paint.colour", "red|green",
       "paint.colour: \"red|green\" is not a known word; one of: red green "
       "blue"},
      {"paint.name", "!", "paint.name: begin with a letter"},
  };
  for (const auto& [key, text, message] : cases) {
    const Result<Value> value = parse_value(row(key), text);
    assert_false(value.is_ok());
    assert_true(value.status().code == Code::value);
    assert_string_equal(value.status().key.c_str(), key);
    assert_string_equal(value.status().message.c_str(), message);
  }
}

void an_empty_text_is_checked_like_any_other(void**) {
  assert_false(parse_value(row("paint.name"), "").is_ok());
}

// "" as a default says that there is none; to set it again is no error.
void the_default_itself_is_never_refused(void**) {
  OptionRow unset = row("paint.name");
  unset.fallback = "";
  assert_true(parse_value(unset, "").is_ok());
  unset.list = OptionList::appended;
  assert_false(parse_value(unset, "").is_ok());
}

void the_ends_of_a_range_are_inside_it(void**) {
  for (const char* text : {"1", "1000", "1k"})
    assert_true(parse_value(row("paint.tins"), text).is_ok());
  for (const char* text : {"256", "1MiB"})
    assert_true(parse_value(row("paint.bytes"), text).is_ok());
}

void commas_split_only_what_expands(void**) {
  const auto split = [](const char* key, const char* text) {
    return split_list(row(key), text);
  };
  assert_true((split("paint.tins", "1,2,3") == Texts{"1", "2", "3"}));
  assert_true((split("paint.tins", "1") == Texts{"1"}));
  assert_true((split("paint.tins", "1,,2,") == Texts{"1", "", "2", ""}));
  assert_true((split("paint.tins", "") == Texts{""}));
  assert_true((split("paint.note", "a, b") == Texts{"a, b"}));
  assert_true((split("paint.colour", "red,blue") == Texts{"red,blue"}));
}

void the_nearest_name_is_near(void**) {
  const char* names[] = {"fifo-lazy", "fifo-patient", "none", "dedicated"};
  const struct {
    const char* word;
    const char* near;
  } cases[] = {
      {"fifo-lasy", "fifo-lazy"},
      {"fifolazy", "fifo-lazy"},
      {"fifo-patent", "fifo-patient"},
      {"nonne", "none"},
      {"deticated", "dedicated"},
      {"none", "none"},
      {"round-trip", ""},
      {"zzzzzz", ""},
  };
  for (const auto& [word, near] : cases)
    assert_string_equal(nearest(word, names).c_str(), near);
  assert_string_equal(nearest("anything", {}).c_str(), "");
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_row_is_found_by_its_whole_key),
      cmocka_unit_test(an_unknown_key_names_the_nearest_one),
      cmocka_unit_test(defaults_fill_every_field),
      cmocka_unit_test(a_field_gives_back_what_was_stored),
      cmocka_unit_test(a_rate_of_any_size_is_read_back),
      cmocka_unit_test(a_refusal_names_key_value_and_remedy),
      cmocka_unit_test(an_empty_text_is_checked_like_any_other),
      cmocka_unit_test(the_default_itself_is_never_refused),
      cmocka_unit_test(the_ends_of_a_range_are_inside_it),
      cmocka_unit_test(commas_split_only_what_expands),
      cmocka_unit_test(the_nearest_name_is_near),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
