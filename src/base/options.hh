// Option rows: one row per option is the single source of the setter's check,
// its error text, the flag, the help and the typed field it fills. The plan and
// the server each have one table of such rows.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/status.hh"

namespace dyno {

// The numbers are public (DYNO_TYPE_* in httpdyno.h), pinned for ever.
enum class OptionType : int32_t {
  text = 0,
  flag = 1,      // on, off
  count = 2,     // 64, 10k
  size = 3,      // bytes: 64KiB
  duration = 4,  // nanoseconds: 500ms
  rate = 5,      // per second: 5k, 100/ms
  choice = 6,    // one word of `values`
};

enum class OptionList : int32_t {
  single = 0,    // one value
  expand = 1,    // a comma separates values; each makes cells of its own
  appended = 2,  // each setting adds one value; commas belong to the value
};

using Texts = std::vector<std::string>;
using Value =
    std::variant<std::monostate, int64_t, double, bool, std::string, Texts>;

// Reads and writes one member of a typed config object.
struct Field {
  void (*store)(void* object, const Value& value) = nullptr;
  Value (*load)(const void* object) = nullptr;
  // The member itself, where it is a text: what is lent must not be a copy.
  const std::string* (*text)(const void* object) = nullptr;
};

namespace detail {
template <typename T>
struct MemberOf;
template <typename Object, typename Member>
struct MemberOf<Member Object::*> {
  using object = Object;
  using member = Member;
};
}  // namespace detail

template <auto Pointer>
constexpr Field field() {
  using Object = typename detail::MemberOf<decltype(Pointer)>::object;
  using Member = typename detail::MemberOf<decltype(Pointer)>::member;
  Field made;
  made.store = [](void* object, const Value& value) {
    Member& member = static_cast<Object*>(object)->*Pointer;
    if constexpr (std::is_enum_v<Member>)
      member = static_cast<Member>(std::get<int64_t>(value));
    else
      member = std::get<Member>(value);
  };
  made.load = [](const void* object) -> Value {
    const Member& member = static_cast<const Object*>(object)->*Pointer;
    if constexpr (std::is_enum_v<Member>)
      return static_cast<int64_t>(member);
    else
      return member;
  };
  if constexpr (std::is_same_v<Member, std::string>)
    made.text = [](const void* object) -> const std::string* {
      return &(static_cast<const Object*>(object)->*Pointer);
    };
  return made;
}

struct OptionRow {
  const char* key;
  OptionType type = OptionType::text;
  OptionList list = OptionList::single;
  Field field;
  const char* fallback = "";  // the default, as text; "" = not set
  const char* values = "";    // choice: "a|b|c"
  int64_t min = 0;            // counts, sizes, durations
  int64_t max = INT64_MAX;    // INT64_MAX: "unlimited" is a value too
  const char* unit = "";      // of the typed value: ns, bytes, per_s
  const char* help = "";
  const char* flag = "";        // a plain alias of the long flag: callers
  const char* short_flag = "";  // c
  const char* engines = "event,curl,sim";
  // A further check of a text's form; its error names the key.
  Status (*check)(std::string_view text) = nullptr;

  bool is_for(std::string_view engine) const;  // one of `engines`
  bool allows_unlimited() const { return max == INT64_MAX; }
};

class OptionTable {
 public:
  explicit OptionTable(std::span<const OptionRow> rows) : rows_(rows) {}

  std::span<const OptionRow> rows() const { return rows_; }
  const OptionRow* find(std::string_view key) const;
  size_t index_of(const OptionRow& row) const {
    return static_cast<size_t>(&row - rows_.data());
  }
  // Code::option and the nearest known key.
  Status unknown(std::string_view key) const;
  // Fills every field of `object` with its row's default.
  void set_defaults(void* object) const;

 private:
  std::span<const OptionRow> rows_;
};

// One value of the row, checked. An appended row gives a plain string.
Result<Value> parse_value(const OptionRow& row, std::string_view text);

// The texts of a list-valued setting: split at commas for OptionList::expand.
Texts split_list(const OptionRow& row, std::string_view text);

// The text from which parse_value makes the same value again.
std::string format_value(const OptionRow& row, const Value& value);

// The nearest of `names` by edit distance, or "" when none is near.
std::string nearest(std::string_view word, std::span<const char* const> names);

}  // namespace dyno
