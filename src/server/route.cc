#include "server/route.hh"

#include <array>
#include <string_view>

#include "http/rnd_body.hh"
#include "http/target.hh"
#include "http/text.hh"

namespace dyno::server {
namespace {

struct Row {
  std::string_view path;  // one that ends with "/" takes an argument behind it
  RouteKind kind;
  std::string_view allow;  // "": any method
};

constexpr std::string_view kUsual = "GET, HEAD, POST";
constexpr std::array kRows{
    Row{"/", RouteKind::hello, kUsual},
    Row{"/wait/", RouteKind::wait, kUsual},
    Row{kRndPath, RouteKind::rnd, kUsual},
    Row{"/bytes/", RouteKind::bytes, kUsual},
    Row{"/snoop", RouteKind::snoop, ""},
    Row{"/status/", RouteKind::status, kUsual},
    Row{"/chunked/", RouteKind::chunked, kUsual},
    Row{"/echo", RouteKind::echo, "POST, PUT"},
    Row{"/stats", RouteKind::stats, "GET, HEAD"},
};

constexpr std::string_view kKnown =
    "try / /wait/MS /rnd?c=N /bytes/N /snoop /status/CODE /chunked/N /echo "
    "/stats";

Route refuse(int status, std::string problem) {
  Route route;
  route.status = status;
  route.problem = std::move(problem);
  return route;
}

bool takes_argument(const Row& row) {
  return row.path.size() > 1 && row.path.back() == '/';
}

const Row* find_row(std::string_view path) {
  for (const Row& row : kRows)
    if (takes_argument(row) ? path.starts_with(row.path) : path == row.path)
      return &row;
  return nullptr;
}

// The methods of an Allow field are separated by ", ".
bool allows(std::string_view allow, std::string_view method) {
  for (std::string_view rest = allow; !rest.empty();) {
    const size_t comma = rest.find(',');
    if (rest.substr(0, comma) == method) return true;
    rest = comma == rest.npos ? "" : rest.substr(comma + 2);
  }
  return allow.empty();
}

bool is_behaviour(std::string_view name) {
  for (const std::string_view key :
       {"delay", "jitter", "fault", "truncate", "fault_share", "split"})
    if (name == key) return true;
  return false;
}

// The parameters that say how to answer are option rows: same checks, same
// messages. Others are the route's business, or nobody's.
Status read_behaviour(std::string_view query, const ServerConfig& config,
                      Behaviour& behaviour) {
  ServerConfig asked = config;
  asked.delay_ns = behaviour.delay_ns;
  while (!query.empty()) {
    const Parameter one = take_parameter(query);
    if (!is_behaviour(one.name)) continue;
    const OptionRow& row = *server_options().find(one.name);
    const Result<Value> value = parse_value(row, one.value);
    if (!value.is_ok()) return value.status();
    row.field.store(&asked, value.value());
  }
  behaviour = behaviour_of(asked);
  return {};
}

bool read_wait(std::string_view text, Route& route) {
  const bool is_number = text.find_first_not_of("0123456789.") == text.npos;
  const auto delay = parse_duration(std::string(text) + "ms");
  const OptionRow& row = *server_options().find("delay");
  if (is_number && delay && *delay <= row.max) {
    route.behaviour.delay_ns = *delay;
    return true;
  }
  route = refuse(400, "/wait/MS: " + quoted(text) +
                          " is not a number of milliseconds up to an hour; "
                          "try /wait/10 or /wait/0.5");
  return false;
}

bool take_bytes(const Result<uint64_t>& bytes, Route& route) {
  if (bytes.is_ok())
    route.bytes = bytes.value();
  else
    route = refuse(400, bytes.status().message);
  return bytes.is_ok();
}

bool read_status(std::string_view text, Route& route) {
  if (text.size() == 3 && is_digits(text) && text[0] >= '2' && text[0] <= '5') {
    route.status =
        (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
    return true;
  }
  route = refuse(400, "/status/CODE: " + quoted(text) +
                          " is not a final status; try /status/503");
  return false;
}

bool read_argument(const Row& row, std::string_view target, Route& route) {
  const std::string_view path = split_target(target).path;
  const std::string_view text =
      takes_argument(row) ? path.substr(row.path.size()) : "";
  switch (row.kind) {
    case RouteKind::wait:
      return read_wait(text, route);
    case RouteKind::rnd:
      return take_bytes(rnd_bytes_of(target), route);
    case RouteKind::bytes:
      return take_bytes(parse_body_bytes("/bytes/N", text), route);
    case RouteKind::chunked:
      return take_bytes(parse_body_bytes("/chunked/N", text), route);
    case RouteKind::status:
      return read_status(text, route);
    default:
      return true;
  }
}

}  // namespace

Route find_route(const RequestHead& head, const ServerConfig& config) {
  const TargetParts target = split_target(head.target);
  const Row* row = find_row(target.path);
  if (row == nullptr)
    return refuse(
        404, quoted(target.path) + ": no such route; " + std::string(kKnown));
  if (!allows(row->allow, head.method)) {
    Route route = refuse(405, std::string(row->path) + ": no " +
                                  std::string(head.method) + " here; try " +
                                  std::string(row->allow));
    route.allow = row->allow;
    return route;
  }
  Route route;
  route.kind = row->kind;
  if (row->kind == RouteKind::stats) return route;
  route.behaviour = behaviour_of(config);
  if (!read_argument(*row, head.target, route)) return route;
  const Status status = read_behaviour(target.query, config, route.behaviour);
  return status.is_ok() ? route : refuse(400, status.message);
}

}  // namespace dyno::server
