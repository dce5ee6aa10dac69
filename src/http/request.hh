// Request text: the bytes of one HTTP/1.1 request, and a block that repeats
// them so that any number of pipelined requests is one slice of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hh"
#include "http/url.hh"

namespace dyno {

struct RequestSpec {
  std::string method = "GET";
  Url url;
  std::vector<std::string> headers;  // "Name: value"; a Host here replaces ours
  std::string body;
  bool keep_alive = true;  // false sends "Connection: close"
};

// The request line with an origin-form target, Host, the given headers in their
// order, Content-Length where there is a body or the method wants one; nothing
// else, User-Agent and Accept included.
//
// Refuses what could not be one request: a method that is no token, a header
// without a colon, CR, LF or NUL in either, a Content-Length that contradicts
// the body, a Transfer-Encoding whose body is not one chunked body as it
// stands. Errors are Code::value with key http.method or http.header.
Result<std::string> request_text(const RequestSpec& spec);

class RequestBlock {
 public:
  // The request must not be empty.
  explicit RequestBlock(const std::string& request);

  size_t unit() const { return unit_; }  // bytes of one request

  // The largest run of bytes at hand that starts `offset` bytes into a request
  // (offset < unit) and ends with the `count`-th request from there. Callers
  // write what they get and ask again for the rest. Empty when count is 0.
  std::string_view slice(size_t count, size_t offset) const {
    if (count == 0) return {};
    const size_t end = (count < copies_ ? count : copies_) * unit_;
    return {block_.data() + offset, end - offset};
  }

 private:
  size_t unit_;
  size_t copies_;
  std::string block_;
};

}  // namespace dyno
