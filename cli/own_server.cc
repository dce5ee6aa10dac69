#include "own_server.hh"

#include <fmt/format.h>

#include "child_server.hh"

namespace cli {

int with_own_server(dyno_plan* plan, const char* path,
                    const std::vector<std::string>& flags, bool is_quiet,
                    const std::function<int()>& go) {
  ChildServer server(flags);
  const std::string url =
      fmt::format("http://127.0.0.1:{}{}", server.port(), path);
  check(plan, dyno_plan_set(plan, "target.url", url.c_str()));
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
