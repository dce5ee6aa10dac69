#include "report/result.hh"

#include <algorithm>

#include "plan/complete.hh"

namespace dyno {
namespace {

double per_second(int64_t count, int64_t duration_ns) {
  if (duration_ns <= 0) return 0;
  return static_cast<double>(count) * 1e9 / static_cast<double>(duration_ns);
}

}  // namespace

double CellResult::completed_per_s() const {
  return per_second(tally.counts.completed, duration_ns);
}

double CellResult::failed_per_s() const {
  return per_second(tally.counts.failed(), duration_ns);
}

double CellResult::failed_percent() const {
  const int64_t failed = tally.counts.failed();
  const int64_t ended = tally.counts.completed + failed;
  if (ended == 0) return 0;
  return 100 * static_cast<double>(failed) / static_cast<double>(ended);
}

double CellResult::limit_per_s() const {
  const Config& config = cell.config;
  if (!server.is_own && !config.is_modelled()) return 0;
  const int64_t delay_ns =
      config.is_modelled() ? config.sim_hold_ns() : delay_of_url(config.url);
  return dyno::limit_per_s(config, delay_ns, is_server_serial()).value_or(0);
}

double CellResult::limit_share() const {
  const double limit = limit_per_s();
  return limit > 0 ? completed_per_s() / limit : 0;
}

bool CellResult::is_server_serial() const {
  if (cell.config.is_modelled())
    return cell.config.sim_pipelined == Pipelined::serial;
  return std::any_of(
      server.limits.begin(), server.limits.end(), [](const auto& limit) {
        return limit.first == "pipelined" && limit.second == "serial";
      });
}

}  // namespace dyno
