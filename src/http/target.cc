#include "http/target.hh"

#include <string>

#include "base/units.hh"
#include "http/text.hh"

namespace dyno {
namespace {

// Bodies are made while they are sent, so a large one costs no memory.
constexpr uint64_t kLargestBody = uint64_t{1} << 40;

std::string_view origin_form(std::string_view target) {
  const size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == target.npos) return target;
  const size_t slash = target.find_first_of("/?", scheme + 3);
  return slash == target.npos ? "/" : target.substr(slash);
}

}  // namespace

TargetParts split_target(std::string_view text) {
  text = origin_form(text);
  const size_t mark = text.find('?');
  if (mark == text.npos) return {text, ""};
  return {mark == 0 ? "/" : text.substr(0, mark), text.substr(mark + 1)};
}

Parameter take_parameter(std::string_view& query) {
  const size_t end = query.find('&');
  const std::string_view one = query.substr(0, end);
  query = end == query.npos ? "" : query.substr(end + 1);
  const size_t equals = one.find('=');
  if (equals == one.npos) return {one, ""};
  return {one.substr(0, equals), one.substr(equals + 1)};
}

Result<uint64_t> parse_body_bytes(std::string_view where,
                                  std::string_view text) {
  const auto bytes = parse_size(text);
  if (bytes && static_cast<uint64_t>(*bytes) <= kLargestBody)
    return static_cast<uint64_t>(*bytes);
  return fail(Code::value, std::string(where) + ": " + quoted(text) +
                               " is not a number of bytes up to 1024GiB; try "
                               "2048 or 64KiB");
}

}  // namespace dyno
