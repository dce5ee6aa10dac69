// Trial: one run against a script server, driven through the C ABI as any host
// would, and the invariants that hold for every result. A test keeps its trial
// in cmocka's state, since a failed assertion leaves by longjmp.
#pragma once

#include <httpdyno/httpdyno.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "support/script_server.hh"

namespace dyno::test {

using Setting = std::pair<const char*, std::string>;

class Trial {
 public:
  Trial() = default;
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void serve(Script script, ServeOptions options = {});
  void serve(Reply reply) { serve(always(std::move(reply))); }
  ScriptServer& server() { return *server_; }

  // The options of the plan. target.url is the server's unless it is given;
  // load.warmup is 0 for the same reason: all that the server saw counts.
  void plan(std::initializer_list<Setting> settings);
  void append(const char* key, const char* value);
  dyno_status start();  // the status of dyno_run_start; no message is lost
  // Waits for the end, stops the server, takes the result and checks it.
  dyno_status finish();
  // All of the above in one.
  dyno_status run(std::initializer_list<Setting> settings);

  dyno_run* handle() { return run_; }
  dyno_result* result() { return result_; }
  std::string message() const;  // of the plan or the run that failed
  double seconds() const { return seconds_; }  // from start to end

  int64_t value(const char* metric) const;
  double real(const char* metric) const;
  std::string rendered(const char* format);
  // Each metric is that number.
  void expect(std::initializer_list<std::pair<const char*, int64_t>> values);

  // Connections that the server accepted but that nobody knows to be open (or
  // the other way round) are not counted as a fault.
  void allow_unseen_connections() { checks_connections_ = false; }
  // The script server is not the only one that was asked.
  void allow_other_servers() { checks_server_ = false; }

 private:
  void check_against_server() const;

  std::unique_ptr<ScriptServer> server_;
  dyno_plan* plan_ = nullptr;
  dyno_run* run_ = nullptr;
  dyno_result* result_ = nullptr;
  std::string message_;
  double seconds_ = 0;
  int64_t started_ns_ = 0;
  bool checks_connections_ = true;
  bool checks_server_ = true;
};

// A new trial in a test's state, in place of the one before.
Trial& fresh_trial(void** state);
int end_trial(void** state);  // the teardown that goes with it

// What holds for every cell of every result.
void check_invariants(const dyno_result* result);

}  // namespace dyno::test

#define TRIAL(name) cmocka_unit_test_teardown(name, dyno::test::end_trial)
