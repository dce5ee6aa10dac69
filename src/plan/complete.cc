#include "plan/complete.hh"

#include <algorithm>

#include "http/rnd_body.hh"
#include "http/text.hh"
#include "http/url.hh"
#include "http/verification.hh"
#include "plan/option_rows.hh"
#include "plan/options.hh"

namespace dyno {
namespace {

constexpr int64_t kDefaultConnections = 64;
constexpr int64_t kDefaultDuration = 10 * kSecond;
constexpr const char* kModelledUrl = "sim://server";

std::string number(int64_t value) {
  return std::to_string(value);
}

Status refuse(const char* key, const std::string& why) {
  return fail(Code::value, std::string(key) + ": " + why, key);
}

// "event,curl": event or curl.
std::string in_words(std::string_view list) {
  std::string words;
  for (const char c : list)
    if (c == ',')
      words += " or ";
    else
      words += c;
  return words;
}

constexpr int64_t kOutstanding = 10'000;
constexpr double kMostPerSecond = 100e6;

// An open loop has no callers: what is out at once takes their places.
Status complete_open_loop(Config& config, const IsGiven& given) {
  for (const char* key : {"load.arrivals", "load.max_outstanding"})
    if (given(key) && !config.is_open_loop())
      return refuse(key, "is about an open loop; set load.rate as well");
  if (!config.is_open_loop()) return {};
  if (config.rate > kMostPerSecond)
    return refuse("load.rate",
                  "more than 100M/s is beyond any machine; use "
                  "100M/s or less");
  for (const char* key : {"load.callers", "load.error_pause"})
    if (given(key))
      return refuse(key,
                    "an open loop has no callers that could wait for an "
                    "answer; use load.max_outstanding, or leave load.rate "
                    "out");
  const bool has_homes =
      config.select == Select::own && config.open != Open::per_request;
  config.callers = config.max_outstanding;
  if (config.callers == 0 && !has_homes) config.callers = kOutstanding;
  return {};
}

// What only a model has.
Status complete_modelled(Config& config, const IsGiven& given) {
  if (config.threads > 1)
    return refuse("threads",
                  "a modelled cell is one thread; sim.cpus models the "
                  "processors of the client");
  config.threads = 1;
  if (const int64_t delay_ns = delay_of_url(config.url);
      delay_ns > 0 && !given("sim.delay"))
    config.sim_delay_ns = delay_ns;
  if (config.url.empty()) config.url = kModelledUrl;
  if (config.sim_requests_per_connection == 0)
    config.sim_requests_per_connection = kUnlimited;
  return {};
}

// Connections that a discipline without a pool leaves to the server, where
// nothing else says how many there may be.
constexpr int64_t kLeakedConnections = 16'384;

// A discipline without a pool: as many slots as callers, or as the client may
// leak.
Status complete_unpooled(Config& config, const IsGiven& given) {
  if (given("pool.size") && config.pool_size != 1)
    return refuse("pool.size", config.client +
                                   " opens a connection per request and has "
                                   "no pool; leave pool.size out");
  if (given("pool.count") && config.pool_count != 1)
    return refuse("pool.count",
                  config.client + " has no pool; leave pool.count out");
  if (config.callers == 0)
    config.callers =
        config.connections > 0 ? config.connections : kDefaultConnections;
  if (config.leak_on_done) {
    if (!given("connections"))
      config.connections =
          config.nofile > 0 ? config.nofile : kLeakedConnections;
    return {};
  }
  if (given("connections") && config.connections != config.callers)
    return refuse("connections", config.client +
                                     " has as many connections as callers; "
                                     "leave one of the two out");
  config.connections = config.callers;
  return {};
}

Status complete_threads(Config& config, int64_t processors) {
  if (config.connections > 0) {
    const int64_t wanted = config.threads > 0             ? config.threads
                           : config.select == Select::own ? processors
                                                          : 1;
    config.threads = std::clamp<int64_t>(wanted, 1, config.connections);
    config.pool_count = config.threads;
    config.pool_size = config.connections / config.pool_count;
    return {};
  }
  const bool is_native = config.select == Select::native;
  if (config.threads == 0) config.threads = is_native ? config.pool_count : 1;
  if (is_native && config.threads != config.pool_count)
    return refuse("threads",
                  "libcurl's own pools are one for each thread; "
                  "pool.count is " +
                      number(config.pool_count));
  if (config.threads > config.pool_count)
    return refuse("threads", number(config.threads) +
                                 " threads need as many pools, since a pool "
                                 "lives on one thread; pool.count is " +
                                 number(config.pool_count));
  return {};
}

// Axes that mean nothing without another one.
Status check_axes(const Config& config, const IsGiven& given) {
  const bool draws =
      config.select == Select::random || config.select == Select::round_robin;
  if (draws && config.full == Full::wait)
    return refuse("pool.full",
                  "a request that drew its slot does not wait for another "
                  "one; use fail, and pool.slot_queue for a queue in the slot");
  if (config.grows() && config.select != Select::least_ready)
    return refuse("pool.full",
                  "new-connection goes with pool.select=least-ready; use wait "
                  "or fail");
  if (given("pool.down_tries") && config.down_tries > 0 && !draws)
    return refuse("pool.down_tries",
                  "only a slot that was drawn can be drawn again; use "
                  "pool.select=random or round-robin");
  if (config.correlate == Correlate::none &&
      config.on_timeout != OnTimeout::abandon)
    return refuse("pool.correlate",
                  "none is about late answers, which only "
                  "pool.on_timeout=abandon lets come; set that as well");
  if (config.leak_on_done && config.open != Open::per_request)
    return refuse("pool.leak_on_done",
                  "a connection is left to the server after its one request; "
                  "set pool.open=per-request as well");
  const bool costs = config.owner_cost_ns + config.owner_slot_cost_ns > 0;
  if (costs && config.owner != OwnerKind::serial)
    return refuse(
        config.owner_cost_ns > 0 ? "pool.owner_cost" : "pool.owner_slot_cost",
        "no owner takes messages; set pool.owner=serial as well");
  if (config.cancel_scan_ns > 0 &&
      (config.owner != OwnerKind::serial || config.cancel != Cancel::eager))
    return refuse("pool.cancel_scan",
                  "nobody scans the queue; set pool.owner=serial and "
                  "pool.cancel=eager as well");
  return {};
}

Status check_ways(const Config& config, const IsGiven& given) {
  if (!config.connect_to.empty() && !config.unix_socket.empty())
    return refuse("target.connect_to",
                  "there is target.unix_socket as well; give one of the two");
  if (!config.local_addresses.empty() &&
      (config.select == Select::native || !config.unix_socket.empty()))
    return refuse("target.local_address",
                  "connections of curl-native and of Unix sockets have none "
                  "of ours; leave it out");
  const Result<Url> url = parse_url(config.url);
  const bool is_tls = url.is_ok() && url.value().is_tls();
  for (const OptionRow& row : tls_rows())
    if (given(row.key) && !is_tls)
      return refuse(row.key, "is about TLS, and target.url is " +
                                 quoted(config.url) + "; use https://");
  return {};
}

// What libcurl cannot do.
Status check_curl(const Config& config) {
  if (config.engine != Engine::curl) {
    if (config.select != Select::native) return {};
    return refuse("pool.select",
                  "native leaves the choice to libcurl; use "
                  "engine curl, or another client");
  }
  if (config.depth > 1)
    return refuse("pool.depth",
                  number(config.depth) +
                      " requests on one connection are more than engine curl "
                      "can have: libcurl removed HTTP/1.1 pipelining in 7.62; "
                      "use 1, or engine event");
  if (config.http_version == HttpVersion::v2 &&
      !config.url.starts_with("https:"))
    return refuse("http.version",
                  "2 is agreed on over TLS; use an https:// URL (libcurl 7.88 "
                  "cannot use a connection twice without it)");
  if (config.on_timeout != OnTimeout::close && !config.leak_on_done)
    return refuse("pool.on_timeout",
                  "engine curl cannot leave a request unanswered on a "
                  "connection that goes on; use close, or engine event");
  for (const std::string& header : config.headers)
    if (equals_ignoring_case(header.substr(0, header.find(':')),
                             "transfer-encoding"))
      return refuse("http.header",
                    quoted(header) +
                        " is in the way of libcurl, which frames "
                        "bodies itself; use engine event");
  return {};
}

Status check_verify(const Config& config) {
  if (config.verify_id)
    for (const std::string& header : config.headers)
      if (equals_ignoring_case(header.substr(0, header.find(':')), kIdField))
        return refuse("verify.id", "the header " + header +
                                       " is in the way of its own; leave one "
                                       "of the two out");
  if (!config.verify_body) return {};
  const Result<Url> url = parse_url(config.url);
  if (!url.is_ok()) return url.status();
  const Result<uint64_t> bytes = rnd_bytes_of(url.value().target);
  if (!bytes.is_ok())
    return refuse(
        "verify.body",
        "target.url asks for " + quoted(url.value().target) +
            ", whose body is not known in advance: " + bytes.status().message);
  if (config.method == "HEAD")
    return refuse("verify.body", "an answer to HEAD has no body; use GET");
  return {};
}

Status check_discipline(const Config& config) {
  const int64_t most_per_slot =
      (config.callers + config.slots() - 1) / config.slots();
  if (config.select == Select::own &&
      most_per_slot > config.depth + config.slot_queue)
    return refuse("load.callers",
                  number(config.callers) +
                      " callers do not fit: each owns "
                      "its place, and there are " +
                      number(config.slots()) + " slots of pool.depth " +
                      number(config.depth) +
                      "; choose a client with a queue, such as fifo-lazy");
  if (config.open == Open::per_request && config.depth > 1)
    return refuse("pool.depth",
                  "a connection per request carries one request; use 1");
  if (config.leak_on_done && config.slot_queue > 0)
    return refuse("pool.slot_queue",
                  "nobody waits behind a connection that is left to the "
                  "server; use 0");
  if (!config.keep_alive && config.depth > 1)
    return refuse("http.keepalive",
                  "off closes a connection after each answer, so nothing can "
                  "be pipelined; use pool.depth 1");
  return {};
}

}  // namespace

Status check_engine(Engine engine, const IsGiven& given) {
  const OptionRow& row = *plan_options().find("engine");
  const std::string name =
      format_value(row, Value(static_cast<int64_t>(engine)));
  for (const OptionRow& one : plan_options().rows())
    if (given(one.key) && !one.is_for(name))
      return refuse(one.key, "engine " + name +
                                 " does not know it; leave it "
                                 "out, or use engine " +
                                 in_words(one.engines));
  return {};
}

Status complete_config(Config& config, const IsGiven& given,
                       int64_t processors) {
  if (config.is_modelled()) {
    Status status = complete_modelled(config, given);
    if (!status.is_ok()) return status;
  }
  if (Status status = complete_open_loop(config, given); !status.is_ok())
    return status;
  if (config.duration_ns == 0 && config.requests == 0)
    config.duration_ns = kDefaultDuration;
  if (given("connections") && config.connections == 0)
    return refuse("connections", "\"0\" carries no request; use 1 or more");
  if (config.open == Open::per_request) {
    Status status = complete_unpooled(config, given);
    if (!status.is_ok()) return status;
  }
  const bool names_pool = given("pool.count") || given("pool.size");
  if (config.select == Select::own && config.connections == 0 && !names_pool)
    config.connections = kDefaultConnections;
  Status status = complete_threads(config, processors);
  if (!status.is_ok()) return status;
  if (config.callers == 0) config.callers = config.slots() * config.depth;
  const int64_t most = plan_options().find("load.callers")->max;
  if (config.callers > most)
    return refuse("load.callers", "slots x pool.depth make " +
                                      number(config.callers) +
                                      " callers; say how many there are, up "
                                      "to " +
                                      number(most));
  if (config.callers < config.threads)
    return refuse("threads", number(config.threads) +
                                 " threads need at least as many callers; "
                                 "load.callers is " +
                                 number(config.callers));
  status = check_curl(config);
  if (status.is_ok()) status = check_ways(config, given);
  if (status.is_ok()) status = check_verify(config);
  if (!status.is_ok()) return status;
  status = check_axes(config, given);
  return status.is_ok() ? check_discipline(config) : status;
}

std::optional<double> limit_per_s(const Config& config, int64_t delay_ns,
                                  bool server_is_serial) {
  if (delay_ns <= 0) return {};
  const int64_t depth = server_is_serial ? 1 : config.depth;
  const int64_t places =
      config.grows() ? config.callers : config.slots() * depth;
  const int64_t at_once = std::min(config.callers, places);
  return static_cast<double>(at_once) * 1e9 / static_cast<double>(delay_ns);
}

int64_t delay_of_url(const std::string& text) {
  constexpr std::string_view kRoute = "/wait/";
  const Result<Url> url = parse_url(text);
  if (!url.is_ok() || !url.value().target.starts_with(kRoute)) return 0;
  std::string ms = url.value().target.substr(kRoute.size());
  ms.resize(std::min(ms.find('?'), ms.size()));
  if (ms.find_first_not_of("0123456789.") != ms.npos) return 0;
  return parse_duration(ms + "ms").value_or(0);
}

}  // namespace dyno
