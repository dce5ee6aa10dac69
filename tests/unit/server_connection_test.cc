// Requests over real sockets: what is answered, in which order, and how a
// connection goes on or ends.
#include <string>

#include "unit/server_fixture.hh"

namespace dyno::server {
namespace {

std::string answer_to(const std::string& request) {
  const int fd = dial();
  say(fd, request);
  shutdown(fd, SHUT_WR);
  return hear_all(fd);
}

void the_plain_answer_is_constant(void**) {
  serve();
  const int fd = dial();
  for (int i = 0; i < 3; ++i) {
    say(fd, get("/"));
    expect_text(hear(fd, kHello.size()), kHello);
  }
}

void every_route_answers(void**) {
  serve();
  expect_has(answer_to(get("/wait/1")), "\r\n\r\nok");
  expect_has(answer_to(get("/bytes/5")), "Length: 5\r\n\r\nxxxxx");
  expect_has(answer_to(get("/status/503")), "HTTP/1.1 503 Service Unavail");
  expect_has(answer_to(get("/status/302")), "\r\nLocation: /\r\n");
  expect_has(answer_to(get("/chunked/3")),
             "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n1\r\nx\r\n1\r\nx\r\n"
             "0\r\n\r\n");
  expect_has(answer_to(get("/snoop", "X-One: 1\r\n")),
             "\r\n\r\nGET /snoop HTTP/1.1\r\nHost: x\r\nX-One: 1\r\n\r\n");
  expect_has(answer_to(get("/rnd?c=3")), "Length: 3\r\n\r\n");
  expect_has(answer_to(get("/stats")),
             "{\"server\":\"httpdyno\",\"accepted\":");
  expect_has(answer_to(get("/nowhere")), "HTTP/1.1 404 Not Found\r\n");
  expect_has(answer_to(get("/rnd?c=x")), "HTTP/1.1 400 Bad Request\r\n");
  expect_has(answer_to("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n"),
             "\r\nAllow: GET, HEAD, POST\r\n");
}

void a_head_request_gets_no_body(void**) {
  serve();
  for (const char* target : {"/", "/bytes/100", "/chunked/9", "/nowhere",
                             "/echo", "/status/503", "/rnd"}) {
    const int fd = dial();
    say(fd, std::string("HEAD ") + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const Heard heard = hear_answer(fd, /*has_body=*/false);
    say(fd, get("/"));
    expect_text(hear(fd, kHello.size()), kHello);
  }
}

void an_id_is_sent_back_on_every_route(void**) {
  serve();
  for (const char* target :
       {"/", "/wait/1", "/rnd", "/bytes/9", "/snoop", "/status/204",
        "/status/302", "/chunked/9", "/stats", "/nowhere", "/rnd?c=x"})
    for (const char* id : {"one", "two"}) {
      const std::string line = std::string("X-Dyno-Id: ") + id + "\r\n";
      const int fd = dial();
      say(fd, get(target, line + "Connection: close\r\n"));
      expect_has(hear_all(fd), "\r\n" + line);
    }
  const int fd = dial();
  say(fd,
      "POST /echo HTTP/1.1\r\nHost: x\r\nx-dyno-id:  a b \r\n"
      "Content-Length: 2\r\n\r\nhi");
  const Heard heard = hear_answer(fd);
  expect_has(heard.head, "\r\nX-Dyno-Id: a b\r\n");
  expect_text(heard.body, "hi");
}

void pipelined_requests_get_their_own_ids(void**) {
  serve();
  const int fd = dial();
  std::string asked;
  for (int i = 0; i < 500; ++i)
    asked += get("/", "X-Dyno-Id: " + std::to_string(i / 2) + "\r\n");
  say(fd, asked);
  for (int i = 0; i < 500; ++i)
    expect_has(hear_answer(fd).head,
               "\r\nX-Dyno-Id: " + std::to_string(i / 2) + "\r\n");
}

void heads_may_come_byte_by_byte(void**) {
  serve();
  const int fd = dial();
  for (const char byte : get("/") + get("/bytes/2"))
    say(fd, std::string_view(&byte, 1));
  expect_text(hear(fd, kHello.size()), kHello);
  expect_text(hear_answer(fd).body, "xx");
}

void many_pipelined_requests_are_all_answered(void**) {
  serve();
  const int fd = dial();
  constexpr size_t kCount = 2000;
  say(fd, repeat(get("/"), kCount));
  assert_true(hear(fd, kHello.size() * kCount) == repeat(kHello, kCount));
  assert_int_equal(count_of("read"), kCount);
  expect_count("written", kCount);
}

void different_pipelined_requests_are_answered_in_order(void**) {
  serve();
  const int fd = dial();
  std::string all;
  for (int i = 0; i < 50; ++i)
    all += get("/bytes/" + std::to_string(i)) + get("/") + get("/rnd?c=3000");
  say(fd, all);
  for (size_t i = 0; i < 50; ++i) {
    assert_int_equal(hear_answer(fd).body.size(), i);
    expect_text(hear_answer(fd).body, "Hello world!");
    assert_int_equal(hear_answer(fd).body.size(), 3000);
  }
}

void a_peer_that_reads_nothing_is_waited_for(void**) {
  serve();
  const int fd = dial();
  // More than all the buffers between the two hold.
  say(fd, repeat(get("/bytes/200000"), 200));
  for (int i = 0; i < 200; ++i)
    assert_int_equal(hear_answer(fd).body.size(), 200000);
  say(fd, get("/bytes/40MB"));
  assert_int_equal(hear_answer(fd).body.size(), 40'000'000);
  expect_count("written", 201);
}

void answers_keep_their_order_whatever_their_delays(void**) {
  for (const char* pipelined : {"concurrent", "serial"}) {
    serve({{"pipelined", pipelined}});
    const int fd = dial();
    say(fd, get("/wait/30") + get("/bytes/1") + get("/wait/1") + get("/") +
                get("/bytes/2?delay=10ms&jitter=5ms"));
    expect_text(hear_answer(fd).body, "ok");
    expect_text(hear_answer(fd).body, "x");
    expect_text(hear_answer(fd).body, "ok");
    expect_text(hear_answer(fd).body, "Hello world!");
    expect_text(hear_answer(fd).body, "xx");
    end_server(nullptr);
  }
}

// How many of ten pipelined 100 ms answers are there when another connection's
// 500 ms are over.
size_t answers_within_five_delays(const char* pipelined) {
  serve({{"pipelined", pipelined}});
  const int many = dial();
  const int one = dial();
  say(many, repeat(get("/wait/100"), 10));
  say(one, get("/wait/500"));
  const Heard heard = hear_answer(one);
  std::string text(100'000, '\0');
  const ssize_t got = recv(many, text.data(), text.size(), MSG_DONTWAIT);
  const size_t unit = heard.head.size() + heard.body.size();
  end_server(nullptr);
  return got > 0 ? static_cast<size_t>(got) / unit : 0;
}

void concurrent_delays_overlap_and_serial_ones_add_up(void**) {
  assert_int_equal(answers_within_five_delays("concurrent"), 10);
  assert_in_range(answers_within_five_delays("serial"), 1, 6);
}

void many_distinct_delays_work_too(void**) {
  serve();
  const int fd = dial();
  std::string all;
  for (int i = 100; i > 0; --i) all += get("/wait/" + std::to_string(i));
  say(fd, all);
  for (int i = 0; i < 100; ++i) expect_text(hear_answer(fd).body, "ok");
}

void bodies_are_echoed_or_dropped(void**) {
  serve();
  const int fd = dial();
  const std::string length =
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";
  const std::string chunked =
      "PUT /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: 1\r\n\r\n";
  const std::string dropped =
      "POST /?delay=1ms HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nGET ";
  const std::string empty = "POST /echo HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string all = length + chunked + dropped + empty + get("/");
  say(fd, all);
  for (const char byte : all) say(fd, std::string_view(&byte, 1));
  for (int i = 0; i < 2; ++i) {
    expect_text(hear_answer(fd).body, "hello");
    expect_text(hear_answer(fd).body, "abcde");
    expect_text(hear_answer(fd).body, "Hello world!");
    expect_text(hear_answer(fd).body, "");
    expect_text(hear_answer(fd).body, "Hello world!");
  }
}

void a_large_body_is_echoed(void**) {
  serve();
  const int fd = dial();
  const std::string body(3'000'000, 'b');
  say(fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n" +
              body + get("/"));
  assert_true(hear_answer(fd).body == body);
  expect_text(hear_answer(fd).body, "Hello world!");
}

void a_body_that_is_expected_is_asked_for(void**) {
  serve();
  const int fd = dial();
  say(fd, get("/wait/20") +
              "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
              "Expect: 100-continue\r\n\r\n");
  expect_text(hear_answer(fd).body, "ok");
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
  expect_text(hear(fd, interim.size()), interim);
  say(fd, "hi");
  expect_text(hear_answer(fd).body, "hi");
  expect_count("written", 2);
}

void what_is_no_request_is_refused_and_closed(void**) {
  serve();
  const std::string junk = answer_to("NONSENSE\r\n\r\n" + get("/"));
  expect_has(junk, "HTTP/1.1 400 Bad Request\r\n");
  expect_has(junk, "\r\nConnection: close\r\n");
  expect_lacks(junk, "Hello");
  expect_lacks(junk, kReset);
  expect_has(answer_to("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 400 ");
  expect_has(answer_to("POST /echo HTTP/1.1\r\nHost: x\r\n"
                       "Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
             "HTTP/1.1 400 ");
  expect_has(
      answer_to("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(100'000, 'x')),
      "HTTP/1.1 431 ");
  expect_has(answer_to("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: "
                       "17000000\r\n\r\n" +
                       std::string(17'000'000, 'x')),
             "HTTP/1.1 413 ");
  assert_int_equal(count_of("bad_requests"), 5);
}

void http_1_0_closes_unless_asked_to_stay(void**) {
  serve();
  const std::string once = answer_to("GET / HTTP/1.0\r\n\r\n");
  expect_text(once, kLastHello);
  const int fd = dial();
  for (int i = 0; i < 2; ++i) {
    say(fd, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const Heard heard = hear_answer(fd);
    expect_has(heard.head, "\r\nConnection: keep-alive\r\n");
  }
  // No chunks for HTTP/1.0: the close ends the body.
  say(fd, "GET /chunked/5 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const std::string rest = hear_all(fd);
  expect_has(rest, "\r\nConnection: close\r\n\r\nxxxxx");
  expect_lacks(rest, "chunked");
  expect_lacks(rest, "Length");
}

void a_request_to_close_is_the_last(void**) {
  serve();
  const int fd = dial();
  say(fd, get("/") + get("/", "Connection: close\r\n") + get("/"));
  expect_text(hear_all(fd), kHello + kLastHello);
  expect_count("closed", 1);
  assert_int_equal(count_of("read"), 2);
}

void the_last_request_may_have_a_body(void**) {
  serve();
  const int fd = dial();
  say(fd,
      "POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
      "Content-Length: 6\r\n\r\nabc");
  expect_count("read", 1);
  say(fd, "def" + get("/"));
  const std::string all = hear_all(fd);
  expect_has(all, "\r\nConnection: close\r\n\r\nabcdef");
  expect_lacks(all, "Hello");
}

void a_half_closed_peer_gets_its_answers(void**) {
  serve();
  const int fd = dial();
  say(fd, get("/") + get("/wait/20") + get("/"));
  shutdown(fd, SHUT_WR);
  const std::string all = hear_all(fd);
  assert_true(all.starts_with(kHello));
  assert_true(all.ends_with(kHello));
  expect_count("written", 3);
  expect_count("open", 0);
}

}  // namespace
}  // namespace dyno::server

int main() {
  using namespace dyno::server;
  const CMUnitTest tests[] = {
      SERVER_TEST(the_plain_answer_is_constant),
      SERVER_TEST(every_route_answers),
      SERVER_TEST(a_head_request_gets_no_body),
      SERVER_TEST(an_id_is_sent_back_on_every_route),
      SERVER_TEST(pipelined_requests_get_their_own_ids),
      SERVER_TEST(heads_may_come_byte_by_byte),
      SERVER_TEST(many_pipelined_requests_are_all_answered),
      SERVER_TEST(different_pipelined_requests_are_answered_in_order),
      SERVER_TEST(a_peer_that_reads_nothing_is_waited_for),
      SERVER_TEST(answers_keep_their_order_whatever_their_delays),
      SERVER_TEST(concurrent_delays_overlap_and_serial_ones_add_up),
      SERVER_TEST(many_distinct_delays_work_too),
      SERVER_TEST(bodies_are_echoed_or_dropped),
      SERVER_TEST(a_large_body_is_echoed),
      SERVER_TEST(a_body_that_is_expected_is_asked_for),
      SERVER_TEST(what_is_no_request_is_refused_and_closed),
      SERVER_TEST(http_1_0_closes_unless_asked_to_stay),
      SERVER_TEST(a_request_to_close_is_the_last),
      SERVER_TEST(the_last_request_may_have_a_body),
      SERVER_TEST(a_half_closed_peer_gets_its_answers),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
