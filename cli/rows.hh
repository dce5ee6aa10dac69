// Rows: an option table of the library, read through the C ABI. Flags, help and
// the `options` command are made from it; nothing here knows a single option.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct Row {
  std::string key;
  int32_t type = 0;  // DYNO_TYPE_*
  int32_t list = 0;  // DYNO_LIST_*
  std::string fallback;
  std::string values;  // of a choice, "a|b"
  std::string unit;
  std::string help;
  std::string alias;       // a plain long flag, or ""
  std::string short_flag;  // one letter, or ""
  std::string engines;     // "" in the server's table

  // The key with dots and underscores turned to dashes.
  std::string long_flag() const;
  // duration, count, one of a|b, ...
  std::string type_name() const;
  // What stands for a value in help: DURATION, COUNT,...
  std::string placeholder() const;
};

using Rows = std::vector<Row>;

Rows plan_rows();
// Without what only suites have.
Rows plan_rows_without_suites();
Rows server_rows();

// nullptr: no such key.
Row* find_row(Rows& rows, std::string_view key);

}  // namespace cli
