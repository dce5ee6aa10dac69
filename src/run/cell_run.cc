#include "run/cell_run.hh"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/curl/native.hh"
#include "engine/curl/transport.hh"
#include "engine/event/transport.hh"
#include "engine/loop_libevent.hh"
#include "engine/sim/transport.hh"
#include "http/rnd_body.hh"
#include "net/affinity.hh"
#include "net/preflight.hh"
#include "plan/option_rows.hh"
#include "run/assignment.hh"
#include "run/host.hh"
#include "run/rate_note.hh"

namespace dyno {
namespace {

constexpr const char* kModelled =
    "modelled, not measured: the pools ran in virtual time over a model of the "
    "server and of the client's host (sim.*)";
constexpr const char* kVerified =
    "every answer was read and compared (verify.*): the slow path of the "
    "generator, not a measure of its speed";
constexpr double kBusyShare = 0.95;
constexpr auto kSnapshotTimeout = std::chrono::seconds(1);

DialOptions dial_options(const Config& config, const Target& target,
                         const Assignment& assignment) {
  return {target.addresses, assignment.slots(), assignment.descriptors,
          config.connect_timeout_ns, target.local_addresses};
}

EventOptions event_options(const Config& config, const Target& target,
                           const Assignment& assignment) {
  EventOptions options;
  options.dial = dial_options(config, target, assignment);
  options.request = target.request;
  options.kind = target.kind;
  options.says_close = target.says_close;
  options.head_limit = static_cast<size_t>(config.head_limit);
  options.tls = target.tls;
  return options;
}

CurlOptions curl_options(const Config& config, const Target& target,
                         const Assignment& assignment) {
  CurlOptions options;
  options.dial = dial_options(config, target, assignment);
  options.request = {&config, target.url, target.says_close};
  options.connections = assignment.connections;
  return options;
}

// What our own server's answer to /wait takes.
constexpr int64_t kBodyBytes = 2;
constexpr int64_t kHeadBytes = 88;

SimOptions sim_options(const Config& config, const Target& target,
                       const Assignment& assignment) {
  SimOptions options;
  options.slots = assignment.slots();
  options.descriptors = assignment.descriptors;
  options.connect_timeout_ns = config.connect_timeout_ns;
  options.request_bytes = static_cast<int64_t>(target.request.size());
  options.body_bytes = target.kind == RequestKind::head ? 0 : kBodyBytes;
  options.answer_bytes = kHeadBytes + options.body_bytes;
  options.hold_ns = config.sim_hold_ns();
  options.is_serial = config.sim_pipelined == Pipelined::serial;
  options.connect_time_ns = config.sim_connect_time_ns;
  options.max_connections = config.sim_max_connections;
  options.backlog = config.sim_backlog;
  options.requests_per_connection = config.sim_requests_per_connection;
  options.announces_close = config.sim_close_header;
  options.idle_close_ns = config.sim_idle_close_ns;
  if (target.says_close) options.requests_per_connection = 1;
  if (target.says_close) options.announces_close = true;
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

std::string percent(double share) {
  return std::to_string(static_cast<int64_t>(share * 100 + 0.5)) + " %";
}

std::string modelled_verdict(const Config& config, const ClientFacts& client) {
  if (config.sim_completed_cost_ns == 0 && config.sim_failed_cost_ns == 0)
    return "the modelled host does all work in no time (sim.completed_cost, "
           "sim.failed_cost)";
  const std::string used =
      "its processors (sim.cpus) were used to " + percent(client.busiest_share);
  return client.is_limit ? "the modelled host was the limit: " + used
                         : "the modelled host was not the limit: " + used;
}

std::string verdict(const Config& config, const ClientFacts& client) {
  if (config.is_modelled()) return modelled_verdict(config, client);
  const std::string used = percent(client.busiest_share);
  if (!client.is_limit)
    return "the generator was not the limit: its busiest thread used " + used +
           " of a processor";
  return "the generator was the limit: a thread used " + used +
         " of its processor; use more threads, or pin client and server to "
         "different processors (--cpus, --server-cpus)";
}

}  // namespace

CellRun::CellRun(const Cell& cell, size_t number, const Target& target,
                 const std::atomic<bool>& is_canceled)
    : cell_(cell),
      number_(number),
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
  for (Assignment& assignment : assign(cell_.config)) {
    if (cell_.config.is_modelled()) {
      add_modelled_seat(std::move(assignment));
      continue;
    }
    Status status = add_seat(assignment);
    if (!status.is_ok()) return status;
  }
  return {};
}

// Of the next seat. No two workers of a run share an id: that of a request is
// its cell's number, its worker's (10 bits: kMostThreads), its own (36 bits).
VerifyOptions CellRun::verify_options() const {
  constexpr int kRequestBits = 36;
  const Config& config = cell_.config;
  VerifyOptions options;
  options.has_id = config.verify_id;
  options.has_body = config.verify_body;
  if (options.has_body)  // the plan has checked that it is /rnd
    options.body_bytes = rnd_bytes_of(target_.url.target).value();
  options.first_id = (uint64_t{number_} * kMostThreads + seats_.size())
                     << kRequestBits;
  return options;
}

std::unique_ptr<Transport> CellRun::make_socket_transport(
    LibeventLoop& loop, const Assignment& assignment, Sink& sink) const {
  const Config& config = cell_.config;
  if (config.engine == Engine::event) {
    EventOptions options = event_options(config, target_, assignment);
    options.verify = verify_options();
    return std::make_unique<EventTransport>(loop, options, sink);
  }
  const CurlOptions options = curl_options(config, target_, assignment);
  if (config.select == Select::native)
    return std::make_unique<CurlNative>(loop, options, sink);
  return std::make_unique<CurlTransport>(loop, options, sink);
}

Status CellRun::add_seat(const Assignment& assignment) {
  const Config& config = cell_.config;
  if (config.engine == Engine::curl && !curl_is_ready())
    return fail(Code::system, "libcurl could not be set up");
  auto loop = std::make_unique<LibeventLoop>();
  if (!loop->is_usable())
    return fail(Code::system,
                "no event loop could be made; is there a free "
                "descriptor left (ulimit -n)?");
  const auto make_transport = [&](Sink& sink) {
    return make_socket_transport(*loop, assignment, sink);
  };
  const auto on_ready = [this] {
    const std::lock_guard lock(mutex_);
    ++ready_;
    changed_.notify_all();
  };
  Seat seat;
  seat.worker = std::make_unique<Worker>(config, assignment, *loop,
                                         make_transport, signals_, on_ready);
  seat.loop = std::move(loop);
  seats_.push_back(std::move(seat));
  return {};
}

// Rounds differ by their seeds: nothing else would make them differ.
void CellRun::add_modelled_seat(Assignment assignment) {
  const Config& config = cell_.config;
  assignment.seed += static_cast<uint64_t>(cell_.repeat) << 32;
  auto loop = std::make_unique<SimLoop>(
      SimHostOptions{config.sim_cpus, config.sim_completed_cost_ns,
                     config.sim_failed_cost_ns});
  const auto make_transport = [&](Sink& sink) {
    return std::make_unique<SimTransport>(
        *loop, sim_options(config, target_, assignment), sink);
  };
  const auto on_ready = [this] {
    const Seat& only = seats_.front();
    only.worker->start_here(only.loop->now_ns());
  };
  Seat seat;
  seat.worker = std::make_unique<Worker>(config, assignment, *loop,
                                         make_transport, signals_, on_ready);
  seat.loop = std::move(loop);
  seats_.push_back(std::move(seat));
}

CellResult CellRun::run() {
  if (cell_.config.is_modelled())
    run_seat(0);
  else
    run_threads();
  std::vector<WorkerReport> reports;
  for (Seat& seat : seats_) reports.push_back(ended_report(seat));
  for (const WorkerReport& report : reports) {
    requests_sent_ += report.requests_sent;
    saw_own_server_ |= report.saw_own_server;
  }
  CellResult result = collect(reports);
  result.client.verdict = verdict(cell_.config, result.client);
  if (std::string note = rate_note(result); !note.empty())
    result.notes.push_back(std::move(note));
  return result;
}

void CellRun::run_threads() {
  for (size_t i = 0; i < seats_.size(); ++i)
    seats_[i].thread = std::thread([this, i] { run_seat(i); });
  wait_until_ready();
  const int64_t start_ns = monotonic_ns();
  for (Seat& seat : seats_) seat.worker->start(start_ns);
  join();
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
  const Config& config = cell_.config;
  CellResult result;
  result.cell = cell_;
  result.client.threads = config.threads;
  result.client.peak_rss_bytes = peak_rss_bytes();
  result.client.nofile_limit =
      config.is_modelled() ? config.nofile : fd_limits().soft;
  if (config.is_modelled()) result.notes.emplace_back(kModelled);
  if (config.verify_id || config.verify_body)
    result.notes.emplace_back(kVerified);
  const double processors =
      config.is_modelled() ? static_cast<double>(config.sim_cpus) : 1;
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
          std::max(result.client.busiest_share, cpu / wall / processors);
  }
  const bool has_begun = ended_ns > 0;
  result.duration_ns = has_begun ? ended_ns - started_ns : 0;
  // Virtual time has nothing to do with the clock on the wall.
  const bool has_clock = has_begun && !config.is_modelled();
  result.started_unix_ns =
      born_unix_ns_ + (has_clock ? started_ns - born_ns_ : 0);
  result.client.is_limit = result.client.busiest_share >= kBusyShare;
  return result;
}

}  // namespace dyno
