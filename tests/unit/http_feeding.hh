// How parser tests give their bytes: whole, byte by byte, and split in two at
// every position, the way a socket might. Transcripts are plain text, so that a
// failed comparison shows both sides.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

using Pieces = std::vector<std::string_view>;

inline Pieces byte_by_byte(std::string_view bytes) {
  Pieces pieces;
  for (size_t i = 0; i < bytes.size(); ++i)
    pieces.push_back(bytes.substr(i, 1));
  return pieces;
}

// Calls `check` with every way of splitting `bytes`.
inline void for_each_splitting(
    std::string_view bytes, const std::function<void(const Pieces&)>& check) {
  check({bytes});
  check(byte_by_byte(bytes));
  for (size_t i = 1; i < bytes.size(); ++i)
    check({bytes.substr(0, i), bytes.substr(i)});
}

}  // namespace dyno
