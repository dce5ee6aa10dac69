// Completes a cell's config: what depends on other options (callers, threads,
// times) gets its value, and what contradicts itself is refused. Also the
// closed-form limit of a cell.
#pragma once

#include <functional>
#include <optional>

#include "base/status.hh"
#include "plan/config.hh"

namespace dyno {

using IsGiven = std::function<bool(const char* key)>;

// What the engine cannot honour is refused, not ignored.
Status check_engine(Engine engine, const IsGiven& given);

// Errors are Code::value; the message begins with the key at fault.
Status complete_config(Config& config, const IsGiven& given,
                       int64_t processors);

// The ceiling of completed requests per second: min(callers, slots x effective
// depth) / delay, where the effective depth is 1 if the server answers a
// connection's requests one after another. Nothing when the delay is 0.
std::optional<double> limit_per_s(const Config& config, int64_t delay_ns,
                                  bool server_is_serial);

// The delay that a URL of our own server asks for: /wait/MS. 0 otherwise.
int64_t delay_of_url(const std::string& url);

}  // namespace dyno
