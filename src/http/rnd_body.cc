#include "http/rnd_body.hh"

#include <algorithm>
#include <array>
#include <cstring>

#include "http/target.hh"
#include "http/text.hh"

namespace dyno {
namespace {

constexpr uint64_t kBlock = 1024;

// 32 … 127 in turn; every start value's block is a slice of it.
constexpr auto kCycle = [] {
  std::array<char, kRndStarts + kBlock> cycle{};
  for (size_t i = 0; i < cycle.size(); ++i)
    cycle[i] = static_cast<char>(32 + i % kRndStarts);
  return cycle;
}();

// What stands at `offset` and behind it, up to the end of its block.
std::string_view rnd_at(uint64_t offset, uint64_t start, size_t most) {
  const uint64_t at = offset % kBlock;
  const size_t size = std::min<uint64_t>(most, kBlock - at);
  return {kCycle.data() + start + at, size};
}

}  // namespace

void copy_rnd(std::span<char> to, uint64_t offset, uint64_t start) {
  while (!to.empty()) {
    const std::string_view part = rnd_at(offset, start, to.size());
    std::memcpy(to.data(), part.data(), part.size());
    to = to.subspan(part.size());
    offset += part.size();
  }
}

size_t count_rnd(std::string_view piece, uint64_t offset, uint64_t start) {
  size_t count = 0;
  while (count < piece.size()) {
    const std::string_view part =
        rnd_at(offset + count, start, piece.size() - count);
    const std::string_view got = piece.substr(count, part.size());
    const auto right = static_cast<size_t>(
        std::ranges::mismatch(part, got).in1 - part.begin());
    count += right;
    if (right < part.size()) break;
  }
  return count;
}

Result<uint64_t> rnd_bytes_of(std::string_view target) {
  auto [path, query] = split_target(target);
  if (path != kRndPath)
    return fail(Code::value, quoted(path) + " has no random body; try " +
                                 std::string(kRndPath) + "?c=2048");
  uint64_t bytes = kRndBytes;
  while (!query.empty()) {
    const Parameter one = take_parameter(query);
    if (one.name != "c") continue;
    const Result<uint64_t> asked = parse_body_bytes("/rnd?c=N", one.value);
    if (!asked.is_ok()) return asked;
    bytes = asked.value();
  }
  return bytes;
}

}  // namespace dyno
