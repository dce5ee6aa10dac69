// Faults on request: by the query of one request, or by options for all.
#include <string>

#include "server/behaviour.hh"
#include "unit/server_fixture.hh"

namespace dyno::server {
namespace {

void a_reset_comes_after_the_answers_before_it(void**) {
  serve();
  const int fd = dial();
  say(fd, get("/") + get("/?fault=reset") + get("/"));
  const std::string all = hear_all(fd);
  assert_true(all.ends_with(kReset));
  expect_count("written", 1);
  expect_count("read", 3);
  expect_count("faults", 1);
  expect_count("open", 0);
}

void a_close_in_place_of_the_answer_is_orderly(void**) {
  serve();
  const int fd = dial();
  say(fd, get("/") + get("/?fault=close") + get("/"));
  expect_text(hear_all(fd), kHello);
  expect_count("written", 1);
}

void a_truncated_answer_ends_in_its_body(void**) {
  serve();
  const int fd = dial();
  say(fd, get("/?truncate=5"));
  const std::string all = hear_all(fd);
  expect_has(all, "Content-Length: 12\r\n");
  assert_true(all.ends_with("\r\n\r\nHello"));
  assert_int_equal(count_of("written"), 0);
  expect_count("faults", 1);
}

void a_request_that_is_never_answered_holds_the_connection(void**) {
  serve();
  const int fd = dial();
  say(fd, get("/") + get("/?fault=never") + get("/"));
  expect_text(hear(fd, kHello.size()), kHello);
  expect_count("read", 3);
  assert_int_equal(recv(fd, nullptr, 0, MSG_DONTWAIT), -1);
  expect_count("written", 1);
  assert_int_equal(count_of("open"), 1);
  // The server notices when the peer gives up.
  shutdown(fd, SHUT_WR);
  expect_count("open", 0);
}

void a_split_answer_is_complete(void**) {
  serve();
  const int fd = dial();
  say(fd, get("/?split=7") + get("/") + get("/?split=50&delay=1ms"));
  expect_text(hear(fd, 3 * kHello.size()), repeat(kHello, 3));
  expect_count("written", 3);
  assert_int_equal(count_of("faults"), 0);
}

void options_hold_for_all_requests_but_stats(void**) {
  serve({{"fault", "reset"}});
  const int first = dial();
  say(first, get("/stats"));
  expect_has(hear_answer(first).body, "\"fault\":\"reset\"");
  say(first, get("/bytes/3"));
  expect_text(hear_all(first), std::string(kReset));
  const int second = dial();
  say(second, get("/?fault=none"));
  expect_text(hear(second, kHello.size()), kHello);
}

// The same seed gives the same requests the same fate.
void a_share_of_faults_follows_the_seed(void**) {
  serve({{"fault", "close"}, {"fault_share", "20"}, {"seed", "5"}});
  for (uint64_t connection = 1; connection <= 20; ++connection) {
    uint64_t before = 0;
    while (draw(5, {connection, before + 1}, Chance::fault) % 100 >= 20)
      ++before;
    const int fd = dial();
    say(fd, repeat(get("/"), 200));
    expect_text(hear_all(fd), repeat(kHello, before));
  }
}

void an_option_truncates_all(void**) {
  serve({{"truncate", "3"}, {"delay", "2ms"}, {"jitter", "3ms"}});
  const int fd = dial();
  say(fd, get("/") + get("/"));
  assert_true(hear_all(fd).ends_with("\r\n\r\nHel"));
  expect_count("faults", 2);
}

void a_body_is_read_before_its_request_is_failed(void**) {
  serve();
  const int fd = dial();
  say(fd,
      "POST /echo?fault=close HTTP/1.1\r\nHost: x\r\n"
      "Content-Length: 3\r\n\r\n");
  expect_count("read", 1);
  assert_int_equal(recv(fd, nullptr, 0, MSG_DONTWAIT), -1);
  say(fd, "abc");
  expect_text(hear_all(fd), "");
}

void delayed_requests_of_a_lost_connection_are_forgotten(void**) {
  serve();
  for (int i = 0; i < 20; ++i) {
    const int fd = dial();
    say(fd, repeat(get("/wait/5"), 5) + get("/?fault=reset") +
                repeat(get("/wait/50"), 5));
    (void)hear_all(fd);
  }
  expect_count("open", 0);
  const int last = dial();
  say(last, get("/wait/60"));
  expect_text(hear_answer(last).body, "ok");
}

}  // namespace
}  // namespace dyno::server

int main() {
  using namespace dyno::server;
  const CMUnitTest tests[] = {
      SERVER_TEST(a_reset_comes_after_the_answers_before_it),
      SERVER_TEST(a_close_in_place_of_the_answer_is_orderly),
      SERVER_TEST(a_truncated_answer_ends_in_its_body),
      SERVER_TEST(a_request_that_is_never_answered_holds_the_connection),
      SERVER_TEST(a_split_answer_is_complete),
      SERVER_TEST(options_hold_for_all_requests_but_stats),
      SERVER_TEST(a_share_of_faults_follows_the_seed),
      SERVER_TEST(an_option_truncates_all),
      SERVER_TEST(a_body_is_read_before_its_request_is_failed),
      SERVER_TEST(delayed_requests_of_a_lost_connection_are_forgotten),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
