#include "child_server.hh"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "signals.hh"
#include "stop.hh"

namespace cli {
namespace {

constexpr int kReadyMs = 10'000;
constexpr int kEndMs = 3'000;
constexpr int kStepMs = 5;

// Closes what it holds, unless that was released.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset() {
    if (fd_ >= 0) close(release());
  }

 private:
  int fd_;
};

struct Pipe {
  Fd read;
  Fd write;
};

[[noreturn]] void fail(const char* what, int error) {
  throw Stop(kFailed, fmt::format("the own server: cannot {}: {}", what,
                                  std::strerror(error)));
}

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("make a pipe", errno);
  return {Fd(ends[0]), Fd(ends[1])};
}

std::string end_text(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {}", WTERMSIG(status));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

// What the child starts with: two inherited descriptors, no terminal, default
// signals, and a group of its own.
class SpawnSetup {
 public:
  SpawnSetup(int ready_fd, int life_fd) {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    // Onto itself: only that it stays open across exec.
    posix_spawn_file_actions_adddup2(&actions, ready_fd, ready_fd);
    posix_spawn_file_actions_adddup2(&actions, life_fd, life_fd);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                     O_WRONLY, 0);
    sigset_t handled;
    sigemptyset(&handled);
    posix_spawnattr_setsigmask(&attributes, &handled);
    sigaddset(&handled, SIGINT);
    sigaddset(&handled, SIGTERM);
    posix_spawnattr_setsigdefault(&attributes, &handled);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                              POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

pid_t spawn(int ready_fd, int life_fd, const std::vector<std::string>& flags) {
  std::vector<std::string> words = {"httpdyno",
                                    "serve",
                                    "--quiet",
                                    "--port=0",
                                    fmt::format("--ready-fd={}", ready_fd),
                                    fmt::format("--parent-fd={}", life_fd)};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const SpawnSetup setup(ready_fd, life_fd);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, "/proc/self/exe", &setup.actions,
                                &setup.attributes, argv.data(), environ);
  if (error != 0) fail("start /proc/self/exe", error);
  return pid;
}

// Up to the end of the line; nothing: it closed its end without saying a port.
std::optional<int> read_port(int fd) {
  std::string line;
  while (!line.ends_with('\n')) {
    pollfd waits[] = {{fd, POLLIN, 0}, {signal_fd(), POLLIN, 0}};
    const int ready = poll(waits, 2, kReadyMs);
    if (signal_seen() != 0) throw Stop(interrupted_code(), "");
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0)
      throw Stop(kFailed,
                 fmt::format("the own server was not ready within {} s",
                             kReadyMs / 1000));
    char part[32];
    const ssize_t count = read(fd, part, sizeof part);
    if (count <= 0) return {};
    line.append(part, static_cast<size_t>(count));
  }
  int port = 0;
  std::from_chars(line.data(), line.data() + line.size(), port);
  return port;
}

// The wait status, or nothing if it is still there after `most_ms`.
std::optional<int> wait_for(pid_t pid, int most_ms) {
  for (int waited_ms = 0;; waited_ms += kStepMs) {
    int status = 0;
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) return status;
    if (ended < 0 && errno != EINTR) return 0;
    if (waited_ms >= most_ms) return {};
    poll(nullptr, 0, kStepMs);
  }
}

}  // namespace

ChildServer::ChildServer(const std::vector<std::string>& flags) {
  Pipe ready = make_pipe();
  Pipe life = make_pipe();
  pid_ = spawn(ready.write.get(), life.read.get(), flags);
  life_fd_ = life.write.release();
  ready.write.reset();
  try {
    const std::optional<int> port = read_port(ready.read.get());
    if (!port)
      throw Stop(kFailed, "the own server could not start: it " + stop() +
                              "; its message stands above");
    port_ = *port;
  } catch (...) {
    stop();
    throw;
  }
}

ChildServer::~ChildServer() {
  stop();
}

std::string ChildServer::stop() {
  if (pid_ < 0) return "";
  const pid_t pid = std::exchange(pid_, -1);
  // One that could not start has closed its descriptor just before its end.
  const std::optional<int> early = wait_for(pid, port_ < 0 ? kEndMs : 0);
  close(std::exchange(life_fd_, -1));
  if (early) return end_text(*early);
  if (wait_for(pid, kEndMs)) return "";
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return "";
}

}  // namespace cli
