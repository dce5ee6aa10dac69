#include "plan/presets.hh"

#include <strings.h>

#include <array>
#include <string>
#include <vector>

#include "base/options.hh"

namespace dyno {
namespace {

constexpr std::array kDedicated{
    PresetAxis{"pool.select", "own"},
    PresetAxis{"pool.open", "eager"},
};

constexpr std::array kFifoLazy{
    PresetAxis{"pool.select", "idle-fifo"},
    PresetAxis{"pool.full", "wait"},
    PresetAxis{"pool.wait", "5s"},
    PresetAxis{"pool.cancel", "lazy"},
    PresetAxis{"pool.owner", "serial"},
    PresetAxis{"pool.on_close_pending", "fail"},
    PresetAxis{"request.timeout", "15s"},
};

constexpr std::array kFifoEager{
    PresetAxis{"pool.select", "idle-lifo"},
    PresetAxis{"pool.full", "wait"},
    PresetAxis{"pool.wait", "1s"},
    PresetAxis{"pool.cancel", "eager"},
    PresetAxis{"pool.owner", "serial"},
    PresetAxis{"pool.on_close_pending", "fail"},
    PresetAxis{"request.timeout", "1s"},
};

constexpr std::array kFifoEagerSharded{
    PresetAxis{"pool.shard", "random"},
    PresetAxis{"pool.select", "idle-lifo"},
    PresetAxis{"pool.full", "wait"},
    PresetAxis{"pool.wait", "1s"},
    PresetAxis{"pool.retry_wait", "1"},
    PresetAxis{"pool.cancel", "eager"},
    PresetAxis{"pool.owner", "serial"},
    PresetAxis{"pool.on_close", "next-use-error"},
    PresetAxis{"pool.on_close_pending", "fail"},
    PresetAxis{"pool.budget", "shared"},
    PresetAxis{"pool.on_timeout", "abandon"},
    PresetAxis{"pool.correlate", "none"},
    PresetAxis{"request.timeout", "1s"},
};

constexpr std::array kFifoPatient{
    PresetAxis{"pool.select", "idle-lifo"},
    PresetAxis{"pool.full", "wait"},
    PresetAxis{"pool.wait", "8s"},
    PresetAxis{"pool.cancel", "eager"},
    PresetAxis{"pool.owner", "serial"},
    PresetAxis{"pool.on_close_pending", "fail"},
    PresetAxis{"request.timeout", "5s"},
};

constexpr std::array kRandomTrylock{
    PresetAxis{"pool.select", "random"},
    PresetAxis{"pool.full", "fail"},
    PresetAxis{"pool.on_close", "reopen-now"},
    PresetAxis{"pool.on_close_pending", "retry"},
    PresetAxis{"pool.retry_closed", "1"},
    PresetAxis{"request.timeout", "1s"},
};

constexpr std::array kRandomMuxFailfast{
    PresetAxis{"pool.select", "random"},
    PresetAxis{"pool.depth", "1024"},
    PresetAxis{"pool.full", "fail"},
    PresetAxis{"pool.open", "eager"},
    PresetAxis{"pool.on_close", "fail-fast"},
    PresetAxis{"pool.backoff", "500ms"},
    PresetAxis{"pool.backoff_max", "2m"},
    PresetAxis{"pool.on_close_pending", "fail"},
    PresetAxis{"pool.on_timeout", "abandon-id"},
    PresetAxis{"request.timeout", "1s"},
};

constexpr std::array kRandomMuxSkipdown{
    PresetAxis{"pool.select", "random"},
    PresetAxis{"pool.depth", "1024"},
    PresetAxis{"pool.full", "fail"},
    PresetAxis{"pool.open", "eager"},
    PresetAxis{"pool.on_close", "fail-fast"},
    PresetAxis{"pool.down_tries", "3"},
    PresetAxis{"pool.backoff", "500ms"},
    PresetAxis{"pool.backoff_max", "2m"},
    PresetAxis{"pool.on_close_pending", "retry"},
    PresetAxis{"pool.retry_closed", "3"},
    PresetAxis{"pool.on_timeout", "abandon-id"},
    PresetAxis{"request.timeout", "1s"},
};

constexpr std::array kLeastPipeline{
    PresetAxis{"pool.select", "least-loaded"},
    PresetAxis{"pool.depth", "1024"},
    PresetAxis{"pool.full", "fail"},
    PresetAxis{"pool.owner", "serial"},
    PresetAxis{"pool.on_close_pending", "retry"},
    PresetAxis{"pool.retry_closed", "2"},
    PresetAxis{"pool.budget", "shared"},
    PresetAxis{"request.timeout", "30s"},
};

constexpr std::array kLeastQueue{
    PresetAxis{"pool.select", "least-ready"},
    PresetAxis{"pool.slot_queue", "1M"},
    PresetAxis{"pool.full", "new-connection"},
    PresetAxis{"pool.owner", "serial"},
    PresetAxis{"pool.on_close_pending", "resubmit"},
    PresetAxis{"pool.budget", "active-only"},
    PresetAxis{"request.timeout", "1s"},
};

constexpr std::array kCurlNative{
    PresetAxis{"pool.select", "native"},
    PresetAxis{"pool.on_close_pending", "fail"},
};

constexpr std::array kNone{
    PresetAxis{"pool.select", "own"},
    PresetAxis{"pool.open", "per-request"},
    PresetAxis{"pool.on_close_pending", "fail"},
    PresetAxis{"request.timeout", "5s"},
};

constexpr std::array kNoneLeak{
    PresetAxis{"pool.select", "idle-fifo"},
    PresetAxis{"pool.full", "fail"},
    PresetAxis{"pool.open", "per-request"},
    PresetAxis{"pool.leak_on_done", "on"},
    PresetAxis{"pool.on_close_pending", "fail"},
    PresetAxis{"pool.on_timeout", "abandon"},
    PresetAxis{"request.timeout", "5s"},
};

constexpr std::array kPresets{
    Preset{"dedicated", "wrk",
           "Every caller owns its connection and uses it again at once. What "
           "wrk and most load generators do: no pool stands between the load "
           "and the server.",
           "completed/s = callers / (delay + overhead)",
           "wg/wrk@a211dd5 src/wrk.c", kDedicated},
    Preset{"fifo-lazy", "Finch",
           "Callers take the connection that has been idle longest and wait "
           "in one queue, first in, first out, when there is none. An expired "
           "waiter is skipped when its turn comes, so that overload costs no "
           "capacity.",
           "S slots, hold time h, C callers, wait T: completed/s = S/h; no "
           "failure while C < S(1 + T/h); above, x = (C - S(1 + T/h)) / T "
           "callers expire per second and the failed share is x / (S/h + x)",
           "dashbitco/nimble_pool@2444fd0 lib/nimble_pool.ex, "
           "sneako/finch@4b9b7b1 lib/finch/http1/pool.ex",
           kFifoLazy},
    Preset{"fifo-eager", "MachineGun",
           "Callers take the connection that was used last and wait up to 1 s "
           "in one queue that a serial owner keeps. A waiter that gives up "
           "tells the owner, who scans the whole queue for it: with costs "
           "(pool.owner_cost, pool.cancel_scan) the pool collapses under "
           "overload, at the price of a native pool it does not.",
           "completed/s = S/h; no failure while C < S(1 + T/h); collapsed, a "
           "budget of N: completed/s = S*C/(h*N)",
           "petrohi/machine_gun@a972e21 lib/machine_gun/worker.ex, "
           "devinus/poolboy@1.5.2 src/poolboy.erl",
           kFifoEager},
    Preset{"fifo-eager-sharded", "Mojito",
           "Each request draws one of several fifo-eager pools at random, and "
           "once more when its wait of 1 s has passed. A slot notices that "
           "the server closed it by failing its next request, and answers "
           "carry no id: a late one is taken for the answer to whatever its "
           "caller asks next.",
           "failed share = 1/(K+1) where the server closes after K requests; "
           "completed/s = S*P/h; collapsed: S*C/(2*h*N)",
           "appcues/mojito@ee4e4b0 lib/mojito/pool.ex, "
           "lib/mojito/pool/single.ex, lib/mojito/conn_server.ex",
           kFifoEagerSharded},
    Preset{"fifo-patient", "Hackney",
           "Callers take the connection that was used last and wait in one "
           "queue for up to 8 s. Nobody is turned away before that.",
           "completed/s = S/h; no failure while C*h/S < 8 s",
           "benoitc/hackney@1.15.1 src/hackney_pool.erl", kFifoPatient},
    Preset{"random-trylock", "Dlhttpc",
           "A caller draws one slot at random and fails with busy when it is "
           "in use. No queue, no second choice.",
           "failed share = completed/s * hold / S, the probability that a "
           "random slot is in use",
           "ferd/dispcount@192139f src/dispcount_watcher.erl, "
           "ferd/dlhttpc@1072652 src/dlhttpc_disp.erl",
           kRandomTrylock},
    Preset{"random-mux-failfast", "Buoy",
           "A caller draws one slot at random and pipelines behind the up to "
           "1023 requests on it. A slot whose connection was closed answers "
           "no_connection until its backoff has passed.",
           "a server that closes after K requests, a budget of N: failed "
           "share = 1 - S*K/N at any number of callers; 0 with unlimited K",
           "lpgauth/shackle@0.6.2 src/shackle_pool.erl, "
           "src/shackle_tcp_server.erl, lpgauth/buoy@b65c06f src/buoy_pool.erl",
           kRandomMuxFailfast},
    Preset{"random-mux-skipdown", "Shackle",
           "random-mux-failfast that draws again, up to three times, when the "
           "slot is down, and sends a request again, up to three times, when "
           "its connection was closed. Fails with no_connection when every "
           "draw was down.",
           "a share d of the slots down: no_connection = d^4 of the draws",
           "lpgauth/shackle@9b921bf src/shackle_pool.erl", kRandomMuxSkipdown},
    Preset{"least-pipeline", "Ibrowse",
           "Each request opens a connection until all slots have one; then it "
           "is pipelined on the connection with the fewest requests, and "
           "fails with retry_later when even that one has 1024. Requests "
           "behind a close are sent again on another one.",
           "above S/h where the server answers pipelined requests "
           "concurrently, up to C/h; at most S/delay where it does not",
           "cmullaparthi/ibrowse@v4.4.1 src/ibrowse_lb.erl, "
           "src/ibrowse_http_client.erl",
           kLeastPipeline},
    Preset{"least-queue", "Httpc",
           "A request joins the shortest queue of a connection that has "
           "answered before, one request on its wire at a time, and opens a "
           "new connection when there is none, beyond pool.size too. Its "
           "time-out runs only while it is on the wire.",
           "no failure at any number of callers; completed/s = 1 / (the "
           "owner's cost of one request) where that is the limit",
           "erlang/otp inets-8.2.2 src/http_client/httpc_manager.erl, "
           "httpc_handler.erl",
           kLeastQueue},
    Preset{"none", "",
           "Every request opens a connection and closes it after the answer. "
           "No pool at all: what a pool saves can be read off against it.",
           "at most (local ports) / (time-wait of 60 s) connections/s for "
           "long where the client closes first",
           "elixir-mint/mint@v0.2.1 lib/mint/http1.ex", kNone},
    Preset{"none-leak", "Mint",
           "none with pool.leak_on_done=on: every request opens a connection "
           "and leaves it to the server's idle close. Descriptors run out "
           "before anything else does.",
           "F descriptors, idle close I: completed/s = F/I",
           "elixir-mint/mint@v0.2.1 lib/mint/http1.ex, "
           "appcues/mojito@ee4e4b0 lib/mojito/request/single.ex",
           kNoneLeak},
    Preset{"curl-native", "",
           "libcurl chooses: every caller is a transfer, which takes an idle "
           "connection of libcurl's own cache, makes one, or waits in "
           "libcurl's queue while there are pool.size. Needs engine curl.",
           "completed/s = S/h; no failure at any number of callers that "
           "request.timeout lets wait",
           "curl/curl@curl-7_88_1 lib/multi.c, lib/conncache.c", kCurlNative},
};

}  // namespace

const char* Preset::axis(std::string_view key) const {
  for (const PresetAxis& one : axes)
    if (key == one.key) return one.value;
  return nullptr;
}

std::span<const Preset> presets() {
  return kPresets;
}

const Preset* find_preset(std::string_view name) {
  const std::string wanted(name);
  for (const Preset& preset : kPresets) {
    if (wanted == preset.name) return &preset;
    if (*preset.alias != '\0' && strcasecmp(wanted.c_str(), preset.alias) == 0)
      return &preset;
  }
  return nullptr;
}

Status unknown_preset(std::string_view name) {
  std::vector<const char*> names;
  std::string known;
  for (const Preset& preset : kPresets) {
    names.push_back(preset.name);
    known += known.empty() ? "" : ", ";
    known += preset.name;
  }
  const std::string near = nearest(name, names);
  std::string text = "client: \"" + std::string(name) + "\" is no discipline; ";
  text += near.empty() ? "one of: " + known : "did you mean " + near + "?";
  return fail(Code::value, std::move(text), "client");
}

}  // namespace dyno
