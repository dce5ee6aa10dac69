// What the server reads: the request line, Host and body of a run's requests.
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

std::string first_line(const std::string& head) {
  return head.substr(0, head.find("\r\n"));
}

// The value of the only field of that name.
std::string field(const std::string& head, const std::string& name) {
  const size_t at = head.find("\r\n" + name + ": ");
  assert_true(at != std::string::npos);
  assert_true(head.find("\r\n" + name + ": ", at + 1) == std::string::npos);
  const size_t begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

// Asks a target once; gives the head that arrived.
std::string head_for(Trial& trial, const std::string& after_port) {
  trial.serve({answer("hello")});
  assert_int_equal(trial.run({{"target.url", trial.server().url(after_port)},
                              {"load.requests", "1"},
                              {"connections", "1"}}),
                   DYNO_OK);
  assert_int_equal(trial.server().heads().size(), 1);
  return trial.server().heads().front();
}

void a_request_line_is_what_the_url_says(void** state) {
  const struct {
    const char* after_port;
    const char* line;
  } rows[] = {
      {"/ok?a=1&b=%20x#frag", "GET /ok?a=1&b=%20x HTTP/1.1"},
      {"?x=1", "GET /?x=1 HTTP/1.1"},
      {"#f", "GET / HTTP/1.1"},
      {"", "GET / HTTP/1.1"},
      {"/a/../b", "GET /a/../b HTTP/1.1"},
  };
  for (const auto& row : rows)
    assert_string_equal(
        first_line(head_for(fresh_trial(state), row.after_port)).c_str(),
        row.line);
}

void host_has_the_port(void** state) {
  Trial& trial = fresh_trial(state);
  const std::string host = field(head_for(trial, "/"), "Host");
  const std::string wanted =
      "127.0.0.1:" + std::to_string(trial.server().port());
  assert_string_equal(host.c_str(), wanted.c_str());
}

void an_ipv6_literal_keeps_its_brackets(void** state) {
  Trial& trial = fresh_trial(state);
  const dyno::test::ScriptServer probe(dyno::test::always({}), {.host = "::1"});
  if (probe.port() == 0) skip();  // a host without IPv6
  trial.serve(dyno::test::always({answer("hello")}), {.host = "::1"});
  assert_int_equal(trial.run({{"load.requests", "4"}, {"connections", "2"}}),
                   DYNO_OK);
  const std::string wanted = "[::1]:" + std::to_string(trial.server().port());
  assert_string_equal(field(trial.server().heads().front(), "Host").c_str(),
                      wanted.c_str());
}

void a_host_of_the_user_replaces_ours(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({answer("hello")});
  assert_int_equal(trial.run({{"http.header", "host: example.org"},
                              {"load.requests", "1"},
                              {"connections", "1"}}),
                   DYNO_OK);
  const std::string head = trial.server().heads().front();
  assert_string_equal(field(head, "host").c_str(), "example.org");
  assert_true(head.find("Host:") == std::string::npos);
}

void a_body_has_its_length(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve([](const Heard& heard) -> Reply {
    return {answer(std::to_string(heard.body))};
  });
  assert_int_equal(trial.run({{"http.method", "POST"},
                              {"http.body", "a=1&b=2"},
                              {"http.header", "Content-Type: text/plain"},
                              {"load.requests", "30"},
                              {"connections", "1"},
                              {"pool.depth", "3"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 30}, {"connections.opened", 1}});
  const std::string head = trial.server().heads().front();
  assert_string_equal(first_line(head).c_str(), "POST / HTTP/1.1");
  assert_string_equal(field(head, "Content-Length").c_str(), "7");
  assert_string_equal(field(head, "Content-Type").c_str(), "text/plain");
}

// More than any socket buffer holds: written in parts, by the write event.
void a_large_body_is_written_in_parts(void** state) {
  constexpr int64_t kBody = 1 << 20;
  constexpr int64_t kRequests = 24;
  for (const char* depth : {"1", "4"}) {
    Trial& trial = fresh_trial(state);
    trial.serve([](const Heard& heard) -> Reply {
      return {answer(std::to_string(heard.body))};
    });
    assert_int_equal(trial.run({{"http.method", "PUT"},
                                {"http.body", std::string(kBody, 'u')},
                                {"load.requests", std::to_string(kRequests)},
                                {"connections", "2"},
                                {"pool.depth", depth}}),
                     DYNO_OK);
    const std::string head = trial.server().heads().front();
    trial.expect(
        {{"counts.completed", kRequests},
         {"bytes.body", kRequests * 7},
         {"bytes.out", kRequests * (kBody + static_cast<int64_t>(head.size()))},
         {"connections.opened", 2}});
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(a_request_line_is_what_the_url_says),
      TRIAL(host_has_the_port),
      TRIAL(an_ipv6_literal_keeps_its_brackets),
      TRIAL(a_host_of_the_user_replaces_ours),
      TRIAL(a_body_has_its_length),
      TRIAL(a_large_body_is_written_in_parts),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
