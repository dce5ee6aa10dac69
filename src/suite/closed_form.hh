// Closed form: what a row must give if its client does what its discipline
// says, computed without running anything. Pure arithmetic.
#pragma once

#include <cstdint>
#include <optional>

#include "suite/constants.hh"

namespace dyno {

// A row in the letters of the formulas. Times are seconds; 0 where a cost is
// not modelled.
struct RowFacts {
  double slots = 0;      // S, of one pool
  double pools = 1;      // P
  double callers = 0;    // C
  double requests = 0;   // N
  double per_close = 0;  // K: requests that the server allows per connection
  double hold = 0;       // h: a connection is held so long for one request
  double wait = 0;       // T: the longest wait in a pool's queue; 0: no limit
  double rounds = 1;     // r: waits per request
  bool fails_once_per_close = false;  // on_close=next-use-error
  bool takes_any_answer = false;      // correlate=none
  double owner = 0;                   // a serial owner's time for one request
  double message = 0;                 // and for one message
  double scan = 0;        // and for each waiter that a cancel passes
  double capacity = 0;    // completed requests per second of all processors
  double open_files = 0;  // 0: no limit that binds
  double idle_close = 0;
};

struct ClosedForm {
  std::optional<double> requests_per_second;
  std::optional<double> error_percent;
  const char* formula = "";
  const char* limit = "-";  // report/limited_by.hh's words
};

ClosedForm closed_form(Law law, const RowFacts& row);

}  // namespace dyno
