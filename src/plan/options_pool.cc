// The rows of the disciplines: the axes of a pool.
#include <array>

#include "plan/config.hh"
#include "plan/option_rows.hh"

namespace dyno {
namespace {

const std::array kRows{
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
                        "least-loaded|least-ready|native",
              .help = "which slot a request is offered: its caller's own; the "
                      "idle one used last or longest ago; any, whatever its "
                      "state; each in turn; a new one until all are open, then "
                      "the one with the fewest requests; the one with the "
                      "fewest among those that have answered before; native: "
                      "libcurl's own choice, pool.size connections at most"},
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
                      "replies carry no id; counted as misdelivered, and a "
                      "failure with verify.id"},
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
};

}  // namespace

std::span<const OptionRow> pool_rows() {
  return kRows;
}

}  // namespace dyno
