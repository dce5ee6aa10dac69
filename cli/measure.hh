// What `run`, `matrix` and `suite` share: options into a plan, the plan into a
// run, the run into a report and an exit code.
#pragma once

#include <string>
#include <vector>

#include "args.hh"
#include "handles.hh"
#include "output.hh"

namespace cli {

// The library checks each value; its message stops the program. A body that
// begins with @ is read from that file, @- from stdin.
void set_options(dyno_plan* plan, const std::vector<Setting>& settings);

// Engine sim models the server, the others ask one.
bool needs_url(const dyno_plan* plan);

// One line per cell, in the order in which they run. Throws Stop.
std::vector<std::string> cell_texts(dyno_plan* plan);

// About how long all cells together take; 0: not known.
int64_t expected_ns(dyno_plan* plan);

// What a run that is interrupted must not lose.
struct Saving {
  std::string file;                     // every finished cell; "": nowhere
  const dyno_result* before = nullptr;  // whose whole cells are not run again
  bool is_draft = false;                // the file goes once all is delivered
};

// Runs the plan, writes the report, returns the exit code. Signals must be
// watched already.
int measure(dyno_plan* plan, const Output& output, const Saving& saving = {});

}  // namespace cli
