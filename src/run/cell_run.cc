#include "run/cell_run.hh"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/event/transport.hh"
#include "net/affinity.hh"
#include "net/preflight.hh"
#include "run/assignment.hh"
#include "run/host.hh"

namespace dyno {
namespace {

constexpr double kBusyShare = 0.95;
constexpr auto kSnapshotTimeout = std::chrono::seconds(1);

EventOptions event_options(const Config& config, const Target& target,
                           const Assignment& assignment) {
  EventOptions options;
  options.addresses = target.addresses;
  options.request = target.request;
  options.kind = target.kind;
  options.says_close = target.says_close;
  options.slots = assignment.slots();
  options.head_limit = static_cast<size_t>(config.head_limit);
  options.connect_timeout_ns = config.connect_timeout_ns;
  return options;
}

void pin(const Config& config, size_t index) {
  if (config.cpus.empty()) return;
  const Result<std::vector<int>> cpus = parse_cpus(config.cpus);
  if (!cpus.is_ok()) return;
  const int cpu = cpus.value()[index % cpus.value().size()];
  // Checked before the run: a failure now is a processor that went away.
  [[maybe_unused]] const Status status = pin_thread({&cpu, 1});
}

std::string verdict(const ClientFacts& client) {
  const auto percent =
      std::to_string(static_cast<int64_t>(client.busiest_share * 100 + 0.5));
  if (!client.is_limit)
    return "the generator was not the limit: its busiest thread used " +
           percent + " % of a processor";
  return "the generator was the limit: a thread used " + percent +
         " % of its processor; use more threads, or pin client and server to "
         "different processors (--cpus, --server-cpus)";
}

}  // namespace

CellRun::CellRun(const Cell& cell, const Target& target,
                 const std::atomic<bool>& is_canceled)
    : cell_(cell),
      target_(target),
      is_canceled_(is_canceled),
      born_unix_ns_(unix_now_ns()),
      born_ns_(monotonic_ns()) {
  signals_.is_canceled = &is_canceled_;
}

CellRun::~CellRun() {
  signals_.is_aborted = true;
  join();
}

Status CellRun::make_workers() {
  const Config& config = cell_.config;
  for (const Assignment& assignment : assign(config)) {
    Seat seat;
    seat.loop = std::make_unique<LibeventLoop>();
    if (!seat.loop->is_usable())
      return fail(Code::system,
                  "no event loop could be made; is there a free "
                  "descriptor left (ulimit -n)?");
    LibeventLoop& loop = *seat.loop;
    const auto make_transport = [&](Sink& sink) {
      return std::make_unique<EventTransport>(
          loop, event_options(config, target_, assignment), sink);
    };
    const auto on_ready = [this] {
      const std::lock_guard lock(mutex_);
      ++ready_;
      changed_.notify_all();
    };
    seat.worker = std::make_unique<Worker>(config, assignment, loop,
                                           make_transport, signals_, on_ready);
    seats_.push_back(std::move(seat));
  }
  return {};
}

CellResult CellRun::run() {
  for (size_t i = 0; i < seats_.size(); ++i)
    seats_[i].thread = std::thread([this, i] { run_seat(i); });
  wait_until_ready();
  const int64_t start_ns = monotonic_ns();
  for (Seat& seat : seats_) seat.worker->start(start_ns);
  join();
  std::vector<WorkerReport> reports;
  for (Seat& seat : seats_) reports.push_back(ended_report(seat));
  for (const WorkerReport& report : reports) {
    requests_sent_ += report.requests_sent;
    saw_own_server_ |= report.saw_own_server;
  }
  CellResult result = collect(reports);
  result.client.verdict = verdict(result.client);
  return result;
}

void CellRun::run_seat(size_t index) {
  pin(cell_.config, index);
  Seat& seat = seats_[index];
  seat.worker->run();
  WorkerReport report;
  try {
    report = seat.worker->report();
  } catch (...) {
    report.status.code = Code::memory;
  }
  const std::lock_guard lock(mutex_);
  seat.report = std::move(report);
  changed_.notify_all();
}

// Of a worker that takes no more questions; soon there, if it is not yet.
WorkerReport CellRun::ended_report(Seat& seat) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&seat] { return seat.report.has_value(); });
  return *seat.report;
}

void CellRun::wait_until_ready() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ready_ == seats_.size(); });
}

void CellRun::join() {
  for (Seat& seat : seats_)
    if (seat.thread.joinable()) seat.thread.join();
}

CellResult CellRun::snapshot() {
  struct Box {
    std::mutex mutex;
    std::condition_variable arrived;
    std::vector<WorkerReport> reports;
  };
  const auto box = std::make_shared<Box>();
  const auto deliver = [box](WorkerReport report) {
    const std::lock_guard lock(box->mutex);
    box->reports.push_back(std::move(report));
    box->arrived.notify_all();
  };
  for (Seat& seat : seats_)
    if (!seat.worker->snapshot(deliver)) deliver(ended_report(seat));
  std::unique_lock lock(box->mutex);
  box->arrived.wait_for(lock, kSnapshotTimeout,
                        [&] { return box->reports.size() == seats_.size(); });
  return collect(box->reports);
}

CellResult CellRun::collect(const std::vector<WorkerReport>& reports) const {
  CellResult result;
  result.cell = cell_;
  result.client.threads = cell_.config.threads;
  result.client.peak_rss_bytes = peak_rss_bytes();
  result.client.nofile_limit = fd_limits().soft;
  int64_t started_ns = INT64_MAX, ended_ns = 0;
  for (const WorkerReport& report : reports) {
    result.tally.add(report.tally);
    result.interrupted |= report.was_canceled;
    result.pools.queue_peak =
        std::max(result.pools.queue_peak, report.queue_peak);
    result.pools.in_use_peak += report.in_use_peak;
    result.server.is_own |= report.saw_own_server;
    if (!report.status.is_ok()) result.status = report.status;
    for (const std::string& note : report.notes)
      if (std::find(result.notes.begin(), result.notes.end(), note) ==
          result.notes.end())
        result.notes.push_back(note);
    if (report.started_ns == 0) continue;
    started_ns = std::min(started_ns, report.started_ns);
    ended_ns = std::max(ended_ns, report.ended_ns);
    const auto cpu = static_cast<double>(report.cpu_ns);
    const auto wall = static_cast<double>(report.ended_ns - report.started_ns);
    result.client.cpu_s += cpu / 1e9;
    if (wall > 0)
      result.client.busiest_share =
          std::max(result.client.busiest_share, cpu / wall);
  }
  const bool has_begun = ended_ns > 0;
  result.duration_ns = has_begun ? ended_ns - started_ns : 0;
  result.started_unix_ns =
      born_unix_ns_ + (has_begun ? started_ns - born_ns_ : 0);
  result.client.is_limit = result.client.busiest_share >= kBusyShare;
  return result;
}

}  // namespace dyno
