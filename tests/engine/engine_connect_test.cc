// Dials: dead addresses, refused and unanswered ones, names without an address,
// and descriptors that run out.
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::always;
using dyno::test::answer;
using dyno::test::fresh_trial;
using dyno::test::ScriptServer;
using dyno::test::Trial;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string with_port(const std::string& host, int port) {
  return "http://" + host + ":" + std::to_string(port) + "/";
}

// A port on which nobody listens.
int free_port() {
  return ScriptServer(always({})).port();
}

// --- addresses --------------------------------------------------------------

// A name below localhost is both 127.0.0.1 and ::1 (RFC 6761); the server has
// the first only.
void a_dead_address_costs_no_request(void** state) {
  for (const char* client : {"dedicated", "fifo-lazy"}) {
    Trial& trial = fresh_trial(state);
    trial.serve({answer("hello")});
    assert_int_equal(
        trial.run(
            {{"target.url", with_port("both.localhost", trial.server().port())},
             {"client", client},
             {"pool.size", "6"},
             {"load.callers", "6"},
             {"load.requests", "100"}}),
        DYNO_OK);
    trial.expect({{"counts.completed", 100},
                  {"counts.failed", 0},
                  {"connections.opened", 6}});
    const std::string report = trial.rendered("text");
    const std::string dead = "[::1]:" + std::to_string(trial.server().port());
    assert_true(contains(report, dead));
    assert_false(contains(
        report, "127.0.0.1:" + std::to_string(trial.server().port()) + ": "));
  }
}

void addresses_are_used_in_turn(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve({answer("hello")});
  // The same port on ::1, where that is free.
  dyno::test::ServeOptions options;
  options.host = "::1";
  options.port = trial.server().port();
  const auto six =
      std::make_unique<ScriptServer>(always({answer("hello")}), options);
  if (six->port() == 0) skip();
  trial.allow_other_servers();
  assert_int_equal(trial.run({{"target.url", with_port("both.localhost",
                                                       trial.server().port())},
                              {"connections", "6"},
                              {"threads", "1"},
                              {"load.requests", "60"}}),
                   DYNO_OK);
  six->stop();
  trial.expect({{"counts.completed", 60}, {"connections.opened", 6}});
  assert_int_equal(trial.server().accepted(), 3);
  assert_int_equal(six->accepted(), 3);
}

// --- nobody there -----------------------------------------------------------

void a_refused_connection_gives_up(void** state) {
  for (const char* client : {"dedicated", "fifo-lazy", "random-mux-failfast",
                             "random-trylock", "none"}) {
    Trial& trial = fresh_trial(state);
    const int port = free_port();
    const bool has_pool = std::string(client) != "none";
    assert_int_equal(trial.run({{"target.url", with_port("127.0.0.1", port)},
                                {"client", client},
                                {has_pool ? "pool.size" : "load.callers", "4"},
                                {"load.callers", "4"},
                                {"load.error_pause", "1ms"},
                                {"connect.give_up", "300ms"},
                                {"load.duration", "20s"}}),
                     DYNO_E_CONNECT);
    assert_true(contains(trial.message(), "127.0.0.1:" + std::to_string(port)));
    assert_true(contains(trial.message(), "refused"));
    assert_true(trial.seconds() < 5);
    // Fewer than 100 attempts per connection and second.
    const auto most = static_cast<int64_t>(4 * 100 * (trial.seconds() + 0.1));
    assert_true(trial.value("connections.dial_failed") <= most);
    assert_true(trial.value("connections.dial_failed") >= 4);
    trial.expect({{"connections.opened", 0}, {"counts.completed", 0}});
  }
}

void a_refused_connection_gives_up_on_every_thread(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(
      trial.run({{"target.url", with_port("127.0.0.1", free_port())},
                 {"connections", "7"},
                 {"threads", "3"},
                 {"load.duration", "20s"}}),
      DYNO_E_CONNECT);
  assert_true(contains(trial.message(), "refused"));
  assert_true(trial.seconds() < 5);
}

