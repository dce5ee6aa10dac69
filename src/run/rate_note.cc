#include "run/rate_note.hh"

#include "base/units.hh"

namespace dyno {
namespace {

// The generator is late where 1 % of its requests are, by more than this.
constexpr int64_t kLate = kMillisecond;

std::string reason(const CellResult& cell) {
  const Config& config = cell.cell.config;
  if (cell.client.is_limit)
    return "the generator was the limit: use more threads";
  const std::string most = std::to_string(config.callers);
  if (cell.pools.queue_peak > 0 || cell.pools.in_use_peak >= config.slots())
    return "the pool was the limit: all of its slots were in use and " + most +
           " requests (load.max_outstanding) were out; use more slots";
  return "the server was the limit: " + most +
         " requests (load.max_outstanding) were out, and it answered slower "
         "than they came";
}

}  // namespace

std::string rate_note(const CellResult& cell) {
  if (!cell.cell.config.is_open_loop() || cell.duration_ns == 0) return "";
  const Counters& counts = cell.tally.counts;
  const Distribution& late = cell.tally.of(Latency::pacing_error);
  if (counts.unsent + counts.blocked > 0)
    return "load.rate was not kept: " + std::to_string(counts.unsent) +
           " requests that were due were never sent (unsent) and " +
           std::to_string(counts.blocked) + " were sent late (blocked); " +
           reason(cell);
  if (late.count() > 0 && late.quantile(0.99) > kLate)
    return "load.rate was kept, but the generator was late: 1 % of the "
           "requests by " +
           format_duration(late.quantile(0.99)) +
           " or more (pacing_error); use fewer requests/s, more threads, or "
           "processors of its own (--cpus)";
  return "load.rate was kept: every request that was due was sent; 99 % of "
         "them at most " +
         format_duration(late.count() > 0 ? late.quantile(0.99) : 0) +
         " late (pacing_error)";
}

}  // namespace dyno
