// httpdyno disciplines [NAME]: the clients, for reading.
#include <fmt/format.h>
#include <httpdyno/httpdyno.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "args.hh"
#include "commands.hh"
#include "handles.hh"
#include "text.hh"

namespace cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  httpdyno disciplines\n"
    "  httpdyno disciplines fifo-lazy\n";

// "select=random depth=1024 full=fail": what the client sets.
std::string axes_in_short(size_t index) {
  constexpr std::string_view kPool = "pool.";
  std::string text;
  for (const Row& row : plan_rows()) {
    const char* value = dyno_preset_axis(index, row.key.c_str());
    if (value == nullptr) continue;
    const bool is_pool = row.key.starts_with(kPool);
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : " ",
                    is_pool ? row.key.substr(kPool.size()) : row.key, value);
  }
  return text;
}

std::string table_of_all() {
  Table table{{"NAME", "ALIAS", "WHAT IT DOES [AXES]"}};
  for (size_t i = 0; i < dyno_preset_count(); ++i) {
    const std::string alias = dyno_preset_alias(i);
    table.push_back(
        {dyno_preset_name(i), alias.empty() ? "-" : alias,
         fmt::format("{} [{}]", dyno_preset_help(i), axes_in_short(i))});
  }
  return aligned(table, terminal_width(STDOUT_FILENO));
}

// By name, or by alias in any case, as the client option takes them.
bool find(const std::string& word, size_t& index) {
  for (index = 0; index < dyno_preset_count(); ++index) {
    const char* alias = dyno_preset_alias(index);
    if (word == dyno_preset_name(index)) return true;
    if (*alias != '\0' && strcasecmp(word.c_str(), alias) == 0) return true;
  }
  return false;
}

// An axis is an option of the discipline, or another one that the client sets.
bool is_axis(const Row& row, const char* value) {
  if (row.key == "pool.count" || row.key == "pool.size") return false;
  return value != nullptr || row.key.starts_with("pool.");
}

std::string axes_of(size_t index) {
  Table table{{"AXIS", "VALUE", "SET BY", "MEANING"}};
  for (const Row& row : plan_rows()) {
    const char* value = dyno_preset_axis(index, row.key.c_str());
    if (!is_axis(row, value)) continue;
    table.push_back({row.key, value != nullptr ? value : row.fallback,
                     value != nullptr ? dyno_preset_name(index) : "default",
                     row.help});
  }
  const size_t width = terminal_width(STDOUT_FILENO);
  return aligned(table, std::max(width, size_t{100}));
}

// Why an engine cannot carry it, by trying; "" where it can.
std::string refusal_by(const std::string& engine, size_t index) {
  const PlanPtr plan = new_plan();
  check(plan.get(), dyno_plan_set(plan.get(), "engine", engine.c_str()));
  check(plan.get(),
        dyno_plan_set(plan.get(), "client", dyno_preset_name(index)));
  check(plan.get(),
        dyno_plan_set(plan.get(), "target.url", "http://localhost/"));
  const bool is_carried = dyno_plan_check(plan.get()) == DYNO_OK;
  return is_carried ? "" : dyno_plan_error(plan.get());
}

std::string engines_of(size_t index) {
  Rows rows = plan_rows();
  std::string carry, refuse;
  std::string_view words = find_row(rows, "engine")->values;
  while (!words.empty()) {
    const std::string engine(words.substr(0, words.find('|')));
    words.remove_prefix(std::min(engine.size() + 1, words.size()));
    const std::string why = refusal_by(engine, index);
    if (why.empty())
      carry += (carry.empty() ? "" : ", ") + engine;
    else
      refuse += fmt::format("; not {}: {}", engine, why);
  }
  return carry + refuse;
}

std::string page_of(size_t index) {
  const std::string alias = dyno_preset_alias(index);
  std::string text = dyno_preset_name(index);
  if (!alias.empty()) text += fmt::format(" ({})", alias);
  text += fmt::format("\n  {}\n\n",
                      wrapped(dyno_preset_help(index), 2, kHelpWidth));
  text += two_columns("law", dyno_preset_law(index), 11, kHelpWidth);
  text += two_columns("engines", engines_of(index), 11, kHelpWidth);
  text += two_columns("source", dyno_preset_source(index), 11, kHelpWidth);
  return text + '\n' + axes_of(index);
}

}  // namespace

int disciplines_command(const Args& args) {
  Parser parser("disciplines",
                "Lists the clients: named rules by which a request gets a "
                "connection, waits for one, or fails. With a NAME: every axis "
                "of that one, its closed forms and where they were read.",
                kExamples);
  if (!parser.parse(args)) return 0;
  const Args& words = parser.words(1);
  if (words.empty()) return print_out(table_of_all());
  size_t index = 0;
  if (find(words[0], index)) return print_out(page_of(index));
  // The library's own words for a name that it does not know.
  const PlanPtr plan = new_plan();
  check(plan.get(), dyno_plan_set(plan.get(), "client", words[0].c_str()));
  throw Stop(kUsage, fmt::format("\"{}\" is no discipline", words[0]));
}

}  // namespace cli
