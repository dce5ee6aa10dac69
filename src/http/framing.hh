// What the framing of requests and that of answers share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dyno {

// How the end of a message's body is known (RFC 9112 section 6.3).
enum class BodyKind : uint8_t { none, length, chunked, until_close };

// How many copies of a whole `message` stand at the front of `data`, at most
// `most`: what equal bytes mean need be found out only once.
inline size_t count_repeats(std::string_view data, std::string_view message,
                            size_t most) {
  most = std::min(most, data.size() / message.size());
  const char* at = data.data();
  size_t count = 0;
  while (count < most && std::memcmp(at, message.data(), message.size()) == 0) {
    at += message.size();
    ++count;
  }
  return count;
}

}  // namespace dyno
