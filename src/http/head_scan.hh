// The one place that talks to llhttp: takes the bytes of a message head apart.
// Both head parsers stand on it; what a head means is theirs to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/fields.hh"

namespace dyno {

struct HeadScan {
  enum What : uint8_t { complete, incomplete, malformed } what = incomplete;
  const char* reason = "";  // of malformed; a static text
  size_t head_bytes = 0;    // of complete
  HeadFields fields;
  // Requests only:
  std::string_view target;  // a slice of the data
  std::string_view method;  // a static text
};

HeadScan scan_request_head(std::string_view data);
// The caller has looked at the status line already.
HeadScan scan_response_head(std::string_view data);

}  // namespace dyno
