// Fit: how far a measured or simulated cell is from the published row that it
// runs again.
#pragma once

#include <optional>
#include <string_view>

#include "report/result.hh"

namespace dyno {

// A row fits within these.
constexpr double kFitRatio = 0.25;
constexpr double kFitPoints = 5;

struct Fit {
  double ratio = 0;   // completed/s / published
  double points = 0;  // failed % - published
  bool is_good = false;
};

// Whether the cell stands beside a published row.
bool is_published(const Cell& cell);
bool is_suite(const RunResult& run);

// A number among the annotations, if it is there.
std::optional<double> annotated_number(const Cell& cell, std::string_view key);
// A text among the annotations, or "".
std::string_view annotated_text(const Cell& cell, std::string_view key);

// Nothing where there is no published row, or no cell that ran to its end.
std::optional<Fit> fit_of(const CellResult& cell);

}  // namespace dyno
