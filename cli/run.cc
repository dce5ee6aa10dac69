// httpdyno run URL: one measurement, or several where an option has a list.
#include <fmt/format.h>

#include "commands.hh"
#include "measure.hh"
#include "signals.hh"

namespace cli {
namespace {

constexpr const char* kUrlKey = "target.url";

constexpr const char* kExamples =
    "An option's flag is also its key with dashes: load.duration is\n"
    "--load-duration. `httpdyno options KEY` explains one.\n"
    "\n"
    "Examples:\n"
    "  httpdyno run http://127.0.0.1:8080/ -c 64 -t 2 -d 10s\n"
    "  httpdyno run http://127.0.0.1:8080/ -n 100k -c 7 -p 16\n"
    "  httpdyno run http://127.0.0.1:8080/echo -X POST -b @body.json \\\n"
    "      -H 'Content-Type: application/json'\n"
    "  httpdyno run http://127.0.0.1:8080/wait/10 --client fifo-lazy \\\n"
    "      --pool-size 32 --callers 1024 --format json -o result.json\n";

// Where it is asked for, or ""; told twice is one too many.
std::string url_of(const Parser& parser, const std::vector<Setting>& settings) {
  const Args& words = parser.words(1);
  for (const Setting& setting : settings) {
    if (setting.row->key != kUrlKey) continue;
    if (!words.empty())
      parser.refuse(
          fmt::format("{}: given twice, \"{}\" and \"{}\"; give it "
                      "once",
                      kUrlKey, words[0], setting.values[0]));
    return setting.values[0];
  }
  return words.empty() ? "" : words[0];
}

}  // namespace

int run_command(const Args& args) {
  const Rows rows = plan_rows_without_suites();
  Parser parser("run",
                "Loads the server at URL and reports rates, latencies and "
                "failures.",
                kExamples);
  Output output;
  parser.add_rows(rows);
  output.add_flags(parser);
  output.add_run_flags(parser);
  if (!parser.parse(args)) return 0;
  output.check();

  const std::vector<Setting> settings = parser.settings();
  const PlanPtr plan = new_plan();
  const std::string url = url_of(parser, settings);
  set_options(plan.get(), settings);
  if (url.empty() && needs_url(plan.get()))
    parser.refuse(
        "target.url: no URL was given; try httpdyno run "
        "http://127.0.0.1:8080/");
  if (!url.empty())
    check(plan.get(), dyno_plan_set(plan.get(), kUrlKey, url.c_str()));
  watch_signals();
  return measure(plan.get(), output);
}

}  // namespace cli
