#include "server/loop.hh"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace dyno::server {
namespace {

// So that those who are connected are not kept waiting by a flood of others.
constexpr int kAcceptsPerWake = 256;
constexpr timeval kAcceptPause{.tv_sec = 0, .tv_usec = 100'000};

event_base* new_base() {
  event_config* config = event_config_new();
  if (config == nullptr) return nullptr;
  // Without precise timers a 10 ms delay reaches 62-83 % of its limit. A cached
  // time would make timers that are armed late in a batch fire early.
  event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK |
                                    EVENT_BASE_FLAG_IGNORE_ENV |
                                    EVENT_BASE_FLAG_NO_CACHE_TIME |
                                    EVENT_BASE_FLAG_PRECISE_TIMER);
  event_base* base = event_base_new_with_config(config);
  event_config_free(config);
  return base;
}

int64_t sweep_interval(int64_t idle_ns) {
  return std::clamp(idle_ns / 8, kMillisecond, kSecond);
}

timeval to_timeval(int64_t ns) {
  return {.tv_sec = ns / kSecond, .tv_usec = ns % kSecond / kMicrosecond};
}

}  // namespace

Result<std::unique_ptr<Loop>> Loop::make(Common& common, Counters& counters,
                                         Fd listener,
                                         int64_t most_connections) {
  Base base(new_base());
  Fd wake(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (base == nullptr || !wake.is_open())
    return fail(Code::system,
                "no event loop for a server thread: " + error_text(errno));
  return std::unique_ptr<Loop>(new Loop(std::move(base), common, counters,
                                        std::move(listener), std::move(wake),
                                        most_connections));
}

Loop::Loop(Base base, Common& common, Counters& counters, Fd listener, Fd wake,
           int64_t most_connections)
    : base_(std::move(base)),
      common_(common),
      counters_(counters),
      kit_(base_.get(), common, counters, *this, *this),
      listener_(std::move(listener)),
      wake_(std::move(wake)),
      most_connections_(most_connections) {
  event_assign(&acceptable_, base_.get(), listener_.get(), EV_READ | EV_PERSIST,
               on_acceptable, this);
  evtimer_assign(&accept_again_, base_.get(), on_accept_again, this);
  event_assign(&sweep_, base_.get(), -1, EV_PERSIST, on_sweep, this);
  event_assign(&wake_event_, base_.get(), wake_.get(), EV_READ, on_wake, this);
  event_add(&acceptable_, nullptr);
  event_add(&wake_event_, nullptr);
  if (common.config.idle_close_ns != kUnlimited) arm_sweep();
}

Loop::~Loop() {
  for (event* one : {&acceptable_, &accept_again_, &sweep_, &wake_event_})
    event_del(one);
}

void Loop::run() {
  event_base_loop(base_.get(), EVLOOP_NO_EXIT_ON_EMPTY);
  is_stopping_ = true;
  for (Connection& connection : connections_) connection.close();
}

void Loop::stop() {
  eventfd_write(wake_.get(), 1);
}

void Loop::on_wake(evutil_socket_t, short, void* self) noexcept {
  event_base_loopbreak(static_cast<Loop*>(self)->base_.get());
}

void Loop::on_acceptable(evutil_socket_t, short, void* self) noexcept {
  Loop& loop = *static_cast<Loop*>(self);
  loop.kit_.begin_event();
  loop.accept_some();
}

void Loop::on_accept_again(evutil_socket_t, short, void* self) noexcept {
  event_add(&static_cast<Loop*>(self)->acceptable_, nullptr);
}

void Loop::accept_some() {
  for (int i = 0; i < kAcceptsPerWake; ++i) {
    const int fd = accept4(listener_.get(), nullptr, nullptr,
                           SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      add(fd);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return;
    counters_.add(Stat::accept_errors);
    // The peer was gone before we came.
    if (errno == ECONNABORTED || errno == EPROTO) continue;
    return pause_accept();
  }
}

// Out of descriptors or memory: the listening socket stays readable, so asking
// again at once would spin.
void Loop::pause_accept() {
  event_del(&acceptable_);
  event_add(&accept_again_, &kAcceptPause);
}

void Loop::add(int fd) {
  set_nodelay(fd);
  counters_.add(Stat::accepted);
  if (free_.empty()) free_.push_back(&connections_.emplace_back(kit_));
  Connection* connection = free_.back();
  free_.pop_back();
  connection->hold(fd, common_.connections.fetch_add(1) + 1);
  if (active_ < most_connections_) {
    ++active_;
    return connection->start();
  }
  counters_.add(Stat::held);
  held_.push(connection);
}

void Loop::closed(Connection& connection) {
  free_.push_back(&connection);
  if (is_stopping_) return;
  --active_;
  if (held_.is_empty()) return;
  ++active_;
  held_.pop()->start();
}

void Loop::due(const Ticket& ticket) {
  Connection& connection = *ticket.connection;
  if (ticket.generation != connection.generation()) return;
  connection.due(ticket.sequence);
  if (std::exchange(connection.is_marked, true)) return;
  marked_.push_back(&connection);
}

void Loop::all_due() {
  kit_.begin_event();
  for (Connection* connection : marked_) {
    connection->is_marked = false;
    connection->flush();
  }
  marked_.clear();
}

void Loop::arm_sweep() {
  const int64_t idle_ns = common_.config.idle_close_ns;
  const int64_t interval_ns = sweep_interval(idle_ns);
  // The tick that has begun when a connection falls idle does not count.
  idle_ticks_ =
      static_cast<uint32_t>((idle_ns + interval_ns - 1) / interval_ns + 1);
  const timeval interval = to_timeval(interval_ns);
  event_add(&sweep_, &interval);
}

void Loop::on_sweep(evutil_socket_t, short, void* argument) noexcept {
  Loop& self = *static_cast<Loop*>(argument);
  self.kit_.begin_event();
  ++self.kit_.tick;
  for (Connection& connection : self.connections_)
    connection.close_if_idle(self.idle_ticks_);
}

}  // namespace dyno::server
