// Request heads, for the server side: what the bytes of a request head mean,
// behind the same kind of head cache as on the client side, and the framing of
// a request's body. Sans-I/O; one parser per server thread, shared by all its
// connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "http/chunked.hh"
#include "http/framing.hh"

namespace dyno {

// The methods that a server treats differently; `method` has the exact name.
enum class Method : uint8_t { get, head, post, other };

// What the bytes of one request head mean.
struct RequestHead {
  // Differs for every head that was really parsed and stays the same while that
  // head comes out of the cache: whoever remembers the last id and what it
  // decided for it (a route, a prepared answer) need not look at the rest.
  // Never 0.
  uint64_t id = 0;
  std::string_view bytes;   // the whole head, its empty line included
  std::string_view target;  // as sent, a slice of `bytes`
  std::string_view method;  // GET; a static text
  Method verb = Method::other;
  bool is_http_10 = false;       // chunked and 1xx answers must not be sent
  bool keep_alive = false;       // the connection may be used after the answer
  bool expect_continue = false;  // waits for a 100 before it sends its body
  BodyKind body = BodyKind::none;  // none (a length of 0, too), length, chunked
  uint64_t length = 0;             // of a BodyKind::length body
};

class RequestHeadParser {
 public:
  explicit RequestHeadParser(size_t head_limit);
  ~RequestHeadParser();
  RequestHeadParser(const RequestHeadParser&) = delete;
  RequestHeadParser& operator=(const RequestHeadParser&) = delete;

  struct Outcome {
    enum What : uint8_t {
      complete,    // `head` is set; its body follows
      incomplete,  // give the same bytes again, with those that follow
      too_large,   // more than `head_limit` bytes and no end: answer 431
      malformed    // `reason` says how: answer 400 and close
    } what;
    // Valid until the next call of parse(), and not longer than `data` (a head
    // too long for the cache is not copied).
    const RequestHead* head = nullptr;
    const char* reason = "";
  };
  // `data` starts at the first byte of a head and may end anywhere; empty is
  // incomplete. An HTTP/1.1 head without exactly one Host field is malformed
  // (RFC 9112 section 3.2), and so is Content-Length beside Transfer-Encoding.
  //
  // Pipelined requests without a body that one answer text serves:
  //
  //   auto parsed = parser.parse(data);  // complete, BodyKind::none
  //   const std::string_view head = parsed.head->bytes;
  //   const size_t n = count_repeats(data, head, SIZE_MAX);  // >= 1
  //   data.remove_prefix(n * head.size());
  Outcome parse(std::string_view data);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The framing state of one request's body; lives in a connection.
class RequestBodyReader {
 public:
  // A head with BodyKind::none is done at once: next() need not be called.
  explicit RequestBodyReader(const RequestHead& head)
      : left_(head.length), is_chunked_(head.body == BodyKind::chunked) {}
  RequestBodyReader() = default;

  enum class State : uint8_t { more, done, malformed };
  struct Read {
    State state = State::more;
    size_t consumed = 0;
    std::string_view piece;  // decoded body, a slice of `data`; may be empty
  };
  // Reads up to and including one contiguous piece of the body. Call it again
  // with the rest while the state is `more` and bytes are left; what follows a
  // `done` is the next request. `limit` bounds one chunk's size line and the
  // trailer section.
  Read next(std::string_view data, size_t limit);

 private:
  uint64_t left_ = 0;
  ChunkDecoder chunks_;
  bool is_chunked_ = false;
};

}  // namespace dyno
