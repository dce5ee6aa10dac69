// httpdyno suite NAME: a published benchmark run again beside its published
// rows. Where time is real, against a server of its own in a child process.
#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "commands.hh"
#include "files.hh"
#include "measure.hh"
#include "own_server.hh"
#include "signals.hh"
#include "text.hh"

namespace cli {
namespace {

constexpr const char* kUrlKey = "target.url";
constexpr const char* kNofileKey = "host.nofile";
constexpr const char* kModeKey = "suite.mode";

constexpr const char* kExamples =
    "Lists of clients, sizes and callers choose rows.\n"
    "\n"
    "Examples:\n"
    "  httpdyno suite httpc-bench\n"
    "  httpdyno suite httpc-bench --engine sim -o model.md\n"
    "  httpdyno suite httpc-bench --client Buoy,Hackney --pool-size 32\n"
    "  httpdyno suite httpc-bench --full --resume saved.json -o all.md\n"
    "  httpdyno report saved.json\n";

std::string suite_names() {
  std::string names;
  for (size_t i = 0; i < dyno_suite_count(); ++i)
    names += (i == 0 ? "" : ", ") + std::string(dyno_suite_name(i));
  return names;
}

size_t find_suite(const Parser& parser, const Args& words) {
  if (words.empty()) parser.refuse("which suite? one of: " + suite_names());
  for (size_t i = 0; i < dyno_suite_count(); ++i)
    if (words[0] == dyno_suite_name(i)) return i;
  parser.refuse(
      fmt::format("\"{}\" is no suite; one of: {}", words[0], suite_names()));
}

// The plan's rows, with a short name for the limit of open files, where this
// build has it. Every row has its own pools.
Rows rows_of_suite() {
  Rows rows = plan_rows();
  std::erase_if(rows, [](const Row& row) { return row.key == "connections"; });
  if (Row* nofile = find_row(rows, kNofileKey)) nofile->alias = "nofile";
  return rows;
}

std::vector<std::string> flags_of(size_t suite) {
  std::vector<std::string> flags;
  for (const Row& row : server_rows())
    if (const char* value = dyno_suite_server_option(suite, row.key.c_str()))
      flags.push_back(fmt::format("--{}={}", row.long_flag(), value));
  return flags;
}

void set_mode(const Parser& parser, dyno_plan* plan, bool quick, bool full) {
  if (quick && full) parser.refuse("--quick, --full: choose one of the two");
  if (quick) check(plan, dyno_plan_set(plan, kModeKey, "quick"));
  if (full) check(plan, dyno_plan_set(plan, kModeKey, "full"));
}

// What is said before anything runs: how many rows, and how long about.
void print_plan(dyno_plan* plan, const char* name) {
  const size_t cells = cell_texts(plan).size();
  say(fmt::format(
      "{}: {} row{}, about {}{}", name, cells, cells == 1 ? "" : "s",
      brief_time(expected_ns(plan)),
      !needs_url(plan) ? " of one processor; time is simulated" : ""));
  if (needs_url(plan) &&
      std::string_view(dyno_plan_get(plan, kModeKey)) != "full")
    say("budgets are cut so that no row lasts longer than 10 s; --full runs "
        "every row with the published ones");
}

// What an earlier run saved, or nothing where there is no such file yet.
ResultPtr read_saved(const std::string& file) {
  if (file.empty()) return nullptr;
  const std::optional<std::string> text = read_file_if_there(file, "--resume");
  if (!text) return nullptr;
  dyno_result* parsed = nullptr;
  const dyno_status status =
      dyno_result_parse(&parsed, text->data(), text->size());
  ResultPtr result(parsed);
  if (status != DYNO_OK)
    throw Stop(kFailed, fmt::format("--resume: {}: {}", file,
                                    dyno_result_error(result.get())));
  return result;
}

// Where each finished row is saved at once: the file to resume from, or the
// result's own where that is JSON, or, in a long run, a draft.
Saving saving_of(const dyno_plan* plan, const char* name, const Output& output,
                 const std::string& resume) {
  if (!resume.empty()) return {.file = resume};
  if (!output.file.empty() && output.format == "json")
    return {.file = output.file};
  const bool is_long =
      std::string_view(dyno_plan_get(plan, kModeKey)) == "full" &&
      needs_url(plan);
  if (!is_long) return {};
  return {.file = std::string(name) + ".partial.json", .is_draft = true};
}

}  // namespace

int suite_command(const Args& args) {
  const Rows rows = rows_of_suite();
  Parser parser("suite",
                "Runs a published benchmark again and puts every row beside "
                "the published one. It starts a server of its own with the "
                "limits that the published one had.",
                kExamples);
  Output output;
  bool quick = false;
  bool full = false;
  std::string resume;
  parser.add_switch("--quick", kSuiteGroup,
                    "a few rows of every client, none longer than 10 s (what "
                    "is done where time is real and nothing else is said)",
                    &quick);
  parser.add_switch("--full", kSuiteGroup,
                    "every row with the published budget", &full);
  parser.add_value("--resume", "FILE", kSuiteGroup,
                   "rows that FILE has are not run again; FILE is kept up to "
                   "date after every row, and need not be there yet",
                   &resume);
  parser.add_rows(rows);
  output.add_flags(parser);
  output.add_run_flags(parser);
  if (!parser.parse(args)) return 0;
  output.check();
  const size_t suite = find_suite(parser, parser.words(1));
  const char* name = dyno_suite_name(suite);

  const PlanPtr plan = new_plan();
  set_options(plan.get(), parser.settings());
  set_mode(parser, plan.get(), quick, full);
  check(plan.get(), dyno_plan_suite(plan.get(), name));
  const ResultPtr before = read_saved(resume);
  Saving saving = saving_of(plan.get(), name, output, resume);
  saving.before = before.get();
  watch_signals();
  const auto go = [&] {
    if (!output.is_quiet) print_plan(plan.get(), name);
    return measure(plan.get(), output, saving);
  };
  if (!needs_url(plan.get()) || dyno_plan_is_set(plan.get(), kUrlKey) != 0)
    return go();
  // A mistake is told before a server is started.
  check(plan.get(), dyno_plan_set(plan.get(), kUrlKey, "http://127.0.0.1/"));
  (void)cell_texts(plan.get());
  OwnServer own;
  own.path = dyno_suite_path(suite);
  own.flags = flags_of(suite);
  return with_own_server(plan.get(), own, output.is_quiet, go);
}

}  // namespace cli
