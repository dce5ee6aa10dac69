// What the machine and the process are, for the reports.
#pragma once

#include <cstdint>

#include "report/result.hh"

namespace dyno {

HostFacts host_facts();
int64_t usable_processors();  // those that this process may run on
int64_t peak_rss_bytes();     // of the process so far
int64_t unix_now_ns();        // wall clock, for people

}  // namespace dyno
