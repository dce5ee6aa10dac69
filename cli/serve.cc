// httpdyno serve: the test server in the foreground, until a signal or, as a
// child of `matrix`, until its parent is gone.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include "args.hh"
#include "commands.hh"
#include "handles.hh"
#include "signals.hh"

namespace cli {
namespace {

constexpr const char* kExamples =
    "Routes: / /wait/MS /rnd?c=N /bytes/N /chunked/N /status/CODE /snoop "
    "/echo\n"
    "/stats\n"
    "\n"
    "Examples:\n"
    "  httpdyno serve\n"
    "  httpdyno serve --port 0 --max-requests-per-connection 100\n"
    "  httpdyno serve --threads 2 --cpus 2,3\n"
    "  httpdyno serve --tls --port 8443\n";

// A descriptor that was inherited under this number; -1: none was given.
int inherited_fd(const Parser& parser, const char* flag,
                 const std::string& text) {
  if (text.empty()) return -1;
  int fd = -1;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, fd);
  if (parsed.ec != std::errc{} || parsed.ptr != end || fd < 0 ||
      fcntl(fd, F_GETFD) < 0)
    parser.refuse(
        fmt::format("{}: \"{}\" is no open descriptor; give the "
                    "number of one that this process inherits",
                    flag, text));
  return fd;
}

void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  // If it stays as it is, the server says what it lacks.
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

// The port and a new line; then the descriptor is closed.
void tell_ready(int fd, int port) {
  const std::string line = fmt::format("{}\n", port);
  const bool is_told =
      write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!is_told)
    throw Stop(kFailed, fmt::format("--ready-fd: cannot write to {}: {}", fd,
                                    std::strerror(errno)));
  if (fd > STDERR_FILENO) close(fd);
}

// Until a signal comes or the parent's end of the pipe is closed.
void wait_for_end(int parent_fd) {
  // poll() passes over a negative descriptor.
  pollfd waits[] = {{signal_fd(), POLLIN, 0}, {parent_fd, POLLIN, 0}};
  while (signal_seen() == 0) {
    if (poll(waits, 2, -1) < 0) continue;
    char dropped[64];
    if (waits[1].revents != 0 && read(parent_fd, dropped, sizeof dropped) <= 0)
      return;
  }
}

std::string address_of(const std::vector<Setting>& settings, int port) {
  std::string host = "127.0.0.1";
  std::string scheme = "http";
  for (const Setting& setting : settings) {
    const std::string& value = setting.values[0];
    if (setting.row->key == "host") host = value;
    if (setting.row->key == "tls" && value == "on") scheme = "https";
    if (setting.row->key == "unix_socket") return "unix:" + value;
  }
  if (host.find(':') != host.npos && !host.starts_with('['))
    host = '[' + host + ']';
  return fmt::format("{}://{}:{}/", scheme, host, port);
}

void tell_counts(const dyno_server* server) {
  say(fmt::format(
      "stopped; accepted {} connections, read {} requests, wrote "
      "{} answers",
      dyno_server_stat(server, "accepted"), dyno_server_stat(server, "read"),
      dyno_server_stat(server, "written")));
}

void set_server(dyno_server* server, const std::vector<Setting>& settings) {
  for (const Setting& setting : settings)
    for (const std::string& value : setting.values)
      check(server,
            dyno_server_set(server, setting.row->key.c_str(), value.c_str()));
}

}  // namespace

int serve_command(const Args& args) {
  const Rows rows = server_rows();
  std::string ready, parent;
  bool is_quiet = false;
  Parser parser("serve",
                "Runs the test server until Ctrl-C, then prints what it "
                "counted.",
                kExamples);
  parser.add_rows(rows, "", "The server");
  parser.add_switch("-q,--quiet", kOutputGroup, "no notes on stderr",
                    &is_quiet);
  parser.add_value("--ready-fd", "N", kAdvancedGroup,
                   "once it listens, write the port and a new line to this "
                   "inherited descriptor",
                   &ready);
  parser.add_value("--parent-fd", "N", kAdvancedGroup,
                   "stop when this inherited pipe is closed at its other end",
                   &parent);
  if (!parser.parse(args)) return 0;
  (void)parser.words(0);
  const int ready_fd = inherited_fd(parser, "--ready-fd", ready);
  const int parent_fd = inherited_fd(parser, "--parent-fd", parent);

  const std::vector<Setting> settings = parser.settings();
  const ServerPtr server = new_server();
  set_server(server.get(), settings);
  raise_file_limit();
  watch_signals();
  check(server.get(), dyno_server_start(server.get()));
  const int port = dyno_server_port(server.get());
  if (!is_quiet)
    say(fmt::format("serving on {}, process {}; Ctrl-C stops it",
                    address_of(settings, port), getpid()));
  if (ready_fd >= 0) tell_ready(ready_fd, port);
  wait_for_end(parent_fd);
  check(server.get(), dyno_server_stop(server.get()));
  if (!is_quiet) tell_counts(server.get());
  return 0;
}

}  // namespace cli
