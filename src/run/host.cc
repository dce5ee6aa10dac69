#include "run/host.hh"

#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "base/units.hh"
#include "net/preflight.hh"

namespace dyno {

int64_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return CPU_COUNT(&set);
}

HostFacts host_facts() {
  HostFacts facts;
  utsname name{};
  if (uname(&name) == 0)
    facts.system =
        std::string(name.sysname) + " " + name.release + " " + name.machine;
  facts.processors = usable_processors();
  const FdLimits limits = fd_limits();
  facts.nofile_soft = limits.soft;
  facts.nofile_hard = limits.hard;
  return facts;
}

// VmHWM begins with the program; the ru_maxrss of getrusage also remembers the
// process that called exec.
int64_t peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      return std::strtoll(line.c_str() + 6, nullptr, 10) * 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

int64_t unix_now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

}  // namespace dyno
