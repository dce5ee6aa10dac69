// Url: the parts of an absolute http or https URL that a request and a
// connection need (RFC 3986, RFC 9110 section 4.2). Userinfo is refused, a
// fragment dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hh"

namespace dyno {

struct Url {
  std::string scheme;    // "http" or "https", lower case
  std::string host;      // name or address, without brackets or zone
  std::string zone;      // RFC 6874 zone id of an IPv6 literal, or empty
  uint16_t port = 80;    // the one given, or the scheme's
  bool is_ipv6 = false;  // `host` is an IPv6 literal
  std::string target;    // origin form: path and query, never empty

  bool is_tls() const { return scheme == "https"; }
  // The Host field: brackets for IPv6, no zone, no default port (RFC 9110 7.2).
  std::string authority() const;
};

// Errors are Code::value with key "target.url"; they name the URL and the
// remedy.
Result<Url> parse_url(std::string_view text);

}  // namespace dyno