// The cells behind the one that could not connect say why they did not run.
void a_refused_connection_ends_a_matrix(void** state) {
  Trial& trial = fresh_trial(state);
  const int port = free_port();
  assert_int_equal(trial.run({{"target.url", with_port("127.0.0.1", port)},
                              {"connections", "1,2,3,4,5,6,7"},
                              {"connect.give_up", "100ms"},
                              {"load.duration", "20s"}}),
                   DYNO_E_CONNECT);
  assert_int_equal(dyno_result_cell_count(trial.result()), 7);
  for (size_t i = 1; i < 7; ++i) {
    const char* skipped = nullptr;
    assert_int_equal(dyno_result_text(dyno_result_cell(trial.result(), i),
                                      "skipped", &skipped),
                     DYNO_OK);
    assert_true(contains(skipped, "refused"));
  }
  assert_true(contains(trial.message(), "127.0.0.1:" + std::to_string(port)));
}

void a_name_without_an_address_ends_before_any_load(void** state) {
  Trial& trial = fresh_trial(state);
  assert_int_equal(trial.run({{"target.url", "http://no-such-name.invalid/"},
                              {"resolve.timeout", "1s"},
                              {"load.duration", "20s"}}),
                   DYNO_E_RESOLVE);
  assert_true(contains(trial.message(), "no-such-name.invalid"));
  assert_int_equal(dyno_result_cell_count(trial.result()), 0);
  assert_true(trial.seconds() < 10);
}

// --- nobody answers ---------------------------------------------------------

// A listener that accepts nothing and whose backlog is full: SYNs are dropped.
class FullBacklog {
 public:
  FullBacklog() : server_(always({}), {.backlog = 0, .accepts = false}) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(server_.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int& fd : fillers_) {
      fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
    }
  }
  ~FullBacklog() {
    for (const int fd : fillers_) close(fd);
  }
  int port() const { return server_.port(); }

 private:
  ScriptServer server_;
  int fillers_[4];
};

void an_unanswered_dial_times_out(void** state) {
  Trial& trial = fresh_trial(state);
  const auto full = std::make_unique<FullBacklog>();
  assert_int_equal(
      trial.run({{"target.url", with_port("127.0.0.1", full->port())},
                 {"connections", "2"},
                 {"connect.timeout", "200ms"},
                 {"load.duration", "20s"}}),
      DYNO_E_CONNECT);
  assert_true(contains(trial.message(), "timed out"));
  assert_true(trial.value("connections.dial_failed") >= 2);
  assert_true(trial.seconds() < 5);
}

void an_unanswered_dial_ends_with_the_run(void** state) {
  Trial& trial = fresh_trial(state);
  const auto full = std::make_unique<FullBacklog>();
  assert_int_equal(
      trial.run({{"target.url", with_port("127.0.0.1", full->port())},
                 {"client", "fifo-lazy"},
                 {"pool.size", "2"},
                 {"load.callers", "2"},
                 {"connect.give_up", "20s"},
                 {"load.duration", "500ms"}}),
      DYNO_E_CONNECT);
  trial.expect({{"counts.issued", 2}, {"counts.abandoned", 2}});
  assert_true(trial.seconds() < 4);
}

// Some of the eager connections are there, the others never will be: the load
// begins all the same, on every thread.
void a_part_of_the_connections_is_enough_to_begin(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(always({}), {.backlog = 1, .accepts = false});
  trial.allow_unseen_connections();
  assert_int_equal(trial.run({{"connections", "6"},
                              {"threads", "2"},
                              {"connect.timeout", "100ms"},
                              {"load.duration", "500ms"}}),
                   DYNO_E_CONNECT);
  const int64_t opened = trial.value("connections.opened");
  assert_true(opened > 0 && opened < 6);
  assert_true(trial.value("connections.dial_failed") >= 6 - opened);
  assert_true(trial.value("counts.abandoned") >= opened);
  assert_true(trial.value("duration_ns") >= 500'000'000);
  assert_true(trial.seconds() < 4);
}

// --- descriptors ------------------------------------------------------------

rlimit soft_limit(rlim_t descriptors) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit now = before;
  now.rlim_cur = descriptors;
  setrlimit(RLIMIT_NOFILE, &now);
  return before;
}

void too_many_connections_are_refused_with_numbers(void** state) {
  Trial& trial = fresh_trial(state);
  trial.plan({{"target.url", "http://127.0.0.1:1/"}, {"connections", "100"}});
  const rlimit before = soft_limit(40);
  const dyno_status status = trial.start();
  setrlimit(RLIMIT_NOFILE, &before);
  assert_int_equal(status, DYNO_E_SYSTEM);
  assert_true(contains(trial.message(), "100 connections"));
  assert_true(contains(trial.message(), "40 are allowed"));
}

