#include "support/script_server.hh"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace dyno::test {
namespace {

constexpr int64_t kNever = INT64_MAX;
constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kAcceptPause = 10 * kMillisecond;
constexpr size_t kHeadsKept = 1000;

int64_t clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

sockaddr_in6 address_of(const char* host, int port, socklen_t& length) {
  sockaddr_in6 storage{};
  const auto net_port = htons(static_cast<uint16_t>(port));
  if (strchr(host, ':') != nullptr) {
    storage.sin6_family = AF_INET6;
    storage.sin6_port = net_port;
    inet_pton(AF_INET6, host, &storage.sin6_addr);
    length = sizeof storage;
    return storage;
  }
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = net_port;
  inet_pton(AF_INET, host, &four.sin_addr);
  memcpy(&storage, &four, sizeof four);
  length = sizeof four;
  return storage;
}

int port_of(int fd) {
  sockaddr_in6 storage{};
  socklen_t length = sizeof storage;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0)
    return 0;
  return ntohs(storage.sin6_port);  // at the same place for both families
}

// The value of Content-Length, 0 without one.
size_t body_size(const std::string& head) {
  constexpr const char* kField = "\r\ncontent-length:";
  for (const char* at = head.c_str(); *at != '\0'; ++at)
    if (strncasecmp(at, kField, strlen(kField)) == 0)
      return strtoul(at + strlen(kField), nullptr, 10);
  return 0;
}

void reset(int fd) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(fd);
}

}  // namespace

struct ScriptServer::Connection {
  int fd = -1;  // -1: closed
  int number = 0;
  int requests = 0;
  bool is_busy = false;  // an answer is being written or waited for
  bool is_deaf = false;  // what arrives is dropped
  std::string in;
  size_t body_left = 0;  // of a request that is known already
  Reply reply;
  size_t written = 0;
  int64_t due_ns = kNever;  // of the next write
};

Script always(Reply reply) {
  return [reply = std::move(reply)](const Heard&) { return reply; };
}

std::string answer(const std::string& body, const std::string& fields) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + fields + "\r\n" + body;
}

ScriptServer::ScriptServer(Script script, ServeOptions options)
    : script_(std::move(script)),
      options_(std::move(options)),
      wanted_port_(options_.port) {
  if (!listen_on_port() || pipe2(wake_, O_NONBLOCK | O_CLOEXEC) != 0) return;
  port_ = wanted_port_ = port_of(listener_);
  thread_ = std::thread([this] { main(); });
}

ScriptServer::~ScriptServer() {
  stop();
  for (const int fd : {listener_, wake_[0], wake_[1]})
    if (fd >= 0) close(fd);
}

std::string ScriptServer::url(const std::string& target) const {
  const std::string host = options_.host;
  const bool is_six = host.find(':') != std::string::npos;
  return "http://" + (is_six ? "[" + host + "]" : host) + ":" +
         std::to_string(port_) + target;
}

void ScriptServer::stop() {
  if (!thread_.joinable()) return;
  is_stopping_ = true;
  [[maybe_unused]] const ssize_t n = write(wake_[1], "x", 1);
  thread_.join();
}

std::set<std::string> ScriptServer::peers() const {
  const std::lock_guard lock(mutex_);
  return peers_;
}

std::vector<std::string> ScriptServer::heads() const {
  const std::lock_guard lock(mutex_);
  return heads_;
}

