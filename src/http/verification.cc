#include "http/verification.hh"

#include "http/text.hh"

namespace dyno {

std::string_view find_field(std::string_view head, std::string_view name) {
  for (size_t end; (end = head.find('\n')) != head.npos;) {
    head.remove_prefix(end + 1);
    const std::string_view line = head.substr(0, head.find('\n'));
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (equals_ignoring_case(line.substr(0, name.size()), name))
      return trim(line.substr(name.size() + 1));
  }
  return {};
}

std::string id_text(uint64_t id) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text(kIdDigits, '0');
  for (size_t i = kIdDigits; i > 0; id >>= 4) text[--i] = kHex[id & 15];
  return text;
}

}  // namespace dyno
