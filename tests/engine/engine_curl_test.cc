// Engine curl: the counts of engine event for every discipline that libcurl can
// carry, and what it says when an answer never comes, or comes wrong.
#include <string>
#include <vector>

#include "engine/own_server.hh"
#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::always;
using dyno::test::answer;
using dyno::test::fresh_trial;
using dyno::test::Heard;
using dyno::test::Reply;
using dyno::test::Setting;
using dyno::test::start_own_server;
using dyno::test::Then;
using dyno::test::Trial;

namespace {

constexpr const char* kCarried[] = {
    "dedicated",      "fifo-lazy",   "fifo-eager", "fifo-patient",
    "random-trylock", "least-queue", "none",       "none-leak"};
constexpr const char* kRefused[] = {"fifo-eager-sharded", "random-mux-failfast",
                                    "random-mux-skipdown", "least-pipeline"};

// Our own server is the only one that is asked.
Trial& own_trial(void** state) {
  Trial& trial = fresh_trial(state);
  trial.allow_other_servers();
  trial.serve(always({answer("")}));
  return trial;
}

void expect_message(const Trial& trial, const char* part) {
  if (trial.message().find(part) == std::string::npos)
    fail_msg("\"%s\" lacks \"%s\"", trial.message().c_str(), part);
}

struct Counts {
  std::vector<int64_t> values;
};

constexpr const char* kCompared[] = {
    "counts.issued",      "counts.completed",   "counts.failed",
    "connections.opened", "connections.closed", "connections.reused",
    "server.accepted",    "server.read",        "server.written",
    "bytes.body",         "status.200"};

Counts counts_on(void** state, const char* engine, const char* client) {
  Trial& trial = own_trial(state);
  const std::string url = start_own_server() + "/wait/1";
  const bool has_pool = std::string(client).find("none") != 0;
  assert_int_equal(
      trial.run({{"target.url", url},
                 {"target.own", "on"},
                 {"engine", engine},
                 {"client", client},
                 {"load.callers", "4"},
                 // One caller finds the slot that it draws always free.
                 {has_pool ? "pool.size" : "load.callers", "4"},
                 {std::string(client) == "random-trylock" ? "load.callers"
                                                          : "pool.count",
                  "1"},
                 {"load.requests", "120"}}),
      DYNO_OK);
  trial.expect({{"counts.completed", 120}, {"server.is_reconciled", 1}});
  Counts counts;
  for (const char* metric : kCompared)
    counts.values.push_back(trial.value(metric));
  return counts;
}

void counts_are_those_of_engine_event(void** state) {
  for (const char* client : kCarried) {
    const Counts event = counts_on(state, "event", client);
    const Counts curl = counts_on(state, "curl", client);
    for (size_t i = 0; i < event.values.size(); ++i)
      if (event.values[i] != curl.values[i])
        fail_msg("%s: %s is %lld on event, %lld on curl", client, kCompared[i],
                 static_cast<long long>(event.values[i]),
                 static_cast<long long>(curl.values[i]));
  }
}

void more_callers_than_slots_add_up(void** state) {
  for (const char* client : kCarried) {
    Trial& trial = own_trial(state);
    const std::string url = start_own_server() + "/wait/1";
    const bool has_pool = std::string(client).find("none") != 0;
    trial.run(
        {{"target.url", url},
         {"target.own", "on"},
         {"engine", "curl"},
         {"client", client},
         {has_pool && client != kCarried[0] ? "pool.size" : "load.callers",
          "8"},
         {"load.callers", client == kCarried[0] ? "64" : "32"},
         {"load.duration", "300ms"}});
    assert_true(trial.value("counts.completed") > 0);
    assert_int_equal(trial.value("server.is_reconciled"), 1);
  }
}

void what_libcurl_cannot_carry_is_refused(void** state) {
  for (const char* client : kRefused) {
    Trial& trial = own_trial(state);
    trial.plan({{"engine", "curl"},
                {"client", client},
                {"pool.size", "4"},
                {"load.requests", "1"}});
    assert_int_equal(trial.start(), DYNO_E_VALUE);
    expect_message(trial, "engine curl");
    expect_message(trial, "engine event");
  }
  Trial& trial = own_trial(state);
  trial.plan({{"client", "curl-native"}, {"load.requests", "1"}});
  assert_int_equal(trial.start(), DYNO_E_VALUE);
  expect_message(trial, "engine curl");
}

// --- libcurl's own pool ------------------------------------------------------

void libcurls_own_pool_keeps_to_its_size(void** state) {
  Trial& trial = own_trial(state);
  const std::string url = start_own_server() + "/wait/1";
  assert_int_equal(trial.run({{"target.url", url},
                              {"target.own", "on"},
                              {"engine", "curl"},
                              {"client", "curl-native"},
                              {"pool.size", "4"},
                              {"load.callers", "16"},
                              {"load.requests", "400"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 400},
                {"connections.opened", 4},
                {"connections.closed", 4},
                {"server.is_reconciled", 1}});
}

void a_retry_that_libcurl_makes_is_counted(void** state) {
  Trial& trial = fresh_trial(state);
  // Every second request of a connection finds it closed.
  trial.serve([](const Heard& heard) -> Reply {
    if (heard.request == 1) return {"", Then::close};
    return {answer("hello")};
  });
  assert_int_equal(trial.run({{"engine", "curl"},
                              {"client", "curl-native"},
                              {"pool.size", "1"},
                              {"load.callers", "1"},
                              {"load.requests", "5"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 5},
                {"counts.retry", 4},
                {"connections.opened", 5}});
}

// --- answers -----------------------------------------------------------------

struct Case {
  const char* name;
  Reply reply;
  const char* metric;  // all ten requests are counted there
  const char* method = "GET";
};

void answers_are_counted_as_what_they_are(void** state) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  const Case cases[] = {
      {"length", {answer("hello")}, "status.200"},
      {"chunked",
       {head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
       "status.200"},
      {"until close", {head + "\r\nhello", Then::close}, "status.200"},
      {"early hints",
       {"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + answer("hello")},
       "status.200"},
      {"no body", {"HTTP/1.1 204 No Content\r\n\r\n"}, "status.204"},
      {"an error",
       {"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"},
       "status.503"},
      {"two equal lengths",
       {head + "Content-Length: 5, 5\r\n\r\nhello"},
       "status.200"},
      {"two different lengths",
       {head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"},
       "failures.protocol"},
      {"rubbish behind a length",
       {head + "Content-Length: 5abc\r\n\r\nhello"},
       "failures.protocol"},
      {"short body",
       {head + "Content-Length: 10\r\n\r\nhello", Then::close},
       "failures.truncated"},
      {"reset in a body",
       {head + "Content-Length: 10\r\n\r\nhello", Then::rst},
       "failures.reset"},
      {"reset before an answer", {"", Then::rst}, "failures.reset"},
      {"closed before an answer", {"", Then::close}, "failures.closed"},
      {"no HTTP", {"hello\r\n\r\n", Then::close}, "failures.protocol"},
      {"silence", {"", Then::hold}, "failures.request_timeout"},
      {"a large head",
       {head + "X-Long: " + std::string(2000, 'x') + "\r\n\r\n"},
       "failures.header_too_large"},
      {"bytes in small pieces", {answer("hello"), Then::keep, 3}, "status.200"},
      {"HEAD with a length",
       {head + "Content-Length: 5000\r\n\r\n"},
       "status.200",
       "HEAD"},
  };
  for (const Case& one : cases) {
    Trial& trial = fresh_trial(state);
    trial.allow_unseen_connections();
    trial.serve(one.reply);
    trial.run({{"engine", "curl"},
               {"connections", "2"},
               {"http.method", one.method},
               {"http.head_limit", "1000"},
               {"pool.retry_closed", "0"},
               {"request.timeout", "100ms"},
               {"load.requests", "10"}});
    if (trial.value(one.metric) != 10)
      fail_msg("%s: %s is %lld:\n%s", one.name, one.metric,
               static_cast<long long>(trial.value(one.metric)),
               trial.rendered("text").c_str());
  }
}

void the_server_hears_what_engine_event_would_say(void** state) {
  std::vector<std::string> heads;
  for (const char* engine : {"event", "curl"}) {
    Trial& trial = fresh_trial(state);
    trial.serve(always({answer("")}));
    assert_int_equal(trial.run({{"engine", engine},
                                {"http.method", "POST"},
                                {"http.header", "X-A: b"},
                                {"http.body", "hello"},
                                {"connections", "1"},
                                {"load.requests", "1"}}),
                     DYNO_OK);
    std::string head = trial.server().heads().at(0);
    head.erase(0, head.find("\r\n"));  // the order of fields is libcurl's
    for (const char* line : {"X-A: b\r\n", "Content-Length: 5\r\n", "Host: "})
      assert_true(head.find(line) != std::string::npos);
    for (const char* line : {"Accept", "User-Agent", "Expect", "Content-Type"})
      assert_true(head.find(line) == std::string::npos);
  }
}

void an_idle_connection_that_closes_is_noticed(void** state) {
  for (const char* engine : {"event", "curl"}) {
    Trial& trial = own_trial(state);
    const std::string url = start_own_server(
        {{"max_requests_per_connection", "5"}, {"close_header", "off"}});
    assert_int_equal(trial.run({{"target.url", url},
                                {"target.own", "on"},
                                {"engine", engine},
                                {"client", "fifo-lazy"},
                                {"pool.size", "2"},
                                {"load.callers", "1"},
                                {"pool.on_close_pending", "retry"},
                                {"load.requests", "50"}}),
                     DYNO_OK);
    trial.expect({{"counts.completed", 50},
                  {"counts.failed", 0},
                  {"connections.opened", 10}});
  }
}

void redirects_are_followed_on_request(void** state) {
  const auto script = [](const Heard& heard) -> Reply {
    if (heard.head.find("GET /end ") == 0) return {answer("end")};
    return {
        "HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n"};
  };
  for (const char* follow : {"0", "1"}) {
    Trial& trial = fresh_trial(state);
    trial.allow_other_servers();
    trial.serve(script);
    assert_int_equal(trial.run({{"engine", "curl"},
                                {"http.follow", follow},
                                {"connections", "1"},
                                {"load.requests", "5"}}),
                     DYNO_OK);
    const bool follows = *follow == '1';
    trial.expect({{"counts.completed", 5},
                  {follows ? "status.200" : "status.302", 5},
                  {"connections.opened", 1}});
    assert_int_equal(trial.server().requests(), follows ? 10 : 5);
  }
  Trial& trial = fresh_trial(state);
  trial.allow_other_servers();
  trial.serve(always(
      {"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"}));
  trial.run({{"engine", "curl"},
             {"http.follow", "3"},
             {"connections", "1"},
             {"load.requests", "4"}});
  trial.expect({{"failures.too_many_redirects", 4}});
}

void a_proxy_is_asked_for_the_whole_url(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(always({answer("hello")}));
  const std::string proxy =
      "http://127.0.0.1:" + std::to_string(trial.server().port());
  assert_int_equal(trial.run({{"engine", "curl"},
                              {"target.url", "http://nowhere.example/x"},
                              {"http.proxy", proxy},
                              {"connections", "2"},
                              {"load.requests", "6"}}),
                   DYNO_OK);
  trial.expect({{"counts.completed", 6}, {"connections.opened", 2}});
  const std::string head = trial.server().heads().at(0);
  assert_int_equal(head.find("GET http://nowhere.example/x HTTP/1.1\r\n"), 0);
}

void a_proxy_that_refuses_is_named(void** state) {
  Trial& trial = fresh_trial(state);
  trial.allow_unseen_connections();
  trial.serve(always({"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"}));
  const std::string proxy =
      "http://127.0.0.1:" + std::to_string(trial.server().port());
  assert_int_equal(trial.run({{"engine", "curl"},
                              {"target.url", "https://nowhere.example/x"},
                              {"tls.insecure", "on"},
                              {"http.proxy", proxy},
                              {"connections", "1"},
                              {"connect.give_up", "700ms"},
                              {"load.requests", "2"}}),
                   DYNO_E_CONNECT);
  assert_true(trial.value("failures.proxy") > 0);
}

// --- TLS ---------------------------------------------------------------------

void tls_is_that_of_engine_event(void** state) {
  for (const char* client : {"dedicated", "fifo-lazy", "none", "curl-native"}) {
    Trial& trial = own_trial(state);
    const std::string url = start_own_server({{"tls", "on"}});
    const bool has_pool = std::string(client) != "none";
    assert_int_equal(trial.run({{"target.url", url},
                                {"target.own", "on"},
                                {"engine", "curl"},
                                {"tls.insecure", "on"},
                                {"client", client},
                                {has_pool ? "pool.size" : "load.callers", "4"},
                                {"load.callers", "4"},
                                {"load.requests", "40"}}),
                     DYNO_OK);
    trial.expect({{"counts.completed", 40}, {"server.is_reconciled", 1}});
    assert_int_equal(trial.value("connections.tls_full") +
                         trial.value("connections.tls_resumed"),
                     trial.value("connections.opened"));
  }
}

void a_certificate_that_nobody_trusts_ends_the_run(void** state) {
  for (const char* client : {"dedicated", "fifo-lazy", "curl-native"}) {
    Trial& trial = own_trial(state);
    trial.allow_unseen_connections();
    const std::string url = start_own_server({{"tls", "on"}});
    assert_int_equal(trial.run({{"target.url", url},
                                {"engine", "curl"},
                                {"client", client},
                                {"pool.size", "2"},
                                {"load.callers", "2"},
                                {"connect.give_up", "700ms"},
                                {"load.requests", "1000"}}),
                     DYNO_E_CONNECT);
    expect_message(trial, "self-signed certificate");
    assert_true(trial.value("connections.dial_failed") <= 2 * 12);
    assert_int_equal(trial.value("latency.tls.count"), 0);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(counts_are_those_of_engine_event),
      TRIAL(more_callers_than_slots_add_up),
      TRIAL(what_libcurl_cannot_carry_is_refused),
      TRIAL(libcurls_own_pool_keeps_to_its_size),
      TRIAL(a_retry_that_libcurl_makes_is_counted),
      TRIAL(answers_are_counted_as_what_they_are),
      TRIAL(the_server_hears_what_engine_event_would_say),
      TRIAL(an_idle_connection_that_closes_is_noticed),
      TRIAL(redirects_are_followed_on_request),
      TRIAL(a_proxy_is_asked_for_the_whole_url),
      TRIAL(a_proxy_that_refuses_is_named),
      TRIAL(tls_is_that_of_engine_event),
      TRIAL(a_certificate_that_nobody_trusts_ends_the_run),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
