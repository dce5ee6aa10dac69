// Affinity: which processors a thread may run on (host.cpus). Each thread pins
// itself.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hh"

namespace dyno {

// "0,2-3" as 0, 2, 3: in the order given, each once. Errors are Code::value
// with key "host.cpus".
Result<std::vector<int>> parse_cpus(std::string_view text);

// The calling thread, onto all of `cpus` or none: a processor that the process
// may not use is an error, Code::system with key "host.cpus". None at all
// leaves the thread as it is.
Status pin_thread(std::span<const int> cpus);

// The processors that the calling thread may use now, as text: "0-3,8".
std::string allowed_cpus();

}  // namespace dyno
