// SimTransport: connections to a modelled server, over a loop in virtual time.
// It models what a client can notice of a server and of its own descriptors,
// and what an answer costs the modelled host; no network, no bytes. That a
// request is handed over takes no time, so it is sent when it is given.
#pragma once

#include <string>
#include <vector>

#include "base/ring.hh"
#include "base/units.hh"
#include "engine/sim/loop.hh"
#include "engine/transport.hh"

namespace dyno {

struct SimOptions {
  size_t slots = 0;
  int64_t descriptors = kUnlimited;  // of the client: its connections
  int64_t connect_timeout_ns = kUnlimited;

  int64_t request_bytes = 0;  // what the traffic counts
  int64_t answer_bytes = 0;   // head and body
  int64_t body_bytes = 0;

  // The server.
  int64_t hold_ns = 0;     // from a request to its answer
  bool is_serial = false;  // each hold begins where the one before it ended
  int64_t connect_time_ns = 0;
  int64_t max_connections = kUnlimited;  // served at once
  int64_t backlog = 0;  // more are connected, but nobody reads them yet
  int64_t requests_per_connection = kUnlimited;
  bool announces_close = true;  // in the answer after which it closes
  int64_t idle_close_ns = kUnlimited;
};

class SimTransport final : public Transport, private SimModel {
 public:
  SimTransport(SimLoop& loop, const SimOptions& options, Sink& sink);
  SimTransport(const SimTransport&) = delete;
  SimTransport& operator=(const SimTransport&) = delete;

  void open(SlotId slot, int64_t now_ns) override;
  void send(SlotId slot, uint32_t count) override;
  void close(SlotId slot) override;
  void flush() override {}
  void sweep(int64_t) override {}
  const Traffic& traffic() const override { return traffic_; }
  std::vector<std::string> notes() const override { return {}; }

 private:
  // What becomes due, at most once per connection.
  enum Kind : uint8_t {
    refused,
    reached,
    timed_out,
    answered,
    handed_over,
    idle
  };

  // dialing -> waiting (in the listen queue) -> served -> left (by the server;
  // the client has yet to see its last answers), and closed from anywhere.
  enum class State : uint8_t { closed, dialing, waiting, served, left };

  // Answers that the server writes, all together or one per hold time.
  struct Reply {
    int64_t at_ns;
    uint32_t count;
  };
  // Answers that are there; the host is done with them at at_ns.
  struct Arrival {
    int64_t at_ns;
    int64_t first_byte_ns;
    uint32_t count;
  };

  struct Connection {
    State state = State::closed;
    bool has_descriptor = false;
    uint32_t epoch = 0;
    uint32_t unread = 0;        // requests sent while it waits
    int64_t read = 0;           // requests the server took, at most its limit
    int64_t written = 0;        // answers
    int64_t busy_until_ns = 0;  // when the last of them is written
    int64_t dialed_ns = 0;
    Ring<Reply> replies;
    Ring<Arrival> arrivals;
  };

  struct Waiting {
    SlotId slot;
    uint32_t epoch;
  };

  void happened(const SimEvent& event) override;
  void dial_refused(SlotId slot);
  void dial_timed_out(SlotId slot);
  void dial_reached(SlotId slot);
  void serve(SlotId slot);
  void serve_next();
  void read(SlotId slot, uint32_t count);
  void write_answers(SlotId slot);
  void hand_over(SlotId slot);
  void look_if_idle(SlotId slot);
  void server_closes(SlotId slot);
  void leave_server(Connection& connection);
  void tear_down(Connection& connection);
  Ended ended() const;
  void plan(int64_t at_ns, Kind kind, SlotId slot) {
    loop_.plan(at_ns, kind, slot, connections_[slot].epoch);
  }

  SimLoop& loop_;
  SimOptions options_;
  Sink& sink_;
  std::vector<Connection> connections_;
  Ring<Waiting> queue_;  // the listen queue; entries may be out of date
  int64_t waiting_ = 0;
  int64_t served_ = 0;
  int64_t descriptors_ = 0;
  std::vector<Answer> answers_;
  Traffic traffic_;
};

}  // namespace dyno
