#include "suite/constants.hh"

namespace dyno {
namespace {

// The published tables say nothing of the machine; 16 processors and these
// times are fitted. A request holds its connection for 11.02 ms: 32 connections
// carry 2,903 requests per second in the published rows of Mojito and
// MachineGun.
constexpr PresetAxis kHost[] = {
    {"sim.cpus", "16"},
    {"sim.timer_lateness", "2ms"},
    {"sim.delay", "10ms"},
    {"sim.requests_per_connection", "100"},
    {"sim.close_header", "on"},
    {"sim.idle_close", "5s"},
    {"sim.max_connections", "16384"},
    {"sim.backlog", "1024"},
    {"sim.pipelined", "concurrent"},
};

// Dlhttpc holds its connections longer: its failing callers spin, and starve
// those that read an answer. Hackney's two and Httpc's one manager process do
// their work one request after another. Mint starts a process and a connection
// per request.
constexpr BenchClient kClients[] = {
    // name, law, completed us, failed us, owner ns, slot ns, scan ns, hold us
    {"Buoy", Law::burn, 130, 10, 0, 0, 0, 1020},
    {"Dlhttpc", Law::unknown, 200, 15, 0, 0, 0, 9020},
    {"Hackney", Law::queue, 300, 20, 20'000, 44, 50, 1020},
    {"Httpc", Law::owner, 400, 20, 95'000, 0, 0, 1020},
    {"Ibrowse", Law::owner, 300, 20, 15'750, 90, 0, 1020},
    {"MachineGun", Law::queue, 215, 20, 5'000, 0, 50, 1020},
    {"Mint", Law::leak, 4'600, 30, 0, 0, 0, 1020},
    {"Mojito", Law::queue, 240, 20, 5'000, 0, 50, 1020},
};

}  // namespace

std::span<const BenchClient> bench_clients() {
  return kClients;
}

const BenchClient* find_bench_client(std::string_view name) {
  for (const BenchClient& client : kClients)
    if (name == client.name) return &client;
  return nullptr;
}

std::span<const PresetAxis> bench_host() {
  return kHost;
}

}  // namespace dyno
