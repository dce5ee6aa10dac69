// Sockets over loopback: connect, send, close and listen.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "net/socket.hh"
#include "unit/cmocka.hh"

using dyno::Address;
using dyno::Code;
using dyno::Fd;
using dyno::parse_literal;

namespace {

const Address kAnyPort = *parse_literal("127.0.0.1", 0);

void wait_for(int fd, short events) {
  pollfd waiting{.fd = fd, .events = events, .revents = 0};
  assert_int_equal(poll(&waiting, 1, -1), 1);
}

int listen_anywhere() {
  const auto listener = dyno::listen_on(kAnyPort, 8, false);
  assert_true(listener.is_ok());
  return listener.value();
}

// Both ends of one connection.
struct Pair {
  int client = -1;
  int server = -1;
};

Pair connect_pair() {
  const int listener = listen_anywhere();
  const Address address = dyno::local_address(listener).value();
  Pair pair;
  pair.client = dyno::open_stream(AF_INET);
  const int started = dyno::start_connect(pair.client, address);
  assert_true(started == 0 || started == EINPROGRESS);
  wait_for(listener, POLLIN);
  pair.server = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
  assert_true(pair.server >= 0);
  wait_for(pair.client, POLLOUT);
  assert_int_equal(dyno::pending_error(pair.client), 0);
  dyno::close_now(listener);
  return pair;
}

void a_stream_is_non_blocking_and_close_on_exec(void**) {
  const int fd = dyno::open_stream(AF_INET6);
  assert_true(fd >= 0);
  assert_true((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
  assert_true((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
  dyno::close_now(fd);
}

void running_out_of_descriptors_is_emfile(void**) {
  rlimit before{};
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  const int fd = dyno::open_stream(AF_INET);
  const int error = errno;
  const auto listener = dyno::listen_on(kAnyPort, 8, false);
  setrlimit(RLIMIT_NOFILE, &before);
  assert_int_equal(fd, -1);
  assert_int_equal(error, EMFILE);
  assert_false(listener.is_ok());
  assert_non_null(strstr(listener.status().message.c_str(), "ulimit -n"));
}

void bytes_go_both_ways(void**) {
  const Pair pair = connect_pair();
  dyno::set_nodelay(pair.client);
  int nodelay = 0;
  socklen_t length = sizeof nodelay;
  getsockopt(pair.client, IPPROTO_TCP, TCP_NODELAY, &nodelay, &length);
  assert_int_equal(nodelay, 1);
  std::array<char, 16> got{};
  assert_int_equal(dyno::read_some(pair.server, got.data(), got.size()), -1);
  assert_int_equal(errno, EAGAIN);
  assert_int_equal(dyno::send_some(pair.client, "ping", 4), 4);
  wait_for(pair.server, POLLIN);
  assert_int_equal(dyno::read_some(pair.server, got.data(), got.size()), 4);
  assert_memory_equal(got.data(), "ping", 4);
  dyno::close_now(pair.client);
  wait_for(pair.server, POLLIN);
  assert_int_equal(dyno::read_some(pair.server, got.data(), got.size()), 0);
  dyno::close_now(pair.server);
}

void a_reset_is_seen_as_a_reset(void**) {
  const Pair pair = connect_pair();
  dyno::reset(pair.server);
  wait_for(pair.client, POLLIN);
  char byte = 0;
  assert_int_equal(dyno::read_some(pair.client, &byte, 1), -1);
  assert_int_equal(errno, ECONNRESET);
  dyno::close_now(pair.client);
}

void a_send_to_nobody_raises_no_signal(void**) {
  const Pair pair = connect_pair();
  dyno::reset(pair.server);
  wait_for(pair.client, POLLIN);
  char byte = 0;
  dyno::read_some(pair.client, &byte, 1);
  assert_int_equal(dyno::send_some(pair.client, "x", 1), -1);
  assert_int_equal(errno, EPIPE);
  dyno::close_now(pair.client);
}

void a_refused_connect_is_an_errno(void**) {
  const int listener = listen_anywhere();
  const Address address = dyno::local_address(listener).value();
  dyno::close_now(listener);
  const int fd = dyno::open_stream(AF_INET);
  int error = dyno::start_connect(fd, address);
  if (error == EINPROGRESS) {
    wait_for(fd, POLLOUT);
    error = dyno::pending_error(fd);
  }
  assert_int_equal(error, ECONNREFUSED);
  assert_int_equal(dyno::pending_error(fd), 0);
  dyno::close_now(fd);
}

void a_connection_with_itself_is_recognised(void**) {
  const int fd = dyno::open_stream(AF_INET);
  assert_int_equal(bind(fd, kAnyPort.get(), kAnyPort.length), 0);
  assert_false(dyno::is_self_connected(fd));
  dyno::start_connect(fd, dyno::local_address(fd).value());
  wait_for(fd, POLLOUT);
  assert_int_equal(dyno::pending_error(fd), 0);
  assert_true(dyno::is_self_connected(fd));
  dyno::close_now(fd);
  const Pair pair = connect_pair();
  assert_false(dyno::is_self_connected(pair.client));
  dyno::close_now(pair.client);
  dyno::close_now(pair.server);
}

void a_connection_is_known_to_be_one(void**) {
  const int fd = dyno::open_stream(AF_INET);
  assert_false(dyno::is_connected(fd));
  dyno::close_now(fd);
  const Pair pair = connect_pair();
  assert_true(dyno::is_connected(pair.client));
  dyno::reset(pair.server);
  wait_for(pair.client, POLLIN);
  assert_false(dyno::is_connected(pair.client));
  assert_int_equal(dyno::pending_error(pair.client), ECONNRESET);
  dyno::close_now(pair.client);
}

void an_owner_closes_once(void**) {
  const int fd = dyno::open_stream(AF_INET);
  {
    Fd first(fd);
    Fd second(std::move(first));
    assert_false(first.is_open());
    first = std::move(second);
    assert_int_equal(first.get(), fd);
    first = Fd(dyno::open_stream(AF_INET));
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_true(first.is_open());
  }
  const int released = Fd(dyno::open_stream(AF_INET)).release();
  assert_true(fcntl(released, F_GETFD) >= 0);
  dyno::close_now(released);
}

void a_port_is_listened_on_once(void**) {
  const int listener = listen_anywhere();
  const Address address = dyno::local_address(listener).value();
  assert_int_not_equal(address.port(), 0);
  for (const bool reuse_port : {false, true}) {
    const auto again = dyno::listen_on(address, 8, reuse_port);
    assert_false(again.is_ok());
    assert_int_equal(again.status().code, Code::system);
    const char* const message = again.status().message.c_str();
    assert_non_null(strstr(message, address.text().c_str()));
    assert_non_null(strstr(message, "address already in use"));
    assert_non_null(strstr(message, "choose another one"));
  }
  dyno::close_now(listener);
}

void a_shared_port_is_shared_only_by_those_who_ask(void**) {
  const int listener = listen_anywhere();
  const Address address = dyno::local_address(listener).value();
  assert_true(dyno::share_port(listener).is_ok());
  const auto second = dyno::listen_on(address, 8, true);
  const auto third = dyno::listen_on(address, 8, true);
  assert_true(second.is_ok());
  assert_true(third.is_ok());
  assert_false(dyno::listen_on(address, 8, false).is_ok());
  dyno::close_now(second.value());
  dyno::close_now(third.value());
  dyno::close_now(listener);
}

void a_closed_port_is_free_at_once(void**) {
  const Pair pair = connect_pair();
  const Address address = dyno::local_address(pair.server).value();
  dyno::close_now(pair.server);  // first: TIME_WAIT stays at this end
  dyno::close_now(pair.client);
  const auto listener = dyno::listen_on(address, 8, false);
  assert_true(listener.is_ok());
  dyno::close_now(listener.value());
}

void a_foreign_address_is_refused_with_a_remedy(void**) {
  const auto listener =
      dyno::listen_on(*parse_literal("192.0.2.1", 0), 8, false);
  assert_false(listener.is_ok());
  const char* const message = listener.status().message.c_str();
  assert_non_null(strstr(message, "192.0.2.1:0"));
  assert_non_null(strstr(message, "0.0.0.0"));
}

void a_unix_socket_replaces_a_dead_one_alone(void**) {
  const std::string path = "dyno-" + std::to_string(getpid()) + ".sock";
  const Address address = dyno::unix_address(path).value();
  const auto listener = dyno::listen_on(address, 8, false);
  assert_true(listener.is_ok());
  const auto second = dyno::listen_on(address, 8, false);
  assert_false(second.is_ok());
  assert_non_null(
      strstr(second.status().message.c_str(), "stop the program that listens"));
  // Its file stays, as that of a server that was killed does.
  dyno::close_now(listener.value());
  const auto after = dyno::listen_on(address, 8, false);
  assert_true(after.is_ok());
  dyno::close_now(after.value());
  dyno::remove_unix_socket(address);
  assert_int_equal(access(path.c_str(), F_OK), -1);
}

void a_file_that_is_no_socket_is_left_alone(void**) {
  const std::string path = "dyno-" + std::to_string(getpid()) + ".txt";
  const Address address = dyno::unix_address(path).value();
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  assert_true(file >= 0);
  close(file);
  assert_false(dyno::listen_on(address, 8, false).is_ok());
  dyno::remove_unix_socket(address);
  assert_int_equal(access(path.c_str(), F_OK), 0);
  unlink(path.c_str());
}

void ipv6_is_listened_on(void**) {
  const auto listener = dyno::listen_on(*parse_literal("::1", 0), 8, false);
  if (!listener.is_ok()) skip();  // a host without IPv6
  const std::string text = dyno::local_address(listener.value()).value().text();
  assert_int_equal(text.rfind("[::1]:", 0), 0);
  dyno::close_now(listener.value());
}

void error_texts_begin_in_lower_case(void**) {
  assert_string_equal(dyno::error_text(ECONNREFUSED).c_str(),
                      "connection refused");
  assert_false(dyno::local_address(-1).is_ok());
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_stream_is_non_blocking_and_close_on_exec),
      cmocka_unit_test(running_out_of_descriptors_is_emfile),
      cmocka_unit_test(bytes_go_both_ways),
      cmocka_unit_test(a_reset_is_seen_as_a_reset),
      cmocka_unit_test(a_send_to_nobody_raises_no_signal),
      cmocka_unit_test(a_refused_connect_is_an_errno),
      cmocka_unit_test(a_connection_with_itself_is_recognised),
      cmocka_unit_test(a_connection_is_known_to_be_one),
      cmocka_unit_test(an_owner_closes_once),
      cmocka_unit_test(a_port_is_listened_on_once),
      cmocka_unit_test(a_shared_port_is_shared_only_by_those_who_ask),
      cmocka_unit_test(a_closed_port_is_free_at_once),
      cmocka_unit_test(a_foreign_address_is_refused_with_a_remedy),
      cmocka_unit_test(a_unix_socket_replaces_a_dead_one_alone),
      cmocka_unit_test(a_file_that_is_no_socket_is_left_alone),
      cmocka_unit_test(ipv6_is_listened_on),
      cmocka_unit_test(error_texts_begin_in_lower_case),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
