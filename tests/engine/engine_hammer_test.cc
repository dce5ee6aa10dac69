// Every discipline against a server that does anything at all, by a seed: no
// request is lost, none counts twice, and the server's counts go with ours.
#include <random>
#include <string>

#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::answer;
using dyno::test::fresh_trial;
using dyno::test::Heard;
using dyno::test::Reply;
using dyno::test::Then;
using dyno::test::Trial;

namespace {

constexpr int64_t kRequests = 400;
constexpr const char* kTimeout = "30ms";
constexpr int64_t kTooLateMs = 60;

// Most answers are good; the others are each kind of trouble.
Reply any_reply(int draw) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::string chunked =
      ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
  switch (draw) {
    case 0:
      return {answer("last", "Connection: close\r\n"), Then::close};
    case 1:
      return {answer("last", "Connection: close\r\n"), Then::hold};
    case 2:
      return {answer("hello"), Then::close};
    case 3:
      return {answer("hello"), Then::rst};
    case 4:
      return {answer("hello"), Then::shut};
    case 5:
      return {ok + "Content-Length: 10\r\n\r\n12345", Then::close};
    case 6:
      return {ok + "Content-Length: 10\r\n\r\n12345", Then::rst};
    case 7:
      return {ok + "\r\nuntil close", Then::close};
    case 8:
      return {"", Then::close};
    case 9:
      return {"", Then::rst};
    case 10:
      return {"", Then::hold};
    case 11:
      return {.bytes = answer("late"), .delay_ms = kTooLateMs};
    case 12:
      return {"no HTTP at all\r\n\r\n", Then::keep};
    case 13:
      return {answer("more") + "than asked for"};
    case 14:
    case 15:
      return {.bytes = chunked, .piece = 7};
    case 16:
      return {"HTTP/1.1 100 Continue\r\n\r\n" + answer("hello")};
    default:
      return {answer("hello")};
  }
}

dyno::test::Script anything(uint32_t seed, int share_of_good) {
  return
      [random = std::minstd_rand(seed), share_of_good](const Heard&) mutable {
        return any_reply(static_cast<int>(random() % (17 + share_of_good)));
      };
}

struct Discipline {
  const char* client;
  const char* depth;
  const char* pending;
  const char* on_timeout;
  const char* threads;
};

void hammer(Trial& trial, const Discipline& discipline, uint32_t seed) {
  trial.serve(anything(seed, seed % 2 == 0 ? 20 : 200),
              {.greet = [](int connection) {
                if (connection % 13 == 12) return Then::rst;
                return connection % 17 == 16 ? Then::close : Then::keep;
              }});
  trial.run({{"client", discipline.client},
             {"connections", "6"},
             {"load.callers", "6"},
             {"threads", discipline.threads},
             {"pool.depth", discipline.depth},
             {"pool.on_close_pending", discipline.pending},
             {"pool.on_timeout", discipline.on_timeout},
             {"pool.backoff", "2ms"},
             {"request.timeout", kTimeout},
             {"load.requests", std::to_string(kRequests)}});
  if (trial.value("counts.issued") != kRequests)
    fail_msg("%s depth %s, %s, %s, seed %u: %lld issued", discipline.client,
             discipline.depth, discipline.pending, discipline.on_timeout, seed,
             static_cast<long long>(trial.value("counts.issued")));
  trial.expect({{"counts.abandoned", 0}});
}

void nothing_is_lost_and_nothing_counts_twice(void** state) {
  const Discipline disciplines[] = {
      {"dedicated", "1", "retry", "close", "2"},
      {"dedicated", "4", "retry", "close", "1"},
      {"dedicated", "4", "fail", "close", "2"},
      {"dedicated", "4", "resubmit", "close", "1"},
      {"fifo-lazy", "1", "fail", "close", "1"},
      {"fifo-lazy", "1", "resubmit", "close", "1"},
      {"fifo-patient", "2", "retry", "close", "1"},
      {"random-trylock", "1", "retry", "close", "1"},
      {"random-trylock", "1", "resubmit", "close", "1"},
      {"random-mux-failfast", "8", "fail", "abandon-id", "1"},
      {"random-mux-failfast", "8", "retry", "abandon-id", "1"},
      {"random-mux-failfast", "8", "resubmit", "close", "1"},
      {"none", "1", "fail", "close", "2"},
  };
  for (const Discipline& discipline : disciplines)
    for (uint32_t seed = 1; seed <= 4; ++seed)
      hammer(fresh_trial(state), discipline, seed);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(nothing_is_lost_and_nothing_counts_twice),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
