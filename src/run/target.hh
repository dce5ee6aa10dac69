// Target: what all the cells of a run ask, and how it is reached.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/head_parser.hh"
#include "http/url.hh"
#include "net/address.hh"
#include "net/tls.hh"

namespace dyno {

struct Target {
  Url url;
  std::vector<Address> addresses;
  std::vector<Address> local_addresses;  // to connect from; none: any
  std::shared_ptr<const TlsContext> tls;  // null: in the clear
  std::string request;                    // the bytes of one request
  RequestKind kind = RequestKind::ordinary;
  bool says_close = false;  // by http.keepalive or a header of the user's
};

}  // namespace dyno
