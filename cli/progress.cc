#include "progress.hh"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "text.hh"

namespace cli {
namespace {

constexpr size_t kBarWidth = 20;

int64_t whole(const dyno_result* result, const char* metric) {
  int64_t value = 0;
  return dyno_result_int(result, metric, &value) == DYNO_OK ? value : 0;
}

double real(const dyno_result* result, const char* metric) {
  double value = 0;
  return dyno_result_real(result, metric, &value) == DYNO_OK ? value : 0;
}

std::string_view text(const dyno_result* result, const char* metric) {
  const char* value = "";
  return dyno_result_text(result, metric, &value) == DYNO_OK ? value : "";
}

std::string brief_count(double value) {
  if (value >= 1e6) return fmt::format("{:.2f}M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:.1f}k", value / 1e3);
  return fmt::format("{:.0f}", value);
}

// Rounded up, so that it says 0 only at the end.
std::string whole_seconds(int64_t ns) {
  const int64_t seconds = (ns + 999'999'999) / 1'000'000'000;
  if (seconds < 60) return fmt::format("{}s", seconds);
  return brief_time(seconds * 1'000'000'000);
}

// How long the running cell and one like it take; nothing: unknown, because a
// budget of requests ends it and the rate is not known yet.
struct Times {
  std::optional<int64_t> left;
  std::optional<int64_t> whole;
};

Times times_of(const dyno_result* cell, double rate) {
  const int64_t elapsed = whole(cell, "duration_ns");
  const int64_t warmup = whole(cell, "config.load.warmup");
  const int64_t duration = whole(cell, "config.load.duration");
  const int64_t requests = whole(cell, "config.load.requests");
  Times times;
  if (duration > 0) {
    times.whole = duration + warmup;
    times.left =
        std::max<int64_t>(duration - elapsed, 0) + (elapsed == 0 ? warmup : 0);
  }
  if (requests == 0 || rate <= 0) return times;
  const auto at_rate = [rate](int64_t count) {
    return static_cast<int64_t>(static_cast<double>(count) * 1e9 / rate);
  };
  const int64_t issued = whole(cell, "counts.issued");
  const int64_t budget_left = at_rate(std::max<int64_t>(requests - issued, 0));
  times.left = std::min(times.left.value_or(budget_left), budget_left);
  const int64_t budget = at_rate(requests);
  times.whole = std::min(times.whole.value_or(budget), budget);
  return times;
}

// The part of the whole plan that is done, 0 ... 1.
double share_done(const Times& times, size_t index, size_t count) {
  double cell = 0;
  if (times.left && times.whole && *times.whole > 0)
    cell = 1 -
           static_cast<double>(*times.left) / static_cast<double>(*times.whole);
  return std::clamp((static_cast<double>(index) + cell) /
                        static_cast<double>(std::max<size_t>(count, 1)),
                    0.0, 1.0);
}

std::string bar(double share) {
  const auto full = static_cast<size_t>(share * kBarWidth);
  return '[' + std::string(full, '=') + std::string(kBarWidth - full, ' ') +
         ']';
}

bool can_redraw() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && term != nullptr &&
         std::string_view(term) != "dumb";
}

// One finished cell in one line; the text of one that was skipped may say why.
std::string line_of(const std::string& name, const dyno_result* cell) {
  const std::string_view skipped = text(cell, "skipped");
  if (!skipped.empty() && name.find(skipped) != name.npos)
    return "skipped: " + name;
  if (!skipped.empty()) return fmt::format("{}: skipped: {}", name, skipped);
  std::string line = fmt::format("{}: {:.0f}/s, {} failed", name,
                                 real(cell, "rate.completed_per_s"),
                                 whole(cell, "counts.failed"));
  int64_t p99 = 0;
  if (dyno_result_quantile(cell, "latency.response", 0.99, &p99) == DYNO_OK)
    line += ", p99 " + brief_time(p99);
  if (whole(cell, "interrupted") != 0) line += ", interrupted";
  return line;
}

}  // namespace

Progress::Progress(std::vector<std::string> cells, bool is_quiet)
    : cells_(std::move(cells)),
      mode_(is_quiet       ? Mode::silent
            : can_redraw() ? Mode::bar
                           : Mode::lines) {}

int32_t Progress::tick(const dyno_result* so_far, void* userdata) {
  auto* self = static_cast<Progress*>(userdata);
  const size_t begun = dyno_result_cell_count(so_far);
  if (begun == 0) return 0;
  if (self->mode_ == Mode::lines) self->report_finished(so_far, begun - 1);
  if (self->mode_ == Mode::bar) self->draw(so_far);
  return 0;
}

void Progress::finish(const dyno_result* result) {
  if (mode_ == Mode::bar) clear();
  if (mode_ == Mode::lines && result != nullptr)
    report_finished(result, dyno_result_cell_count(result));
}

void Progress::report_finished(const dyno_result* so_far, size_t finished) {
  for (; reported_ < finished; ++reported_)
    fmt::print(
        stderr, "[{}/{}] {}\n", reported_ + 1, cells_.size(),
        line_of(text_of(reported_), dyno_result_cell(so_far, reported_)));
}

void Progress::draw(const dyno_result* so_far) {
  const size_t index = dyno_result_cell_count(so_far) - 1;
  const dyno_result* cell = dyno_result_cell(so_far, index);
  const double rate = live_rate(cell, index);
  const Times times = times_of(cell, rate);
  const size_t after = cells_.size() > index ? cells_.size() - index - 1 : 0;
  std::string left = "?";
  if (times.left && (after == 0 || times.whole))
    left = whole_seconds(*times.left +
                         static_cast<int64_t>(after) * times.whole.value_or(0));
  // The cell's text comes last: a narrow terminal cuts it off.
  std::string line = fmt::format(
      "{} {}/{}  {} left  {}/s  {} failed  {}",
      bar(share_done(times, index, cells_.size())), index + 1, cells_.size(),
      left, brief_count(rate), whole(cell, "counts.failed"), text_of(index));
  // A line that wraps cannot be drawn over.
  const size_t width = terminal_width(STDERR_FILENO);
  if (width > 1 && line.size() >= width) line.resize(width - 1);
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
}

void Progress::clear() {
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

std::string Progress::text_of(size_t index) const {
  return index < cells_.size() ? cells_[index] : "";
}

// Over the time between two ticks, both by the run's own clock.
double Progress::live_rate(const dyno_result* cell, size_t index) {
  const int64_t completed = whole(cell, "counts.completed");
  const int64_t now = whole(cell, "duration_ns");
  if (index != last_index_ || now < last_ns_) last_completed_ = last_ns_ = 0;
  if (now > last_ns_)
    last_rate_ = static_cast<double>(completed - last_completed_) * 1e9 /
                 static_cast<double>(now - last_ns_);
  last_index_ = index;
  last_completed_ = completed;
  last_ns_ = now;
  return last_rate_;
}

}  // namespace cli
