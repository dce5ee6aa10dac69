// Worker: one thread that owns everything it touches: a loop, its callers, its
// pools, a transport and a recorder. It meets the other threads at start, at a
// snapshot and at its end, nowhere else. The way of a request: start_callers ->
// SlotPool::submit -> Transport::send -> Sink::done -> Recorder::complete
// (worker_requests.cc; its phases are in worker.cc, its numbers in
// worker_report.cc).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.hh"
#include "engine/loop.hh"
#include "engine/transport.hh"
#include "load/arrivals.hh"
#include "load/closed_loop.hh"
#include "load/phases.hh"
#include "plan/config.hh"
#include "pool/grants.hh"
#include "pool/slot_pool.hh"
#include "record/recorder.hh"
#include "run/assignment.hh"

namespace dyno {

// What the threads of one cell share.
struct CellSignals {
  const std::atomic<bool>* is_canceled = nullptr;  // set by any thread
  std::atomic<bool> is_aborted = false;     // the cell could not be set up
  std::atomic<bool> has_connected = false;  // some worker opened a connection
};

// What a worker did, or has done so far. Times in ns of the monotonic clock.
struct WorkerReport {
  Tally tally;
  int64_t started_ns = 0;  // measuring began; 0: it never did
  int64_t ended_ns = 0;
  int64_t cpu_ns = 0;         // user and system, while measuring
  int64_t requests_sent = 0;  // since the cell began, warm-up included
  int64_t queue_peak = 0;
  int64_t in_use_peak = 0;
  bool saw_own_server = false;
  bool was_canceled = false;
  Status status;  // why it gave up, or ok
  std::vector<std::string> notes;
};

class Worker final : private Turn, private Sink, private Grants {
 public:
  using MakeTransport = std::function<std::unique_ptr<Transport>(Sink&)>;

  // `on_ready` is called once, on the worker's thread, when its connections are
  // open (or as open as they will be) or it has given up.
  Worker(const Config& config, const Assignment& assignment, Loop& loop,
         const MakeTransport& make_transport, CellSignals& signals,
         std::function<void()> on_ready);

  void run();  // until the end of its cell; the calling thread is its own

  // Any thread: the load begins at `start_ns`.
  void start(int64_t start_ns);
  // The same at once, from `on_ready`, where no other worker is waited for.
  void start_here(int64_t start_ns);
  // Any thread: calls `deliver` with the numbers so far, on the worker's
  // thread. False when the worker has ended.
  bool snapshot(std::function<void(WorkerReport)> deliver);

  // After run().
  WorkerReport report();

 private:
  int64_t turn(int64_t now_ns) override;

  void opened(SlotId slot, int64_t took_ns, int64_t now_ns) override;
  void handshaken(SlotId slot, int64_t took_ns, bool was_resumed,
                  int64_t now_ns) override;
  void dial_failed(SlotId slot, Failure kind, std::string_view detail,
                   int64_t now_ns) override;
  void done(SlotId slot, std::span<const Answer> answers, const Ended* ended,
            int64_t now_ns) override;
  void closed(SlotId slot, const Ended& ended, int64_t now_ns) override;

  void granted(RequestId request, int64_t now_ns) override;
  void refused(RequestId request, Failure kind, std::string_view detail,
               int64_t now_ns) override;
  void expired(RequestId request, int64_t now_ns) override;

  void open_more(int64_t now_ns);
  void dial_ended(int64_t now_ns);
  void check_opening(int64_t now_ns);
  void check_connected(int64_t now_ns);
  void begin_load();
  void begin_measuring(int64_t now_ns);
  void advance(int64_t now_ns);
  void tick(int64_t now_ns);
  void start_callers(int64_t now_ns);
  void start_due(int64_t now_ns);
  void count_unsent(int64_t now_ns);
  void start(RequestId caller, int64_t now_ns);
  bool starts_again(SlotPool& pool, SlotId slot, int64_t now_ns);
  void submit(RequestId caller, int64_t intended_ns, int64_t now_ns);
  static void begin(Request& request, int64_t intended_ns, int64_t now_ns);
  void issued(size_t requests);
  void ask_pool(RequestId request, int64_t now_ns);
  void ask_again(int64_t now_ns);
  void advance_pools(int64_t now_ns);
  void put_in_mail(RequestId caller, const Answer& answer);
  void deliver_mail(int64_t now_ns);
  void take_mail(RequestId id, int64_t now_ns);
  void complete(const Request& request, int64_t first_byte_ns, int64_t now_ns);
  void take_answers(SlotPool& pool, SlotId slot, const Answer& answer,
                    int64_t now_ns);
  void failed(RequestId request, Failure kind, std::string_view detail,
              int64_t now_ns);
  bool is_used_up() const;
  void stop(int64_t now_ns);
  void abort(Code code);
  void close_all();
  void tell_ready();
  void add_series(int64_t now_ns);
  Tally make_tally();
  WorkerReport make_report(int64_t now_ns);
  int64_t next_turn_ns() const;

  SlotPool& pool_of(SlotId slot) { return pools_[slot / slots_per_pool_]; }
  SlotPool& draw_pool(const Request& request);
  PoolCounters pool_counters() const;

  const Config& config_;
  Loop& loop_;
  CellSignals& signals_;
  std::function<void()> on_ready_;
  uint32_t slots_per_pool_;
  int64_t budget_;
  uint32_t connect_concurrency_;
  int64_t tick_ns_;

  Phases phases_;
  ClosedLoop load_;
  Arrivals arrivals_;  // of an open loop; callers are then places to be out
  int64_t blocked_until_ns_ = 0;  // what was due by then had no place
  Recorder recorder_;
  Requests requests_;
  std::unique_ptr<Transport> transport_;
  std::vector<SlotPool> pools_;
  bool has_owners_ =
      false;            // serial ones: the pools do something by themselves
  bool has_late_news_;  // that a connection is open says nothing yet
  Rng rng_;
  uint32_t shard_turn_ = 0;
  std::vector<RequestId> taken_;   // whose places the answers of a run were
  std::vector<RequestId> freed_;   // callers whose answers came in this batch
  std::vector<RequestId> again_;   // whose wait ended and who ask a pool again
  std::vector<RequestId> mailed_;  // who may take a late answer for theirs
  int64_t asked_again_ = 0;

  uint32_t out_ = 0;      // requests on their way
  uint32_t opening_ = 0;  // dials under way while opening
  bool is_ready_told_ = false;
  int64_t born_ns_ = 0;
  int64_t started_ns_ = 0;
  int64_t ended_ns_ = 0;
  int64_t cpu_start_ns_ = 0;
  int64_t cpu_ns_ = 0;
  int64_t next_tick_ns_ = 0;
  int64_t in_use_peak_ = 0;
  int64_t in_series_completed_ = 0;
  int64_t in_series_failed_ = 0;
  Series series_;
  Traffic traffic_at_start_;
  PoolCounters pools_at_start_;
  std::string last_dial_error_;
  Failure last_dial_kind_ = Failure::connect_other;
  Code last_dial_code_ = Code::connect;
  int64_t oldest_abandoned_ns_ = 0;
  bool saw_own_server_ = false;
  bool was_canceled_ = false;
  Status status_;
};

}  // namespace dyno
