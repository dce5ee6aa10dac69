// HeadCache: the last few heads and what they mean, most recently used first.
// A head ends where its own bytes say it ends, so bytes that begin with a
// remembered head mean the same again: the answer is exact, not a guess.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace dyno {

// `kind` is whatever else decides the meaning.
template <typename Meaning>
class HeadCache {
 public:
  static constexpr size_t kHeadBytes = 1024;  // longer heads are not kept

  struct Entry {
    std::string_view head() const { return {bytes.data(), size}; }

    Meaning meaning;
    uint32_t size = 0;
    uint8_t kind = 0;
    std::array<char, kHeadBytes> bytes;
  };

  // The entry whose head stands at the front of `data`, or null.
  const Entry* find(std::string_view data, uint8_t kind) {
    for (size_t place = 0; place < used_; ++place) {
      const Entry& entry = entries_[order_[place]];
      if (entry.kind != kind || entry.size > data.size() ||
          std::memcmp(entry.bytes.data(), data.data(), entry.size) != 0)
        continue;
      if (place > 0) promote(place);
      return &entry;
    }
    return nullptr;
  }

  // Takes the place of the least recently used one. The head must fit.
  Entry& insert(std::string_view head, uint8_t kind) {
    if (used_ < kEntries) {
      order_[used_] = static_cast<uint8_t>(used_);
      ++used_;
    }
    promote(used_ - 1);
    Entry& entry = entries_[order_[0]];
    entry.size = static_cast<uint32_t>(head.size());
    entry.kind = kind;
    std::memcpy(entry.bytes.data(), head.data(), head.size());
    return entry;
  }

 private:
  static constexpr size_t kEntries = 4;

  void promote(size_t place) {
    const uint8_t index = order_[place];
    for (; place > 0; --place) order_[place] = order_[place - 1];
    order_[0] = index;
  }

  std::array<Entry, kEntries> entries_;
  std::array<uint8_t, kEntries> order_{};
  size_t used_ = 0;
};

}  // namespace dyno
