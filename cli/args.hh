// Parser: the flags of one command, made from option tables and from the
// command's own few, and what was given for them. CLI11 does the splitting;
// checks of values are the library's.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hh"
#include "rows.hh"

// Most of the commands do not look inside: CLI11 is a large header.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cli {

// What was given for one option: at least one value; one unless it is a list.
struct Setting {
  const Row* row;
  std::vector<std::string> values;
};

class Parser {
 public:
  // `name` of a command in commands(); `what` and `examples` go into its help.
  Parser(const char* name, const std::string& what,
         const std::string& examples);
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // A flag for each row: --key-with-dashes, its alias and its letter. With a
  // prefix only "--prefix" + key-with-dashes. The rows must outlive the parser.
  void add_rows(const Rows& rows, std::string_view prefix = "",
                const char* group = nullptr);
  void add_switch(const std::string& names, const char* group,
                  const std::string& help, bool* out);
  void add_value(const std::string& names, const std::string& placeholder,
                 const char* group, const std::string& help, std::string* out);

  // False: help was asked for and has been printed. Throws Stop.
  bool parse(const Args& args);

  // Of the rows that were added with this prefix, in the order of their table.
  std::vector<Setting> settings(std::string_view prefix = "") const;
  // What is no flag; throws Stop if there are more than `most`.
  const Args& words(size_t most) const;

  // Stop with "… (see: httpdyno NAME --help)".
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  struct Flag {
    CLI::Option* option;
    const Row* row = nullptr;
    std::string prefix;
    std::string* text = nullptr;
    bool* is_on = nullptr;
  };

  void add_row(const Row& row, const std::string& prefix, const char* group);
  void split(Args args);
  void sort_rest();
  void store(const Flag& flag) const;
  [[noreturn]] void refuse_unknown(const Args& rest, size_t at) const;

  const Command* command_;
  std::unique_ptr<CLI::App> app_;
  std::deque<Flag> flags_;
  Args words_;
  bool wants_help_ = false;
};

// The headings of a command's own flags.
constexpr const char* kOutputGroup = "Output and help";
constexpr const char* kAdvancedGroup = "Advanced";
constexpr const char* kSuiteGroup = "Which rows";

}  // namespace cli
