// httpdyno matrix [URL]: clients x pool sizes x callers, one cell after
// another. Without a URL against a server of its own in a child process.
#include <fmt/format.h>

#include <array>

#include "commands.hh"
#include "measure.hh"
#include "own_server.hh"
#include "signals.hh"
#include "text.hh"

namespace cli {
namespace {

constexpr const char* kUrlKey = "target.url";
constexpr const char* kSizeKey = "pool.size";
constexpr const char* kServerPrefix = "server-";
constexpr size_t kMostPlanLines = 40;

constexpr const char* kExamples =
    "Lists are separated by commas; every combination is one cell.\n"
    "\n"
    "Examples:\n"
    "  httpdyno matrix\n"
    "  httpdyno matrix --client fifo-lazy,random-trylock --pool-size 32,256 "
    "\\\n"
    "      --callers 1024,2048 --duration 3s --format csv -o matrix.csv\n"
    "  httpdyno matrix --server-max-requests-per-connection 100\n"
    "  httpdyno matrix --cpus 0 --server-cpus 1\n"
    "  httpdyno matrix http://127.0.0.1:8080/ --client dedicated -c 1,8,64\n"
    "  httpdyno matrix --engine sim --sim-requests-per-connection 100\n";

// What a matrix measures where nothing is said; `unless` are options that take
// the default's place.
struct Default {
  const char* key;
  const char* value;
  std::array<const char*, 2> unless;
};

constexpr std::array kDefaults{
    Default{"client", "fifo-lazy,random-trylock,random-mux-failfast", {}},
    Default{kSizeKey, "32,256", {"connections", nullptr}},
    Default{"load.callers", "1024", {"connections", nullptr}},
    Default{"load.duration", "3s", {"load.requests", nullptr}},
    Default{"load.warmup", "500ms", {"load.requests", nullptr}},
};

// The plan's rows with the defaults of this command in their help.
Rows rows_of_matrix() {
  Rows rows = plan_rows_without_suites();
  for (const Default& one : kDefaults)
    if (Row* row = find_row(rows, one.key)) row->fallback = one.value;
  return rows;
}

// A client that opens a connection per request has no pool to size.
bool has_pool(std::string_view client) {
  for (size_t i = 0; i < dyno_preset_count(); ++i) {
    const char* open = dyno_preset_axis(i, "pool.open");
    if (client == dyno_preset_name(i))
      return open == nullptr || std::string_view(open) != "per-request";
  }
  return true;
}

bool is_pool_wanted(const dyno_plan* plan) {
  std::string_view names = dyno_plan_get(plan, "client");
  while (true) {
    const size_t comma = names.find(',');
    if (has_pool(names.substr(0, comma))) return true;
    if (comma == names.npos) return false;
    names.remove_prefix(comma + 1);
  }
}

void set_defaults(dyno_plan* plan) {
  for (const Default& one : kDefaults) {
    bool is_said = dyno_plan_is_set(plan, one.key) != 0;
    for (const char* key : one.unless)
      is_said = is_said || (key != nullptr && dyno_plan_is_set(plan, key) != 0);
    if (one.key == kSizeKey && !is_pool_wanted(plan)) continue;
    if (!is_said) check(plan, dyno_plan_set(plan, one.key, one.value));
  }
}

// The own server stays on loopback, on a free port.
Rows rows_of_own_server() {
  Rows rows = server_rows();
  std::erase_if(rows, [](const Row& row) {
    return row.key == "host" || row.key == "port";
  });
  return rows;
}

// Checked here, so that a mistake is told before anything is started.
OwnServer own_server_of(const std::vector<Setting>& settings) {
  const ServerPtr server = new_server();
  OwnServer own;
  own.path = "/wait/10";
  for (const Setting& setting : settings) {
    for (const std::string& value : setting.values) {
      const char* key = setting.row->key.c_str();
      const dyno_status status =
          dyno_server_set(server.get(), key, value.c_str());
      if (status != DYNO_OK)
        throw stop_of(status, fmt::format("--{}{}", kServerPrefix,
                                          dyno_server_error(server.get()))
                                  .c_str());
      own.flags.push_back(
          fmt::format("--{}={}", setting.row->long_flag(), value));
      if (setting.row->key == "tls") own.has_tls = value == "on";
      if (setting.row->key == "unix_socket") own.unix_socket = value;
    }
  }
  return own;
}

// Nothing where a budget of requests ends the cells, or time is virtual.
std::string estimate(dyno_plan* plan) {
  const int64_t expected = needs_url(plan) ? expected_ns(plan) : 0;
  return expected == 0 ? "" : ", about " + brief_time(expected);
}

void print_plan(dyno_plan* plan) {
  const std::vector<std::string> cells = cell_texts(plan);
  const char* target =
      needs_url(plan) ? dyno_plan_get(plan, kUrlKey) : "a modelled server";
  say(fmt::format("matrix on {}: {} cell{}{}", target, cells.size(),
                  cells.size() == 1 ? "" : "s", estimate(plan)));
  for (size_t i = 0; i < cells.size() && i < kMostPlanLines; ++i)
    fmt::print(stderr, "  {:>3}  {}\n", i + 1, cells[i]);
  if (cells.size() > kMostPlanLines)
    fmt::print(stderr, "       and {} more\n", cells.size() - kMostPlanLines);
}

int measure_matrix(dyno_plan* plan, const Output& output) {
  if (!output.is_quiet) print_plan(plan);
  return measure(plan, output);
}

}  // namespace

int matrix_command(const Args& args) {
  const Rows rows = rows_of_matrix();
  const Rows own_rows = rows_of_own_server();
  Parser parser(
      "matrix",
      "Measures every combination of clients, pool sizes and loads, "
      "one cell after another. Without a URL it starts a server of "
      "its own and asks for /wait/10, an answer that takes 10 ms; engine "
      "sim models one.",
      kExamples);
  Output output;
  parser.add_rows(rows);
  parser.add_rows(own_rows, kServerPrefix, "The own server (without a URL)");
  output.add_flags(parser);
  output.add_run_flags(parser);
  if (!parser.parse(args)) return 0;
  output.check();

  const PlanPtr plan = new_plan();
  set_options(plan.get(), parser.settings());
  set_defaults(plan.get());
  const Args& words = parser.words(1);
  if (!words.empty())
    check(plan.get(), dyno_plan_set(plan.get(), kUrlKey, words[0].c_str()));
  const bool has_server =
      dyno_plan_is_set(plan.get(), kUrlKey) != 0 || !needs_url(plan.get());
  const std::vector<Setting> own = parser.settings(kServerPrefix);
  if (has_server && !own.empty())
    parser.refuse(fmt::format(
        "--{}{}: there is no own server where a URL is given or engine is sim; "
        "leave one out",
        kServerPrefix, own[0].row->long_flag()));
  const OwnServer server = own_server_of(own);
  watch_signals();
  const auto go = [&] { return measure_matrix(plan.get(), output); };
  if (has_server) return go();
  return with_own_server(plan.get(), server, output.is_quiet, go);
}

}  // namespace cli
