// Result: the numbers of a run, one entry per cell, as values. Filled by run/,
// read by the metric table, the renderers and the parser.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.hh"
#include "plan/plan.hh"
#include "record/tally.hh"

namespace dyno {

// What the generator itself did and had; of a modelled cell, its modelled host.
struct ClientFacts {
  double cpu_s = 0;          // user and system time of the workers
  double busiest_share = 0;  // of the busiest worker, of one processor; of all
                             // the processors of a modelled host
  bool is_limit = false;     // a worker was at 95 % or more of its processor
  std::string verdict;       // one sentence; "" before the cell has ended
  int64_t threads = 0;
  int64_t peak_rss_bytes = 0;  // of the whole process so far
  int64_t nofile_limit = 0;    // the soft limit in force
};

// What is known of the server. Everything but `software` needs our own server.
struct ServerFacts {
  std::string software;  // the Server field, where it is ours
  bool is_own = false;
  bool is_reconciled = false;  // its counters were read when stable
  int64_t accepted = 0;        // connections, in this cell
  int64_t read = 0;            // requests
  int64_t written = 0;         // responses
  std::vector<std::pair<std::string, std::string>> limits;  // its options
  std::string difference;  // what does not add up; "" when all does
};

// How the pools were used.
struct PoolFacts {
  int64_t queue_peak = 0;   // most requests that waited in one pool's queue
  int64_t in_use_peak = 0;  // most slots in use at once, summed over workers
};

struct CellResult {
  Cell cell;
  int64_t started_unix_ns = 0;  // wall clock, for people
  int64_t duration_ns = 0;      // measured, from start to stop
  bool interrupted = false;
  Status status;  // why it ended early, or ok
  Tally tally;
  ClientFacts client;
  ServerFacts server;
  PoolFacts pools;
  std::vector<std::string> notes;  // things that the reader must know

  // completed / duration; 0 for a duration of 0.
  double completed_per_s() const;
  double failed_per_s() const;
  double failed_percent() const;  // of completed + failed; 0 of nothing
  // plan/complete.hh's closed form; 0 when unknown.
  double limit_per_s() const;
  // completed_per_s / limit_per_s; 0 when the limit is unknown.
  double limit_share() const;

  bool is_skipped() const { return !cell.skipped.empty(); }
  // Our own server or a modelled one, told to answer a connection's requests
  // one by one.
  bool is_server_serial() const;
};

struct HostFacts {
  std::string system;  // uname: name, release, machine
  int64_t processors = 0;
  int64_t nofile_soft = 0;
  int64_t nofile_hard = 0;
};

struct RunResult {
  std::string tool_version;  // of the httpdyno that measured
  HostFacts host;
  std::vector<CellResult> cells;
  Status status;
  bool interrupted = false;
};

}  // namespace dyno
