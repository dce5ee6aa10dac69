// The target of a request as our own server and a client of it read it: a path,
// and parameters between ampersands. Nothing is decoded.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.hh"

namespace dyno {

struct TargetParts {
  std::string_view path;
  std::string_view query;  // without the question mark
};

// The absolute form, http://host/path, is read too (RFC 9112 section 3.2).
TargetParts split_target(std::string_view text);

struct Parameter {
  std::string_view name;
  std::string_view value;
};

// The next one, taken off `query`.
Parameter take_parameter(std::string_view& query);

// How large a body is asked for; `where` names the place of it in the error.
Result<uint64_t> parse_body_bytes(std::string_view where,
                                  std::string_view text);

}  // namespace dyno
