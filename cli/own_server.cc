#include "own_server.hh"

#include <fmt/format.h>

#include "child_server.hh"

namespace cli {

namespace {

// What the flags of the server mean for who asks it.
void set_way(dyno_plan* plan, const OwnServer& own, int port) {
  const std::string url =
      fmt::format("{}://127.0.0.1:{}{}", own.has_tls ? "https" : "http",
                  port == 0 ? 80 : port, own.path);
  check(plan, dyno_plan_set(plan, "target.url", url.c_str()));
  if (!own.unix_socket.empty())
    check(plan,
          dyno_plan_set(plan, "target.unix_socket", own.unix_socket.c_str()));
  // Its certificate is made when it starts: nobody could trust it before.
  const bool says_whom_to_trust = dyno_plan_is_set(plan, "tls.ca") != 0 ||
                                  dyno_plan_is_set(plan, "tls.insecure") != 0;
  if (own.has_tls && !says_whom_to_trust)
    check(plan, dyno_plan_set(plan, "tls.insecure", "on"));
}

}  // namespace

int with_own_server(dyno_plan* plan, const OwnServer& own, bool is_quiet,
                    const std::function<int()>& go) {
  ChildServer server(own.flags);
  set_way(plan, own, server.port());
  if (dyno_plan_is_set(plan, "target.own") == 0)
    check(plan, dyno_plan_set(plan, "target.own", "on"));
  if (!is_quiet)
    say(fmt::format("own server on port {}, process {}", server.port(),
                    server.pid()));
  const int code = go();
  const std::string early = server.stop();
  if (early.empty()) return code;
  say(fmt::format("the own server {} before the work was done", early));
  return code == 0 ? kFailed : code;
}

}  // namespace cli
