// httpdyno: finds the command, calls it, and turns what stops it into a message
// and an exit code.
#include <fcntl.h>
#include <fmt/format.h>
#include <httpdyno/httpdyno.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <exception>

#include "commands.hh"
#include "stop.hh"
#include "text.hh"

namespace cli {
namespace {

constexpr std::array kCommands{
    Command{"run", "run URL [flags]", "load a server and report", run_command},
    Command{"matrix", "matrix [URL] [flags]",
            "measure several clients, sizes and loads; without a URL on a "
            "server of its own",
            matrix_command},
    Command{"suite", "suite NAME [flags]",
            "run a published benchmark again, beside its published rows",
            suite_command},
    Command{"serve", "serve [flags]", "run the test server", serve_command},
    Command{"report", "report FILE...",
            "print saved JSON results in another format", report_command},
    Command{"options", "options [KEY]", "explain the options", options_command},
    Command{"disciplines", "disciplines [NAME]",
            "explain the clients: how each shares its connections",
            disciplines_command},
};

constexpr const char* kExamples =
    "Examples:\n"
    "  httpdyno matrix                          # nothing else needed\n"
    "  httpdyno suite httpc-bench               # about 3 minutes\n"
    "  httpdyno serve &\n"
    "  httpdyno run http://127.0.0.1:8080/ -c 64 -d 10s\n"
    "  httpdyno run http://127.0.0.1:8080/ -n 100k --format json -o a.json\n"
    "\n"
    "Exit codes: 0 ok; 1 the run could not be done, or nothing was completed;\n"
    "2 usage; 5 not trustworthy (with --strict); 130 and 143 interrupted.\n";

std::string overview() {
  std::string text =
      "usage: httpdyno COMMAND [flags]\n\n"
      "Measures HTTP servers, clients and connection pools.\n\n"
      "Commands:\n";
  for (const Command& command : kCommands)
    text += two_columns(command.usage, command.summary, 26, kHelpWidth);
  text += two_columns("--version", "what this is and what it was built with",
                      26, kHelpWidth);
  text += "\n`httpdyno COMMAND --help` lists the flags of a command.\n\n";
  return text + kExamples;
}

std::string version() {
  const auto fact = [](const char* name) {
    const char* value = dyno_build_info(name);
    return value == nullptr ? "unknown" : value;
  };
  std::string text = fmt::format("httpdyno {}\n", dyno_version_string());
  for (const char* name :
       {"compiler", "build_type", "libevent", "c-ares", "llhttp", "fmt"})
    text += fmt::format("  {:<10} {}\n", name, fact(name));
  return text;
}

int no_such_command(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  const std::string near = nearest(word, names);
  if (word.starts_with('-'))
    say(fmt::format("{}: the command comes first: httpdyno run URL {}", word,
                    word));
  else if (near.empty())
    say(fmt::format("\"{}\" is no command", word));
  else
    say(fmt::format("\"{}\" is no command; did you mean {}?", word, near));
  fmt::print(stderr, "{}", overview());
  return kUsage;
}

// `help run` reads as `run --help`.
Args without_help_word(Args args) {
  if (args.empty() || args[0] != "help") return args;
  args.erase(args.begin());
  args.emplace_back("--help");
  return args;
}

// Whoever starts us without stdin, stdout or stderr must not find their numbers
// given to a socket or a pipe of ours.
void open_standard_fds() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", O_RDWR);
}

int dispatch(Args args) {
  args = without_help_word(std::move(args));
  if (args.empty()) {
    fmt::print(stderr, "{}", overview());
    return kUsage;
  }
  const std::string word = args[0];
  if (word == "--help" || word == "-h") return print_out(overview());
  if (word == "--version" || word == "-V") return print_out(version());
  for (const Command& command : kCommands)
    if (word == command.name)
      return command.call(Args(args.begin() + 1, args.end()));
  return no_such_command(word);
}

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

void say(const std::string& message) {
  fmt::print(stderr, "httpdyno: {}\n", message);
}

}  // namespace cli

int main(int argc, char** argv) {
  try {
    cli::open_standard_fds();
    return cli::dispatch(cli::Args(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const cli::Stop& stop) {
    if (*stop.what() != '\0') cli::say(stop.what());
    return stop.exit_code();
  } catch (const std::exception& error) {
    cli::say(error.what());
    return cli::kFailed;
  }
}
