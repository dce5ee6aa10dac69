#include "base/options.hh"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "base/units.hh"

namespace dyno {
namespace {

constexpr std::string_view kUnlimitedWord = "unlimited";

Texts choices(const OptionRow& row) {
  Texts words;
  std::string_view rest = row.values;
  while (!rest.empty()) {
    const size_t bar = rest.find('|');
    words.emplace_back(rest.substr(0, bar));
    rest = bar == rest.npos ? "" : rest.substr(bar + 1);
  }
  return words;
}

const char* what_it_is(OptionType type) {
  switch (type) {
    case OptionType::text:
      return "a text";
    case OptionType::flag:
      return "on or off";
    case OptionType::count:
      return "a count";
    case OptionType::size:
      return "a size";
    case OptionType::duration:
      return "a duration";
    case OptionType::rate:
      return "a rate";
    case OptionType::choice:
      return "a known word";
  }
  return "a value";
}

std::string what_would_work(const OptionRow& row) {
  switch (row.type) {
    case OptionType::count:
      return "try 64, 10k or 1M";
    case OptionType::size:
      return "try 512, 64KiB or 2kB";
    case OptionType::duration:
      return "try 500ms, 30s or 1m30s";
    case OptionType::rate:
      return "try 1000, 2k or 100/ms";
    case OptionType::flag:
      return "use on or off";
    case OptionType::choice: {
      std::string words = row.values;
      std::replace(words.begin(), words.end(), '|', ' ');
      return "one of: " + words;
    }
    case OptionType::text:
      break;
  }
  return "give a text";
}

Status bad_value(const OptionRow& row, std::string_view text) {
  return fail(Code::value,
              fmt::format("{}: \"{}\" is not {}; {}", row.key, text,
                          what_it_is(row.type), what_would_work(row)),
              row.key);
}

std::string format_whole(const OptionRow& row, int64_t number) {
  if (number == kUnlimited) return std::string(kUnlimitedWord);
  if (row.type == OptionType::duration) return format_duration(number);
  if (row.type == OptionType::size) return format_size(number);
  return fmt::format("{}", number);
}

// The shortest digits that are read back as the same number. No exponent, which
// a rate does not take.
std::string format_rate(double rate) {
  std::array<char, 400> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), rate,
                                 std::chars_format::fixed);
  return {text.data(), end.ptr};
}

Status out_of_range(const OptionRow& row, std::string_view text) {
  if (row.allows_unlimited())
    return fail(Code::value,
                fmt::format("{}: \"{}\" is too small; the least is {}", row.key,
                            text, format_whole(row, row.min)),
                row.key);
  return fail(
      Code::value,
      fmt::format("{}: \"{}\" is out of range; use {} to {}", row.key, text,
                  format_whole(row, row.min), format_whole(row, row.max)),
      row.key);
}

Result<Value> parse_whole(const OptionRow& row, std::string_view text) {
  if (row.allows_unlimited() && text == kUnlimitedWord)
    return Value(kUnlimited);
  std::optional<int64_t> number;
  if (row.type == OptionType::count) number = parse_count(text);
  if (row.type == OptionType::size) number = parse_size(text);
  if (row.type == OptionType::duration) number = parse_duration(text);
  if (!number) return bad_value(row, text);
  if (*number < row.min || *number > row.max) return out_of_range(row, text);
  return Value(*number);
}

Result<Value> parse_choice(const OptionRow& row, std::string_view text) {
  const Texts words = choices(row);
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) return bad_value(row, text);
  return Value(static_cast<int64_t>(found - words.begin()));
}

Result<Value> parse_text(const OptionRow& row, std::string_view text) {
  // The default is good, also where it is "" and says that there is none.
  const bool is_default =
      text == row.fallback && row.list != OptionList::appended;
  if (row.check != nullptr && !is_default) {
    Status status = row.check(text);
    if (!status.is_ok()) return status;
  }
  return Value(std::string(text));
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

bool OptionRow::is_for(std::string_view engine) const {
  std::string_view rest = engines;
  while (true) {
    const size_t comma = rest.find(',');
    if (rest.substr(0, comma) == engine) return true;
    if (comma == rest.npos) return false;
    rest.remove_prefix(comma + 1);
  }
}

const OptionRow* OptionTable::find(std::string_view key) const {
  for (const OptionRow& row : rows_)
    if (key == row.key) return &row;
  return nullptr;
}

Status OptionTable::unknown(std::string_view key) const {
  std::vector<const char*> keys;
  for (const OptionRow& row : rows_) keys.push_back(row.key);
  const std::string near = nearest(key, keys);
  std::string text = fmt::format("{}: no such option", key);
  if (!near.empty()) text += fmt::format("; did you mean {}?", near);
  return fail(Code::option, std::move(text), std::string(key));
}

void OptionTable::set_defaults(void* object) const {
  for (const OptionRow& row : rows_) {
    if (row.list == OptionList::appended) {
      row.field.store(object, Value(Texts{}));
      continue;
    }
    Result<Value> value = parse_value(row, row.fallback);
    row.field.store(object, value.value());
  }
}

Result<Value> parse_value(const OptionRow& row, std::string_view text) {
  switch (row.type) {
    case OptionType::text:
      return parse_text(row, text);
    case OptionType::flag:
      if (text == "on" || text == "off") return Value(text == "on");
      return bad_value(row, text);
    case OptionType::count:
    case OptionType::size:
    case OptionType::duration:
      return parse_whole(row, text);
    case OptionType::rate: {
      const auto rate = parse_rate(text);
      if (!rate) return bad_value(row, text);
      return Value(*rate);
    }
    case OptionType::choice:
      return parse_choice(row, text);
  }
  return bad_value(row, text);
}

Texts split_list(const OptionRow& row, std::string_view text) {
  Texts parts;
  while (row.list == OptionList::expand) {
    const size_t comma = text.find(',');
    if (comma == text.npos) break;
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  parts.emplace_back(text);
  return parts;
}

std::string format_value(const OptionRow& row, const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "on" : "off";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* rate = std::get_if<double>(&value)) return format_rate(*rate);
  if (const auto* texts = std::get_if<Texts>(&value))
    return fmt::format("{}", fmt::join(*texts, "\n"));
  const auto* number = std::get_if<int64_t>(&value);
  if (number == nullptr) return "";
  if (row.type == OptionType::choice)
    return choices(row).at(static_cast<size_t>(*number));
  return format_whole(row, *number);
}

std::string nearest(std::string_view word, std::span<const char* const> names) {
  std::string best;
  size_t best_distance = word.size() / 3 + 2;
  for (const std::string_view name : names) {
    const size_t distance = edit_distance(word, name);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = name;
  }
  return best;
}

}  // namespace dyno
