#include "run/run.hh"

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

#include "base/version.hh"
#include "engine/event/verifier.hh"
#include "http/request.hh"
#include "http/request_head.hh"
#include "net/resolver.hh"
#include "report/resume.hh"
#include "run/at_once.hh"
#include "run/host.hh"
#include "run/preflight.hh"
#include "run/probe.hh"
#include "run/reconcile.hh"

namespace dyno {
namespace {

constexpr int64_t kProbeTimeout = 500 * kMillisecond;
// Longer waits would pass the end of the clock.
constexpr int64_t kLongestWaitMs = 365LL * 24 * 3600 * 1000;

void make_readable(int fd) noexcept {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = write(fd, &one, sizeof one);
}

// All signals are blocked while it lives.
class Quiet {
 public:
  Quiet() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~Quiet() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  sigset_t before_;
};

Status no_thread(const std::system_error& error) {
  return fail(Code::system, std::string("a thread could not be started: ") +
                                error.code().message() + "; use fewer threads");
}

bool says_close(const std::string& request) {
  RequestHeadParser parser(request.size());
  const RequestHeadParser::Outcome parsed = parser.parse(request);
  return parsed.head != nullptr && !parsed.head->keep_alive;
}

// Why nothing was completed, from the failures of the cells.
std::string nothing_completed(const RunResult& result) {
  int64_t failed = 0, abandoned = 0;
  std::string sample;
  for (const CellResult& cell : result.cells) {
    failed += cell.tally.counts.failed();
    abandoned += cell.tally.counts.abandoned;
    for (const auto& [kind, text] : cell.tally.failure_samples)
      if (sample.empty()) sample = text;
  }
  std::string text = "no request was completed: " + std::to_string(failed) +
                     " failed, " + std::to_string(abandoned) + " abandoned";
  if (!sample.empty()) text += "; " + sample;
  return text;
}

}  // namespace

Result<std::unique_ptr<Run>> Run::start(const Plan& plan,
                                        const RunResult* before) {
  Result<std::vector<Cell>> cells = plan.cells(usable_processors());
  if (!cells.is_ok()) return cells.status();
  Status status = check_host(cells.value());
  if (!status.is_ok()) return status;
  std::unique_ptr<Run> run(new Run(std::move(cells.value())));
  if (before != nullptr) run->before_ = whole_cells(run->cells_, *before);
  if (!run->cancel_fd_.is_open() || !run->done_fd_.is_open())
    return fail(Code::system, "no descriptor is left for the run itself");
  Run* self = run.get();
  try {
    const Quiet quiet;  // a thread inherits that, and so do those it starts
    run->thread_ = std::thread([self] { self->main(); });
  } catch (const std::system_error& error) {
    return no_thread(error);
  }
  return run;
}

Run::Run(std::vector<Cell> cells)
    : cells_(std::move(cells)),
      cancel_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      done_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  result_.tool_version = kVersion;
  result_.host = host_facts();
}

Run::~Run() {
  cancel();
  if (thread_.joinable()) thread_.join();
}

void Run::cancel() const noexcept {
  const int before = errno;  // whom a signal interrupts may still look at it
  is_canceled_.store(true, std::memory_order_relaxed);
  make_readable(cancel_fd_.get());
  errno = before;
}

bool Run::wait(int64_t timeout_ms) const {
  std::unique_lock lock(mutex_);
  const auto ended = [this] { return has_ended_; };
  if (timeout_ms < 0) {
    changed_.wait(lock, ended);
    return true;
  }
  const std::chrono::milliseconds most(std::min(timeout_ms, kLongestWaitMs));
  return changed_.wait_for(lock, most, ended);
}

// The cells in their order, up to the first one that still runs.
RunResult Run::snapshot() const {
  const std::lock_guard lock(mutex_);
  RunResult sofar = result_;
  const auto next = running_.find(result_.cells.size());
  if (next != running_.end()) sofar.cells.push_back(next->second->snapshot());
  return sofar;
}

// --- the run's own thread
// ------------------------------------------------------

void Run::main() noexcept {
  try {
    run_cells();
    conclude();
  } catch (const std::bad_alloc&) {
    const std::lock_guard lock(mutex_);
    result_.status.code = Code::memory;
  } catch (const std::system_error& error) {
    const std::lock_guard lock(mutex_);
    result_.status = no_thread(error);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    result_.status.code = Code::internal;
  }
  end();
}

