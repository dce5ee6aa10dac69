// The header fields that decide a message's framing and its connection's
// persistence, read as RFC 9110 and RFC 9112 say. They are read here and not
// by llhttp because its reading differs (see head_scan.cc).
#pragma once

#include <cstdint>
#include <string_view>

namespace dyno {

// The next element of a comma-separated list, trimmed and possibly empty. Takes
// it off `list`. Quoted strings need no care: connection options are tokens,
// and of a coding's quoted parameter the last piece still ends with its quote.
std::string_view take_element(std::string_view& list);

// A Content-Length value: digits, or the same number several times. False when
// it is anything else or does not fit in 63 bits.
bool parse_length(std::string_view value, uint64_t& length);

// What the fields of one head say together.
struct HeadFields {
  bool has_close = false;       // Connection
  bool has_keep_alive = false;  // Connection
  bool has_length = false;
  bool is_length_valid = true;  // and all of them are equal
  bool has_coding = false;      // Transfer-Encoding
  bool is_chunked = false;      // and chunked is the final coding
  bool own_server = false;      // Server starts with our name
  bool expect_continue = false;
  uint32_t hosts = 0;
  uint64_t length = 0;

  void read(std::string_view name, std::string_view value);

  // RFC 9112 section 9.3.
  bool keep_alive(bool is_http_10) const {
    return !has_close && (!is_http_10 || has_keep_alive);
  }

 private:
  void read_connection(std::string_view value);
  void read_length(std::string_view value);
  void read_coding(std::string_view value);
};

}  // namespace dyno
