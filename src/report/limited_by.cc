#include "report/limited_by.hh"

#include <algorithm>

namespace dyno {
namespace {

constexpr double kReached = 0.9;
// Fewer failures than this share of the requests explain nothing.
constexpr double kFewPercent = 1;

const char* word_of(Failure kind) {
  switch (kind) {
    case Failure::pool_timeout:
    case Failure::budget_exhausted:
      return "pool";
    case Failure::queue_full:
    case Failure::busy:
    case Failure::backlog_full:
    case Failure::retry_later:
      return "busy";
    case Failure::no_connection:
    case Failure::closed:
    case Failure::reset:
    case Failure::truncated:
      return "server-close";
    case Failure::connect_timeout:
    case Failure::request_timeout:
      return "timeouts";
    case Failure::connect_refused:
      return "refused";
    case Failure::fd_exhausted:
      return "descriptors";
    case Failure::address_exhausted:
      return "ports";
    default:
      return "-";
  }
}

Failure most_frequent(const Counters& counts) {
  const auto most =
      std::max_element(counts.failures.begin(), counts.failures.end());
  return static_cast<Failure>(most - counts.failures.begin());
}

// All that the pools can have on their wires at once.
int64_t places(const CellResult& cell) {
  const Config& config = cell.cell.config;
  return config.slots() * (cell.is_server_serial() ? 1 : config.depth);
}

}  // namespace

const char* limited_by(const CellResult& cell) {
  if (cell.is_skipped()) return "-";
  if (cell.limit_share() >= kReached)
    return places(cell) <= cell.cell.config.callers ? "pool" : "callers";
  if (cell.client.is_limit) return "client-cpu";
  if (cell.failed_percent() >= kFewPercent)
    return word_of(most_frequent(cell.tally.counts));
  return "-";
}

}  // namespace dyno
