// Saver: writes what a run has measured so far to a file, as JSON, whenever a
// cell has ended. It spends at most a twentieth of the time on that.
#pragma once

#include <httpdyno/httpdyno.h>

#include <chrono>
#include <string>

namespace cli {

class Saver {
 public:
  // An empty file name: it does nothing.
  explicit Saver(std::string file) : file_(std::move(file)) {}

  // `cells` have begun; saves if one more has ended.
  void tick(const dyno_run* run, size_t cells);
  // Saves a result as it is.
  void save(dyno_result* result);

 private:
  using Clock = std::chrono::steady_clock;

  std::string file_;
  size_t saved_ = 0;  // cells
  Clock::time_point next_ = Clock::time_point::min();
  bool has_warned_ = false;
};

}  // namespace cli
