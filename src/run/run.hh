// Run: the cells of a plan, on a thread of its own: one after another, or side
// by side where they are modelled. The thread that waits and the threads that
// measure meet in the mutex here and in the workers' loops, nowhere else.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "net/socket.hh"
#include "plan/plan.hh"
#include "report/result.hh"
#include "report/server_stats.hh"
#include "run/cell_run.hh"

namespace dyno {

class Run {
 public:
  // Expands and checks the plan, then starts. Cells that `before` (may be null)
  // has whole are taken from there.
  static Result<std::unique_ptr<Run>> start(const Plan& plan,
                                            const RunResult* before = nullptr);
  ~Run();  // cancels and joins

  // Any thread, a signal handler too.
  void cancel() const noexcept;
  // Readable once the run has ended.
  int done_fd() const { return done_fd_.get(); }

  // False if it has not ended after `timeout_ms` (-1: for ever).
  bool wait(int64_t timeout_ms) const;
  bool has_ended() const { return wait(0); }
  RunResult snapshot() const;

  // After the end.
  const RunResult& result() const { return result_; }

 private:
  class Showing;
  explicit Run(std::vector<Cell> cells);
  void main() noexcept;
  void run_cells();
  void run_each_cell();
  void run_at_once();
  Status prepare();
  Status prepare_modelled();
  Status prepare_tls(const Config& config);
  Status find_local_addresses(const Config& config);
  Status find_addresses(const Config& config);
  Status prepare_request(const Config& config);
  void run_cell(size_t index);
  void reconcile(const CellRun& cell_run, CellResult& result);
  bool has_before(size_t index) const;
  CellResult skipped(size_t index, const std::string& why) const;
  void skip_rest(size_t first, const std::string& why);
  void add(size_t index, CellResult result);
  void conclude();
  void end();

  std::vector<Cell> cells_;
  // Of each cell that is not run again its result; empty in a fresh run.
  std::vector<std::optional<CellResult>> before_;
  Target target_;
  std::optional<ServerStats> baseline_;  // of our own server, before a cell

  mutable std::atomic<bool> is_canceled_ = false;
  Fd cancel_fd_;
  Fd done_fd_;

  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable changed_;
  RunResult result_;  // its cells: all up to the first that has not ended
  // By the cell's number: the ones that run, and those that ended too early.
  std::map<size_t, CellRun*> running_;
  std::map<size_t, CellResult> ahead_;
  bool has_ended_ = false;

  std::thread thread_;
};

}  // namespace dyno
