// Transport: carries requests over connections, one connection per slot. It
// knows bytes and sockets (or a model of them), never which request is whose or
// why a slot was chosen. One per worker, used by its thread alone. What happens
// comes back through Sink, never from inside a call to Transport.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hh"

namespace dyno {

using SlotId = uint32_t;  // 0 … slots of the worker - 1

// A run of equal answers on one connection that became complete together.
struct Answer {
  uint32_t count = 0;
  uint16_t status = 0;
  bool own_server = false;
  uint64_t body_bytes = 0;    // of each
  int64_t first_byte_ns = 0;  // when the first byte of its head was read
};

// How a connection ended. Its oldest request without an answer failed with
// `kind` if `in_answer`; the ones behind it got no byte.
struct Ended {
  Failure kind = Failure::closed;
  bool announced = false;   // by the last answer: nothing went wrong
  bool in_answer = false;   // a part of an answer had been read
  std::string_view detail;  // for people; valid during the call
};

class Sink {
 public:
  // The slot's connection can be used; `took_ns` since Transport::open.
  virtual void opened(SlotId slot, int64_t took_ns, int64_t now_ns) = 0;
  // The TLS handshake of the slot's connection succeeded; `opened` follows.
  virtual void handshaken(SlotId slot, int64_t took_ns, bool was_resumed,
                          int64_t now_ns) = 0;
  // No address could be connected.
  virtual void dial_failed(SlotId slot, Failure kind, std::string_view detail,
                           int64_t now_ns) = 0;
  // Answers to the slot's oldest requests, in order. `ended` is not null when
  // the connection ended with them.
  virtual void done(SlotId slot, std::span<const Answer> answers,
                    const Ended* ended, int64_t now_ns) = 0;
  // The connection ended without a further answer.
  virtual void closed(SlotId slot, const Ended& ended, int64_t now_ns) = 0;

 protected:
  ~Sink() = default;
};

// Totals since the transport was made, warm-up included.
struct Traffic {
  int64_t bytes_in = 0;
  int64_t bytes_out = 0;
  int64_t requests_sent = 0;  // written completely
  int64_t retried = 0;        // by the engine itself, where it is known
  int64_t opened = 0;         // connections
  int64_t usable = 0;         // of these, where Sink::opened says too little
  int64_t closed = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Starts to connect the slot; `opened` or `dial_failed` follows.
  virtual void open(SlotId slot, int64_t now_ns) = 0;
  // Adds requests to an open slot; they are written at the next flush.
  virtual void send(SlotId slot, uint32_t count) = 0;
  // Closes the slot's connection, or stops its dial. No up-call follows.
  virtual void close(SlotId slot) = 0;
  // The load is over: closes connections that are no slot's.
  virtual void end() {}
  // Writes what was sent since the last flush. Runs by itself after up-calls.
  virtual void flush() = 0;
  // Ends dials that have lasted longer than connect.timeout. Coarse.
  virtual void sweep(int64_t now_ns) = 0;
  virtual const Traffic& traffic() const = 0;
  // What the reader of the result must know: addresses that failed.
  virtual std::vector<std::string> notes() const = 0;
};

}  // namespace dyno
