// Yardstick: the least an HTTP/1.1 client can do. It keeps `depth` requests on
// the wire of each connection and counts the bytes of answers whose size it was
// told; it parses and records nothing, so a real client can only be slower.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Setting {
  uint16_t port;
  std::string target;
  size_t answer_bytes;
  size_t connections;
  size_t depth;
  std::chrono::duration<double> time;
};

struct Wire {
  int fd;
  size_t surplus = 0;  // bytes of an answer that is not complete
};

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

int connect_to(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) give_up("socket");
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    give_up("connect");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

class Client {
 public:
  explicit Client(const Setting& setting)
      : setting_(setting), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    const std::string request =
        "GET " + setting.target +
        " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(setting.port) +
        "\r\n\r\n";
    unit_ = request.size();
    for (size_t i = 0; i < setting.depth; ++i) block_ += request;
    wires_.reserve(setting.connections);
    for (size_t i = 0; i < setting.connections; ++i) {
      Wire& wire = wires_.emplace_back(Wire{connect_to(setting.port)});
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.ptr = &wire;
      if (epoll_ctl(epoll_, EPOLL_CTL_ADD, wire.fd, &event) != 0)
        give_up("epoll_ctl");
    }
  }

  void run() {
    const Clock::time_point begin = Clock::now();
    const auto end =
        begin + std::chrono::duration_cast<Clock::duration>(setting_.time);
    for (const Wire& wire : wires_) write(wire, setting_.depth);
    while (Clock::now() < end) take_turn();
    const std::chrono::duration<double> took = Clock::now() - begin;
    std::printf("%zu requests in %.6f s\n", completed_, took.count());
  }

 private:
  static constexpr size_t kInputBytes = 256 * 1024;

  void take_turn() {
    const int count = epoll_wait(epoll_, events_.data(),
                                 static_cast<int>(events_.size()), 50);
    for (int i = 0; i < count; ++i)
      read(*static_cast<Wire*>(events_[static_cast<size_t>(i)].data.ptr));
  }

  void read(Wire& wire) {
    const ssize_t size = recv(wire.fd, input_.get(), kInputBytes, 0);
    if (size < 0) give_up("recv");
    if (size == 0) {
      std::fputs("the server closed a connection\n", stderr);
      std::exit(1);
    }
    const size_t bytes = wire.surplus + static_cast<size_t>(size);
    const size_t answers = bytes / setting_.answer_bytes;
    wire.surplus = bytes % setting_.answer_bytes;
    completed_ += answers;
    if (answers > 0) write(wire, answers);
  }

  void write(const Wire& wire, size_t count) {
    const size_t size = count * unit_;
    const ssize_t sent = send(wire.fd, block_.data(), size, MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(size)) give_up("send");
  }

  const Setting& setting_;
  int epoll_;
  size_t unit_ = 0;
  std::string block_;
  std::vector<Wire> wires_;
  std::unique_ptr<char[]> input_{new char[kInputBytes]};
  std::array<epoll_event, 512> events_;
  size_t completed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fputs(
        "usage: yard_client PORT TARGET ANSWER_BYTES CONNECTIONS DEPTH "
        "SECONDS\n",
        stderr);
    return 2;
  }
  const Setting setting{static_cast<uint16_t>(std::atoi(argv[1])),
                        argv[2],
                        std::strtoul(argv[3], nullptr, 10),
                        std::strtoul(argv[4], nullptr, 10),
                        std::strtoul(argv[5], nullptr, 10),
                        std::chrono::duration<double>(std::atof(argv[6]))};
  Client(setting).run();
}
