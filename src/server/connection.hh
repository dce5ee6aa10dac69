// Connection: one accepted socket. Reads requests, queues them, and writes the
// answers in order. Lives in its thread's list and is used again after a close;
// `generation` tells one life from the next.
#pragma once

#include <event2/event.h>
#include <event2/event_struct.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/tls.hh"
#include "server/kit.hh"
#include "server/outbox.hh"

namespace dyno::server {

class Connection {
 public:
  explicit Connection(Kit& kit) : kit_(kit) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Takes the descriptor; `number` is 1 for the server's first connection. It
  // stays unread until start().
  void hold(int fd, uint64_t number);
  void start();
  // The run of that sequence number is due; flush() then writes.
  void due(uint64_t sequence);
  void flush();
  // Closes it if nothing has been asked and answered for so many ticks.
  void close_if_idle(uint32_t ticks);
  void close();

  bool is_closed() const { return phase_ == Phase::closed; }
  uint32_t generation() const { return generation_; }

  bool is_marked = false;  // for whoever gathers what is due

 private:
  enum class Phase : uint8_t {
    closed,
    held,  // accepted, not yet read
    open,
    lingering,  // our side is shut; what still comes is thrown away
  };
  // What a new life starts with.
  struct Life {
    uint64_t number = 0;    // of the connection
    uint64_t requests = 0;  // so far
    uint32_t active_tick = 0;
    bool is_counted = true;   // has not only asked for /stats
    bool is_reading = false;  // the read event is armed
    bool is_blocked = false;  // the socket takes no more for now
    bool is_reading_body = false;
    bool is_at_end = false;  // the peer will send no more
    bool is_deaf = false;    // what it sends is thrown away
    bool is_ending = false;  // closes once all is answered
    bool lingers = false;    // and the peer may not know that yet
  };

  static void on_readable(evutil_socket_t, short, void* self) noexcept;
  static void on_writable(evutil_socket_t, short, void* self) noexcept;

  void read();
  ssize_t receive(char* data, size_t size);
  ssize_t receive_records(char* data, size_t size);
  void handshake_failed();
  void drain();
  void on_end_of_input();
  void take(std::string_view data);
  size_t take_head(std::string_view data);
  size_t take_body(std::string_view data);
  void begin_body(const RequestHead& head, ReplyRef reply, bool has_begun);
  void end_body();
  void spoil_body(int status, const char* why);
  void refuse(int status, const char* why);

  Run number_run(const ReplyRef& reply, uint64_t count);
  void count_connection(bool is_counted);
  uint64_t before_last() const;
  void queue(Run&& run);
  void queue_one(Run&& run);
  void decide_fault(Run& run);
  void begin_delay(uint64_t sequence);
  void schedule(uint64_t sequence, int64_t delay_ns);

  void write();
  bool send();
  ssize_t send_parcel();
  ssize_t send_records();
  bool is_at_rest() const;
  bool go_on(Outbox::Stop stop);
  void pause_split();
  void update_reading();
  void finish();
  void hang_up();
  void linger();
  void reset_peer();
  void forget();
  void forget_tail();
  static bool would_block();

  Kit& kit_;
  int fd_ = -1;
  uint32_t generation_ = 0;
  Phase phase_ = Phase::closed;
  Life life_;
  Outbox outbox_;
  RequestBodyReader body_;
  std::string kept_body_;  // for /echo
  std::string tail_;       // an incomplete head
  std::unique_ptr<TlsStream> tls_;
  event readable_;
  event writable_;
};

}  // namespace dyno::server
