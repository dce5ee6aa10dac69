// The httpc-bench format: the CSV of the published client-pool benchmark, which
// truncates the rate and rounds the share of errors to one decimal. A skipped
// cell has no row there; a row of the suite has its published client and pool.
#include <fmt/format.h>

#include "report/fit.hh"
#include "report/layout.hh"
#include "report/render.hh"

namespace dyno {

std::string render_httpc_bench(const RunResult& run) {
  std::string text =
      "Client,Pool Count,Pool Size,Concurrency,Req/sec,Error %\n";
  for (const CellResult& cell : run.cells) {
    if (cell.is_skipped()) continue;
    const Config& config = cell.cell.config;
    const std::string_view client =
        annotated_text(cell.cell, "published.client");
    const auto number = [&cell](const char* key, int64_t ours) {
      return annotated_number(cell.cell, key)
          .value_or(static_cast<double>(ours));
    };
    text += fmt::format(
        "{},{:.0f},{:.0f},{},{},{:.1f}\n",
        printable(client.empty() ? config.client : client),
        number("published.pool_count", config.pool_count),
        number("published.pool_size", config.pool_size), config.callers,
        static_cast<int64_t>(cell.completed_per_s()), cell.failed_percent());
  }
  return text;
}

}  // namespace dyno
