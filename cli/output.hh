// Where a result goes and in which format: the flags that every command with a
// result has, and the writing. stdout gets the result and nothing else.
#pragma once

#include <httpdyno/httpdyno.h>

#include <string>

#include "args.hh"

namespace cli {

struct Output {
  std::string format;  // "": by the file's ending, else text
  std::string file;    // "": stdout
  std::string saved;   // a copy as JSON; "": none
  std::string color = "auto";
  bool is_quiet = false;
  bool is_strict = false;

  // --format, -o and --color.
  void add_flags(Parser& parser);
  // -q, --save and --strict, for commands that measure.
  void add_run_flags(Parser& parser);
  // Checks what was given before any work is done. Throws Stop.
  void check();

  // `result` in the format, colored if it is to be.
  std::string render(dyno_result* result) const;
  // Writes it to the file, whole or not at all, or to stdout. Throws Stop.
  void deliver(const std::string& text) const;
  // Writes the copy, where one is asked for. Throws Stop.
  void save(dyno_result* result) const;

 private:
  bool is_colored() const;
};

}  // namespace cli
