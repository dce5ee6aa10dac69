#include "run/preflight.hh"

#include <algorithm>

#include "net/affinity.hh"
#include "net/preflight.hh"

namespace dyno {
namespace {

// Of a worker's loop (epoll, eventfd, timerfd) and one spare.
constexpr int64_t kPerThread = 4;
// Cancel, done, the resolver's sockets, the /stats connection.
constexpr int64_t kPerRun = 8;

int64_t connections_of(const Config& config) {
  const bool is_eager = config.open == Open::eager;
  int64_t wanted =
      is_eager ? config.slots() : std::min(config.slots(), config.callers);
  if (config.grows()) wanted = std::max(config.slots(), config.callers);
  if (config.leak_on_done) wanted = config.slots();
  return config.nofile > 0 ? std::min(wanted, config.nofile) : wanted;
}

Status check_cell(const Config& config) {
  const int64_t connections = connections_of(config);
  const int64_t needed = connections + config.threads * kPerThread + kPerRun;
  return check_fds(needed, std::to_string(connections) + " connections");
}

}  // namespace

Status check_host(std::vector<Cell>& cells) {
  const Config& first = cells.front().config;
  if (first.is_modelled()) return {};  // that needs nothing of this host
  if (!first.cpus.empty()) {
    const Result<std::vector<int>> cpus = parse_cpus(first.cpus);
    if (!cpus.is_ok()) return cpus.status();
  }
  if (first.raise_nofile) {
    Status status = raise_nofile();
    if (!status.is_ok()) return status;
  }
  for (Cell& cell : cells) {
    if (!cell.skipped.empty()) continue;
    Status status = check_cell(cell.config);
    if (status.is_ok()) continue;
    if (cells.size() == 1) return status;
    cell.skipped = std::move(status.message);
  }
  return {};
}

}  // namespace dyno
