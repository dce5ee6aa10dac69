// JSON: the whole result as one document of schema "httpdyno/1", and back.
// Rendering what was parsed gives the same bytes, in every format. The schema
// is tests/httpdyno.schema.json.
#pragma once

#include <string>
#include <string_view>

#include "base/status.hh"
#include "report/result.hh"

namespace dyno {

inline constexpr const char* kJsonSchema = "httpdyno/1";

// Always one valid document with the same keys: what is unknown or not finite
// is null, invalid UTF-8 becomes U+FFFD, an infinite option "unlimited".
std::string render_json(const RunResult& run);

// Code::value for what is not JSON, for another schema and for a member of the
// wrong type; the message names it. Unknown members are ignored: fields are
// only ever added.
Result<RunResult> parse_json(std::string_view text);

// Text as it comes back from JSON: invalid UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace dyno
