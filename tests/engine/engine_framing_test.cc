// Where an answer ends, through a whole run: what a server may send, what it
// must not, and that every count agrees with what was on the wire.
#include <string>
#include <vector>

#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::answer;
using dyno::test::fresh_trial;
using dyno::test::Heard;
using dyno::test::Reply;
using dyno::test::Then;
using dyno::test::Trial;

namespace {

const std::string kOk = "HTTP/1.1 200 OK\r\n";

// -n requests -c connections, all of them completed with 200.
void expect_completed(Trial& trial, Reply reply, const std::string& requests,
                      const std::string& connections,
                      const std::string& depth = "1") {
  trial.serve(std::move(reply));
  assert_int_equal(trial.run({{"load.requests", requests},
                              {"connections", connections},
                              {"pool.depth", depth}}),
                   DYNO_OK);
  const int64_t count = std::stoll(requests);
  trial.expect({{"counts.issued", count},
                {"counts.completed", count},
                {"status.200", count}});
}

void expect_failed(Trial& trial, Reply reply, const char* kind) {
  trial.serve(std::move(reply));
  assert_int_equal(trial.run({{"load.requests", "20"}, {"connections", "2"}}),
                   DYNO_E_CONNECT);
  trial.expect({{"counts.completed", 0}, {"counts.failed", 20}, {kind, 20}});
  assert_true(trial.seconds() < 5);
}

// --- bodies that end with the connection ------------------------------------

void a_body_may_end_with_the_connection(void** state) {
  for (const char* field : {"", "Connection: close\r\n"}) {
    Trial& trial = fresh_trial(state);
    expect_completed(trial, {kOk + field + "\r\nHello World!", Then::close},
                     "200", "4");
    trial.expect({{"bytes.body", 200 * 12},
                  {"connections.opened", 200},
                  {"connections.reused", 0}});
  }
}

void a_short_body_is_truncated(void** state) {
  expect_failed(fresh_trial(state),
                {kOk + "Content-Length: 10\r\n\r\n123456", Then::close},
                "failures.truncated");
}

void a_reset_in_a_body_is_a_reset(void** state) {
  expect_failed(fresh_trial(state),
                {kOk + "Content-Length: 10\r\n\r\n123", Then::rst},
                "failures.reset");
}

void a_body_until_close_that_is_reset_is_no_success(void** state) {
  expect_failed(fresh_trial(state), {kOk + "\r\n123", Then::rst},
                "failures.reset");
}

void an_unfinished_chunked_body_is_truncated(void** state) {
  expect_failed(
      fresh_trial(state),
      {kOk + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", Then::close},
      "failures.truncated");
}

void half_a_head_is_truncated(void** state) {
  expect_failed(fresh_trial(state), {kOk + "Content-", Then::close},
                "failures.truncated");
}

void no_byte_at_all_is_closed(void** state) {
  expect_failed(fresh_trial(state), {"", Then::close}, "failures.closed");
  expect_failed(fresh_trial(state), {"", Then::rst}, "failures.reset");
}

// --- no body, and answers that are not the final one ------------------------

void early_hints_are_not_the_answer(void** state) {
  Trial& trial = fresh_trial(state);
  expect_completed(
      trial,
      {"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + answer("hello")},
      "1000", "1");
  trial.expect({{"status.103", 0},
                {"bytes.body", 5000},
                {"connections.opened", 1},
                {"connections.reused", 999}});
  assert_int_equal(trial.server().requests(), 1000);
}

void any_number_of_interim_answers_may_come_first(void** state) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += "HTTP/1.1 102 Processing\r\n\r\n";
  expect_completed(fresh_trial(state), {.bytes = bytes + answer("hello")}, "50",
                   "1", "4");
}

void an_answer_to_head_has_no_body(void** state) {
  for (const char* field :
       {"Content-Length: 51115\r\n", "Transfer-Encoding: chunked\r\n", ""}) {
    Trial& trial = fresh_trial(state);
    trial.serve({kOk + field + "\r\n"});
    assert_int_equal(trial.run({{"http.method", "HEAD"},
                                {"load.requests", "100"},
                                {"connections", "1"},
                                {"pool.depth", "2"}}),
                     DYNO_OK);
    trial.expect({{"counts.completed", 100},
                  {"bytes.body", 0},
                  {"connections.opened", 1}});
    assert_int_equal(trial.server().heads().front().rfind("HEAD ", 0), 0);
  }
}

void no_content_and_not_modified_have_no_body(void** state) {
  for (const char* status : {"204", "304"}) {
    Trial& trial = fresh_trial(state);
    trial.serve({std::string("HTTP/1.1 ") + status +
                 " Nothing\r\nContent-Length: 7\r\n\r\n"});
    assert_int_equal(trial.run({{"load.requests", "40"}, {"connections", "1"}}),
                     DYNO_OK);
    trial.expect({{(std::string("status.") + status).c_str(), 40},
                  {"bytes.body", 0},
                  {"connections.opened", 1}});
  }
}

void every_status_is_a_completed_answer(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve([](const Heard& heard) -> Reply {
    const char* statuses[] = {"200 OK", "404 Not Found", "500 Broken", "999 ?"};
    return {std::string("HTTP/1.1 ") + statuses[heard.total % 4] +
            "\r\nContent-Length: 0\r\n\r\n"};
  });
  assert_int_equal(trial.run({{"load.requests", "40"}, {"connections", "1"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 40},
                {"status.200", 10},
                {"status.404", 10},
                {"status.500", 10},
                {"status.999", 10}});
}

// --- Content-Length ---------------------------------------------------------

void equal_content_lengths_are_one(void** state) {
  for (const char* fields : {"Content-Length: 5\r\nContent-Length: 5\r\n",
                             "Content-Length: 5, 5\r\n"}) {
    Trial& trial = fresh_trial(state);
    expect_completed(trial, {kOk + fields + "\r\nhello"}, "20", "1");
    trial.expect({{"bytes.body", 100}, {"connections.opened", 1}});
  }
}

void a_wrong_content_length_is_a_protocol_error_at_once(void** state) {
  for (const char* fields :
       {"Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5abc\r\n", "Content-Length: -5\r\n",
        "Content-Length: +5\r\n", "Content-Length: 99999999999999999999999\r\n",
        "Content-Length: \r\n"})
    expect_failed(fresh_trial(state), {kOk + fields + "\r\nhello!"},
                  "failures.protocol");
}

// --- chunked ----------------------------------------------------------------

const std::string kChunked =
    kOk +
    "Transfer-Encoding: chunked\r\n\r\n5;ext=\"a;b\"\r\nhello\r\n0\r\n"
    "X-Foo: bar\r\nX-Sum: 1\r\n\r\n";

void extensions_and_trailers_of_chunks_are_no_body(void** state) {
  for (const char* depth : {"1", "4"})
    for (const size_t piece : {size_t{0}, size_t{1}}) {
      Trial& trial = fresh_trial(state);
      expect_completed(trial, {.bytes = kChunked, .piece = piece}, "200", "1",
                       depth);
      trial.expect({{"bytes.body", 1000}, {"connections.opened", 1}});
    }
}

void an_endless_trailer_is_a_protocol_error(void** state) {
  const std::string trailer = "X-Long: " + std::string(1 << 20, 'x') + "\r\n";
  expect_failed(
      fresh_trial(state),
      {kOk + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + trailer + "\r\n"},
      "failures.protocol");
}

void a_malformed_chunk_is_a_protocol_error(void** state) {
  expect_failed(fresh_trial(state),
                {kOk + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n"},
                "failures.protocol");
}

// --- heads ------------------------------------------------------------------

void folded_fields_are_read(void** state) {
  for (const char* head :
       {"X-Note: one\r\n two\r\n\tthree\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\n \t\r\nX-After: v\r\n"}) {
    Trial& trial = fresh_trial(state);
    expect_completed(trial, {kOk + head + "\r\nhello"}, "20", "1");
    trial.expect({{"bytes.body", 100}, {"connections.opened", 1}});
  }
}

void a_reason_may_be_missing(void** state) {
  for (const char* line : {"HTTP/1.1 200 ", "HTTP/1.1 200"}) {
    Trial& trial = fresh_trial(state);
    expect_completed(trial,
                     {line + std::string("\r\nContent-Length: 5\r\n\r\nhello")},
                     "20", "1");
    trial.expect({{"connections.opened", 1}});
  }
}

void what_is_no_http_is_a_protocol_error(void** state) {
  expect_failed(fresh_trial(state), {"220 ftp.example.org ready\r\n"},
                "failures.protocol");
}

// Two writes for every place at which an answer can be cut.
void an_answer_may_be_split_at_any_byte(void** state) {
  for (const std::string& whole :
       {answer("hello"),
        kOk + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"}) {
    Trial& trial = fresh_trial(state);
    trial.serve([whole](const Heard& heard) -> Reply {
      const auto cut =
          1 + static_cast<size_t>(heard.total) % (whole.size() - 1);
      return {.bytes = whole, .piece = cut, .pause_us = 2000};
    });
    const auto splits = static_cast<int64_t>(whole.size() - 1);
    assert_int_equal(trial.run({{"load.requests", std::to_string(splits)},
                                {"connections", "8"}}),
                     DYNO_OK);
    trial.expect({{"counts.completed", splits},
                  {"bytes.body", 5 * splits},
                  {"connections.opened", 8}});
  }
}

void a_head_beyond_the_limit_fails(void** state) {
  const std::string field = "X-Long: " + std::string(2000, 'x') + "\r\n";
  for (const size_t piece : {size_t{0}, size_t{100}}) {
    Trial& trial = fresh_trial(state);
    trial.serve({.bytes = answer("hello", field), .piece = piece});
    assert_int_equal(trial.run({{"load.requests", "20"},
                                {"connections", "2"},
                                {"http.head_limit", "1kB"}}),
                     DYNO_E_CONNECT);
    trial.expect({{"failures.header_too_large", 20}});
  }
  Trial& trial = fresh_trial(state);
  expect_completed(trial, {.bytes = answer("hello", field), .piece = 500}, "20",
                   "2");
}

// As much as the limit lets pass, in pieces: the kept part of a head and a full
// read fit into the receive buffer together.
void a_head_of_the_limit_arrives_in_pieces(void** state) {
  const std::string field = "X-Long: " + std::string(65400, 'x') + "\r\n";
  expect_completed(fresh_trial(state),
                   {.bytes = answer(std::string(300'000, 'b'), field),
                    .piece = 65000,
                    .pause_us = 100},
                   "20", "2");
}

void a_body_may_be_larger_than_the_receive_buffer(void** state) {
  const std::string body(1'000'000, 'b');
  Trial& trial = fresh_trial(state);
  expect_completed(trial, {answer(body)}, "20", "2", "2");
  trial.expect({{"bytes.body", 20'000'000}, {"connections.opened", 2}});
}

// --- keep-alive -------------------------------------------------------------

void a_known_length_ends_the_answer_on_a_held_socket(void** state) {
  const std::string body = kOk + "Content-Length: 5\r\n\r\nhello";
  Trial& trial = fresh_trial(state);
  trial.serve({body, Then::hold});
  assert_int_equal(
      trial.run(
          {{"load.requests", "20"}, {"client", "none"}, {"load.callers", "2"}}),
      DYNO_OK);
  trial.expect({{"counts.completed", 20}, {"connections.opened", 20}});
  assert_true(trial.seconds() < 5);
}

void an_announced_close_is_done_by_the_client(void** state) {
  Trial& trial = fresh_trial(state);
  expect_completed(
      trial,
      {kOk + "Connection: close\r\nContent-Length: 5\r\n\r\nhello", Then::hold},
      "20", "2");
  trial.expect({{"connections.opened", 20}, {"connections.reused", 0}});
  assert_true(trial.seconds() < 5);
}

// The server does as it was told by the request's own field.
void without_keepalive_every_request_has_its_connection(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({answer("hello", "Connection: close\r\n"), Then::hold});
  assert_int_equal(trial.run({{"load.requests", "20"},
                              {"connections", "2"},
                              {"http.keepalive", "off"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 20}, {"connections.opened", 20}});
  for (const std::string& head : trial.server().heads())
    assert_true(head.find("\r\nConnection: close\r\n") != std::string::npos);
}

// A server that ignores the field: the client still closes, as it said.
void without_keepalive_a_deaf_server_costs_no_time(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({answer("hello"), Then::hold});
  assert_int_equal(trial.run({{"load.requests", "20"},
                              {"connections", "2"},
                              {"http.keepalive", "off"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 20}, {"connections.opened", 20}});
  assert_true(trial.seconds() < 5);
}

void an_http_10_answer_closes_unless_it_says_otherwise(void** state) {
  const std::string head = "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n";
  Trial& closing = fresh_trial(state);
  expect_completed(closing, {head + "\r\nhello", Then::hold}, "20", "2");
  closing.expect({{"connections.opened", 20}});
  Trial& keeping = fresh_trial(state);
  expect_completed(keeping, {head + "Connection: keep-alive\r\n\r\nhello"},
                   "20", "2");
  keeping.expect({{"connections.opened", 2}});
}

void bytes_beyond_the_last_answer_end_the_connection(void** state) {
  Trial& trial = fresh_trial(state);
  expect_completed(trial, {answer("hello") + "surplus", Then::hold}, "20", "2");
  trial.expect({{"connections.opened", 20}, {"bytes.body", 100}});
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(a_body_may_end_with_the_connection),
      TRIAL(a_short_body_is_truncated),
      TRIAL(a_reset_in_a_body_is_a_reset),
      TRIAL(a_body_until_close_that_is_reset_is_no_success),
      TRIAL(an_unfinished_chunked_body_is_truncated),
      TRIAL(half_a_head_is_truncated),
      TRIAL(no_byte_at_all_is_closed),
      TRIAL(early_hints_are_not_the_answer),
      TRIAL(any_number_of_interim_answers_may_come_first),
      TRIAL(an_answer_to_head_has_no_body),
      TRIAL(no_content_and_not_modified_have_no_body),
      TRIAL(every_status_is_a_completed_answer),
      TRIAL(equal_content_lengths_are_one),
      TRIAL(a_wrong_content_length_is_a_protocol_error_at_once),
      TRIAL(extensions_and_trailers_of_chunks_are_no_body),
      TRIAL(an_endless_trailer_is_a_protocol_error),
      TRIAL(a_malformed_chunk_is_a_protocol_error),
      TRIAL(folded_fields_are_read),
      TRIAL(a_reason_may_be_missing),
      TRIAL(what_is_no_http_is_a_protocol_error),
      TRIAL(an_answer_may_be_split_at_any_byte),
      TRIAL(a_head_beyond_the_limit_fails),
      TRIAL(a_head_of_the_limit_arrives_in_pieces),
      TRIAL(a_body_may_be_larger_than_the_receive_buffer),
      TRIAL(a_known_length_ends_the_answer_on_a_held_socket),
      TRIAL(an_announced_close_is_done_by_the_client),
      TRIAL(without_keepalive_every_request_has_its_connection),
      TRIAL(without_keepalive_a_deaf_server_costs_no_time),
      TRIAL(an_http_10_answer_closes_unless_it_says_otherwise),
      TRIAL(bytes_beyond_the_last_answer_end_the_connection),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
