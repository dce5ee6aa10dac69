#include "net/affinity.hh"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "net/socket.hh"

namespace dyno {
namespace {

constexpr int kCpus = CPU_SETSIZE;

Status bad_list(std::string_view text, const std::string& why) {
  return fail(
      Code::value,
      "host.cpus: \"" + std::string(text) + "\" " + why + "; try 0, 0,2 or 0-3",
      "host.cpus");
}

// Takes a number off the front of `text`, or gives -1.
int take_number(std::string_view& text) {
  // from_chars would take a sign.
  if (text.empty() || text.front() == '-') return -1;
  int number = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec == std::errc::result_out_of_range)
    number = kCpus;
  else if (parsed.ec != std::errc{})
    return -1;
  text.remove_prefix(static_cast<size_t>(parsed.ptr - text.data()));
  return number;
}

void add_once(std::vector<int>& cpus, int cpu) {
  if (std::find(cpus.begin(), cpus.end(), cpu) == cpus.end())
    cpus.push_back(cpu);
}

std::string list_text(const cpu_set_t& set) {
  std::string text;
  for (int cpu = 0; cpu < kCpus; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    const int first = cpu;
    while (cpu + 1 < kCpus && CPU_ISSET(cpu + 1, &set)) ++cpu;
    if (!text.empty()) text += ",";
    text += std::to_string(first);
    if (cpu > first) text += "-" + std::to_string(cpu);
  }
  return text;
}

cpu_set_t current_set() {
  cpu_set_t set;
  CPU_ZERO(&set);
  (void)sched_getaffinity(0, sizeof set, &set);
  return set;
}

Status pin_failed(const cpu_set_t& wanted, const std::string& why,
                  const cpu_set_t& allowed) {
  return fail(Code::system,
              "host.cpus: cannot run on " + list_text(wanted) + ": " + why +
                  "; this process may use " + list_text(allowed),
              "host.cpus");
}

}  // namespace

Result<std::vector<int>> parse_cpus(std::string_view text) {
  std::vector<int> cpus;
  std::string_view rest = text;
  for (;;) {
    const int first = take_number(rest);
    int last = first;
    if (first >= 0 && rest.starts_with('-')) {
      rest.remove_prefix(1);
      last = take_number(rest);
    }
    if (first < 0 || last < 0 || (!rest.empty() && rest.front() != ','))
      return bad_list(text, "is not a list of processors");
    if (last < first) return bad_list(text, "has a range that runs backwards");
    if (last >= kCpus)
      return bad_list(text,
                      "names a processor past " + std::to_string(kCpus - 1));
    for (int cpu = first; cpu <= last; ++cpu) add_once(cpus, cpu);
    if (rest.empty()) return cpus;
    rest.remove_prefix(1);
  }
}

Status pin_thread(std::span<const int> cpus) {
  if (cpus.empty()) return {};
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  for (const int cpu : cpus)
    if (cpu >= 0 && cpu < kCpus) CPU_SET(cpu, &wanted);
  const cpu_set_t before = current_set();
  if (sched_setaffinity(0, sizeof wanted, &wanted) != 0)
    return pin_failed(wanted,
                      errno == EINVAL ? "no such processor" : error_text(errno),
                      before);
  // The kernel drops processors that are not ours without a word.
  const cpu_set_t now = current_set();
  if (CPU_EQUAL(&now, &wanted)) return {};
  (void)sched_setaffinity(0, sizeof before, &before);
  return pin_failed(wanted, "only " + list_text(now) + " of them", before);
}

std::string allowed_cpus() {
  return list_text(current_set());
}

}  // namespace dyno
