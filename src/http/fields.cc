#include "http/fields.hh"

#include <algorithm>

#include "http/text.hh"

namespace dyno {

std::string_view take_element(std::string_view& list) {
  const size_t comma = std::min(list.find(','), list.size());
  const std::string_view element = trim(list.substr(0, comma));
  list.remove_prefix(std::min(comma + 1, list.size()));
  return element;
}

namespace {

bool parse_number(std::string_view digits, uint64_t& number) {
  if (!is_digits(digits)) return false;
  number = 0;
  for (const char byte : digits) {
    const auto digit = static_cast<uint64_t>(byte - '0');
    if (number > (uint64_t{INT64_MAX} - digit) / 10) return false;
    number = number * 10 + digit;
  }
  return true;
}

}  // namespace

bool parse_length(std::string_view value, uint64_t& length) {
  const size_t comma = value.find(',');
  if (!parse_number(trim(value.substr(0, comma)), length)) return false;
  if (comma == std::string_view::npos) return true;
  uint64_t other = 0;
  return parse_length(value.substr(comma + 1), other) && other == length;
}

// By length first: heads that change are read one by one, and most fields are
// none of these.
void HeadFields::read(std::string_view name, std::string_view value) {
  const auto is = [name](std::string_view other) {
    return equals_ignoring_case(name, other);
  };
  switch (name.size()) {
    case 4:
      if (is("host")) ++hosts;
      return;
    case 6:
      if (is("server")) own_server |= trim(value).starts_with("httpdyno");
      if (is("expect"))
        expect_continue |= equals_ignoring_case(trim(value), "100-continue");
      return;
    case 10:
      if (is("connection")) read_connection(value);
      return;
    case 14:
      if (is("content-length")) read_length(value);
      return;
    case 17:
      if (is("transfer-encoding")) read_coding(value);
      return;
    default:
      return;
  }
}

void HeadFields::read_connection(std::string_view value) {
  while (!value.empty()) {
    const std::string_view option = take_element(value);
    has_close |= equals_ignoring_case(option, "close");
    has_keep_alive |= equals_ignoring_case(option, "keep-alive");
  }
}

void HeadFields::read_length(std::string_view value) {
  uint64_t number = 0;
  const bool is_valid = parse_length(value, number);
  if (!is_valid || (has_length && number != length)) is_length_valid = false;
  has_length = true;
  length = number;
}

void HeadFields::read_coding(std::string_view value) {
  has_coding = true;
  while (!value.empty()) {
    const std::string_view coding = take_element(value);
    if (!coding.empty()) is_chunked = equals_ignoring_case(coding, "chunked");
  }
}

}  // namespace dyno
