// The commands, one file each. Each gets what follows its name on the command
// line and returns the exit code, or throws Stop.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace cli {

using Args = std::vector<std::string>;

int run_command(const Args& args);
int matrix_command(const Args& args);
int suite_command(const Args& args);
int serve_command(const Args& args);
int report_command(const Args& args);
int options_command(const Args& args);
int disciplines_command(const Args& args);

struct Command {
  const char* name;
  const char* usage;
  const char* summary;
  int (*call)(const Args& args);
};

std::span<const Command> commands();

}  // namespace cli
