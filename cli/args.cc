#include "args.hh"

#include <fmt/format.h>
#include <httpdyno/httpdyno.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "help.hh"
#include "stop.hh"
#include "text.hh"

namespace cli {
namespace {

const Command* find_command(std::string_view name) {
  for (const Command& command : commands())
    if (name == command.name) return &command;
  return nullptr;
}

// CLI11 takes the next word as the value of "--name="; it is an empty value.
Args with_empty_values(const Args& args) {
  Args out;
  bool is_open = true;
  for (const std::string& arg : args) {
    is_open = is_open && arg != "--";
    const size_t equals = arg.find('=');
    if (is_open && arg.starts_with("--") && equals + 1 == arg.size()) {
      out.push_back(arg.substr(0, equals));
      out.emplace_back();
    } else {
      out.push_back(arg);
    }
  }
  return out;
}

std::string names_of(const Row& row, const std::string& prefix) {
  std::vector<std::string> longs;
  if (prefix.empty() && !row.alias.empty()) longs.push_back(row.alias);
  const std::string full = prefix + row.long_flag();
  if (longs.empty() || longs.front() != full) longs.push_back(full);
  std::string names;
  if (prefix.empty() && !row.short_flag.empty()) names = '-' + row.short_flag;
  for (const std::string& name : longs) {
    names += (names.empty() ? "--" : ",--") + name;
    if (row.type == DYNO_TYPE_FLAG) names += ",!--no-" + name;
  }
  return names;
}

// "-q,--quiet" as help shows it.
std::string left_column(const std::string& names) {
  if (names.starts_with("--")) return "    " + names;
  return names.substr(0, 3) + ' ' + names.substr(3);
}

// CLI11's words for a flag; anything else goes to the library as it is.
std::string on_or_off(const std::string& result) {
  if (result == "true") return "on";
  return result == "false" ? "off" : result;
}

bool is_flag(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

}  // namespace

Parser::Parser(const char* name, const std::string& what,
               const std::string& examples)
    : command_(find_command(name)), app_(std::make_unique<CLI::App>()) {
  app_->set_help_flag();
  app_->allow_extras();
  app_->formatter(std::make_shared<HelpFormatter>());
  app_->description(fmt::format("usage: httpdyno {}\n\n{}\n", command_->usage,
                                wrapped(what, 0, kHelpWidth)));
  app_->footer(examples);
}

Parser::~Parser() = default;

void Parser::add_rows(const Rows& rows, std::string_view prefix,
                      const char* group) {
  const std::string own_prefix(prefix);
  if (group != nullptr) {
    for (const Row& row : rows) add_row(row, own_prefix, group);
    return;
  }
  for (const std::string& heading : headings_in_order())
    for (const Row& row : rows)
      if (heading == heading_of(row)) add_row(row, own_prefix, heading_of(row));
}

void Parser::add_row(const Row& row, const std::string& prefix,
                     const char* group) {
  const std::string names = names_of(row, prefix);
  CLI::Option* option = row.type == DYNO_TYPE_FLAG
                            ? app_->add_flag(names)
                            : app_->add_option(names, CLI::callback_t());
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text(flag_column(row, prefix))
      ->description(help_column(row))
      ->group(group);
  flags_.push_back({.option = option, .row = &row, .prefix = prefix});
}

void Parser::add_switch(const std::string& names, const char* group,
                        const std::string& help, bool* out) {
  CLI::Option* option = app_->add_flag(names);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text(left_column(names))
      ->description(help)
      ->group(group);
  flags_.push_back({.option = option, .prefix = "", .is_on = out});
}

void Parser::add_value(const std::string& names, const std::string& placeholder,
                       const char* group, const std::string& help,
                       std::string* out) {
  CLI::Option* option = app_->add_option(names, CLI::callback_t());
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text(left_column(names) + ' ' + placeholder)
      ->description(help)
      ->group(group);
  flags_.push_back({.option = option, .prefix = "", .text = out});
}

bool Parser::parse(const Args& args) {
  add_switch("-h,--help", kOutputGroup, "this help", &wants_help_);
  split(with_empty_values(args));
  for (const Flag& flag : flags_)
    if (flag.row == nullptr) store(flag);
  if (wants_help_) {
    print_out(app_->help());
    return false;
  }
  sort_rest();
  return true;
}

void Parser::split(Args args) {
  const std::string last = args.empty() ? "" : args.back();
  std::reverse(args.begin(), args.end());
  try {
    app_->parse(std::move(args));
  } catch (const CLI::ArgumentMismatch&) {
    // Only the last word can be without its value.
    refuse(fmt::format("{}: needs a value; give it as {} VALUE", last, last));
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
}

void Parser::sort_rest() {
  const Args rest = app_->remaining();
  bool is_open = true;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (is_open && rest[i] == "--")
      is_open = false;
    else if (is_open && is_flag(rest[i]))
      refuse_unknown(rest, i);
    else
      words_.push_back(rest[i]);
  }
}

void Parser::store(const Flag& flag) const {
  const std::vector<std::string>& given = flag.option->results();
  if (given.empty()) return;
  const std::string name = flag.option->get_name();
  if (flag.is_on != nullptr) {
    if (given.back() != "true") refuse(name + ": takes no value; leave it out");
    *flag.is_on = true;
    return;
  }
  if (given.size() > 1)
    refuse(fmt::format("{}: given twice, \"{}\" and \"{}\"; give it once", name,
                       given[0], given[1]));
  *flag.text = given[0];
}

std::vector<Setting> Parser::settings(std::string_view prefix) const {
  std::vector<Setting> settings;
  for (const Flag& flag : flags_) {
    if (flag.row == nullptr || flag.prefix != prefix) continue;
    std::vector<std::string> values = flag.option->results();
    if (values.empty()) continue;
    if (flag.row->type == DYNO_TYPE_FLAG)
      std::transform(values.begin(), values.end(), values.begin(), on_or_off);
    if (values.size() > 1 && flag.row->list == DYNO_LIST_SINGLE)
      refuse(fmt::format(
          "{}: {} is given twice, \"{}\" and \"{}\"; give it once",
          flag.row->key, flag.option->get_name(), values[0], values[1]));
    settings.push_back({flag.row, std::move(values)});
  }
  return settings;
}

const Args& Parser::words(size_t most) const {
  if (words_.size() > most)
    refuse(fmt::format("\"{}\" is one word too many; usage: httpdyno {}",
                       words_[most], command_->usage));
  return words_;
}

void Parser::refuse(const std::string& message) const {
  throw Stop(kUsage, fmt::format("{} (see: httpdyno {} --help)", message,
                                 command_->name));
}

void Parser::refuse_unknown(const Args& rest, size_t at) const {
  const std::string& word = rest[at];
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option :
       app_->get_options([](const CLI::Option*) { return true; }))
    for (const std::string& one : option->get_lnames())
      known.push_back("--" + one);
  const std::string near = nearest(name, known);
  if (near.empty())
    refuse(
        fmt::format("{}: no such flag of {}; it has every key of `httpdyno "
                    "options` as a flag",
                    word, command_->name));
  const bool has_value = at + 1 < rest.size() && !is_flag(rest[at + 1]);
  const std::string value = name != word ? word.substr(name.size())
                            : has_value  ? ' ' + rest[at + 1]
                                         : "";
  refuse(
      fmt::format("{}{}: no such flag; did you mean {}?", name, value, near));
}

}  // namespace cli