void Run::run_cells() {
  Status status = prepare();
  if (status.is_ok() || is_canceled_)
    return cells_.front().config.is_modelled() ? run_at_once()
                                               : run_each_cell();
  const std::lock_guard lock(mutex_);
  result_.status = std::move(status);
}

void Run::run_each_cell() {
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (is_canceled_) return skip_rest(i, "not run: canceled");
    run_cell(i);
    const Status ended = result_.cells.back().status;
    // A row of a suite that fails says so and stops no other.
    if (ended.is_ok() || !cells_[i].annotations.empty()) continue;
    skip_rest(i + 1, "not run: " + ended.message);
    const std::lock_guard lock(mutex_);
    result_.status = ended;
    return;
  }
}

// Modelled cells share nothing, so that one that fails stops no other.
void Run::run_at_once() {
  const auto threads = static_cast<size_t>(usable_processors());
  at_once(cells_.size(), threads, [this](size_t i) {
    if (is_canceled_) return add(i, skipped(i, "not run: canceled"));
    run_cell(i);
  });
  const std::lock_guard lock(mutex_);
  for (const CellResult& cell : result_.cells)
    if (result_.status.is_ok()) result_.status = cell.status;
}

Status Run::prepare_request(const Config& config) {
  std::vector<std::string> headers = config.headers;
  if (config.verify_id) headers.push_back(id_header());
  Result<std::string> request =
      request_text({config.method, target_.url, std::move(headers), config.body,
                    config.keep_alive});
  if (!request.is_ok()) return request.status();
  target_.request = std::move(request.value());
  if (config.method == "HEAD") target_.kind = RequestKind::head;
  target_.says_close = says_close(target_.request);
  return {};
}

// Only the size of the request and what it says of its connection matter.
Status Run::prepare_modelled() {
  const Config& config = cells_.front().config;
  Result<Url> url = parse_url(config.url);
  if (!url.is_ok()) url = parse_url("http://server/");
  target_.url = std::move(url.value());
  return prepare_request(config);
}

// Names are resolved once, before any load; all cells use the same addresses.
Status Run::prepare() {
  const Config& config = cells_.front().config;
  if (config.is_modelled()) return prepare_modelled();
  const Result<Url> url = parse_url(config.url);
  if (!url.is_ok()) return url.status();
  target_.url = url.value();
  Status status = prepare_request(config);
  if (status.is_ok()) status = prepare_tls(config);
  if (status.is_ok()) status = find_addresses(config);
  const bool asks_before = config.target_own && config.proxy.empty();
  if (!status.is_ok() || !asks_before) return status;
  Result<ServerStats> stats = read_stats(target_, kProbeTimeout);
  if (stats.is_ok()) baseline_ = std::move(stats.value());
  return {};
}

Status Run::prepare_tls(const Config& config) {
  if (!target_.url.is_tls()) return {};
  TlsClientOptions options;
  options.verifies = !config.tls_insecure;
  options.ca = config.tls_ca;
  options.cert = config.tls_cert;
  options.key = config.tls_key;
  options.name = config.tls_server_name.empty() ? target_.url.host
                                                : config.tls_server_name;
  options.is_1_3_only = config.tls_min_version == TlsVersion::v1_3;
  options.resumes = config.tls_resume;
  auto made = TlsContext::client(options);
  if (!made.is_ok()) return made.status();
  target_.tls = std::move(made.value());
  return {};
}

Status Run::find_local_addresses(const Config& config) {
  for (const std::string& text : config.local_addresses) {
    const Result<Address> address = parse_address(text, 0);
    if (!address.is_ok())
      return fail(Code::value,
                  "target.local_address: " + address.status().message,
                  "target.local_address");
    target_.local_addresses.push_back(address.value());
  }
  return {};
}

