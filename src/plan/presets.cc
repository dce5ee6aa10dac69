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
    PresetAxis{"pool.on_close_pending", "fail"},
    PresetAxis{"request.timeout", "15s"},
};

constexpr std::array kFifoPatient{
    PresetAxis{"pool.select", "idle-lifo"},
    PresetAxis{"pool.full", "wait"},
    PresetAxis{"pool.wait", "8s"},
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

constexpr std::array kNone{
    PresetAxis{"pool.select", "own"},
    PresetAxis{"pool.open", "per-request"},
    PresetAxis{"pool.on_close_pending", "fail"},
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
           "callers expire per second",
           "dashbitco/nimble_pool@2444fd0 lib/nimble_pool.ex, "
           "sneako/finch@4b9b7b1 lib/finch/http1/pool.ex",
           kFifoLazy},
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
    Preset{"none", "",
           "Every request opens a connection and closes it after the answer. "
           "No pool at all: what a pool saves can be read off against it.",
           "at most (local ports) / (time-wait of 60 s) connections/s for "
           "long where the client closes first",
           "elixir-mint/mint@v0.2.1 lib/mint/http1.ex", kNone},
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
