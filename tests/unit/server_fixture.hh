// A server in this process and the plainest client there is: blocking sockets
// that wait five seconds at most. One server per test; the teardown ends it.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/server.hh"
#include "unit/cmocka.hh"

namespace dyno::server {

struct Fixture {
  std::unique_ptr<Server> server;
  std::vector<int> sockets;
};

inline Fixture& fixture() {
  static Fixture one;
  return one;
}

inline int end_server(void**) {
  for (const int fd : fixture().sockets) ::close(fd);
  fixture().sockets.clear();
  fixture().server.reset();
  return 0;
}

using Setting = std::pair<const char*, const char*>;

inline void serve(std::initializer_list<Setting> settings = {}) {
  fixture().server = std::make_unique<Server>();
  Server& server = *fixture().server;
  assert_true(server.set("port", "0").is_ok());
  for (const Setting& one : settings) {
    const Status status = server.set(one.first, one.second);
    if (!status.is_ok()) fail_msg("%s", status.message.c_str());
  }
  const Status status = server.start();
  if (!status.is_ok()) fail_msg("%s", status.message.c_str());
}

inline int64_t count_of(const char* name) {
  return fixture().server->stat(name).value_or(-1);
}

// Counters move on another thread: waits until they have what is expected.
inline void expect_count(const char* name, int64_t value) {
  for (int i = 0; i < 1000 && count_of(name) != value; ++i) usleep(5000);
  if (count_of(name) != value)
    fail_msg("%s is %lld, not %lld", name,
             static_cast<long long>(count_of(name)),
             static_cast<long long>(value));
}

inline int dial() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(fixture().server->port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert_int_equal(
      connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const timeval patience{.tv_sec = 5, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  fixture().sockets.push_back(fd);
  return fd;
}

inline void say(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    assert_true(sent > 0);
    text.remove_prefix(static_cast<size_t>(sent));
  }
}

inline std::string get(std::string_view target, std::string_view fields = "") {
  std::string text = "GET ";
  text += target;
  text += " HTTP/1.1\r\nHost: x\r\n";
  text += fields;
  return text + "\r\n";
}

inline std::string repeat(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

// Exactly so many bytes; fewer if the connection ends or nothing comes.
inline std::string hear(int fd, size_t size) {
  std::string text(size, '\0');
  size_t got = 0;
  while (got < size) {
    const ssize_t more = recv(fd, text.data() + got, size - got, 0);
    if (more <= 0) break;
    got += static_cast<size_t>(more);
  }
  text.resize(got);
  return text;
}

inline constexpr std::string_view kSilence = "(silence)";
inline constexpr std::string_view kReset = "(reset)";

// Everything until the peer closes; ends with kReset or kSilence if it does
// not.
inline std::string hear_all(int fd) {
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t more = recv(fd, part, sizeof part, 0);
    if (more == 0) return text;
    if (more < 0) return text.append(errno == ECONNRESET ? kReset : kSilence);
    text.append(part, static_cast<size_t>(more));
  }
}

// Head and body of one answer that has a Content-Length.
struct Heard {
  std::string head;
  std::string body;
};

inline Heard hear_answer(int fd, bool has_body = true) {
  Heard heard;
  while (!heard.head.ends_with("\r\n\r\n")) {
    const std::string byte = hear(fd, 1);
    if (byte.empty()) fail_msg("no answer but \"%s\"", heard.head.c_str());
    heard.head += byte;
  }
  const size_t at = heard.head.find("Content-Length: ");
  if (has_body && at != heard.head.npos)
    heard.body =
        hear(fd, std::strtoul(heard.head.c_str() + at + 16, nullptr, 10));
  return heard;
}

inline void expect_text(const std::string& heard, const std::string& wanted) {
  assert_string_equal(heard.c_str(), wanted.c_str());
}

inline void expect_has(const std::string& text, std::string_view part) {
  if (text.find(part) == text.npos)
    fail_msg("\"%s\" lacks \"%.*s\"", text.c_str(),
             static_cast<int>(part.size()), part.data());
}

inline void expect_lacks(const std::string& text, std::string_view part) {
  if (text.find(part) != text.npos)
    fail_msg("\"%s\" has \"%.*s\"", text.c_str(), static_cast<int>(part.size()),
             part.data());
}

inline const std::string kHello =
    "HTTP/1.1 200 OK\r\nServer: httpdyno\r\nContent-Type: text/plain\r\n"
    "Content-Length: 12\r\n\r\nHello world!";
inline const std::string kLastHello =
    "HTTP/1.1 200 OK\r\nServer: httpdyno\r\nContent-Type: text/plain\r\n"
    "Content-Length: 12\r\nConnection: close\r\n\r\nHello world!";

}  // namespace dyno::server

// A test that serve()s.
#define SERVER_TEST(name) cmocka_unit_test_teardown(name, end_server)
