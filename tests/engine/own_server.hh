// The project's own test server, through the C ABI, for trials that need it.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

namespace dyno::test {

using ServerOption = std::pair<const char*, const char*>;

// Starts one on a free port, with these options; its URL without a path. It
// lasts until the next one is started, since a failed assertion leaves by
// longjmp.
std::string start_own_server(std::initializer_list<ServerOption> options = {});

}  // namespace dyno::test
