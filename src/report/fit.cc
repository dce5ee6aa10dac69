#include "report/fit.hh"

#include <algorithm>
#include <cmath>

namespace dyno {

bool is_published(const Cell& cell) {
  return cell.annotation("published.requests_per_second") != nullptr;
}

bool is_suite(const RunResult& run) {
  return std::any_of(
      run.cells.begin(), run.cells.end(),
      [](const CellResult& cell) { return is_published(cell.cell); });
}

std::optional<double> annotated_number(const Cell& cell, std::string_view key) {
  const Annotation* annotation = cell.annotation(key);
  if (annotation == nullptr) return {};
  if (const auto* whole = std::get_if<int64_t>(&annotation->value))
    return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&annotation->value);
  if (real == nullptr || !std::isfinite(*real)) return {};
  return *real;
}

std::string_view annotated_text(const Cell& cell, std::string_view key) {
  const Annotation* annotation = cell.annotation(key);
  const auto* text = annotation == nullptr
                         ? nullptr
                         : std::get_if<std::string>(&annotation->value);
  return text == nullptr ? std::string_view() : *text;
}

std::optional<Fit> fit_of(const CellResult& cell) {
  const auto rate =
      annotated_number(cell.cell, "published.requests_per_second");
  const auto errors = annotated_number(cell.cell, "published.error_percent");
  const bool is_whole =
      !cell.is_skipped() && !cell.interrupted && cell.status.is_ok();
  if (!is_whole || !rate || !errors || *rate <= 0 || cell.duration_ns <= 0)
    return {};
  Fit fit;
  fit.ratio = cell.completed_per_s() / *rate;
  fit.points = cell.failed_percent() - *errors;
  fit.is_good = std::abs(fit.ratio - 1) <= kFitRatio &&
                std::abs(fit.points) <= kFitPoints;
  return fit;
}

}  // namespace dyno
