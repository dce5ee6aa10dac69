#include "server/route.hh"

#include <array>
#include <string_view>

#include "http/text.hh"

namespace dyno::server {
namespace {

// Bodies are made while they are sent, so a large one costs no memory.
constexpr uint64_t kLargestBody = uint64_t{1} << 40;
constexpr uint64_t kPublishedRndBytes = 100;

struct Row {
  std::string_view path;  // one that ends with "/" takes an argument behind it
  RouteKind kind;
  std::string_view allow;  // "": any method
};

constexpr std::string_view kUsual = "GET, HEAD, POST";
constexpr std::array kRows{
    Row{"/", RouteKind::hello, kUsual},
    Row{"/wait/", RouteKind::wait, kUsual},
    Row{"/rnd", RouteKind::rnd, kUsual},
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

// Origin form of a target, http://host/path included (RFC 9112 section 3.2).
std::string_view origin_form(std::string_view target) {
  const size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == target.npos) return target;
  const size_t slash = target.find_first_of("/?", scheme + 3);
  return slash == target.npos ? "/" : target.substr(slash);
}

struct Target {
  std::string_view path;
  std::string_view query;
};

Target split_target(std::string_view target) {
  target = origin_form(target);
  const size_t mark = target.find('?');
  if (mark == target.npos) return {target, ""};
  return {mark == 0 ? "/" : target.substr(0, mark), target.substr(mark + 1)};
}

struct Parameter {
  std::string_view name;
  std::string_view value;
};

Parameter take_parameter(std::string_view& query) {
  const size_t end = query.find('&');
  const std::string_view one = query.substr(0, end);
  query = end == query.npos ? "" : query.substr(end + 1);
  const size_t equals = one.find('=');
  if (equals == one.npos) return {one, ""};
  return {one.substr(0, equals), one.substr(equals + 1)};
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

bool read_bytes(std::string_view what, std::string_view text, Route& route) {
  const auto bytes = parse_size(text);
  if (bytes && static_cast<uint64_t>(*bytes) <= kLargestBody) {
    route.bytes = static_cast<uint64_t>(*bytes);
    return true;
  }
  route = refuse(400, std::string(what) + ": " + quoted(text) +
                          " is not a number of bytes up to 1024GiB; try 2048 "
                          "or 64KiB");
  return false;
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

bool read_rnd(std::string_view query, Route& route) {
  route.bytes = kPublishedRndBytes;
  while (!query.empty()) {
    const Parameter one = take_parameter(query);
    if (one.name == "c" && !read_bytes("/rnd?c=N", one.value, route))
      return false;
  }
  return true;
}

bool read_argument(const Row& row, const Target& target, Route& route) {
  const std::string_view text =
      takes_argument(row) ? target.path.substr(row.path.size()) : "";
  switch (row.kind) {
    case RouteKind::wait:
      return read_wait(text, route);
    case RouteKind::rnd:
      return read_rnd(target.query, route);
    case RouteKind::bytes:
      return read_bytes("/bytes/N", text, route);
    case RouteKind::chunked:
      return read_bytes("/chunked/N", text, route);
    case RouteKind::status:
      return read_status(text, route);
    default:
      return true;
  }
}

}  // namespace

Route find_route(const RequestHead& head, const ServerConfig& config) {
  const Target target = split_target(head.target);
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
  if (!read_argument(*row, target, route)) return route;
  const Status status = read_behaviour(target.query, config, route.behaviour);
  return status.is_ok() ? route : refuse(400, status.message);
}

}  // namespace dyno::server
