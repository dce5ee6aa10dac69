// Reading and writing whole files that the user named.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cli {

// All of a file; "-" is stdin. `what` begins the message of the Stop that is
// thrown where it cannot be read.
std::string read_file(const std::string& name, const std::string& what);
// Nothing where there is no such file.
std::optional<std::string> read_file_if_there(const std::string& name,
                                              const std::string& what);

// Writes it whole or not at all; what is there and is no plain file (a device,
// a pipe) is written in place. errno, or 0.
int write_file(const std::string& name, std::string_view text);

}  // namespace cli