bool ScriptServer::listen_on_port() {
  socklen_t length = 0;
  const sockaddr_in6 address = address_of(options_.host, wanted_port_, length);
  listener_ = socket(address.sin6_family,
                     SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return bind(listener_, reinterpret_cast<const sockaddr*>(&address), length) ==
             0 &&
         listen(listener_, options_.backlog) == 0;
}

// --- the thread -------------------------------------------------------------

void ScriptServer::main() {
  const int64_t ends_ns = clock_ns() + options_.life_ms * kMillisecond;
  while (!is_stopping_ && clock_ns() < ends_ns) {
    const int64_t now_ns = clock_ns();
    if (listener_ < 0 && up_again_ns_ <= now_ns) listen_on_port();
    for (size_t i = 0; i < connections_.size(); ++i)
      write_due(*connections_[i], now_ns);
    std::erase_if(connections_, [](const auto& one) { return one->fd < 0; });
    poll_until(std::min(ends_ns, next_due_ns(now_ns)));
  }
  if (listener_ >= 0 && options_.accepts) accept_all();
  close_all();
}

int64_t ScriptServer::next_due_ns(int64_t now_ns) const {
  int64_t due_ns = listener_ < 0 ? up_again_ns_ : kNever;
  if (accept_again_ns_ > now_ns) due_ns = std::min(due_ns, accept_again_ns_);
  for (const auto& one : connections_) due_ns = std::min(due_ns, one->due_ns);
  return due_ns;
}

void ScriptServer::poll_until(int64_t due_ns) {
  std::vector<pollfd> entries{{wake_[0], POLLIN, 0}};
  const int64_t now_ns = clock_ns();
  const bool listens = options_.accepts && accept_again_ns_ <= now_ns;
  entries.push_back({listens ? listener_ : -1, POLLIN, 0});
  const size_t count = connections_.size();
  for (const auto& one : connections_)
    entries.push_back({one->is_busy ? -1 : one->fd, POLLIN, 0});
  const int64_t left_ns = std::max<int64_t>(due_ns - now_ns, 0);
  const timespec timeout{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
  if (ppoll(entries.data(), entries.size(), &timeout, nullptr) <= 0) return;
  if (entries[1].revents != 0) accept_all();
  // A script may close them all on the way.
  for (size_t i = 0; i < std::min(count, connections_.size()); ++i)
    if (entries[i + 2].revents != 0 && connections_[i]->fd >= 0)
      read_from(*connections_[i]);
}

void ScriptServer::accept_all() {
  while (true) {
    sockaddr_in peer{};
    socklen_t length = sizeof peer;
    const int fd = accept4(listener_, reinterpret_cast<sockaddr*>(&peer),
                           &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno != EAGAIN) accept_again_ns_ = clock_ns() + kAcceptPause;
      return;
    }
    if (peer.sin_family == AF_INET) {
      char text[INET_ADDRSTRLEN] = "";
      inet_ntop(AF_INET, &peer.sin_addr, text, sizeof text);
      const std::lock_guard lock(mutex_);
      peers_.emplace(text);
    }
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    auto one = std::make_unique<Connection>();
    one->fd = fd;
    one->number = static_cast<int>(accepted_++);
    const Then then = options_.greet ? options_.greet(one->number) : Then::keep;
    one->is_deaf = then == Then::hold;
    if (then == Then::rst) reset(fd);
    if (then == Then::close) close(fd);
    if (then == Then::rst || then == Then::close) continue;
    connections_.push_back(std::move(one));
    const auto open =
        std::count_if(connections_.begin(), connections_.end(),
                      [](const auto& each) { return each->fd >= 0; });
    open_peak_ = std::max<int64_t>(open_peak_, open);
  }
}

void ScriptServer::read_from(Connection& connection) {
  char buffer[65536];
  const ssize_t size = recv(connection.fd, buffer, sizeof buffer, 0);
  if (size < 0 && errno == EAGAIN) return;
  if (size <= 0) {
    close(std::exchange(connection.fd, -1));
    return;
  }
  if (connection.is_deaf) return;
  connection.in.append(buffer, static_cast<size_t>(size));
  take_requests(connection);
}

void ScriptServer::take_requests(Connection& connection) {
  std::string& in = connection.in;
  if (connection.is_busy || connection.fd < 0) return;
  const size_t rest_of_body = std::min(connection.body_left, in.size());
  in.erase(0, rest_of_body);
  connection.body_left -= rest_of_body;
  const size_t end = in.find("\r\n\r\n");
  if (connection.body_left > 0 || end == std::string::npos) return;
  Heard heard;
  heard.head = in.substr(0, end + 4);
  heard.body = body_size(heard.head);
  if (!options_.answers_heads && in.size() < end + 4 + heard.body) return;
  const size_t here = std::min(in.size(), end + 4 + heard.body);
  connection.body_left = end + 4 + heard.body - here;
  in.erase(0, here);
  heard.connection = connection.number;
  heard.request = connection.requests++;
  heard.total = static_cast<int>(requests_++);
  {
    const std::lock_guard lock(mutex_);
    if (heads_.size() < kHeadsKept) heads_.push_back(heard.head);
  }
  begin(connection, script_(heard), clock_ns());
}

void ScriptServer::begin(Connection& connection, Reply reply, int64_t now_ns) {
  connection.is_busy = true;
  connection.written = 0;
  connection.due_ns = now_ns + reply.delay_ms * kMillisecond;
  connection.reply = std::move(reply);
  write_due(connection, now_ns);
}

// Writes one piece, or as much as fits; the loop comes back for the rest.
void ScriptServer::write_due(Connection& connection, int64_t now_ns) {
  if (!connection.is_busy || connection.fd < 0 || connection.due_ns > now_ns)
    return;
  const Reply& reply = connection.reply;
  size_t size = reply.bytes.size() - connection.written;
  if (reply.piece > 0) size = std::min(size, reply.piece);
  const ssize_t sent =
      size == 0 ? 0
                : send(connection.fd, reply.bytes.data() + connection.written,
                       size, MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) {
    close(std::exchange(connection.fd, -1));
    connection.due_ns = kNever;
    return;
  }
  const bool is_full = sent < 0 || static_cast<size_t>(sent) < size;
  connection.written += sent < 0 ? 0 : static_cast<size_t>(sent);
  connection.due_ns = now_ns + (is_full ? kMillisecond : reply.pause_us * 1000);
  if (connection.written == reply.bytes.size()) after_reply(connection);
}

void ScriptServer::after_reply(Connection& connection) {
  connection.is_busy = false;
  connection.due_ns = kNever;
  switch (connection.reply.then) {
    case Then::keep:
      return take_requests(connection);
    case Then::close:
      close(std::exchange(connection.fd, -1));
      return;
    case Then::rst:
      reset(std::exchange(connection.fd, -1));
      return;
    case Then::shut:
      shutdown(connection.fd, SHUT_WR);
      [[fallthrough]];
    case Then::hold:
      connection.is_deaf = true;
      return;
    case Then::down:
      return go_down(clock_ns());
  }
}

void ScriptServer::close_all() {
  for (const auto& one : connections_)
    if (one->fd >= 0) close(std::exchange(one->fd, -1));
}

void ScriptServer::go_down(int64_t now_ns) {
  accept_all();
  close_all();
  close(std::exchange(listener_, -1));
  up_again_ns_ =
      options_.down_ms > 0 ? now_ns + options_.down_ms * kMillisecond : kNever;
}

}  // namespace dyno::test