// The server has descriptors of its own: it is a process of its own.
class ForkedServer {
 public:
  ForkedServer() {
    int ready[2], life[2];
    if (pipe(ready) != 0 || pipe(life) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      close(life[1]);
      ScriptServer server(always({answer("hello")}));
      const int port = server.port();
      [[maybe_unused]] ssize_t n = write(ready[1], &port, sizeof port);
      char byte = 0;
      n = read(life[0], &byte, 1);  // until the parent closes its end
      server.stop();
      _exit(0);
    }
    close(ready[1]);
    close(life[0]);
    life_ = life[1];
    if (read(ready[0], &port_, sizeof port_) != sizeof port_) port_ = 0;
    close(ready[0]);
  }
  ~ForkedServer() {
    close(life_);
    waitpid(process_, nullptr, 0);
  }
  int port() const { return port_; }

 private:
  pid_t process_ = -1;
  int life_ = -1;
  int port_ = 0;
};

// Leaves nothing to open, once the run is under way.
int32_t forbid_more(const dyno_result* so_far, void*) {
  int64_t completed = 0;
  dyno_result_int(so_far, "counts.completed", &completed);
  if (completed > 0) soft_limit(3);
  return 0;
}

void running_out_of_descriptors_fails_by_its_name(void** state) {
#ifdef __SANITIZE_ADDRESS__
  skip();  // its checks of pointers open pipes
#endif
  const auto server = std::make_unique<ForkedServer>();
  assert_int_not_equal(server->port(), 0);
  Trial& trial = fresh_trial(state);
  trial.plan({{"target.url", with_port("both.localhost", server->port())},
              {"client", "none"},
              {"load.callers", "8"},
              {"load.duration", "800ms"}});
  const rlimit before = soft_limit(80);
  assert_int_equal(trial.start(), DYNO_OK);
  dyno_run_drive(trial.handle(), 20, forbid_more, nullptr);
  setrlimit(RLIMIT_NOFILE, &before);
  assert_int_equal(trial.finish(), DYNO_OK);
  assert_true(trial.value("failures.fd_exhausted") > 0);
  trial.expect({{"counts.failed", trial.value("failures.fd_exhausted")}});
  // It is no fault of the address.
  assert_false(contains(trial.rendered("text"), "files; the other"));
  assert_true(trial.value("connections.dial_failed") <= 8 * 100);
  assert_true(trial.real("client.cpu_s") < 0.6);
}

// host.nofile is a limit of ours, below that of the system, over all threads.
void descriptors_can_be_limited_by_an_option(void** state) {
  Trial& trial = fresh_trial(state);
  trial.serve(always({.bytes = answer("hello"), .delay_ms = 5}));
  assert_int_equal(trial.run({{"client", "fifo-lazy"},
                              {"pool.count", "2"},
                              {"pool.size", "8"},
                              {"pool.open", "eager"},
                              {"load.callers", "16"},
                              {"threads", "2"},
                              {"host.nofile", "5"},
                              {"load.duration", "300ms"}}),
                   DYNO_OK);
  assert_int_equal(trial.server().open_peak(), 5);
  trial.expect({{"connections.opened", 5},
                {"failures.fd_exhausted", trial.value("counts.failed")}});
  assert_true(trial.value("connections.dial_failed") >= 11);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      // First, while there is no other thread: it forks.
      TRIAL(running_out_of_descriptors_fails_by_its_name),
      TRIAL(too_many_connections_are_refused_with_numbers),
      TRIAL(descriptors_can_be_limited_by_an_option),
      TRIAL(a_dead_address_costs_no_request),
      TRIAL(addresses_are_used_in_turn),
      TRIAL(a_refused_connection_gives_up),
      TRIAL(a_refused_connection_gives_up_on_every_thread),
      TRIAL(a_refused_connection_ends_a_matrix),
      TRIAL(a_name_without_an_address_ends_before_any_load),
      TRIAL(an_unanswered_dial_times_out),
      TRIAL(an_unanswered_dial_ends_with_the_run),
      TRIAL(a_part_of_the_connections_is_enough_to_begin),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
