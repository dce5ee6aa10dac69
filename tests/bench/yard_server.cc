// Yardstick: the least an HTTP/1.1 server can do. It takes every blank line for
// the end of a request without a body and writes one fixed answer for each, at
// once or after a fixed delay; a real server can only be slower. One thread.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr size_t kInputBytes = 256 * 1024;
constexpr size_t kMostConnections = 64 * 1024;
constexpr size_t kBlockAnswers = 1024;
constexpr size_t kEdge = 3;  // bytes of a blank line that may be cut off
constexpr int64_t kSecondNs = 1'000'000'000;

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecondNs + now.tv_nsec;
}

// CR LF CR LF; the windows of a block are summed up in a byte, so that the
// compiler can look at many of them at once.
size_t count_blank_lines(const char* data, size_t size) {
  size_t count = 0;
  const size_t windows = size < kEdge ? 0 : size - kEdge;
  for (size_t begin = 0; begin < windows; begin += 255) {
    const size_t end = windows - begin < 255 ? windows : begin + 255;
    unsigned char block = 0;
    for (size_t i = begin; i < end; ++i)
      block = static_cast<unsigned char>(
          block + ((data[i] == '\r') & (data[i + 1] == '\n') &
                   (data[i + 2] == '\r') & (data[i + 3] == '\n')));
    count += block;
  }
  return count;
}

// `fields` is whole lines.
std::string answer_text(size_t body_bytes, const std::string& fields) {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " +
         std::to_string(body_bytes) + "\r\n" + fields + "\r\n" +
         std::string(body_bytes, 'x');
}

class Server {
 public:
  Server(uint16_t port, const std::string& answer, int64_t delay_ns)
      : unit_(answer.size()),
        delay_ns_(delay_ns),
        listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)),
        timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK)),
        epoll_(epoll_create1(0)),
        wires_(kMostConnections) {
    for (size_t i = 0; i < kBlockAnswers; ++i) block_ += answer;
    listen_on(port);
    watch(listener_);
    watch(timer_);
  }

  [[noreturn]] void run() {
    for (;;) {
      const int count = epoll_wait(epoll_, events_.data(),
                                   static_cast<int>(events_.size()), -1);
      for (int i = 0; i < count; ++i)
        take(events_[static_cast<size_t>(i)].data.fd);
      if (!due_.empty()) answer_due();
    }
  }

 private:
  struct Wire {
    uint32_t life = 0;  // tells a descriptor from the one that had its number
    uint32_t kept = 0;
    std::array<char, kEdge> edge;  // the last bytes that were read
  };
  struct Due {
    int64_t at_ns;
    int fd;
    uint32_t life;
    uint32_t answers;
  };

  void listen_on(uint16_t port) {
    const int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (bind(listener_, generic, size) != 0) give_up("bind");
    if (listen(listener_, 4096) != 0) give_up("listen");
    getsockname(listener_, generic, &size);
    std::printf("%d\n", ntohs(address.sin_port));
    std::fflush(stdout);
  }

  void watch(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) give_up("epoll_ctl");
  }

  void take(int fd) {
    if (fd == listener_) return accept_all();
    if (fd != timer_) return read(fd);
    uint64_t ticks = 0;
    [[maybe_unused]] const ssize_t size = ::read(timer_, &ticks, sizeof ticks);
  }

  void accept_all() {
    for (;;) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (fd < 0) return;
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      if (static_cast<size_t>(fd) >= wires_.size()) give_up("connections");
      at(fd).kept = 0;
      watch(fd);
    }
  }

  void read(int fd) {
    Wire& wire = at(fd);
    char* const input = input_.get();
    const ssize_t got = recv(fd, input + wire.kept, kInputBytes, 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return close_wire(fd);
    std::memcpy(input, wire.edge.data(), wire.kept);
    const size_t size = wire.kept + static_cast<size_t>(got);
    const auto requests = static_cast<uint32_t>(count_blank_lines(input, size));
    wire.kept = static_cast<uint32_t>(size < kEdge ? size : kEdge);
    std::memcpy(wire.edge.data(), input + size - wire.kept, wire.kept);
    if (requests == 0) return;
    if (delay_ns_ == 0) return write(fd, requests);
    due_.push_back({monotonic_ns() + delay_ns_, fd, wire.life, requests});
  }

  // A peer that does not read what it asked for is none to be measured.
  void write(int fd, size_t answers) {
    while (answers > 0) {
      const size_t count = answers < kBlockAnswers ? answers : kBlockAnswers;
      const size_t size = count * unit_;
      if (send(fd, block_.data(), size, MSG_NOSIGNAL) !=
          static_cast<ssize_t>(size))
        return close_wire(fd);
      answers -= count;
    }
  }

  void answer_due() {
    const int64_t now_ns = monotonic_ns();
    for (; !due_.empty() && due_.front().at_ns <= now_ns; due_.pop_front()) {
      const Due& due = due_.front();
      if (at(due.fd).life == due.life) write(due.fd, due.answers);
    }
    if (due_.empty()) return;
    itimerspec spec{};
    spec.it_value.tv_sec = due_.front().at_ns / kSecondNs;
    spec.it_value.tv_nsec = due_.front().at_ns % kSecondNs;
    timerfd_settime(timer_, TFD_TIMER_ABSTIME, &spec, nullptr);
  }

  void close_wire(int fd) {
    ++at(fd).life;
    close(fd);
  }

  Wire& at(int fd) { return wires_[static_cast<size_t>(fd)]; }

  size_t unit_;
  int64_t delay_ns_;
  int listener_;
  int timer_;
  int epoll_;
  std::string block_;
  std::vector<Wire> wires_;
  std::deque<Due> due_;  // equal delays: in the order of their time
  std::unique_ptr<char[]> input_{new char[kEdge + kInputBytes]};
  std::array<epoll_event, 512> events_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    std::fputs(
        "usage: yard_server PORT BODY_BYTES [DELAY_MS [FIELD]]\n"
        "Port 0 is a free one; the port is printed when it listens.\n",
        stderr);
    return 2;
  }
  const auto port = static_cast<uint16_t>(std::atoi(argv[1]));
  const double delay_ms = argc > 3 ? std::atof(argv[3]) : 0;
  const std::string fields = argc > 4 ? argv[4] + std::string("\r\n") : "";
  Server(port, answer_text(std::strtoul(argv[2], nullptr, 10), fields),
         static_cast<int64_t>(delay_ms * 1e6))
      .run();
}
