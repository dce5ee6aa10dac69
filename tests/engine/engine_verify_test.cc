// Answers that belong to other requests, and bodies that are not the ones that
// were asked for.
#include <string>

#include "engine/own_server.hh"
#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::answer;
using dyno::test::fresh_trial;
using dyno::test::Heard;
using dyno::test::Reply;
using dyno::test::start_own_server;
using dyno::test::Trial;

namespace {

// The id field of a request, its line end included; "" where it has none.
std::string id_of(const Heard& heard) {
  const size_t at = heard.head.find("X-Dyno-Id: ");
  if (at == std::string::npos) return "";
  return heard.head.substr(at, heard.head.find("\r\n", at) + 2 - at);
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
      assert_true(trial.rendered("text").find("verify.*") != std::string::npos);
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
  assert_true(trial.message().find("has no X-Dyno-Id") != std::string::npos);
}

// --- verify.body -------------------------------------------------------------

// The start of the pattern for connection 1, request 1, seed 1 is whatever it
// is; a body that is off by one byte is none of them.
void a_body_with_another_byte_is_a_mismatch(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({answer(std::string(50, 'x'),
                      "X-Dyno-Connection: 1\r\nX-Dyno-Request: 1\r\n"
                      "X-Dyno-Seed: 1\r\n")});
  const std::string url = trial.server().url() + "rnd?c=50";
  assert_int_equal(trial.run({{"target.url", url},
                              {"verify.body", "on"},
                              {"connections", "1"},
                              {"load.requests", "4"}}),
                   DYNO_E_CONNECT);
  trial.expect({{"failures.body_mismatch", 4}});
  assert_true(trial.message().find("other bytes") != std::string::npos);
}

void a_body_of_another_length_is_a_mismatch(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({answer("x",
                      "X-Dyno-Connection: 1\r\nX-Dyno-Request: 1\r\n"
                      "X-Dyno-Seed: 1\r\n")});
  const std::string url = trial.server().url() + "rnd?c=50";
  assert_int_equal(trial.run({{"target.url", url},
                              {"verify.body", "on"},
                              {"connections", "1"},
                              {"load.requests", "1"}}),
                   DYNO_E_CONNECT);
  assert_true(trial.message().find("another length") != std::string::npos);
}

void a_body_that_is_cut_short_is_truncated_and_not_mismatched(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(
      {"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n"
       "X-Dyno-Connection: 1\r\nX-Dyno-Request: 1\r\n"
       "X-Dyno-Seed: 1\r\n\r\n",
       dyno::test::Then::close});
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
  for (const char* path : {"/rnd?c=0", "/rnd?c=1", "/rnd?c=100000"}) {
    Trial& trial = fresh_trial(state);
    assert_int_equal(
        trial.run({{"target.url",
                    start_own_server({{"sequence_header", "on"}}) + path},
                   {"verify.id", "on"},
                   {"verify.body", "on"},
                   {"connections", "4"},
                   {"pool.depth", "4"},
                   {"load.requests", "500"}}),
        DYNO_OK);
    trial.expect({{"counts.completed", 500}, {"counts.failed", 0}});
  }
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

// --- refusals ----------------------------------------------------------------

void what_cannot_be_verified_is_refused(void** state) {
  const struct {
    const char* key;
    const char* url;
    const char* header;
  } cases[] = {{"verify.body", "http://127.0.0.1:1/bytes/5", "A: b"},
               {"verify.id", "http://127.0.0.1:1/", "x-dyno-id: 5"}};
  for (const auto& [key, url, header] : cases) {
    Trial& trial = fresh_trial(state);
    trial.plan({{"target.url", url}, {"http.header", header}, {key, "on"}});
    assert_int_equal(trial.start(), DYNO_E_VALUE);
    assert_true(trial.message().find(key) == 0);
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
      TRIAL(a_body_with_another_byte_is_a_mismatch),
      TRIAL(a_body_of_another_length_is_a_mismatch),
      TRIAL(a_body_that_is_cut_short_is_truncated_and_not_mismatched),
      TRIAL(our_own_server_passes_both),
      TRIAL(only_without_correlation_is_an_answer_misdelivered),
      TRIAL(what_cannot_be_verified_is_refused),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
