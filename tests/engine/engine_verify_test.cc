// Answers that belong to other requests, and bodies that are not the ones that
// were asked for.
#include <string>
#include <vector>

#include "engine/own_server.hh"
#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::answer;
using dyno::test::fresh_trial;
using dyno::test::Heard;
using dyno::test::Reply;
using dyno::test::start_own_server;
using dyno::test::Then;
using dyno::test::Trial;

namespace {

// The id field of a request, its line end included; "" where it has none.
std::string id_of(const Heard& heard) {
  const size_t at = heard.head.find("X-Dyno-Id: ");
  if (at == std::string::npos) return "";
  return heard.head.substr(at, heard.head.find("\r\n", at) + 2 - at);
}

void expect_has(const std::string& text, const std::string& part) {
  if (text.find(part) == std::string::npos)
    fail_msg("\"%s\" lacks \"%s\"", text.c_str(), part.c_str());
}

// --- verify.id ---------------------------------------------------------------

void an_id_that_comes_back_is_right(void** state) {
  for (const char* depth : {"1", "8"}) {
    for (const size_t piece : {size_t{0}, size_t{7}}) {
      Trial& trial = fresh_trial(state);
      trial.serve([piece](const Heard& heard) {
        return Reply{.bytes = answer("hello", id_of(heard)), .piece = piece};
      });
      assert_int_equal(trial.run({{"verify.id", "on"},
                                  {"connections", "2"},
                                  {"pool.depth", depth},
                                  {"load.requests", "200"}}),
                       DYNO_OK);
      trial.expect({{"counts.completed", 200}, {"counts.failed", 0}});
      expect_has(trial.rendered("text"), "verify.*");
    }
  }
}

void no_two_requests_have_the_same_id(void** state) {
  Trial& trial = fresh_trial(state);
  std::string ids;
  bool is_new = true;
  trial.serve([&](const Heard& heard) {
    const std::string id = id_of(heard);
    is_new = is_new && ids.find(id) == std::string::npos;
    ids += id;
    return Reply{answer("hello", id)};
  });
  assert_int_equal(trial.run({{"verify.id", "on"},
                              {"connections", "4"},
                              {"threads", "2"},
                              {"run.repeat", "2"},
                              {"load.requests", "100"}}),
                   DYNO_OK);
  assert_true(is_new);
}

void the_answer_to_another_request_is_misdelivered(void** state) {
  Trial& trial = fresh_trial(state);
  std::string before;
  trial.serve([&before](const Heard& heard) {
    const std::string mine = id_of(heard);
    // Every tenth answer is the one before.
    Reply reply{answer("hello", heard.total % 10 == 9 ? before : mine)};
    before = mine;
    return reply;
  });
  assert_int_equal(trial.run({{"verify.id", "on"},
                              {"connections", "1"},
                              {"load.requests", "100"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 90},
                {"failures.misdelivered", 10},
                {"connections.opened", 10}});
  // The tenth request, whose answer was that to the ninth.
  expect_has(trial.rendered("json"),
             "the answer to request \\\"0000000000000008\\\" came where that "
             "to \\\"0000000000000009\\\" was due");
}

void swapped_answers_of_a_pipeline_are_seen(void** state) {
  Trial& trial = fresh_trial(state);
  std::string first;
  trial.serve([&first](const Heard& heard) {
    if (heard.request == 0) {
      first = id_of(heard);
      return Reply{};
    }
    return Reply{answer("b", id_of(heard)) + answer("a", first)};
  });
  assert_int_equal(trial.run({{"verify.id", "on"},
                              {"connections", "1"},
                              {"pool.depth", "2"},
                              {"pool.on_close_pending", "fail"},
                              {"load.requests", "2"}}),
                   DYNO_E_CONNECT);
  trial.expect({{"failures.misdelivered", 1}, {"failures.closed", 1}});
}

void a_server_that_sends_no_id_back_is_named(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({answer("hello")});
  assert_int_equal(
      trial.run(
          {{"verify.id", "on"}, {"connections", "1"}, {"load.requests", "5"}}),
      DYNO_E_CONNECT);
  trial.expect({{"failures.misdelivered", 5}});
  expect_has(trial.message(),
             "has no X-Dyno-Id, where \"0000000000000000\" was due");
}

// --- verify.body -------------------------------------------------------------

// What our own server's first answer has, with its default seed.
constexpr const char* kPlace =
    "X-Dyno-Connection: 1\r\nX-Dyno-Request: 1\r\nX-Dyno-Seed: 1\r\n";

// Its bytes as server.h has them; where they start was drawn once.
std::string body_of_first(size_t size) {
  constexpr size_t kStart = 36;
  std::string text;
  for (size_t i = 0; i < size; ++i)
    text += static_cast<char>(32 + (kStart + i % 1024) % 96);
  return text;
}

// An answer with that body, framed in each of the three ways.
std::vector<Reply> framings(const std::string& body) {
  const std::string head = std::string("HTTP/1.1 200 OK\r\n") + kPlace;
  const size_t half = body.size() / 2;
  const auto chunk = [](const std::string& data) {
    constexpr char kHex[] = "0123456789abcdef";
    const size_t size = data.size();
    if (size == 0) return std::string();
    return std::string{kHex[size >> 4], kHex[size & 15]} + "\r\n" + data +
           "\r\n";
  };
  const std::string chunks =
      chunk(body.substr(0, half)) + chunk(body.substr(half));
  return {{answer(body, kPlace)},
          {head + "Transfer-Encoding: chunked\r\n\r\n" + chunks + "0\r\n\r\n"},
          {head + "\r\n" + body, Then::close}};
}

// What becomes of 4 requests for `path` that are all answered like that.
void expect_verdict(void** state, const std::string& path, const Reply& reply,
                    const std::string& reason) {
  Trial& trial = fresh_trial(state);
  trial.allow_unseen_connections();
  trial.serve(reply);
  const bool is_right = reason.empty();
  assert_int_equal(trial.run({{"target.url", trial.server().url() + path},
                              {"verify.body", "on"},
                              {"connections", "1"},
                              {"client", "fifo-lazy"},
                              {"load.requests", "4"}}),
                   is_right ? DYNO_OK : DYNO_E_CONNECT);
  trial.expect({{"counts.completed", is_right ? 4 : 0},
                {"failures.body_mismatch", is_right ? 0 : 4}});
  if (!is_right) expect_has(trial.message(), reason);
}

void a_body_is_right_however_it_is_framed(void** state) {
  for (const Reply& reply : framings(body_of_first(50)))
    expect_verdict(state, "rnd?c=50", reply, "");
}

void a_body_with_another_byte_is_a_mismatch(void** state) {
  for (const size_t at : {0, 24, 25, 49}) {
    std::string body = body_of_first(50);
    body[at] ^= 1;
    for (const Reply& reply : framings(body))
      expect_verdict(state, "rnd?c=50", reply,
                     "byte " + std::to_string(at) + " of the body");
  }
}

// With c, and without: 100 bytes.
void a_body_of_another_length_is_a_mismatch(void** state) {
  for (const size_t size : {0, 49})
    for (const Reply& reply : framings(body_of_first(size)))
      expect_verdict(state, "rnd?c=50", reply,
                     "has " + std::to_string(size) + " bytes, not 50");
  for (const Reply& reply : framings(body_of_first(99)))
    expect_verdict(state, "rnd", reply, "has 99 bytes, not 100");
  for (const Reply& reply : framings(body_of_first(101)))
    expect_verdict(state, "rnd", reply, "longer than the 100 bytes");
}

void a_body_that_is_cut_short_is_truncated_and_not_mismatched(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({std::string("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n") +
                   kPlace + "\r\n",
               Then::close});
  const std::string url = trial.server().url() + "rnd?c=50";
  assert_int_equal(trial.run({{"target.url", url},
                              {"verify.body", "on"},
                              {"connections", "1"},
                              {"load.requests", "1"}}),
                   DYNO_E_CONNECT);
  trial.expect({{"failures.truncated", 1}});
}

// --- our own server ----------------------------------------------------------

void our_own_server_passes_both(void** state) {
  for (const char* path : {"/rnd", "/rnd?c=0", "/rnd?c=1", "/rnd?c=4KiB",
                           "/rnd?c=100000", "/rnd?c=500&split=97"}) {
    Trial& trial = fresh_trial(state);
    assert_int_equal(
        trial.run({{"target.url",
                    start_own_server({{"sequence_header", "on"}}) + path},
                   {"verify.id", "on"},
                   {"verify.body", "on"},
                   {"connections", "4"},
                   {"pool.depth", "4"},
                   {"load.requests", "200"}}),
        DYNO_OK);
    trial.expect({{"counts.completed", 200}, {"counts.failed", 0}});
  }
}

// What is sent again is a new request to whoever verifies.
void connections_that_end_confuse_nobody(void** state) {
  Trial& trial = fresh_trial(state);
  const std::string url = start_own_server(
      {{"sequence_header", "on"}, {"max_requests_per_connection", "10"}});
  assert_int_equal(trial.run({{"target.url", url + "/rnd?c=700"},
                              {"verify.id", "on"},
                              {"verify.body", "on"},
                              {"connections", "2"},
                              {"pool.depth", "4"},
                              {"load.requests", "1000"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 1000}, {"counts.failed", 0}});
}

// A reply without an id is taken for the next request's; with ids it is seen.
void only_without_correlation_is_an_answer_misdelivered(void** state) {
  for (const char* correlate : {"none", "strict"}) {
    Trial& trial = fresh_trial(state);
    assert_int_equal(
        trial.run(
            {{"target.url",
              start_own_server({{"sequence_header", "off"}}) + "/wait/10"},
             {"verify.id", "on"},
             {"client", "fifo-eager-sharded"},
             {"pool.size", "16"},
             {"pool.wait", "200ms"},
             {"request.timeout", "200ms"},
             {"pool.correlate", correlate},
             {"load.callers", "450"},
             {"load.duration", "2s"}}),
        DYNO_OK);
    const int64_t wrong = trial.value("failures.misdelivered");
    assert_true((wrong == 0) == (*correlate == 's'));
    trial.expect({{"counts.misdelivered", 0}});
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(an_id_that_comes_back_is_right),
      TRIAL(no_two_requests_have_the_same_id),
      TRIAL(the_answer_to_another_request_is_misdelivered),
      TRIAL(swapped_answers_of_a_pipeline_are_seen),
      TRIAL(a_server_that_sends_no_id_back_is_named),
      TRIAL(a_body_is_right_however_it_is_framed),
      TRIAL(a_body_with_another_byte_is_a_mismatch),
      TRIAL(a_body_of_another_length_is_a_mismatch),
      TRIAL(a_body_that_is_cut_short_is_truncated_and_not_mismatched),
      TRIAL(our_own_server_passes_both),
      TRIAL(only_without_correlation_is_an_answer_misdelivered),
      TRIAL(connections_that_end_confuse_nobody),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
