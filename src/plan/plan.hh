// Plan: the options that were set, and the cells they expand to. Pure: no I/O,
// no clock. One thread at a time.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/options.hh"
#include "plan/config.hh"

namespace dyno {

// A fact that a cell carries through to the reports, such as a published row.
struct Annotation {
  std::string key;
  std::variant<int64_t, double, std::string> value;
};

struct Cell {
  Config config;
  int64_t repeat = 0;   // 0 … run.repeat - 1
  std::string skipped;  // why it cannot run; empty: it can
  std::vector<Annotation> annotations;

  std::string text() const;  // client 1 x 32, 1024 callers
};

class Plan {
 public:
  // Replaces what was set before; a list-valued option takes several values.
  Status set(std::string_view key, std::string_view text);
  // Adds one value to a list-valued or appended option.
  Status append(std::string_view key, std::string_view text);
  Status set_int(std::string_view key, int64_t value);
  Status set_real(std::string_view key, double value);

  // What was set, or the default; nullptr for an unknown key. Values of a list
  // are joined with commas, appended ones with new lines. Borrowed until the
  // next setting.
  const char* get(std::string_view key) const;
  bool is_set(std::string_view key) const;

  // The cells in the order in which they run; `processors` of this machine
  // bound the default number of threads. A single cell that cannot run is an
  // error, one of several a skipped row.
  Result<std::vector<Cell>> cells(int64_t processors) const;

 private:
  Status put(std::string_view key, std::string_view text, bool adds);
  Cell make_cell(const std::map<const OptionRow*, std::string>& chosen,
                 int64_t processors) const;

  std::map<const OptionRow*, Texts> set_;
  std::map<const OptionRow*, std::string> joined_;  // of set_, for get()
};

}  // namespace dyno
