#include "plan/options.hh"

#include <array>
#include <span>
#include <vector>

#include "http/request.hh"
#include "http/text.hh"
#include "http/url.hh"
#include "plan/config.hh"
#include "plan/option_rows.hh"
#include "plan/presets.hh"

namespace dyno {
namespace {

Status check_url(std::string_view text) {
  const Result<Url> url = parse_url(text);
  return url.is_ok() ? Status{} : url.status();
}

Status check_client(std::string_view text) {
  return find_preset(text) != nullptr ? Status{} : unknown_preset(text);
}

// Lets the request builder judge one part of a request by itself.
Status check_request(RequestSpec spec) {
  spec.url = parse_url("http://localhost/").value();
  const Result<std::string> made = request_text(spec);
  return made.is_ok() ? Status{} : made.status();
}

Status check_method(std::string_view text) {
  RequestSpec spec;
  spec.method = text;
  return check_request(std::move(spec));
}

Status check_header(std::string_view text) {
  RequestSpec spec;
  spec.headers.emplace_back(text);
  return check_request(std::move(spec));
}

Status check_proxy(std::string_view text) {
  const Result<Url> url = parse_url(text);
  if (url.is_ok() && !url.value().is_tls() && url.value().target == "/")
    return {};
  return fail(Code::value,
              "http.proxy: " + quoted(text) +
                  " is no proxy; try "
                  "http://127.0.0.1:3128",
              "http.proxy");
}

Status check_connect_to(std::string_view text) {
  const Result<Url> url = parse_url("http://" + std::string(text));
  const bool has_port = text.rfind(':') != text.npos && !text.ends_with(']');
  if (url.is_ok() && url.value().target == "/" && has_port) return {};
  return fail(Code::value,
              "target.connect_to: " + quoted(text) +
                  " is no HOST:PORT; try "
                  "127.0.0.1:8080",
              "target.connect_to");
}

// The order of the rows is the order in help, and for list-valued rows the
// nesting of a matrix: the first varies slowest.
const std::array kLoadRows{
    OptionRow{.key = "target.url",
              .field = field<&Config::url>(),
              .help = "the URL that is asked, http://HOST[:PORT][/PATH]; "
                      "engine sim needs none",
              .check = check_url},
    OptionRow{.key = "target.connect_to",
              .field = field<&Config::connect_to>(),
              .help = "connect to HOST:PORT instead of the URL's, which still "
                      "gives Host and the TLS name",
              .flag = "connect-to",
              .engines = "event,curl",
              .check = check_connect_to},
    OptionRow{.key = "target.local_address",
              .list = OptionList::appended,
              .field = field<&Config::local_addresses>(),
              .help = "connect from this address of this host; several are "
                      "taken in turn, each with its own range of ports",
              .flag = "local-address",
              .engines = "event,curl"},
    OptionRow{.key = "target.unix_socket",
              .field = field<&Config::unix_socket>(),
              .help = "connect to this Unix socket; the URL gives Host and "
                      "path only, and its name is not looked up",
              .flag = "unix-socket",
              .engines = "event,curl"},
    OptionRow{.key = "target.own",
              .type = OptionType::flag,
              .field = field<&Config::target_own>(),
              .fallback = "off",
              .help = "the target is httpdyno's own server: its /stats are "
                      "read and reconciled (recognised by itself otherwise)",
              .engines = "event,curl"},
    OptionRow{.key = "engine",
              .type = OptionType::choice,
              .field = field<&Config::engine>(),
              .fallback = "event",
              .values = "event|curl|sim",
              .help = "what carries the bytes: sockets (event), libcurl "
                      "(curl), or a model of server "
                      "and host in virtual time (sim): the same pools and "
                      "counts, but nothing is measured"},
    OptionRow{.key = "client",
              .list = OptionList::expand,
              .field = field<&Config::client>(),
              .fallback = "dedicated",
              .help = "the pool discipline by name, or the name of the client "
                      "that has it; `httpdyno disciplines` lists them",
              .check = check_client},

    OptionRow{.key = "pool.count",
              .type = OptionType::count,
              .list = OptionList::expand,
              .field = field<&Config::pool_count>(),
              .fallback = "1",
              .min = 1,
              .max = kMostConnections,
              .help = "pools; each request draws one by pool.shard"},
    OptionRow{.key = "pool.size",
              .type = OptionType::count,
              .list = OptionList::expand,
              .field = field<&Config::pool_size>(),
              .fallback = "64",
              .min = 1,
              .max = kMostConnections,
              .help = "slots, each with room for one connection, per pool"},
    OptionRow{.key = "connections",
              .type = OptionType::count,
              .list = OptionList::expand,
              .field = field<&Config::connections>(),
              .fallback = "0",
              .max = kMostConnections,
              .help = "the total of connections, spread over the threads; "
                      "instead of pool.count and pool.size",
              .short_flag = "c"},
    OptionRow{.key = "load.callers",
              .type = OptionType::count,
              .list = OptionList::expand,
              .field = field<&Config::callers>(),
              .fallback = "0",
              .max = kMostConnections * 16,
              .help = "closed-loop users, each with one request at a time "
                      "(0: as many as slots x pool.depth)",
              .flag = "callers"},
    OptionRow{.key = "pool.depth",
              .type = OptionType::count,
              .list = OptionList::expand,
              .field = field<&Config::depth>(),
              .fallback = "1",
              .min = 1,
              .max = 65536,
              .help = "requests on the wire of one connection at once; more "
                      "than 1 is HTTP/1.1 pipelining",
              .flag = "pipeline",
              .short_flag = "p"},
    OptionRow{.key = "threads",
              .type = OptionType::count,
              .field = field<&Config::threads>(),
              .fallback = "0",
              .max = kMostThreads,
              .help = "threads, each with its own loop, pools and callers (0: "
                      "as many as processors, 1 where pools are shared)",
              .short_flag = "t"},

    OptionRow{.key = "load.requests",
              .type = OptionType::count,
              .field = field<&Config::requests>(),
              .fallback = "0",
              .max = kMostCount,
              .help = "stop after exactly this many requests (0: no budget)",
              .flag = "requests",
              .short_flag = "n"},
    OptionRow{.key = "load.duration",
              .type = OptionType::duration,
              .field = field<&Config::duration_ns>(),
              .fallback = "0s",
              .max = kLongest,
              .unit = "ns",
              .help = "measure for this long (default 10s unless load.requests "
                      "is given; both: whichever comes first)",
              .flag = "duration",
              .short_flag = "d"},
    OptionRow{.key = "load.warmup",
              .type = OptionType::duration,
              .field = field<&Config::warmup_ns>(),
              .fallback = "0s",
              .max = kLongest,
              .unit = "ns",
              .help =
                  "load before measuring begins, in no number but `warmup`; "
                  "it comes on top of load.duration",
              .flag = "warmup"},
    OptionRow{.key = "load.rate",
              .type = OptionType::rate,
              .list = OptionList::expand,
              .field = field<&Config::rate>(),
              .fallback = "0",
              .help = "open loop: requests are due at this rate, whatever "
                      "became of the ones before, and response counts from "
                      "then (0: closed loop)",
              .flag = "rate"},
    OptionRow{.key = "load.arrivals",
              .type = OptionType::choice,
              .field = field<&Config::arrivals>(),
              .fallback = "constant",
              .values = "constant|poisson",
              .help = "with load.rate: equal gaps, or independent exponential "
                      "ones",
              .flag = "arrivals"},
    OptionRow{.key = "load.max_outstanding",
              .type = OptionType::count,
              .field = field<&Config::max_outstanding>(),
              .fallback = "0",
              .max = kMostConnections * 16,
              .help = "with load.rate: requests that may be out at once; one "
                      "more waits, and is counted as blocked (0: 10k, or the "
                      "slots where each caller owns one)",
              .flag = "max-outstanding"},
    OptionRow{.key = "load.error_pause",
              .type = OptionType::duration,
              .field = field<&Config::error_pause_ns>(),
              .fallback = "0s",
              .max = kLongest,
              .unit = "ns",
              .help = "a caller rests this long after a failure; at 0 a "
                      "failure uses up the caller's turn at once"},

    OptionRow{.key = "http.method",
              .field = field<&Config::method>(),
              .fallback = "GET",
              .help = "the request method",
              .flag = "method",
              .short_flag = "X",
              .check = check_method},
    OptionRow{.key = "http.header",
              .list = OptionList::appended,
              .field = field<&Config::headers>(),
              .help = "a header field, \"Name: value\"; a Host replaces ours",
              .flag = "header",
              .short_flag = "H",
              .check = check_header},
    OptionRow{.key = "http.body",
              .field = field<&Config::body>(),
              .help = "the request body",
              .flag = "body",
              .short_flag = "b"},
    OptionRow{.key = "http.keepalive",
              .type = OptionType::flag,
              .field = field<&Config::keep_alive>(),
              .fallback = "on",
              .help = "off: every request says Connection: close",
              .flag = "keepalive"},
    OptionRow{.key = "http.head_limit",
              .type = OptionType::size,
              .field = field<&Config::head_limit>(),
              .fallback = "64KiB",
              .min = 256,
              .max = 16 * 1048576,
              .unit = "bytes",
              .help = "the largest response head that is accepted",
              .engines = "event,curl"},
    OptionRow{.key = "http.version",
              .type = OptionType::choice,
              .field = field<&Config::http_version>(),
              .fallback = "1.1",
              .values = "1.1|2",
              .help = "2: by ALPN over TLS, one request at a time on each "
                      "connection all the same",
              .engines = "curl"},
    OptionRow{.key = "http.follow",
              .type = OptionType::count,
              .field = field<&Config::follow>(),
              .fallback = "0",
              .max = 100,
              .help = "redirects that a request follows on its own server; "
                      "one more is too_many_redirects (0: none is followed)",
              .engines = "curl"},
    OptionRow{.key = "http.compressed",
              .type = OptionType::flag,
              .field = field<&Config::compressed>(),
              .fallback = "off",
              .help = "ask for compressed bodies and decode them",
              .flag = "compressed",
              .engines = "curl"},
    OptionRow{.key = "http.proxy",
              .field = field<&Config::proxy>(),
              .help = "ask through this proxy, http://HOST:PORT (environment "
                      "variables are not looked at)",
              .flag = "proxy",
              .engines = "curl",
              .check = check_proxy},
    OptionRow{.key = "verify.id",
              .type = OptionType::flag,
              .field = field<&Config::verify_id>(),
              .fallback = "off",
              .help = "send an id with each request, which the server must "
                      "send back (httpdyno serve does): an answer to another "
                      "request is misdelivered; the slow path",
              .engines = "event"},
    OptionRow{.key = "verify.body",
              .type = OptionType::flag,
              .field = field<&Config::verify_body>(),
              .fallback = "off",
              .help = "compare the bodies of /rnd with what httpdyno serve "
                      "must have sent, with its sequence_header on: "
                      "body_mismatch; the slow path",
              .engines = "event"},
};

const std::array kRunRows{
    OptionRow{.key = "request.timeout",
              .type = OptionType::duration,
              .field = field<&Config::request_timeout_ns>(),
              .fallback = "10s",
              .min = kMicrosecond,
              .unit = "ns",
              .help = "for the whole answer to a request; pool.budget says "
                      "from when",
              .flag = "timeout"},
    OptionRow{.key = "resolve.timeout",
              .type = OptionType::duration,
              .field = field<&Config::resolve_timeout_ns>(),
              .fallback = "5s",
              .min = kMillisecond,
              .max = kLongest,
              .unit = "ns",
              .help = "for the one look-up of the name, before any load",
              .engines = "event,curl"},
    OptionRow{.key = "connect.timeout",
              .type = OptionType::duration,
              .field = field<&Config::connect_timeout_ns>(),
              .fallback = "5s",
              .min = kMicrosecond,
              .unit = "ns",
              .help = "for one connection to one address"},
    OptionRow{.key = "connect.concurrency",
              .type = OptionType::count,
              .field = field<&Config::connect_concurrency>(),
              .fallback = "256",
              .min = 1,
              .max = kMostConnections,
              .help = "connections being opened at once before the clock "
                      "starts"},
    OptionRow{.key = "connect.backoff",
              .type = OptionType::duration,
              .field = field<&Config::connect_backoff_ns>(),
              .fallback = "10ms",
              .min = kMillisecond,
              .max = kLongest,
              .unit = "ns",
              .help = "a slot rests this long after a failed dial; each "
                      "further failure doubles it"},
    OptionRow{.key = "connect.backoff_max",
              .type = OptionType::duration,
              .field = field<&Config::connect_backoff_max_ns>(),
              .fallback = "1s",
              .min = kMillisecond,
              .max = kLongest,
              .unit = "ns",
              .help = "the cap of the doubled connect.backoff"},
    OptionRow{.key = "connect.give_up",
              .type = OptionType::duration,
              .field = field<&Config::connect_give_up_ns>(),
              .fallback = "1s",
              .min = kMillisecond,
              .unit = "ns",
              .help = "the run ends when dials have failed for this long and "
                      "none has ever succeeded"},

    OptionRow{.key = "run.repeat",
              .type = OptionType::count,
              .field = field<&Config::repeat>(),
              .fallback = "1",
              .min = 1,
              .max = 10'000,
              .help = "measure every cell this many times",
              .flag = "repeat"},
    OptionRow{.key = "run.order",
              .type = OptionType::choice,
              .field = field<&Config::order>(),
              .fallback = "sequential",
              .values = "sequential|interleaved",
              .help = "repeats as A A B B or as A B A B",
              .flag = "order"},
    OptionRow{.key = "run.seed",
              .type = OptionType::count,
              .field = field<&Config::seed>(),
              .fallback = "1",
              .max = kMostCount,
              .help = "of every random choice"},
    OptionRow{.key = "suite.table",
              .type = OptionType::choice,
              .field = field<&Config::suite_table>(),
              .fallback = "auto",
              .values = "auto|current|original|all",
              .help = "which published table of a suite is re-run; auto is "
                      "current, or original where host.nofile is given",
              .flag = "table",
              .engines = "event,curl,sim"},
    OptionRow{.key = "suite.mode",
              .type = OptionType::choice,
              .field = field<&Config::suite_mode>(),
              .fallback = "auto",
              .values = "auto|quick|full",
              .help = "quick: two or three rows of every client, and in real "
                      "time with budgets cut so that none lasts longer than "
                      "10 s; full: every row with the published budget; auto: "
                      "full where time is simulated, quick otherwise",
              .engines = "event,curl,sim"},
    OptionRow{.key = "host.cpus",
              .field = field<&Config::cpus>(),
              .help = "processors that the threads are pinned to, in turn: "
                      "0,2-3",
              .flag = "cpus",
              .engines = "event,curl"},
    OptionRow{.key = "host.nofile",
              .type = OptionType::count,
              .field = field<&Config::nofile>(),
              .fallback = "0",
              .max = kMostCount,
              .help = "descriptors that connections may take; one more is "
                      "fd_exhausted (0: the limit in force; engine sim: "
                      "unlimited)"},
    OptionRow{.key = "host.raise_nofile",
              .type = OptionType::flag,
              .field = field<&Config::raise_nofile>(),
              .fallback = "off",
              .help = "raise the soft limit of open files to the hard one "
                      "(the command line does)"},
};

std::vector<OptionRow> all_rows() {
  std::vector<OptionRow> all;
  for (const std::span<const OptionRow> rows :
       {std::span<const OptionRow>(kLoadRows), pool_rows(), tls_rows(),
        std::span<const OptionRow>(kRunRows), model_rows()})
    all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

}  // namespace

const OptionTable& plan_options() {
  static const std::vector<OptionRow> rows = all_rows();
  static const OptionTable table(rows);
  return table;
}

}  // namespace dyno
