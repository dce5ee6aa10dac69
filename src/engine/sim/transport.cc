#include "engine/sim/transport.hh"

#include <algorithm>
#include <cassert>

namespace dyno {
namespace {

constexpr uint16_t kStatus = 200;

int64_t later(int64_t now_ns, int64_t span_ns) {
  return span_ns >= kUnlimited - now_ns ? kUnlimited : now_ns + span_ns;
}

}  // namespace

SimTransport::SimTransport(SimLoop& loop, const SimOptions& options, Sink& sink)
    : loop_(loop), options_(options), sink_(sink), connections_(options.slots) {
  loop_.set_model(this);
  answers_.reserve(64);
}

void SimTransport::happened(const SimEvent& event) {
  const SlotId slot = event.slot;
  if (connections_[slot].epoch != event.epoch) return;
  switch (static_cast<Kind>(event.kind())) {
    case refused:
      return dial_refused(slot);
    case reached:
      return dial_reached(slot);
    case timed_out:
      return dial_timed_out(slot);
    case answered:
      return write_answers(slot);
    case handed_over:
      return hand_over(slot);
    case idle:
      return look_if_idle(slot);
  }
}

// --- dialing ---------------------------------------------------------------

void SimTransport::open(SlotId slot, int64_t now_ns) {
  Connection& connection = connections_[slot];
  assert(connection.state == State::closed);
  connection.state = State::dialing;
  connection.dialed_ns = now_ns;
  if (descriptors_ >= options_.descriptors) return plan(now_ns, refused, slot);
  connection.has_descriptor = true;
  ++descriptors_;
  if (options_.connect_time_ns < options_.connect_timeout_ns)
    plan(later(now_ns, options_.connect_time_ns), reached, slot);
  else
    plan(later(now_ns, options_.connect_timeout_ns), timed_out, slot);
}

void SimTransport::dial_refused(SlotId slot) {
  tear_down(connections_[slot]);
  sink_.dial_failed(slot, Failure::fd_exhausted,
                    "modelled client: all its descriptors are in use",
                    loop_.now_ns());
}

void SimTransport::dial_timed_out(SlotId slot) {
  tear_down(connections_[slot]);
  sink_.dial_failed(slot, Failure::connect_timeout,
                    "modelled server: no connection in time", loop_.now_ns());
}

// The server takes it, lets it wait, or drops what the client sends for good.
void SimTransport::dial_reached(SlotId slot) {
  Connection& connection = connections_[slot];
  if (served_ < options_.max_connections) {
    serve(slot);
  } else if (waiting_ < options_.backlog) {
    connection.state = State::waiting;
    ++waiting_;
    queue_.push({slot, connection.epoch});
  } else {
    return plan(later(connection.dialed_ns, options_.connect_timeout_ns),
                timed_out, slot);
  }
  ++traffic_.opened;
  sink_.opened(slot, loop_.now_ns() - connection.dialed_ns, loop_.now_ns());
}

// --- the server ------------------------------------------------------------

void SimTransport::serve(SlotId slot) {
  Connection& connection = connections_[slot];
  connection.state = State::served;
  connection.busy_until_ns = loop_.now_ns();
  ++served_;
  if (options_.idle_close_ns != kUnlimited)
    plan(later(loop_.now_ns(), options_.idle_close_ns), idle, slot);
  if (connection.unread > 0) read(slot, std::exchange(connection.unread, 0));
}

void SimTransport::serve_next() {
  while (!queue_.is_empty() && served_ < options_.max_connections) {
    const Waiting next = queue_.pop();
    if (connections_[next.slot].epoch != next.epoch) continue;
    --waiting_;
    serve(next.slot);
  }
}

// What comes behind the last request that it takes is never answered.
void SimTransport::read(SlotId slot, uint32_t count) {
  Connection& connection = connections_[slot];
  const auto taken = static_cast<uint32_t>(std::min<int64_t>(
      count, options_.requests_per_connection - connection.read));
  if (taken == 0) return;
  connection.read += taken;
  const bool was_idle = connection.replies.is_empty();
  Reply reply{loop_.now_ns() + options_.hold_ns, taken};
  if (options_.is_serial) {
    const int64_t start_ns = std::max(connection.busy_until_ns, loop_.now_ns());
    reply.at_ns = start_ns + options_.hold_ns;
    connection.busy_until_ns = start_ns + taken * options_.hold_ns;
  } else {
    connection.busy_until_ns = reply.at_ns;
  }
  connection.replies.push(reply);
  if (was_idle) plan(reply.at_ns, answered, slot);
}

void SimTransport::write_answers(SlotId slot) {
  Connection& connection = connections_[slot];
  const int64_t now_ns = loop_.now_ns();
  const bool is_first = connection.arrivals.is_empty();
  while (!connection.replies.is_empty() &&
         connection.replies.front().at_ns <= now_ns) {
    Reply& reply = connection.replies.front();
    const uint32_t count = options_.is_serial ? 1 : reply.count;
    for (uint32_t i = 0; i < count; ++i)
      connection.arrivals.push({loop_.charge(Work::completed), now_ns, 1});
    connection.written += count;
    reply.count -= count;
    reply.at_ns += options_.hold_ns;
    if (reply.count == 0) connection.replies.pop();
  }
  if (is_first) plan(connection.arrivals.front().at_ns, handed_over, slot);
  if (connection.written == options_.requests_per_connection)
    return server_closes(slot);
  if (!connection.replies.is_empty())
    plan(connection.replies.front().at_ns, answered, slot);
}

// One entry per connection, moved on only when it turns up.
void SimTransport::look_if_idle(SlotId slot) {
  Connection& connection = connections_[slot];
  if (connection.state != State::served) return;
  const int64_t since_ns = connection.read > connection.written
                               ? loop_.now_ns()
                               : connection.busy_until_ns;
  const int64_t due_ns = later(since_ns, options_.idle_close_ns);
  if (due_ns > loop_.now_ns()) return plan(due_ns, idle, slot);
  server_closes(slot);
}

void SimTransport::server_closes(SlotId slot) {
  Connection& connection = connections_[slot];
  leave_server(connection);
  connection.state = State::left;
  if (!connection.arrivals.is_empty()) return;  // the last of them tells
  const Ended end = ended();
  tear_down(connection);
  sink_.closed(slot, end, loop_.now_ns());
}

Ended SimTransport::ended() const {
  Ended end;
  end.detail = "modelled server: it closed the connection";
  return end;
}

// --- the client ------------------------------------------------------------

void SimTransport::send(SlotId slot, uint32_t count) {
  Connection& connection = connections_[slot];
  assert(connection.state != State::closed &&
         connection.state != State::dialing);
  traffic_.requests_sent += count;
  traffic_.bytes_out += count * options_.request_bytes;
  if (connection.state == State::waiting) connection.unread += count;
  if (connection.state == State::served) read(slot, count);
}

// The host is done with answers: now the client knows.
void SimTransport::hand_over(SlotId slot) {
  Connection& connection = connections_[slot];
  const int64_t now_ns = loop_.now_ns();
  answers_.clear();
  uint32_t count = 0;
  while (!connection.arrivals.is_empty() &&
         connection.arrivals.front().at_ns <= now_ns) {
    const Arrival arrival = connection.arrivals.pop();
    Answer answer;
    answer.count = arrival.count;
    answer.status = kStatus;
    answer.body_bytes = static_cast<uint64_t>(options_.body_bytes);
    answer.first_byte_ns = arrival.first_byte_ns;
    answers_.push_back(answer);
    count += arrival.count;
  }
  traffic_.bytes_in += count * options_.answer_bytes;
  const bool has_more = !connection.arrivals.is_empty();
  if (has_more) plan(connection.arrivals.front().at_ns, handed_over, slot);
  if (has_more || connection.state != State::left)
    return sink_.done(slot, answers_, nullptr, now_ns);
  Ended end = ended();
  end.announced = options_.announces_close &&
                  connection.written == options_.requests_per_connection;
  tear_down(connection);
  sink_.done(slot, answers_, &end, now_ns);
}

void SimTransport::close(SlotId slot) {
  tear_down(connections_[slot]);
}

void SimTransport::leave_server(Connection& connection) {
  if (connection.state == State::waiting) --waiting_;
  if (connection.state != State::served) return;
  --served_;
  serve_next();
}

void SimTransport::tear_down(Connection& connection) {
  if (connection.state == State::closed) return;
  if (connection.state != State::dialing) ++traffic_.closed;
  ++connection.epoch;
  leave_server(connection);
  descriptors_ -= connection.has_descriptor;
  connection.state = State::closed;
  connection.has_descriptor = false;
  connection.unread = 0;
  connection.read = connection.written = 0;
  connection.replies.clear();
  connection.arrivals.clear();
}

}  // namespace dyno
