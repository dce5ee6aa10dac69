// CellRun: one cell being measured: its workers, each on a thread and a loop of
// its own, from the start barrier to the join. A modelled cell has one worker,
// which runs on the caller's thread and waits for nobody. Made, run and freed
// by the thread that runs the cell; snapshot() by any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/event/verifier.hh"
#include "engine/loop_libevent.hh"
#include "report/result.hh"
#include "run/target.hh"
#include "run/worker.hh"

namespace dyno {

class CellRun {
 public:
  // `number` is the cell's in its run, from 0.
  CellRun(const Cell& cell, size_t number, const Target& target,
          const std::atomic<bool>& is_canceled);
  ~CellRun();

  // First: what can fail before anything is measured.
  Status make_workers();
  // Measures; returns when all workers have ended.
  CellResult run();

  // The numbers so far, or as far as the workers answered within a second.
  CellResult snapshot();

  int64_t requests_sent() const { return requests_sent_; }
  bool saw_own_server() const { return saw_own_server_; }

 private:
  struct Seat {
    std::unique_ptr<Loop> loop;
    std::unique_ptr<Worker> worker;
    std::thread thread;
    std::optional<WorkerReport> report;  // once the worker has ended
  };

  VerifyOptions verify_options() const;
  std::unique_ptr<Transport> make_socket_transport(LibeventLoop& loop,
                                                   const Assignment& assignment,
                                                   Sink& sink) const;
  Status add_seat(const Assignment& assignment);
  void add_modelled_seat(Assignment assignment);
  void run_threads();
  void run_seat(size_t index);
  void wait_until_ready();
  WorkerReport ended_report(Seat& seat);
  void join();
  CellResult collect(const std::vector<WorkerReport>& reports) const;

  const Cell& cell_;
  const size_t number_;
  const Target& target_;
  const std::atomic<bool>& is_canceled_;
  CellSignals signals_;
  const int64_t born_unix_ns_;  // the same instant on two clocks
  const int64_t born_ns_;
  std::vector<Seat> seats_;
  int64_t requests_sent_ = 0;
  bool saw_own_server_ = false;

  std::mutex mutex_;  // guards ready_ and the seats' reports
  std::condition_variable changed_;
  size_t ready_ = 0;
};

}  // namespace dyno
