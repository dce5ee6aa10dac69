#include "http/text.hh"

#include <algorithm>

namespace dyno {

namespace {

constexpr size_t kQuotedBytes = 200;

bool is_blank(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

bool is_letter(char byte) {
  return to_lower(byte) >= 'a' && to_lower(byte) <= 'z';
}

}  // namespace

char to_lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
}

bool is_token_char(char byte) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return is_letter(byte) || is_digit(byte) ||
         kMarks.find(byte) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string made = "\"";
  for (const char byte : text.substr(0, kQuotedBytes)) {
    if (byte >= ' ' && byte <= '~') {
      made += byte;
      continue;
    }
    const auto code = static_cast<unsigned char>(byte);
    made += "\\x";
    made += kHex[code >> 4];
    made += kHex[code & 15];
  }
  if (text.size() > kQuotedBytes) made += "...";
  made += '"';
  return made;
}

}  // namespace dyno
