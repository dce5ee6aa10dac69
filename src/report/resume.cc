#include "report/resume.hh"

#include <map>
#include <string>
#include <string_view>

#include "plan/options.hh"

namespace dyno {
namespace {

// What may differ between two runs of one measurement.
bool is_free(std::string_view key, const Config& config) {
  return (key == "target.url" && config.target_own) || key == "host.cpus" ||
         key == "host.raise_nofile" || key.starts_with("suite.");
}

// Equal texts are equal measurements.
std::string identity(const Cell& cell) {
  std::string text = std::to_string(cell.repeat);
  for (const OptionRow& row : plan_options().rows())
    if (!is_free(row.key, cell.config))
      text += '\n' + format_value(row, row.field.load(&cell.config));
  for (const char* key :
       {"published.table", "published.client", "published.pool_count",
        "published.pool_size", "published.concurrency"}) {
    const Annotation* one = cell.annotation(key);
    if (one == nullptr) continue;
    const auto* number = std::get_if<int64_t>(&one->value);
    const auto* word = std::get_if<std::string>(&one->value);
    text += '\n' + (number != nullptr ? std::to_string(*number)
                    : word != nullptr ? *word
                                      : std::string());
  }
  return text;
}

// A cell that still ran when it was saved has no verdict.
bool is_whole(const CellResult& cell) {
  return !cell.is_skipped() && !cell.interrupted && cell.status.is_ok() &&
         !cell.client.verdict.empty();
}

}  // namespace

std::vector<std::optional<CellResult>> whole_cells(std::span<const Cell> cells,
                                                   const RunResult& before) {
  std::map<std::string, const CellResult*> known;
  for (const CellResult& cell : before.cells)
    if (is_whole(cell)) known.emplace(identity(cell.cell), &cell);
  std::vector<std::optional<CellResult>> results;
  for (const Cell& cell : cells) {
    const auto found = known.find(identity(cell));
    if (found == known.end())
      results.emplace_back();
    else
      results.emplace_back(*found->second);
  }
  return results;
}

}  // namespace dyno
