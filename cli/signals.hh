// SIGINT and SIGTERM. The first one cancels the run and is remembered; the
// second one ends the process at once. One per process, because handlers are.
#pragma once

#include <httpdyno/httpdyno.h>

namespace cli {

// Installs the handlers. Throws Stop.
void watch_signals();

// SIGINT, SIGTERM, or 0: none came.
int signal_seen();

// Readable once one came.
int signal_fd();

// The exit code of an interrupted program: 130 or 143.
int interrupted_code();

// The first signal cancels this run while the object lives. A signal that came
// before cancels it at once.
class CancelOnSignal {
 public:
  explicit CancelOnSignal(const dyno_run* run);
  ~CancelOnSignal();
  CancelOnSignal(const CancelOnSignal&) = delete;
  CancelOnSignal& operator=(const CancelOnSignal&) = delete;
};

}  // namespace cli
