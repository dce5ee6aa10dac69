// The reading half of a connection: from bytes to runs in the outbox.
#include <cerrno>
#include <utility>

#include "net/socket.hh"
#include "server/connection.hh"

namespace dyno::server {
namespace {

constexpr size_t kBodyLineLimit = 64 * 1024;
constexpr size_t kEchoLimit = 16 * 1024 * 1024;

}  // namespace

void Connection::read() {
  char* input = kit_.input.data();
  const size_t kept = tail_.copy(input, tail_.size());
  const ssize_t got = receive(input + kept, kInputBytes - kept);
  if (got < 0) {
    if (would_block()) return;
    return tls_ && !tls_->is_established() ? handshake_failed() : close();
  }
  if (got == 0) return on_end_of_input();
  take({input, kept + static_cast<size_t>(got)});
  flush();
}

ssize_t Connection::receive(char* data, size_t size) {
  return tls_ ? receive_records(data, size) : read_some(fd_, data, size);
}

// All the records that have come. What is left to be told then is in no socket
// that could become readable.
ssize_t Connection::receive_records(char* data, size_t size) {
  size_t total = 0;
  ssize_t got = 0;
  do {
    got = tls_->read(data + total, size - total);
    if (got > 0) total += static_cast<size_t>(got);
  } while (got > 0 && total < size && tls_->has_pending());
  if (total > 0) {
    if (got <= 0 ? got == 0 || !would_block() : tls_->has_pending())
      event_active(&readable_, EV_READ, 0);
    return static_cast<ssize_t>(total);
  }
  if (got >= 0 || !would_block()) return got;
  if (tls_->wants_write()) {
    life_.is_blocked = true;
    event_add(&writable_, nullptr);
  }
  errno = EAGAIN;
  return -1;
}

void Connection::handshake_failed() {
  kit_.counters.add(Stat::tls_failed);
  close();
}

void Connection::on_end_of_input() {
  if (life_.is_reading_body) return close();
  life_.is_at_end = true;
  flush();
}

void Connection::take(std::string_view data) {
  // The last request may have a body.
  while (!data.empty() && (!life_.is_deaf || life_.is_reading_body)) {
    const size_t used =
        life_.is_reading_body ? take_body(data) : take_head(data);
    if (used == 0) break;
    data.remove_prefix(used);
  }
  if (life_.is_deaf || data.empty())
    forget_tail();
  else
    tail_.assign(data);
}

size_t Connection::take_head(std::string_view data) {
  const RequestHeadParser::Outcome parsed = kit_.parser.parse(data);
  switch (parsed.what) {
    case RequestHeadParser::Outcome::incomplete:
      return 0;
    case RequestHeadParser::Outcome::too_large:
      refuse(431, "the request head is longer than 64 KiB");
      return data.size();
    case RequestHeadParser::Outcome::malformed:
      refuse(400, parsed.reason);
      return data.size();
    case RequestHeadParser::Outcome::complete:
      break;
  }
  const RequestHead& head = *parsed.head;
  const size_t size = head.bytes.size();
  ReplyRef reply = kit_.replies.find(head);
  count_connection(reply->is_counted);
  if (!reply->is_counted) reply = kit_.replies.complete_stats(*reply);
  if (head.body != BodyKind::none) {
    begin_body(head, reply, data.size() > size);
    return size;
  }
  const uint64_t most = reply->closes || !reply->is_counted ? 1 : before_last();
  const uint64_t count = count_repeats(data, head.bytes, most);
  queue(number_run(reply, count));
  return count * size;
}

// A head that has a body, and what its answer is, before the body is there.
void Connection::begin_body(const RequestHead& head, ReplyRef reply,
                            bool has_begun) {
  if (head.expect_continue && !has_begun) {
    Run interim;
    interim.reply = kit_.replies.proceed();
    outbox_.push(std::move(interim));
  }
  life_.is_reading_body = true;
  body_ = RequestBodyReader(head);
  Run run = number_run(reply, 1);
  run.state = Run::State::body;
  decide_fault(run);
  outbox_.push(std::move(run));
}

size_t Connection::take_body(std::string_view data) {
  const RequestBodyReader::Read part = body_.next(data, kBodyLineLimit);
  if (part.state == RequestBodyReader::State::malformed) {
    spoil_body(400, "the chunks of the request body make no sense");
    return data.size();
  }
  if (outbox_.back().reply->wants_body) kept_body_ += part.piece;
  if (kept_body_.size() > kEchoLimit) {
    spoil_body(413, "/echo takes bodies of up to 16 MiB");
    return data.size();
  }
  if (part.state == RequestBodyReader::State::done) end_body();
  return part.consumed;
}

void Connection::end_body() {
  life_.is_reading_body = false;
  Run& run = outbox_.back();
  if (run.reply->wants_body)
    run.reply = kit_.replies.complete(*run.reply, std::move(kept_body_));
  kept_body_.clear();
  run.state = Run::State::ready;
  if (!run.reply->behaviour.is_late()) return;
  if (kit_.config.pipelined == Pipelined::serial)
    run.state = Run::State::parked;
  else
    begin_delay(outbox_.back_sequence());
}

void Connection::spoil_body(int status, const char* why) {
  life_.is_reading_body = false;
  kept_body_ = {};
  outbox_.pop_back();
  refuse(status, why);
}

void Connection::refuse(int status, const char* why) {
  kit_.counters.add(Stat::bad_requests);
  Run run;
  run.reply = kit_.replies.refuse(status, why);
  run.number = life_.requests;
  run.says_close = true;
  life_.is_ending = life_.is_deaf = life_.lingers = true;
  outbox_.push(std::move(run));
}

// Requests that may still come before the one that is the last.
uint64_t Connection::before_last() const {
  const auto most = static_cast<uint64_t>(kit_.config.max_requests);
  return life_.requests + 1 < most ? most - 1 - life_.requests : 1;
}

Run Connection::number_run(const ReplyRef& reply, uint64_t count) {
  const auto most = static_cast<uint64_t>(kit_.config.max_requests);
  const bool is_last = life_.requests + count >= most;
  Run run;
  run.reply = reply;
  run.number = life_.requests + 1;
  run.count = count;
  run.says_close = reply->closes || (is_last && kit_.config.close_header);
  life_.requests += count;
  if (reply->is_counted)
    kit_.counters.add(Stat::read, static_cast<int64_t>(count));
  if (!reply->closes && !is_last) return run;
  life_.is_ending = true;
  life_.lingers = life_.lingers || !reply->closes;
  if (reply->closes || kit_.config.after_close == AfterClose::discard)
    life_.is_deaf = true;
  return run;
}

// A connection that only asks for /stats is none of a load run's.
void Connection::count_connection(bool is_counted) {
  if (is_counted == life_.is_counted) return;
  if (!is_counted && life_.requests > 0) return;
  life_.is_counted = is_counted;
  kit_.counters.add(Stat::accepted, is_counted ? 1 : -1);
}

void Connection::queue(Run&& run) {
  const Behaviour& behaviour = run.reply->behaviour;
  const bool is_one_by_one =
      behaviour.differs_by_request() ||
      (behaviour.is_late() && kit_.config.pipelined == Pipelined::serial);
  if (!is_one_by_one) return queue_one(std::move(run));
  const uint64_t count = std::exchange(run.count, 1);
  for (uint64_t i = 0; i < count; ++i, ++run.number) queue_one(Run(run));
}

void Connection::queue_one(Run&& run) {
  decide_fault(run);
  if (!run.reply->behaviour.is_late()) {
    outbox_.push(std::move(run));
    return;
  }
  run.state = Run::State::parked;
  const uint64_t sequence = outbox_.push(std::move(run));
  if (kit_.config.pipelined == Pipelined::concurrent) begin_delay(sequence);
}

void Connection::decide_fault(Run& run) {
  const Behaviour& behaviour = run.reply->behaviour;
  if (!behaviour.has_fault()) return;
  const Place place{life_.number, run.number};
  const uint64_t lot = draw(kit_.config.seed, place, Chance::fault) % 100;
  if (lot >= static_cast<uint64_t>(behaviour.fault_share)) return;
  run.fault = behaviour.fault;
  run.is_truncated = behaviour.fault == Fault::none;
  kit_.counters.add(Stat::faults);
}

void Connection::begin_delay(uint64_t sequence) {
  Run& run = outbox_.at(sequence);
  run.state = Run::State::waiting;
  const Behaviour& behaviour = run.reply->behaviour;
  if (behaviour.jitter_ns == 0) return schedule(sequence, behaviour.delay_ns);
  const Place place{life_.number, run.number};
  const uint64_t lot = draw(kit_.config.seed, place, Chance::jitter);
  const auto jitter = static_cast<int64_t>(
      lot % (static_cast<uint64_t>(behaviour.jitter_ns) + 1));
  const int64_t now_ns = kit_.now_ns();
  kit_.delays.add_odd(
      {now_ns + behaviour.delay_ns + jitter, this, sequence, generation_},
      now_ns);
}

}  // namespace dyno::server
