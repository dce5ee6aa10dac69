// httpdyno options [KEY]: the option tables, for reading.
#include <fmt/format.h>
#include <httpdyno/httpdyno.h>
#include <unistd.h>

#include "args.hh"
#include "commands.hh"
#include "handles.hh"
#include "text.hh"

namespace cli {
namespace {

// A terminal narrower than this shows the help on a line of its own.
constexpr size_t kWide = 140;

constexpr const char* kExamples =
    "Examples:\n"
    "  httpdyno options\n"
    "  httpdyno options pool.wait\n"
    "  httpdyno options --server\n";

std::string all_flags(const Row& row) {
  std::string flags;
  const auto add = [&flags](const std::string& flag) {
    flags += (flags.empty() ? "" : ", ") + flag;
  };
  const char* const no = row.type == DYNO_TYPE_FLAG ? "--[no-]" : "--";
  if (!row.short_flag.empty()) add('-' + row.short_flag);
  if (!row.alias.empty() && row.alias != row.long_flag()) add(no + row.alias);
  add(no + row.long_flag());
  return flags;
}

std::vector<std::string> fields_of(const Row& row) {
  return {row.key, all_flags(row), row.type_name(),
          row.fallback.empty() ? "-" : row.fallback,
          row.unit.empty() ? "-" : row.unit};
}

std::string help_of(const Row& row) {
  if (row.values.empty()) return row.help;
  return fmt::format("{} ({})", row.help, row.values);
}

std::string table_of(const Rows& rows) {
  const size_t width = terminal_width(STDOUT_FILENO);
  const bool is_wide = width == 0 || width >= kWide;
  Table table{{"KEY", "FLAGS", "TYPE", "DEFAULT", "UNIT"}};
  if (is_wide) table[0].emplace_back("HELP");
  for (const Row& row : rows) {
    table.push_back(fields_of(row));
    if (is_wide) table.back().push_back(help_of(row));
  }
  if (is_wide) return aligned(table, width);
  std::string text;
  for (const Row& row : rows) {
    const std::vector<std::string> fields = fields_of(row);
    const std::string unit = row.unit.empty() ? "" : " in " + row.unit;
    text += fmt::format("{}  {}  {}{} [{}]\n    {}\n", fields[0], fields[1],
                        fields[2], unit, fields[3],
                        wrapped(help_of(row), 4, width));
  }
  return text;
}

std::string page_of(const Row& row) {
  std::string text =
      fmt::format("{}\n  {}\n\n", row.key, wrapped(row.help, 2, kHelpWidth));
  const auto line = [&text](const char* name, const std::string& value) {
    if (!value.empty()) text += two_columns(name, value, 12, kHelpWidth);
  };
  line("flags", all_flags(row));
  line("type", row.type_name());
  std::string words = row.values;
  for (size_t at = 0; (at = words.find('|', at)) != words.npos;)
    words.replace(at, 1, ", ");
  line("one of", words);
  line("default", row.fallback.empty() ? "none" : row.fallback);
  line("unit", row.unit);
  line("engines", row.engines);
  return text;
}

std::string clients_of(const Row& row) {
  std::string text;
  for (size_t i = 0; i < dyno_preset_count(); ++i) {
    const char* value = dyno_preset_axis(i, row.key.c_str());
    if (value != nullptr)
      text += two_columns(dyno_preset_name(i), value, 24, kHelpWidth);
  }
  return text.empty() ? "" : "\nSet by clients:\n" + text;
}

// The library's own words for a key that is not there, and what it suggests.
[[noreturn]] void refuse_key(const std::string& key, bool is_server) {
  if (is_server) {
    const ServerPtr server = new_server();
    check(server.get(), dyno_server_set(server.get(), key.c_str(), ""));
  } else {
    const PlanPtr plan = new_plan();
    check(plan.get(), dyno_plan_set(plan.get(), key.c_str(), ""));
  }
  throw Stop(kUsage, key + ": no such option; see httpdyno options");
}

}  // namespace

int options_command(const Args& args) {
  bool is_server = false;
  Parser parser("options",
                "Lists every option with its flags, type, default and unit, or "
                "explains one of them.",
                kExamples);
  parser.add_switch("--server", "Which", "the options of the test server",
                    &is_server);
  if (!parser.parse(args)) return 0;
  Rows rows = is_server ? server_rows() : plan_rows();
  const Args& words = parser.words(1);
  if (words.empty()) return print_out(table_of(rows));
  const Row* row = find_row(rows, words[0]);
  if (row == nullptr) refuse_key(words[0], is_server);
  return print_out(page_of(*row) + (is_server ? "" : clients_of(*row)));
}

}  // namespace cli
