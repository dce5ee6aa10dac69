// Facts: what is said once under the numbers, for one cell and for a matrix
// alike: errors, failures by kind, server, limits, generator, notes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/layout.hh"
#include "report/result.hh"

namespace dyno {

struct Fact {
  std::string label;
  std::string text;
  Paint paint = Paint::plain;
};
using Facts = std::vector<Fact>;

// Errors of the run and its cells, and whether it was interrupted.
void add_troubles(const RunResult& run, Facts& facts);
// Each failure kind that occurred, with its hint.
void add_failure_hints(const RunResult& run, Facts& facts);
void add_server(const RunResult& run, Facts& facts);
void add_generator(const RunResult& run, Facts& facts);
void add_host(const RunResult& run, Facts& facts);
// Every note once.
void add_notes(const RunResult& run, Facts& facts);
// What the latencies are and how percentiles are taken.
void add_definitions(Facts& facts);

// What all the cells have in common: target, duration, threads.
std::string target_line(const RunResult& run);
std::string effort_line(const RunResult& run);

// "label       text", wrapped, a line or more per fact.
std::string facts_text(const Facts& facts, bool colour, int32_t width);

}  // namespace dyno
