// Reading whole files that the user named.
#pragma once

#include <string>

namespace cli {

// All of a file; "-" is stdin. `what` begins the message of the Stop that is
// thrown where it cannot be read.
std::string read_file(const std::string& name, const std::string& what);

}  // namespace cli
