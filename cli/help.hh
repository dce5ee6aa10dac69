// HelpFormatter: lays out a command's help: usage, groups of flags in two
// columns of 80, examples.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "rows.hh"

namespace cli {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

// The left column: "-d, --duration DURATION", "    --[no-]keepalive".
std::string flag_column(const Row& row, const std::string& prefix);
// The right column: the row's help, its words and its default.
std::string help_column(const Row& row);
// The heading under which an option's flag is listed.
const char* heading_of(const Row& row);
std::vector<std::string> headings_in_order();

}  // namespace cli
