// Stats: what a server has counted. Each thread writes counters of its own and
// anybody may read them at any time; sums are made on demand.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/options.hh"

namespace dyno::server {

enum class Stat : uint8_t {
  accepted,
  closed,
  read,
  written,
  bad_requests,
  faults,
  held,
  idle_closed,
  accept_errors,
  tls_failed,
};
inline constexpr size_t kStats = 10;

// One thread's; on cache lines of its own. Only that thread adds.
class alignas(64) Counters {
 public:
  void add(Stat stat, int64_t count = 1) {
    std::atomic<int64_t>& cell = cells_[static_cast<size_t>(stat)];
    cell.store(cell.load(std::memory_order_relaxed) + count,
               std::memory_order_relaxed);
  }
  int64_t get(Stat stat) const {
    return cells_[static_cast<size_t>(stat)].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<int64_t>, kStats> cells_{};
};

// The names that the C ABI and the JSON have, in that order. `open` is among
// them: accepted minus closed.
struct StatRow {
  const char* name;
  const char* help;
};
std::span<const StatRow> stat_table();

class Stats {
 public:
  explicit Stats(size_t threads);

  Counters& of_thread(size_t index) { return *counters_[index]; }
  // By a name of the table.
  std::optional<int64_t> get(std::string_view name) const;
  // {"server":"httpdyno","accepted":1,…,"limits":{"host":"127.0.0.1",…}}: all
  // the counters, and each option as the text that sets it.
  std::string json(const ServerConfig& config) const;

 private:
  int64_t sum(size_t row) const;

  std::vector<std::unique_ptr<Counters>> counters_;
};

}  // namespace dyno::server
