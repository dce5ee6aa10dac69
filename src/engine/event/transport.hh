// EventTransport: raw non-blocking sockets on libevent. One persistent read
// event per socket, direct writes, a write event only while a dial or a full
// send buffer is waited for; one receive buffer for all connections.
#pragma once

#include <event2/event.h>
#include <event2/event_struct.h>

#include <memory>
#include <string>
#include <vector>

#include "base/units.hh"
#include "engine/dialer.hh"
#include "engine/event/verifier.hh"
#include "engine/loop_libevent.hh"
#include "engine/transport.hh"
#include "http/head_parser.hh"
#include "http/request.hh"
#include "http/response.hh"
#include "net/tls.hh"

namespace dyno {

struct EventOptions {
  DialOptions dial;
  std::string request;  // the bytes of one request
  RequestKind kind = RequestKind::ordinary;
  bool says_close = false;  // the request announces the end of its connection
  size_t head_limit = 65536;
  std::shared_ptr<const TlsContext> tls;  // null: in the clear
  VerifyOptions verify;
};

class EventTransport final : public Transport, private Dials {
 public:
  EventTransport(LibeventLoop& loop, const EventOptions& options, Sink& sink);
  ~EventTransport() override;
  EventTransport(const EventTransport&) = delete;
  EventTransport& operator=(const EventTransport&) = delete;

  void open(SlotId slot, int64_t now_ns) override;
  void send(SlotId slot, uint32_t count) override;
  void close(SlotId slot) override;
  void flush() override;
  void sweep(int64_t now_ns) override;
  const Traffic& traffic() const override { return traffic_; }
  std::vector<std::string> notes() const override { return dialer_.notes(); }

 private:
  enum class State : uint8_t { closed, dialing, shaking_hands, open };

  struct Connection {
    event read_event;
    event write_event;
    EventTransport* owner = nullptr;
    SlotId slot = 0;
    int fd = -1;
    State state = State::closed;
    bool is_dirty = false;     // in dirty_
    uint32_t outstanding = 0;  // requests without a complete answer
    uint32_t unwritten = 0;    // the last ones of these, not fully written
    size_t written = 0;        // bytes of the first unwritten one
    int write_error = 0;       // a write failed: the read side ends it
    ResponseReader reader;
    std::string tail;                    // an incomplete head
    int64_t dial_started_ns = 0;         // when open() was called
    int64_t handshake_ns = 0;            // when the TLS handshake began
    std::unique_ptr<Verifier> verifier;  // where answers are verified
    std::unique_ptr<TlsStream> tls;      // while it is used
  };

  void dialed(SlotId slot, int fd, int64_t now_ns) override;
  void not_dialed(SlotId slot, Failure kind, std::string_view detail,
                  int64_t now_ns) override;
  void begin_handshake(Connection& connection, int64_t now_ns);
  void shake_hands(Connection& connection, int64_t now_ns);
  void give_up_handshake(Connection& connection, std::string_view reason,
                         int64_t now_ns);
  void usable(Connection& connection, int64_t now_ns);

  void readable(Connection& connection);
  ssize_t read_some_of(Connection& connection);
  ssize_t read_records(Connection& connection);
  void received(Connection& connection, size_t size, int64_t now_ns);
  void last_answers(Connection& connection, const ResponseReader::Read& read,
                    int64_t now_ns);
  void peer_closed(Connection& connection, bool is_announced, int64_t now_ns);
  void broken(Connection& connection, int error, int64_t now_ns);
  std::string reason_of(const Connection& connection, int error) const;
  void finish(Connection& connection, const Ended* ended, int64_t now_ns);
  std::string_view with_tail(Connection& connection, size_t size);
  std::string describe(const Connection& connection,
                       std::string_view what) const;

  void writable(Connection& connection);
  std::string_view to_write(const Connection& connection) const;
  void write_some(Connection& connection);
  void write_failed(Connection& connection, int error);
  void tear_down(Connection& connection);

  static void on_readable(evutil_socket_t, short, void* connection) noexcept;
  static void on_writable(evutil_socket_t, short, void* connection) noexcept;

  LibeventLoop& loop_;
  Sink& sink_;
  Dialer dialer_;
  const std::string request_;
  RequestBlock block_;
  RequestKind kind_;
  bool says_close_;
  int64_t connect_timeout_ns_;
  std::shared_ptr<const TlsContext> tls_;
  TlsSessions tls_sessions_;
  HeadParser heads_;
  size_t headroom_;  // of the receive buffer: a tail is copied before new bytes
  std::unique_ptr<char[]> buffer_;
  std::vector<Connection> connections_;
  std::vector<SlotId> dirty_;
  std::vector<Response> responses_;
  std::vector<Answer> answers_;
  Traffic traffic_;
  size_t shaking_hands_ = 0;
  uint64_t next_id_ = 0;  // of a request that is verified
};

}  // namespace dyno
