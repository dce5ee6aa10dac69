#include "server/server.hh"

#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <future>
#include <system_error>

#include "net/address.hh"
#include "net/affinity.hh"
#include "net/resolver.hh"
#include "net/socket.hh"
#include "server/loop.hh"

namespace dyno::server {
namespace {

Result<Address> address_of(const ServerConfig& config) {
  if (!config.unix_socket.empty()) {
    Result<Address> path = unix_address(config.unix_socket);
    if (path.is_ok()) return path;
    return fail(Code::value, "unix_socket: " + path.status().message,
                "unix_socket");
  }
  const auto port = static_cast<uint16_t>(config.port);
  Result<Address> literal = parse_address(config.host, port);
  if (literal.is_ok()) return literal;
  const auto found = resolve(config.host, "", port);
  if (found.is_ok()) return found.value().front();
  return under_key(found.status(), "target.url", "host");
}

// As even as whole numbers allow, and exact in total.
int64_t share_of(int64_t total, int64_t parts, int64_t index) {
  if (total == kUnlimited) return kUnlimited;
  return total / parts + (index < total % parts ? 1 : 0);
}

Status check_config(const ServerConfig& config) {
  if (config.max_connections >= config.threads) return {};
  return fail(Code::value,
              "max_connections: " + std::to_string(config.max_connections) +
                  " is less than one for each of the " +
                  std::to_string(config.threads) +
                  " threads; use fewer threads",
              "max_connections");
}

Status pin(const std::string& cpus, size_t thread) {
  if (cpus.empty()) return {};
  const auto parsed = parse_cpus(cpus);
  if (!parsed.is_ok()) return parsed.status();
  const std::vector<int>& list = parsed.value();
  const int cpu = list[thread % list.size()];
  return under_key(pin_thread({&cpu, 1}), "host.cpus", "cpus");
}

// New threads inherit the mask: theirs blocks all signals.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// A thread's entry: says whether it could begin, then serves.
void serve(Loop& loop, const std::string& cpus, size_t index,
           std::promise<Status>& begun) noexcept {
  Status status;
  try {
    status = pin(cpus, index);
  } catch (const std::exception& error) {
    status = fail(Code::memory, error.what());
  }
  const bool is_ok = status.is_ok();
  begun.set_value(std::move(status));
  if (is_ok) loop.run();
}

}  // namespace

Server::Server() {
  server_options().set_defaults(&config_);
}

Server::~Server() {
  stop();
}

Status Server::set(std::string_view key, std::string_view text) {
  const std::lock_guard lock(mutex_);
  const OptionRow* row = server_options().find(key);
  if (row == nullptr) return server_options().unknown(key);
  if (phase_ != Phase::fresh)
    return fail(Code::state,
                std::string(key) +
                    ": the server was started; "
                    "set options before that",
                row->key);
  const Result<Value> value = parse_value(*row, text);
  if (!value.is_ok()) return value.status();
  row->field.store(&config_, value.value());
  return {};
}

Status Server::start() {
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::fresh)
    return fail(Code::state, "the server was started before; make a new one");
  Status status = check_config(config_);
  if (status.is_ok()) status = make_loops();
  if (status.is_ok()) status = launch();
  if (!status.is_ok()) {
    end_threads();
    if (!loops_.empty() && address_.family() == AF_UNIX)
      remove_unix_socket(address_);
    loops_.clear();
    return status;
  }
  phase_ = Phase::running;
  return {};
}

Status Server::make_loops() {
  Result<Address> address = address_of(config_);
  if (!address.is_ok()) return address.status();
  address_ = address.value();
  common_ = std::make_unique<Common>(static_cast<size_t>(config_.threads));
  common_->config = config_;
  if (Status status = make_tls(); !status.is_ok()) return status;
  for (int64_t i = 0; i < config_.threads; ++i) {
    Result<Fd> listener = make_listener(i);
    if (!listener.is_ok()) return listener.status();
    auto loop =
        Loop::make(*common_, common_->stats.of_thread(static_cast<size_t>(i)),
                   std::move(listener.value()),
                   share_of(config_.max_connections, config_.threads, i));
    if (!loop.is_ok()) return loop.status();
    loops_.push_back(std::move(loop.value()));
  }
  port_ = address_.port();
  return {};
}

Status Server::make_tls() {
  const bool has_files = !config_.tls_cert.empty() ||
                         !config_.tls_key.empty() || !config_.tls_ca.empty();
  if (!config_.tls && has_files)
    return fail(Code::value, "tls: off, and a certificate is given; use tls=on",
                "tls");
  if (!config_.tls) return {};
  auto made =
      TlsContext::server({config_.tls_cert, config_.tls_key, config_.tls_ca});
  if (!made.is_ok()) return made.status();
  common_->tls = std::move(made.value());
  return {};
}

// The first has the port alone, so that a port that somebody else serves is an
// error and not shared. A Unix socket cannot be bound twice: its threads take
// connections from one queue.
Result<Fd> Server::make_listener(int64_t thread) {
  const bool is_unix = address_.family() == AF_UNIX;
  if (is_unix && thread > 0) {
    Fd same(fcntl(loops_.front()->listener(), F_DUPFD_CLOEXEC, 0));
    if (same.is_open()) return same;
    return fail(Code::system, "no descriptor for a thread: " +
                                  error_text(errno) + "; use fewer threads");
  }
  const Result<int> fd =
      listen_on(address_, static_cast<int>(config_.backlog), thread > 0);
  if (!fd.is_ok())
    return under_key(fd.status(), "host", is_unix ? "unix_socket" : "port");
  Fd listener(fd.value());
  if (thread > 0 || is_unix) return listener;
  const Result<Address> local = local_address(listener.get());
  if (!local.is_ok()) return local.status();
  address_.set_port(local.value().port());
  common_->config.port = local.value().port();
  if (config_.threads == 1) return listener;
  Status status = share_port(listener.get());
  if (!status.is_ok()) return status;
  return listener;
}

Status Server::launch() {
  std::vector<std::promise<Status>> begun(loops_.size());
  threads_.reserve(loops_.size());
  Status status;
  try {
    const SignalsBlocked blocked;
    for (size_t i = 0; i < loops_.size(); ++i)
      threads_.emplace_back(serve, std::ref(*loops_[i]),
                            std::cref(common_->config.cpus), i,
                            std::ref(begun[i]));
  } catch (const std::system_error& error) {
    status = fail(Code::system,
                  std::string("threads: ") + error.what() + "; use fewer",
                  "threads");
  }
  for (size_t i = 0; i < threads_.size(); ++i)
    if (Status its = begun[i].get_future().get(); !its.is_ok())
      status = std::move(its);
  return status;
}

void Server::end_threads() const {
  for (const auto& loop : loops_) loop->stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Server::stop() const {
  const std::lock_guard lock(mutex_);
  end_threads();
  const bool had_socket = !loops_.empty() && address_.family() == AF_UNIX;
  loops_.clear();
  if (had_socket) remove_unix_socket(address_);
  if (phase_ == Phase::running) phase_ = Phase::stopped;
}

std::optional<int64_t> Server::stat(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  if (common_ == nullptr) return Stats(0).get(name);
  return common_->stats.get(name);
}

std::string Server::stats_json() const {
  const std::lock_guard lock(mutex_);
  if (common_ == nullptr) return Stats(0).json(config_);
  return common_->stats.json(common_->config);
}

}  // namespace dyno::server
