#include "plan/options.hh"

#include <array>

#include "http/request.hh"
#include "http/url.hh"
#include "plan/config.hh"
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

constexpr int64_t kMostConnections = 1'000'000;
constexpr int64_t kMostCount = 1'000'000'000'000'000;
constexpr int64_t kLongest = 30LL * 24 * 3600 * kSecond;
constexpr int64_t kLongestCost = 60 * kSecond;

// The order of the rows is the order in help, and for list-valued rows the
// nesting of a matrix: the first varies slowest.
const std::array kRows{
    OptionRow{.key = "target.url",
              .field = field<&Config::url>(),
              .help = "the URL that is asked, http://HOST[:PORT][/PATH]; "
                      "engine sim needs none",
              .check = check_url},
    OptionRow{.key = "target.own",
              .type = OptionType::flag,
              .field = field<&Config::target_own>(),
              .fallback = "off",
              .help = "the target is httpdyno's own server: its /stats are "
                      "read and reconciled (recognised by itself otherwise)",
              .engines = "event"},
    OptionRow{.key = "engine",
              .type = OptionType::choice,
              .field = field<&Config::engine>(),
              .fallback = "event",
              .values = "event|sim",
              .help = "what carries the bytes: sockets, or a model of server "
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
              .max = 1024,
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
              .engines = "event"},

    OptionRow{.key = "pool.shard",
              .type = OptionType::choice,
              .field = field<&Config::shard>(),
              .fallback = "random",
              .values = "random|round-robin",
              .help = "how a request's pool is drawn"},
    OptionRow{.key = "pool.select",
              .type = OptionType::choice,
              .field = field<&Config::select>(),
              .fallback = "own",
              .values = "own|idle-lifo|idle-fifo|random|round-robin|"
                        "least-loaded|least-ready",
              .help = "which slot a request is offered: its caller's own; the "
                      "idle one used last or longest ago; any, whatever its "
                      "state; each in turn; a new one until all are open, then "
                      "the one with the fewest requests; the one with the "
                      "fewest among those that have answered before"},
    OptionRow{.key = "pool.slot_queue",
              .type = OptionType::count,
              .field = field<&Config::slot_queue>(),
              .fallback = "0",
              .max = kMostCount,
              .help = "requests that may wait in a slot behind pool.depth"},
    OptionRow{.key = "pool.full",
              .type = OptionType::choice,
              .field = field<&Config::full>(),
              .fallback = "wait",
              .values = "wait|fail|new-connection",
              .help = "a request that finds no room waits in the pool's "
                      "first-in-first-out queue, fails at once, or opens a "
                      "connection beyond pool.size"},
    OptionRow{.key = "pool.queue_limit",
              .type = OptionType::count,
              .field = field<&Config::queue_limit>(),
              .fallback = "unlimited",
              .help = "requests in a pool's queue; one more is queue_full"},
    OptionRow{.key = "pool.wait",
              .type = OptionType::duration,
              .field = field<&Config::wait_ns>(),
              .fallback = "unlimited",
              .min = kMicrosecond,
              .unit = "ns",
              .help = "the longest wait in the queue; then pool_timeout"},
    OptionRow{.key = "pool.open",
              .type = OptionType::choice,
              .field = field<&Config::open>(),
              .fallback = "lazy",
              .values = "eager|lazy|per-request",
              .help = "connections are opened before the clock starts, on "
                      "first use, or for each request and closed after it"},
    OptionRow{.key = "pool.on_close",
              .type = OptionType::choice,
              .field = field<&Config::on_close>(),
              .fallback = "honour",
              .values = "honour|reopen-now|fail-fast|next-use-error",
              .help = "a slot whose connection was closed opens one when it is "
                      "used next; opens one at once; answers no_connection "
                      "until pool.backoff has passed; or finds out by failing "
                      "the request that uses it next"},
    OptionRow{.key = "pool.backoff",
              .type = OptionType::duration,
              .field = field<&Config::backoff_ns>(),
              .fallback = "500ms",
              .min = kMicrosecond,
              .max = kLongest,
              .unit = "ns",
              .help = "fail-fast: a slot is down for this + U(0, this/2) after "
                      "a close; a failed dial adds U(0, current/2)"},
    OptionRow{.key = "pool.backoff_max",
              .type = OptionType::duration,
              .field = field<&Config::backoff_max_ns>(),
              .fallback = "2m",
              .min = kMicrosecond,
              .max = kLongest,
              .unit = "ns",
              .help = "the cap of a growing pool.backoff"},
    OptionRow{.key = "pool.on_close_pending",
              .type = OptionType::choice,
              .field = field<&Config::pending>(),
              .fallback = "retry",
              .values = "fail|retry|resubmit",
              .help = "requests whose connection was closed before any byte of "
                      "their answer fail, are sent again up to "
                      "pool.retry_closed times, or go back to the pool"},
    OptionRow{.key = "pool.retry_closed",
              .type = OptionType::count,
              .field = field<&Config::retry_closed>(),
              .fallback = "1",
              .max = 1000,
              .help = "retries of one request after closes, only where the "
                      "connection had served before (RFC 9112 section 9.3.1)"},
    OptionRow{.key = "pool.down_tries",
              .type = OptionType::count,
              .field = field<&Config::down_tries>(),
              .fallback = "0",
              .max = 1000,
              .help = "select=random|round-robin: draws again up to this many "
                      "times when the slot is down (0: its state is not looked "
                      "at)"},
    OptionRow{.key = "pool.retry_wait",
              .type = OptionType::count,
              .field = field<&Config::retry_wait>(),
              .fallback = "0",
              .max = 1000,
              .help = "after a pool_timeout a request draws a pool again and "
                      "waits a fresh pool.wait, up to this many times"},
    OptionRow{.key = "pool.budget",
              .type = OptionType::choice,
              .field = field<&Config::budget>(),
              .fallback = "separate",
              .values = "separate|shared|active-only",
              .help = "request.timeout runs from the grant of an open slot; "
                      "from the request's arrival at the pool, its wait "
                      "included; or only while the request is on the wire"},
    OptionRow{.key = "pool.on_timeout",
              .type = OptionType::choice,
              .field = field<&Config::on_timeout>(),
              .fallback = "close",
              .values = "close|abandon-id|abandon",
              .help = "a request that times out takes its connection with it; "
                      "leaves it open and keeps its place there until the late "
                      "answer, which is dropped; or leaves its place to the "
                      "next request, behind the answer that is still to come"},
    OptionRow{.key = "pool.correlate",
              .type = OptionType::choice,
              .field = field<&Config::correlate>(),
              .fallback = "strict",
              .values = "strict|none",
              .help = "none: an answer is delivered to its caller whatever "
                      "request that waits for now, as a client does whose "
                      "replies carry no id; counted as misdelivered"},
    OptionRow{.key = "pool.idle_timeout",
              .type = OptionType::duration,
              .field = field<&Config::idle_timeout_ns>(),
              .fallback = "unlimited",
              .min = kMillisecond,
              .unit = "ns",
              .help = "a connection that was idle for this long is closed by "
                      "the client"},
    OptionRow{.key = "pool.leak_on_done",
              .type = OptionType::flag,
              .field = field<&Config::leak_on_done>(),
              .fallback = "off",
              .help = "open=per-request: the connection is not closed after "
                      "the answer but left to the server"},
    OptionRow{.key = "pool.owner",
              .type = OptionType::choice,
              .field = field<&Config::owner>(),
              .fallback = "inline",
              .values = "inline|serial",
              .help = "who decides: each caller by itself, or one owner per "
                      "pool that takes every checkout, check-in and cancel as "
                      "a message, one after another; free of cost unless "
                      "pool.owner_cost, pool.owner_slot_cost or "
                      "pool.cancel_scan say what a message costs"},
    OptionRow{.key = "pool.owner_cost",
              .type = OptionType::duration,
              .field = field<&Config::owner_cost_ns>(),
              .fallback = "0s",
              .max = kSecond,
              .unit = "ns",
              .help = "owner=serial: the time that one message takes. A native "
                      "pool is 10 to 100 times cheaper than a serial Erlang "
                      "process and does not collapse by itself: this says so "
                      "openly"},
    OptionRow{.key = "pool.owner_slot_cost",
              .type = OptionType::duration,
              .field = field<&Config::owner_slot_cost_ns>(),
              .fallback = "0s",
              .max = kSecond,
              .unit = "ns",
              .help = "owner=serial: added to a message for each slot of the "
                      "pool"},
    OptionRow{.key = "pool.cancel",
              .type = OptionType::choice,
              .field = field<&Config::cancel>(),
              .fallback = "lazy",
              .values = "lazy|eager",
              .help = "a waiter that gave up is skipped when its turn comes, "
                      "or sends the owner a message that removes it"},
    OptionRow{.key = "pool.cancel_scan",
              .type = OptionType::duration,
              .field = field<&Config::cancel_scan_ns>(),
              .fallback = "0s",
              .max = kSecond,
              .unit = "ns",
              .help = "owner=serial, cancel=eager: added to a cancel for each "
                      "request in the queue, which the owner scans"},

    OptionRow{.key = "request.timeout",
              .type = OptionType::duration,
              .field = field<&Config::request_timeout_ns>(),
              .fallback = "10s",
              .min = kMicrosecond,
              .unit = "ns",
              .help = "from sending a request to its whole answer",
              .flag = "timeout"},
    OptionRow{.key = "resolve.timeout",
              .type = OptionType::duration,
              .field = field<&Config::resolve_timeout_ns>(),
              .fallback = "5s",
              .min = kMillisecond,
              .max = kLongest,
              .unit = "ns",
              .help = "for the one look-up of the name, before any load",
              .engines = "event"},
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
              .engines = "event,sim"},
    OptionRow{.key = "suite.mode",
              .type = OptionType::choice,
              .field = field<&Config::suite_mode>(),
              .fallback = "auto",
              .values = "auto|quick|full",
              .help = "quick: two or three rows of every client, and in real "
                      "time with budgets cut so that none lasts longer than "
                      "10 s; full: every row with the published budget; auto: "
                      "full where time is simulated, quick otherwise",
              .engines = "event,sim"},
    OptionRow{.key = "host.cpus",
              .field = field<&Config::cpus>(),
              .help = "processors that the threads are pinned to, in turn: "
                      "0,2-3",
              .flag = "cpus",
              .engines = "event"},
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

    OptionRow{.key = "sim.cpus",
              .type = OptionType::count,
              .field = field<&Config::sim_cpus>(),
              .fallback = "1",
              .min = 1,
              .max = 4096,
              .help = "the model's processors of the client, which do the "
                      "work of sim.completed_cost and sim.failed_cost in the "
                      "order in which it comes",
              .engines = "sim"},
    OptionRow{.key = "sim.completed_cost",
              .type = OptionType::duration,
              .field = field<&Config::sim_completed_cost_ns>(),
              .fallback = "0s",
              .max = kLongestCost,
              .unit = "ns",
              .help = "the model's processor time for an answer before it is "
                      "handed over; at 0 a native pool, which does not "
                      "collapse as one of serial Erlang processes does",
              .engines = "sim"},
    OptionRow{.key = "sim.failed_cost",
              .type = OptionType::duration,
              .field = field<&Config::sim_failed_cost_ns>(),
              .fallback = "0s",
              .max = kLongestCost,
              .unit = "ns",
              .help = "the model's processor time for a failure before its "
                      "caller goes on; at 0 it is 1 ns, so callers that fail "
                      "at once fail a million times per ms",
              .engines = "sim"},
    OptionRow{.key = "sim.timer_lateness",
              .type = OptionType::duration,
              .field = field<&Config::sim_timer_lateness_ns>(),
              .fallback = "0s",
              .max = kLongestCost,
              .unit = "ns",
              .help = "the model's timers of waiting callers are late by "
                      "between nothing and this, so that they do not expire "
                      "in lockstep",
              .engines = "sim"},
    OptionRow{.key = "sim.delay",
              .type = OptionType::duration,
              .field = field<&Config::sim_delay_ns>(),
              .fallback = "10ms",
              .max = kLongest,
              .unit = "ns",
              .help = "the modelled server's time for an answer (not given: "
                      "MS of a target.url with /wait/MS)",
              .engines = "sim"},
    OptionRow{.key = "sim.hold_overhead",
              .type = OptionType::duration,
              .field = field<&Config::sim_hold_overhead_ns>(),
              .fallback = "0s",
              .max = kLongest,
              .unit = "ns",
              .help = "what a connection is held per request on top of "
                      "sim.delay",
              .engines = "sim"},
    OptionRow{.key = "sim.connect_time",
              .type = OptionType::duration,
              .field = field<&Config::sim_connect_time_ns>(),
              .fallback = "0s",
              .max = kLongest,
              .unit = "ns",
              .help = "what a connection to the modelled server takes",
              .engines = "sim"},
    OptionRow{.key = "sim.requests_per_connection",
              .type = OptionType::count,
              .field = field<&Config::sim_requests_per_connection>(),
              .fallback = "unlimited",
              .help = "the modelled server closes a connection after this "
                      "many answers; what is pipelined behind them is "
                      "discarded (0: unlimited)",
              .engines = "sim"},
    OptionRow{.key = "sim.close_header",
              .type = OptionType::flag,
              .field = field<&Config::sim_close_header>(),
              .fallback = "on",
              .help = "the answer that uses up sim.requests_per_connection "
                      "says Connection: close",
              .engines = "sim"},
    OptionRow{.key = "sim.idle_close",
              .type = OptionType::duration,
              .field = field<&Config::sim_idle_close_ns>(),
              .fallback = "unlimited",
              .min = kMicrosecond,
              .unit = "ns",
              .help = "the modelled server closes a connection without a "
                      "request for this long",
              .engines = "sim"},
    OptionRow{.key = "sim.max_connections",
              .type = OptionType::count,
              .field = field<&Config::sim_max_connections>(),
              .fallback = "unlimited",
              .min = 1,
              .help = "connections that the modelled server serves at once; "
                      "more wait in sim.backlog, unread, until one closes",
              .engines = "sim"},
    OptionRow{.key = "sim.backlog",
              .type = OptionType::count,
              .field = field<&Config::sim_backlog>(),
              .fallback = "1024",
              .max = kMostConnections,
              .help = "connections that may wait for the modelled server; one "
                      "more ends in connect.timeout",
              .engines = "sim"},
    OptionRow{.key = "sim.pipelined",
              .type = OptionType::choice,
              .field = field<&Config::sim_pipelined>(),
              .fallback = "concurrent",
              .values = "concurrent|serial",
              .help = "the modelled server's delays of pipelined requests run "
                      "side by side, or each starts when the answer before it "
                      "was written",
              .engines = "sim"},
};

}  // namespace

const OptionTable& plan_options() {
  static const OptionTable table(kRows);
  return table;
}

}  // namespace dyno
