// The version, once for C++; CMake checks it against its own and the header's.
#pragma once

namespace dyno {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace dyno
