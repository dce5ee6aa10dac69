// Plan: the options that were set, and the cells they expand to. Pure: no I/O,
// no clock. One thread at a time.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
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
  int64_t expected_ns = 0;  // about how long it will take; 0: not known

  std::string text() const;  // client 1 x 32, 1024 callers
  // nullptr: none of that name.
  const Annotation* annotation(std::string_view key) const;
};

// One explicit cell: the options that it sets (a later one replaces an earlier
// one of the same key) and what the reports say beside it.
struct PlanRow {
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<Annotation> annotations;
};

class Plan;

// Where a plan's cells come from when it is not only its lists: a suite.
struct RowSource {
  const char* name = "";
  // The rows as the plan's options ask for them.
  Result<std::vector<PlanRow>> (*rows)(const Plan& plan) = nullptr;
  // Adds to a cell what follows from its completed config.
  void (*finish)(Cell& cell) = nullptr;
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

  // Makes the cells of explicit rows (they outlive the plan). A list-valued
  // option that was set and that a row has too chooses rows; any other option
  // that was set wins over the row.
  void set_rows(const RowSource& rows) { rows_ = &rows; }

  // The cells in the order in which they run; `processors` of this machine
  // bound the default number of threads. A single cell that cannot run is an
  // error, one of several or of explicit rows a skipped row.
  Result<std::vector<Cell>> cells(int64_t processors) const;

 private:
  using Chosen = std::map<const OptionRow*, std::string>;

  Status put(std::string_view key, std::string_view text, bool adds);
  Status check_together() const;
  Cell make_cell(const Chosen& chosen, int64_t processors) const;
  Cell make_row_cell(const PlanRow& row, const Chosen& chosen,
                     int64_t processors) const;
  bool is_chosen(const PlanRow& row) const;
  Result<std::vector<Cell>> cells_of_rows(int64_t processors) const;

  const RowSource* rows_ = nullptr;
  std::map<const OptionRow*, Texts> set_;
  std::map<const OptionRow*, std::string> joined_;  // of set_, for get()
};

}  // namespace dyno
