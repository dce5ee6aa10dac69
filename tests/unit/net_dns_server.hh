// DnsServer: a name server on a loopback port for the resolver's tests. One
// thread answers every query in the same way; the queries are counted.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "net/socket.hh"

namespace dyno::test {

enum class Answers {
  both,          // 192.0.2.1 twice, and 2001:db8::1
  v4_only,       // no AAAA record
  v4_then_mute,  // AAAA queries get no answer
  none,          // the name exists without any address
  nxdomain,
  servfail,
  refused,
  over_tcp,  // UDP answers are truncated
  mute,
};

using Bytes = std::vector<uint8_t>;

inline constexpr uint8_t kTypeA = 1;
inline constexpr uint8_t kTypeAaaa = 28;

// A query's question is all that follows its header of 12 bytes: no EDNS.
inline uint8_t query_type(const Bytes& query) {
  return query[query.size() - 3];
}

inline void add_record(Bytes& reply, uint8_t type, const Bytes& data) {
  const Bytes head = {0xc0, 12, 0, type, 0, 1,
                      0,    0,  0, 60,   0, static_cast<uint8_t>(data.size())};
  reply.insert(reply.end(), head.begin(), head.end());
  reply.insert(reply.end(), data.begin(), data.end());
  ++reply[7];
}

inline void add_records(Bytes& reply, Answers answers, uint8_t type) {
  if (answers == Answers::none) return;
  if (type == kTypeA) {
    add_record(reply, kTypeA, {192, 0, 2, 1});
    add_record(reply, kTypeA, {192, 0, 2, 1});
  }
  if (type == kTypeAaaa && answers != Answers::v4_only)
    add_record(reply, kTypeAaaa,
               {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
}

// Empty: no reply at all.
inline Bytes make_reply(const Bytes& query, Answers answers, bool is_tcp) {
  const uint8_t type = query_type(query);
  Bytes reply = query;
  reply[2] |= 0x80;  // QR
  switch (answers) {
    case Answers::mute:
      return {};
    case Answers::v4_then_mute:
      if (type == kTypeAaaa) return {};
      break;
    case Answers::nxdomain:
      reply[3] |= 3;
      return reply;
    case Answers::servfail:
      reply[3] |= 2;
      return reply;
    case Answers::refused:
      reply[3] |= 5;
      return reply;
    case Answers::over_tcp:
      if (is_tcp) break;
      reply[2] |= 0x02;  // TC
      return reply;
    case Answers::both:
    case Answers::v4_only:
    case Answers::none:
      break;
  }
  add_records(reply, answers, type);
  return reply;
}

class DnsServer {
 public:
  explicit DnsServer(Answers answers) : answers_(answers) {
    // The same port for UDP and TCP: the second of them may be taken.
    while (!open()) {
    }
    thread_ = std::thread([this] { serve(); });
  }
  ~DnsServer() {
    eventfd_write(stop_.get(), 1);
    thread_.join();
  }
  DnsServer(const DnsServer&) = delete;
  DnsServer& operator=(const DnsServer&) = delete;

  // HOST:PORT, as ResolveOptions takes it.
  const std::string& name() const { return name_; }
  int queries() const { return udp_queries_ + tcp_queries_; }
  int tcp_queries() const { return tcp_queries_; }

 private:
  bool open() {
    const Address any = *parse_literal("127.0.0.1", 0);
    udp_ = Fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (bind(udp_.get(), any.get(), any.length) != 0) return false;
    const Address here = local_address(udp_.get()).value();
    const Result<int> listener = listen_on(here, 8, false);
    if (!listener.is_ok()) return false;
    tcp_ = Fd(listener.value());
    name_ = here.text();
    return true;
  }

  void serve() {
    std::array<pollfd, 3> fds{{{stop_.get(), POLLIN, 0},
                               {udp_.get(), POLLIN, 0},
                               {tcp_.get(), POLLIN, 0}}};
    while (poll(fds.data(), fds.size(), -1) >= 0 && fds[0].revents == 0) {
      if (fds[1].revents != 0) answer_datagram();
      if (fds[2].revents != 0) answer_connection();
    }
  }

  void answer_datagram() {
    Bytes query(512);
    sockaddr_storage from{};
    socklen_t length = sizeof from;
    const ssize_t got = recvfrom(udp_.get(), query.data(), query.size(), 0,
                                 reinterpret_cast<sockaddr*>(&from), &length);
    if (got < 17) return;
    query.resize(static_cast<size_t>(got));
    ++udp_queries_;
    const Bytes reply = make_reply(query, answers_, false);
    if (!reply.empty())
      sendto(udp_.get(), reply.data(), reply.size(), 0,
             reinterpret_cast<const sockaddr*>(&from), length);
  }

  // Queries until the client closes; two bytes of length before each message.
  void answer_connection() {
    const Fd fd(accept4(tcp_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    std::array<uint8_t, 2> size{};
    while (recv(fd.get(), size.data(), 2, MSG_WAITALL) == 2) {
      Bytes query(static_cast<size_t>(size[0] << 8 | size[1]));
      if (recv(fd.get(), query.data(), query.size(), MSG_WAITALL) < 17) return;
      ++tcp_queries_;
      Bytes reply = make_reply(query, answers_, true);
      const size_t length = reply.size();
      reply.insert(reply.begin(), {static_cast<uint8_t>(length >> 8),
                                   static_cast<uint8_t>(length & 0xff)});
      send_some(fd.get(), reply.data(), reply.size());
    }
  }

  Answers answers_;
  Fd udp_;
  Fd tcp_;
  Fd stop_{eventfd(0, EFD_CLOEXEC)};
  std::string name_;
  std::atomic<int> udp_queries_ = 0;
  std::atomic<int> tcp_queries_ = 0;
  std::thread thread_;
};

}  // namespace dyno::test
