#include "run/reconcile.hh"

namespace dyno {
namespace {

void add_line(std::string& text, const char* what, int64_t ours,
              const char* relation, const char* theirs_name, int64_t theirs) {
  if (!text.empty()) text += "; ";
  text += std::string(what) + " " + std::to_string(ours) + " " + relation +
          " " + theirs_name + " " + std::to_string(theirs);
}

}  // namespace

void compare_with_server(const std::optional<ServerStats>& before,
                         const ServerStats& after, int64_t requests_sent,
                         CellResult& result) {
  const ServerStats base = before.value_or(ServerStats{});
  const Counters& counts = result.tally.counts;
  ServerFacts& server = result.server;
  server.is_own = true;
  server.software = "httpdyno";
  server.limits = after.limits;
  server.accepted = after.accepted - base.accepted;
  server.read = after.read - base.read;
  server.written = after.written - base.written;
  if (!before && server.accepted != counts.opened) {
    result.notes.push_back(
        "the server has served others too, so its counters were not compared; "
        "give target.own=on to have them read before the run as well");
    server.accepted = server.read = server.written = 0;
    return;
  }
  server.is_reconciled = true;
  if (counts.opened != server.accepted)
    add_line(server.difference, "connections opened", counts.opened,
             "!=", "accepted", server.accepted);
  if (counts.completed > server.written)
    add_line(server.difference, "completed", counts.completed, ">", "written",
             server.written);
  if (server.written > server.read)
    add_line(server.difference, "written", server.written, ">", "read",
             server.read);
  if (server.read > requests_sent)
    add_line(server.difference, "read", server.read, ">", "sent",
             requests_sent);
}

}  // namespace dyno
