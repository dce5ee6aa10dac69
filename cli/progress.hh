// Progress: tells on stderr how far the cells are: a bar on a terminal, else
// one line per finished cell, or nothing. Sees snapshots, never the run.
#pragma once

#include <httpdyno/httpdyno.h>

#include <string>
#include <vector>

namespace cli {

class Progress {
 public:
  // One text per cell, in the order in which they run.
  Progress(std::vector<std::string> cells, bool is_quiet);

  // For dyno_run_drive; userdata is a Progress, or null for none.
  static int32_t tick(const dyno_result* so_far, void* userdata);

  // All cells are done, as far as they came. `result` may be null.
  void finish(const dyno_result* result);

 private:
  enum class Mode { silent, lines, bar };

  void report_finished(const dyno_result* so_far, size_t finished);
  void draw(const dyno_result* so_far);
  void clear();
  std::string text_of(size_t index) const;
  double live_rate(const dyno_result* cell, size_t index);

  std::vector<std::string> cells_;
  Mode mode_;
  size_t reported_ = 0;  // cells that have their line

  // Of the tick before, for the live rate.
  size_t last_index_ = 0;
  int64_t last_completed_ = 0;
  int64_t last_ns_ = 0;
  double last_rate_ = 0;
};

}  // namespace cli
