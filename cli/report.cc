// httpdyno report FILE...: saved JSON results, rendered again.
#include <fmt/format.h>

#include "commands.hh"
#include "files.hh"
#include "handles.hh"
#include "output.hh"

namespace cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  httpdyno report result.json\n"
    "  httpdyno report monday.json tuesday.json --format csv -o both.csv\n"
    "  httpdyno report --merge part1.json part2.json --format json\n"
    "  httpdyno run http://127.0.0.1:8080/ --format json | httpdyno report -\n";

ResultPtr parse_file(const std::string& name) {
  const std::string text = read_file(name, "report");
  dyno_result* parsed = nullptr;
  const dyno_status status =
      dyno_result_parse(&parsed, text.data(), text.size());
  ResultPtr result(parsed);
  if (status != DYNO_OK)
    throw Stop(kFailed,
               fmt::format("{}: {}", name, dyno_result_error(result.get())));
  return result;
}

ResultPtr merge(const std::vector<ResultPtr>& results) {
  std::vector<const dyno_result*> parts;
  for (const ResultPtr& result : results) parts.push_back(result.get());
  dyno_result* merged = nullptr;
  const dyno_status status =
      dyno_result_merge(&merged, parts.data(), parts.size());
  ResultPtr result(merged);
  if (status != DYNO_OK) throw stop_of(status, dyno_result_error(result.get()));
  return result;
}

// A CSV table has one heading, however many files it comes from.
std::string without_heading(const std::string& text,
                            const std::string& heading) {
  return text.starts_with(heading) ? text.substr(heading.size()) : text;
}

std::string render_each(const Output& output, const Args& names,
                        const std::vector<ResultPtr>& results) {
  std::string all;
  std::string heading;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string text = output.render(results[i].get());
    if (output.format == "csv") {
      all += without_heading(text, heading);
      heading = text.substr(0, text.find('\n') + 1);
      continue;
    }
    if (output.format == "text")
      all += fmt::format("{}{}:\n", i == 0 ? "" : "\n", names[i]);
    all += text;
  }
  return all;
}

}  // namespace

int report_command(const Args& args) {
  Parser parser("report",
                "Prints results that were saved with --save or --format json, "
                "each in turn; - is stdin.",
                kExamples);
  Output output;
  bool merges = false;
  parser.add_switch("--merge", kOutputGroup,
                    "add up the files, which must have the same cells",
                    &merges);
  output.add_flags(parser);
  if (!parser.parse(args)) return 0;
  output.check();
  const Args& names = parser.words(SIZE_MAX);
  if (names.empty())
    parser.refuse("no file was given; try httpdyno report result.json");

  std::vector<ResultPtr> results;
  for (const std::string& name : names) results.push_back(parse_file(name));
  if (merges)
    output.deliver(output.render(merge(results).get()));
  else if (results.size() == 1)
    output.deliver(output.render(results[0].get()));
  else
    output.deliver(render_each(output, names, results));
  return 0;
}

}  // namespace cli
