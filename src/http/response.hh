// Response framing: where one answer ends and the next begins, RFC 9112
// section 6.3 in full. Heads are parsed by llhttp behind the head cache; bodies
// are framed here. Sans-I/O: bytes and time come in, answers come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/failure.hh"
#include "http/chunked.hh"
#include "http/head_parser.hh"

namespace dyno {

// A run of equal final answers that became complete in one read.
struct Response {
  uint32_t count = 0;
  uint16_t status = 0;
  bool closes = false;  // the connection cannot be used after it
  bool own_server = false;
  uint64_t bytes = 0;         // of each: interim heads, head and framed body
  uint64_t body_bytes = 0;    // of each, decoded
  int64_t first_byte_ns = 0;  // when the first byte of its head was read
};

// Looks at final answers while they are read, one by one; the slow path.
class ResponseTap {
 public:
  struct Verdict {
    Failure failure = Failure::protocol;
    // Valid until the tap is called again; null: nothing is wrong.
    const char* reason = nullptr;
  };
  virtual Verdict head(std::string_view bytes) = 0;  // a whole one
  virtual Verdict body(std::string_view piece) = 0;  // decoded
  virtual Verdict end() = 0;                         // of the answer

 protected:
  ~ResponseTap() = default;
};

// The framing state of one connection; a few dozen bytes.
class ResponseReader {
 public:
  enum class State : uint8_t {
    open,     // everything was understood; more may come
    closing,  // the last answer ends the connection; the rest was ignored
    surplus,  // bytes beyond the `expected` answers
    failed,   // `failure` and `reason` say how
  };
  struct Read {
    State state = State::open;
    size_t consumed = 0;  // the rest is an incomplete head: give it again,
                          // first, with the bytes that follow it
    Failure failure = Failure::protocol;
    const char* reason = "";  // a static text, or the tap's
  };

  // Reads the answers to at most `expected` outstanding requests of one kind
  // (the one whose answer is being read counts) and appends those that are
  // complete to `done`, equal neighbours as one. Bytes while none is expected
  // are a surplus. After anything but `open` the connection is over. An answer
  // that the tap, if there is one, finds fault with is a failed one.
  Read feed(HeadParser& heads, std::string_view data, RequestKind kind,
            uint32_t expected, int64_t now_ns, std::vector<Response>& done,
            ResponseTap* tap = nullptr);

  // The peer closed its side. `closing` when this completes an answer that ends
  // with the connection (appended to `done`), `failed` when the tap finds fault
  // with it. `open` otherwise: then an answer was cut short if
  // is_inside_answer(), a part of a head included.
  Read finish(std::vector<Response>& done, ResponseTap* tap = nullptr);

  // A part of an answer has been read: some of a head, too, and interim
  // answers.
  bool is_inside_answer() const {
    return phase_ == Phase::head || phase_ == Phase::body;
  }

  void reset() { *this = ResponseReader(); }

 private:
  enum class Phase : uint8_t { idle, head, body, closed };
  // idle: between answers. head: part of a head, or an interim answer, was
  // read. body: `framing_` is known. closed: after the last answer.
  struct Turn;

  bool take_head(Turn& turn);
  bool take_run(Turn& turn, const Framing& framing);
  void take_body(Turn& turn);
  void take_chunks(Turn& turn);
  ChunkDecoder::Read next_chunks(Turn& turn);
  void take_bytes(Turn& turn, size_t size);
  void complete(Turn& turn);
  uint32_t take_repeats(Turn& turn);
  Response answer() const;

  Phase phase_ = Phase::idle;
  Framing framing_;
  ChunkDecoder chunks_;
  uint64_t bytes_ = 0;
  uint64_t body_bytes_ = 0;
  int64_t first_byte_ns_ = 0;
};

}  // namespace dyno
