#include "help.hh"

#include <httpdyno/httpdyno.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "args.hh"
#include "text.hh"

namespace cli {
namespace {

constexpr size_t kLeftWidth = 30;

// Which keys stand under which heading; the headings come in this order. A key
// ending with a dot means all that begin with it and have no line of their own.
struct Heading {
  std::string_view key;
  const char* title;
};

constexpr const char* kTarget = "What is asked";
constexpr const char* kLoad = "How hard, how long";
constexpr const char* kClient = "By which client, on how many connections";
constexpr const char* kTimes = "Time limits";
constexpr const char* kMachine = "This machine";
constexpr const char* kAxes =
    "The discipline in detail (wins over the client's)";

constexpr std::array kHeadings{
    Heading{"suite.", kSuiteGroup}, Heading{"target.", kTarget},
    Heading{"http.", kTarget},      Heading{"connections", kClient},
    Heading{"client", kClient},     Heading{"pool.size", kClient},
    Heading{"pool.count", kClient}, Heading{"pool.depth", kClient},
    Heading{"engine", kClient},     Heading{"load.", kLoad},
    Heading{"threads", kLoad},      Heading{"run.", kLoad},
    Heading{"request.", kTimes},    Heading{"resolve.", kTimes},
    Heading{"connect.", kTimes},    Heading{"host.", kMachine},
    Heading{"pool.", kAxes},
};

// A default that says "not given"; the help says what holds then.
bool is_nothing(const std::string& fallback) {
  return fallback.empty() || fallback == "0" || fallback == "0s" ||
         fallback == "off";
}

std::string group_text(const CLI::App* app, const std::string& group) {
  std::string text;
  const auto options = app->get_options([&group](const CLI::Option* option) {
    return option->get_group() == group;
  });
  for (const CLI::Option* option : options)
    text += two_columns(option->get_option_text(), option->get_description(),
                        kLeftWidth, kHelpWidth);
  return text;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                     CLI::AppFormatMode /*mode*/) const {
  std::string text = app->get_description();
  for (const std::string& group : app->get_groups()) {
    if (group.empty()) continue;
    const std::string lines = group_text(app, group);
    if (!lines.empty()) text += '\n' + group + ":\n" + lines;
  }
  return text + '\n' + app->get_footer();
}

std::string flag_column(const Row& row, const std::string& prefix) {
  std::string left = "    ";
  if (prefix.empty() && !row.short_flag.empty())
    left = '-' + row.short_flag + ", ";
  const bool has_alias = prefix.empty() && !row.alias.empty();
  const std::string name = prefix + (has_alias ? row.alias : row.long_flag());
  if (row.type == DYNO_TYPE_FLAG) return left + "--[no-]" + name;
  return left + "--" + name + ' ' + row.placeholder();
}

std::string help_column(const Row& row) {
  std::string text = row.help;
  if (row.type == DYNO_TYPE_CHOICE) {
    text += " (";
    for (const char letter : row.values)
      text += letter == '|' ? std::string(", ") : std::string(1, letter);
    text += ')';
  }
  if (!is_nothing(row.fallback)) text += " [" + row.fallback + "]";
  return text;
}

const char* heading_of(const Row& row) {
  const std::string_view key = row.key;
  for (const Heading& heading : kHeadings)
    if (heading.key == key) return heading.title;
  const std::string_view part = key.substr(0, key.find('.') + 1);
  for (const Heading& heading : kHeadings)
    if (heading.key == part) return heading.title;
  return "More";
}

std::vector<std::string> headings_in_order() {
  std::vector<std::string> titles;
  for (const Heading& heading : kHeadings)
    if (std::find(titles.begin(), titles.end(), heading.title) == titles.end())
      titles.emplace_back(heading.title);
  titles.emplace_back("More");
  return titles;
}

}  // namespace cli