Status Run::find_addresses(const Config& config) {
  if (!config.unix_socket.empty()) {
    const Result<Address> address = unix_address(config.unix_socket);
    if (!address.is_ok())
      return fail(Code::value,
                  "target.unix_socket: " + address.status().message,
                  "target.unix_socket");
    target_.addresses = {address.value()};
    return {};
  }
  ResolveOptions options;
  options.timeout_ns = config.resolve_timeout_ns;
  options.cancel_fd = cancel_fd_.get();
  Status status = find_local_addresses(config);
  if (!status.is_ok()) return status;
  Url url = target_.url;
  if (!config.connect_to.empty())
    url = parse_url("http://" + config.connect_to).value();
  if (!config.proxy.empty()) url = parse_url(config.proxy).value();
  Result<std::vector<Address>> addresses =
      resolve(url.host, url.zone, url.port, options);
  if (!addresses.is_ok()) return addresses.status();
  target_.addresses = std::move(addresses.value());
  return {};
}

// While it lives, snapshots can show the cell that is being measured.
class Run::Showing {
 public:
  Showing(Run& run, size_t index, CellRun& cell) : run_(run), index_(index) {
    const std::lock_guard lock(run_.mutex_);
    run_.running_[index_] = &cell;
  }
  ~Showing() {
    const std::lock_guard lock(run_.mutex_);
    run_.running_.erase(index_);
  }
  Showing(const Showing&) = delete;
  Showing& operator=(const Showing&) = delete;

 private:
  Run& run_;
  size_t index_;
};

void Run::run_cell(size_t index) {
  const Cell& cell = cells_[index];
  CellResult result;
  result.cell = cell;
  if (!cell.skipped.empty()) return add(index, std::move(result));
  if (has_before(index)) return add(index, *before_[index]);
  CellRun cell_run(cell, index, target_, is_canceled_);
  result.status = cell_run.make_workers();
  if (!result.status.is_ok()) return add(index, std::move(result));
  const Showing showing(*this, index, cell_run);
  result = cell_run.run();
  reconcile(cell_run, result);
  add(index, std::move(result));
}

void Run::reconcile(const CellRun& cell_run, CellResult& result) {
  const bool is_own = cell_run.saw_own_server() ||
                      (cells_.front().config.target_own && baseline_);
  // Behind a proxy it cannot be asked past its load.
  if (!is_own || !cells_.front().config.proxy.empty()) return;
  const Result<ServerStats> after = read_stable_stats(target_);
  if (!after.is_ok()) {
    result.notes.push_back(after.status().message);
    return;
  }
  compare_with_server(baseline_, after.value(), cell_run.requests_sent(),
                      result);
  baseline_ = after.value();
}

bool Run::has_before(size_t index) const {
  return !before_.empty() && before_[index].has_value();
}

CellResult Run::skipped(size_t index, const std::string& why) const {
  if (has_before(index)) return *before_[index];
  CellResult result;
  result.cell = cells_[index];
  if (result.cell.skipped.empty()) result.cell.skipped = why;
  result.interrupted = is_canceled_;
  return result;
}

void Run::skip_rest(size_t first, const std::string& why) {
  for (size_t i = first; i < cells_.size(); ++i) add(i, skipped(i, why));
}

// A snapshot sees the cell that was running or its result, never neither.
void Run::add(size_t index, CellResult result) {
  const std::lock_guard lock(mutex_);
  running_.erase(index);
  result_.interrupted |= result.interrupted;
  ahead_.emplace(index, std::move(result));
  for (auto next = ahead_.begin();
       next != ahead_.end() && next->first == result_.cells.size();
       next = ahead_.erase(next))
    result_.cells.push_back(std::move(next->second));
}

// The status of the whole run, once its cells are known.
void Run::conclude() {
  const std::lock_guard lock(mutex_);
  if (is_canceled_) {
    result_.interrupted = true;
    result_.status = fail(Code::canceled, "canceled; the numbers are partial");
    return;
  }
  if (!result_.status.is_ok()) return;
  for (const CellResult& cell : result_.cells)
    if (cell.tally.counts.completed > 0) return;
  for (const CellResult& cell : result_.cells) {
    if (cell.is_skipped()) continue;
    result_.status = fail(Code::connect, nothing_completed(result_));
    return;
  }
  if (!result_.cells.empty())
    result_.status =
        fail(Code::system, "no cell could be run; the first one: " +
                               result_.cells.front().cell.skipped);
}

void Run::end() {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  make_readable(done_fd_.get());
  changed_.notify_all();
}

}  // namespace dyno
