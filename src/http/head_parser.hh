// Response heads: what their bytes mean for the framing of an answer (RFC 9112
// section 6.3), parsed by llhttp behind the head cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "http/framing.hh"

namespace dyno {

// What a request asked for decides how its answer's body is framed.
enum class RequestKind : uint8_t { ordinary, head };

// What the bytes of one response head mean.
struct Framing {
  uint16_t status = 0;
  BodyKind body = BodyKind::none;
  bool keep_alive = false;
  bool is_interim = false;  // 1xx: never the final answer
  bool own_server = false;  // its Server field names httpdyno
  uint32_t head_bytes = 0;
  uint64_t length = 0;  // of a BodyKind::length body; never 0
};

// Parses heads for all the connections of a worker and remembers the last few:
// a head whose bytes equal a remembered one for the same kind of request is not
// parsed again. Identical bytes parse identically, so this is exact.
class HeadParser {
 public:
  explicit HeadParser(size_t head_limit);
  ~HeadParser();
  HeadParser(const HeadParser&) = delete;
  HeadParser& operator=(const HeadParser&) = delete;

  struct Outcome {
    enum What : uint8_t { complete, incomplete, too_large, malformed } what;
    const Framing* framing = nullptr;  // valid until the next call
    const char* reason = "";           // of malformed; a static text
  };
  // `data` starts at the first byte of a head and may end anywhere. The verdict
  // on a head does not depend on how its bytes were split.
  Outcome parse(std::string_view data, RequestKind kind);

  // More bytes than this without the end of the head are too many.
  size_t head_limit() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dyno
