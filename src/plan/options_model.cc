// The rows of engine sim: the modelled server and the modelled host.
#include <array>

#include "plan/config.hh"
#include "plan/option_rows.hh"

namespace dyno {
namespace {

const std::array kRows{
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
              .fallback = "1us",
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

std::span<const OptionRow> model_rows() {
  return kRows;
}

}  // namespace dyno
