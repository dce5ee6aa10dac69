// Unix sockets in place of addresses, on engine event and our own server.
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "engine/own_server.hh"
#include "engine/trial.hh"
#include "unit/cmocka.hh"

using dyno::test::always;
using dyno::test::answer;
using dyno::test::fresh_trial;
using dyno::test::Setting;
using dyno::test::start_own_server;
using dyno::test::Trial;

namespace {

std::string g_folder;

int make_folder(void**) {
  char name[] = "/tmp/dyno-unix-XXXXXX";
  g_folder = mkdtemp(name);
  return 0;
}

int remove_folder(void**) {
  return rmdir(g_folder.c_str());
}

std::string socket_path() {
  return g_folder + "/http.sock";
}

bool is_there(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0;
}

// Bound and closed: what a server that was killed leaves behind.
void leave_dead_socket(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  assert_int_equal(
      bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  close(fd);
}

Trial& unix_trial(void** state) {
  Trial& trial = fresh_trial(state);
  trial.allow_other_servers();
  trial.serve(always({answer("")}));
  return trial;
}

void it_is_counted_like_any_other_connection(void** state) {
  for (const char* tls : {"off", "on"}) {
    for (const char* threads : {"1", "2"}) {
      Trial& trial = unix_trial(state);
      start_own_server({{"unix_socket", socket_path().c_str()},
                        {"tls", tls},
                        {"threads", threads}});
      const bool has_tls = std::string(tls) == "on";
      // Over TLS anything but taking any certificate would fail; in the clear
      // the option of http.keepalive says nothing new.
      const Setting way = has_tls ? Setting{"tls.insecure", "on"}
                                  : Setting{"http.keepalive", "on"};
      assert_int_equal(trial.run({way,
                                  {"target.url", has_tls ? "https://server/"
                                                         : "http://server/"},
                                  {"target.unix_socket", socket_path()},
                                  {"target.own", "on"},
                                  {"client", "fifo-lazy"},
                                  {"pool.size", "4"},
                                  {"load.callers", "8"},
                                  {"load.requests", "200"}}),
                       DYNO_OK);
      trial.expect({{"counts.completed", 200},
                    {"server.is_reconciled", 1},
                    {"connections.opened", 4},
                    {"server.accepted", 4}});
    }
  }
  start_own_server();
  assert_false(is_there(socket_path()));
}

void one_that_is_not_there_is_a_failed_dial(void** state) {
  Trial& trial = unix_trial(state);
  assert_int_equal(trial.run({{"target.url", "http://server/"},
                              {"target.unix_socket", socket_path()},
                              {"connect.give_up", "100ms"},
                              {"load.requests", "1"}}),
                   DYNO_E_CONNECT);
  const std::string words =
      "unix:" + socket_path() + ": no such file or directory";
  assert_non_null(strstr(trial.message().c_str(), words.c_str()));
}

void a_path_that_is_too_long_is_refused(void** state) {
  Trial& trial = unix_trial(state);
  assert_int_equal(trial.run({{"target.url", "http://server/"},
                              {"target.unix_socket", std::string(200, 'x')},
                              {"load.requests", "1"}}),
                   DYNO_E_VALUE);
  assert_non_null(strstr(trial.message().c_str(), "target.unix_socket"));
}

void a_socket_of_a_server_that_is_gone_is_replaced(void** state) {
  Trial& trial = unix_trial(state);
  const std::string path = socket_path();
  leave_dead_socket(path);
  assert_true(is_there(path));
  start_own_server({{"unix_socket", path.c_str()}});
  assert_int_equal(trial.run({{"target.url", "http://server/"},
                              {"target.unix_socket", path},
                              {"load.requests", "5"}}),
                   DYNO_OK);
  start_own_server();
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      TRIAL(it_is_counted_like_any_other_connection),
      TRIAL(one_that_is_not_there_is_a_failed_dial),
      TRIAL(a_path_that_is_too_long_is_refused),
      TRIAL(a_socket_of_a_server_that_is_gone_is_replaced),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
