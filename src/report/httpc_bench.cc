// The httpc-bench format: the CSV of the published client-pool benchmark, which
// truncates the rate and rounds the share of errors to one decimal. A skipped
// cell has no row there.
#include <fmt/format.h>

#include "report/render.hh"

namespace dyno {

std::string render_httpc_bench(const RunResult& run) {
  std::string text =
      "Client,Pool Count,Pool Size,Concurrency,Req/sec,Error %\n";
  for (const CellResult& cell : run.cells) {
    if (cell.is_skipped()) continue;
    const Config& config = cell.cell.config;
    text += fmt::format("{},{},{},{},{},{:.1f}\n", config.client,
                        config.pool_count, config.pool_size, config.callers,
                        static_cast<int64_t>(cell.completed_per_s()),
                        cell.failed_percent());
  }
  return text;
}

}  // namespace dyno
