// Limits of the server, its counters, and its threads.
#include <sys/resource.h>

#include <string>

#include "http/rnd_body.hh"
#include "server/body.hh"
#include "unit/server_fixture.hh"

namespace dyno::server {
namespace {

void the_last_request_of_a_connection_is_told_so(void**) {
  serve({{"max_requests_per_connection", "3"}});
  const int fd = dial();
  say(fd, repeat(get("/"), 10));
  expect_text(hear_all(fd), kHello + kHello + kLastHello);
  expect_count("open", 0);
  assert_int_equal(count_of("read"), 3);
  assert_int_equal(count_of("written"), 3);
}

void the_close_header_can_be_left_out(void**) {
  serve({{"max_requests_per_connection", "3"}, {"close_header", "off"}});
  const int fd = dial();
  say(fd, get("/"));
  expect_text(hear(fd, kHello.size()), kHello);
  say(fd, repeat(get("/"), 10));
  expect_text(hear_all(fd), kHello + kHello);
}

void what_is_pipelined_behind_the_last_can_be_answered(void**) {
  serve({{"max_requests_per_connection", "2"}, {"after_close", "answer"}});
  const int fd = dial();
  say(fd, repeat(get("/"), 5));
  expect_text(hear_all(fd), kHello + repeat(kLastHello, 4));
  expect_count("written", 5);
}

void one_request_per_connection_works_with_delays(void**) {
  serve({{"max_requests_per_connection", "1"}, {"delay", "2ms"}});
  for (int i = 0; i < 5; ++i) {
    const int fd = dial();
    say(fd, repeat(get("/"), 2));
    expect_text(hear_all(fd), kLastHello);
  }
  expect_count("closed", 5);
}

void more_connections_are_held_until_one_closes(void**) {
  serve({{"max_connections", "2"}});
  const int first = dial();
  const int second = dial();
  say(first, get("/"));
  say(second, get("/"));
  expect_text(hear(first, kHello.size()), kHello);
  expect_text(hear(second, kHello.size()), kHello);
  const int third = dial();
  say(third, get("/bytes/7"));
  expect_count("held", 1);
  assert_int_equal(count_of("accepted"), 3);
  assert_int_equal(count_of("read"), 2);
  shutdown(first, SHUT_WR);
  expect_text(hear_answer(third).body, "xxxxxxx");
}

void idle_connections_are_closed_and_busy_ones_are_not(void**) {
  serve({{"idle_close", "50ms"}});
  const int silent = dial();
  const int partial = dial();
  const int busy = dial();
  say(partial, get("/") + "GET / HTTP/1.1\r\n");
  say(busy, get("/wait/400"));
  expect_text(hear_all(silent), "");
  expect_text(hear_all(partial), kHello);
  expect_text(hear_answer(busy).body, "ok");
  expect_text(hear_all(busy), "");
  expect_count("idle_closed", 3);
}

void a_handshake_has_its_time(void**) {
  serve({{"tls", "on"}, {"tls_handshake", "50ms"}});
  const int silent = dial();
  const int partial = dial();
  say(partial, "\x16\x03\x01");
  expect_text(hear_all(silent), "");
  expect_text(hear_all(partial), "");
  expect_count("tls_failed", 2);
  expect_count("open", 0);
}

void stats_requests_and_their_connections_are_not_counted(void**) {
  serve();
  const int stats = dial();
  for (int i = 0; i < 3; ++i) {
    say(stats, get("/stats"));
    const std::string body = hear_answer(stats).body;
    expect_has(body, "\"accepted\":0,\"closed\":0,\"read\":0,\"written\":0,");
    expect_has(body, "\"open\":0,");
    expect_has(body, "\"max_requests_per_connection\":\"unlimited\"");
    expect_has(body,
               "\"port\":\"" + std::to_string(fixture().server->port()) + "\"");
  }
  dial();  // asks nothing, and counts
  expect_count("accepted", 1);
  say(stats, get("/"));
  expect_text(hear(stats, kHello.size()), kHello);
  assert_int_equal(count_of("accepted"), 2);
  say(stats, get("/stats"));
  expect_has(hear_answer(stats).body,
             "\"accepted\":2,\"closed\":0,\"read\":1,\"written\":1,");
  shutdown(stats, SHUT_WR);
  expect_count("closed", 1);
  const int other = dial();
  say(other, get("/stats", "Connection: close\r\n"));
  (void)hear_all(other);
  expect_count("accepted", 2);
  expect_count("closed", 1);
}

void random_bodies_depend_on_seed_and_place_only(void**) {
  serve({{"seed", "9"}, {"sequence_header", "on"}});
  (void)dial();
  const int fd = dial();
  say(fd, repeat(get("/rnd?c=1500"), 12));
  for (uint64_t n = 1; n <= 12; ++n) {
    const Heard heard = hear_answer(fd);
    expect_has(heard.head, "\r\nX-Dyno-Connection: 2\r\n");
    expect_has(heard.head, "\r\nX-Dyno-Request: " + std::to_string(n) + "\r\n");
    expect_has(heard.head, "\r\nX-Dyno-Seed: 9\r\n");
    const uint64_t start = rnd_start(9, {2, n});
    for (size_t i = 0; i < 1500; ++i)
      assert_int_equal(heard.body[i], 32 + (start + i % 1024) % 96);
  }
}

void threads_share_the_port(void**) {
  serve({{"threads", "3"}, {"max_connections", "1000"}});
  for (int i = 0; i < 100; ++i) {
    const int fd = dial();
    say(fd, get("/"));
    expect_text(hear(fd, kHello.size()), kHello);
  }
  assert_int_equal(count_of("accepted"), 100);
  expect_count("written", 100);
}

void running_out_of_descriptors_is_survived(void**) {
  serve();
  const int early = dial();
  say(early, get("/"));
  expect_text(hear(early, kHello.size()), kHello);
  const int late = dial();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  // The next connection finds no descriptor on the server's side.
  const int queued = socket(AF_INET, SOCK_STREAM, 0);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(early);
  setrlimit(RLIMIT_NOFILE, &none);
  sockaddr_in address{};
  socklen_t length = sizeof address;
  getpeername(late, reinterpret_cast<sockaddr*>(&address), &length);
  const int connected =
      connect(queued, reinterpret_cast<sockaddr*>(&address), length);
  const int64_t errors_seen = [] {
    for (int i = 0; i < 400 && count_of("accept_errors") == 0; ++i)
      usleep(5000);
    return count_of("accept_errors");
  }();
  say(early, get("/"));
  const std::string heard = hear(early, kHello.size());
  setrlimit(RLIMIT_NOFILE, &before);
  fixture().sockets.push_back(queued);
  assert_int_equal(connected, 0);
  assert_true(errors_seen >= 1 && errors_seen < 20);
  expect_text(heard, kHello);
  say(queued, get("/bytes/2"));
  const timeval patience{.tv_sec = 5, .tv_usec = 0};
  setsockopt(queued, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  expect_text(hear_answer(queued).body, "xx");
}

void stopping_closes_everything_and_keeps_the_numbers(void**) {
  serve({{"threads", "2"}});
  const int fd = dial();
  const int waits = dial();
  say(fd, get("/"));
  say(waits, get("/wait/60000"));
  expect_text(hear(fd, kHello.size()), kHello);
  expect_count("read", 2);
  fixture().server->stop();
  fixture().server->stop();
  expect_text(hear_all(fd), "");
  expect_text(hear_all(waits), "");
  assert_int_equal(count_of("accepted"), 2);
  assert_int_equal(count_of("closed"), 2);
  assert_int_equal(count_of("open"), 0);
  assert_int_equal(count_of("no such number"), -1);
  assert_true(fixture().server->start().code == Code::state);
}

}  // namespace
}  // namespace dyno::server

int main() {
  using namespace dyno::server;
  const CMUnitTest tests[] = {
      SERVER_TEST(the_last_request_of_a_connection_is_told_so),
      SERVER_TEST(the_close_header_can_be_left_out),
      SERVER_TEST(what_is_pipelined_behind_the_last_can_be_answered),
      SERVER_TEST(one_request_per_connection_works_with_delays),
      SERVER_TEST(more_connections_are_held_until_one_closes),
      SERVER_TEST(idle_connections_are_closed_and_busy_ones_are_not),
      SERVER_TEST(a_handshake_has_its_time),
      SERVER_TEST(stats_requests_and_their_connections_are_not_counted),
      SERVER_TEST(random_bodies_depend_on_seed_and_place_only),
      SERVER_TEST(threads_share_the_port),
      SERVER_TEST(running_out_of_descriptors_is_survived),
      SERVER_TEST(stopping_closes_everything_and_keeps_the_numbers),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
