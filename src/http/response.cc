#include "http/response.hh"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace dyno {
namespace {

// Longer answers are cheaper to frame than to compare.
constexpr size_t kRepeatBytes = 1024;

}  // namespace

// One call of feed().
struct ResponseReader::Turn {
  HeadParser& heads;
  std::string_view data;
  RequestKind kind;
  uint32_t expected;
  int64_t now_ns;
  std::vector<Response>& done;
  size_t first;  // of `done` in this turn
  ResponseTap* tap;
  Read read = {};
  size_t begin = std::string_view::npos;  // of the answer, if in this turn

  std::string_view rest() const { return data.substr(read.consumed); }

  void fail(Failure failure, const char* reason) {
    read.state = State::failed;
    read.failure = failure;
    read.reason = reason;
  }

  // False where the tap finds fault.
  bool accepts(const ResponseTap::Verdict& verdict) {
    if (verdict.reason == nullptr) return true;
    fail(verdict.failure, verdict.reason);
    return false;
  }

  // Appends answers, to the last run where they are the same.
  void add(const Response& response) {
    expected -= response.count;
    if (done.size() > first && is_same(done.back(), response))
      done.back().count += response.count;
    else
      done.push_back(response);
  }

  static bool is_same(const Response& a, const Response& b) {
    return a.status == b.status && a.closes == b.closes &&
           a.own_server == b.own_server && a.bytes == b.bytes &&
           a.body_bytes == b.body_bytes && a.first_byte_ns == b.first_byte_ns;
  }
};

ResponseReader::Read ResponseReader::feed(HeadParser& heads,
                                          std::string_view data,
                                          RequestKind kind, uint32_t expected,
                                          int64_t now_ns,
                                          std::vector<Response>& done,
                                          ResponseTap* tap) {
  Turn turn{heads, data, kind, expected, now_ns, done, done.size(), tap};
  if (phase_ == Phase::closed) turn.read.state = State::closing;
  while (turn.read.state == State::open && turn.read.consumed < data.size()) {
    if (turn.expected == 0)
      turn.read.state = State::surplus;
    else if (phase_ == Phase::body)
      take_body(turn);
    else if (!take_head(turn))
      break;
  }
  if (turn.read.state == State::closing) turn.read.consumed = data.size();
  return turn.read;
}

// False when the head is incomplete.
bool ResponseReader::take_head(Turn& turn) {
  const HeadParser::Outcome outcome = turn.heads.parse(turn.rest(), turn.kind);
  using Outcome = HeadParser::Outcome;
  const bool is_complete = outcome.what == Outcome::complete;
  if (is_complete && phase_ == Phase::idle && turn.tap == nullptr &&
      take_run(turn, *outcome.framing))
    return true;
  if (phase_ == Phase::idle) {
    first_byte_ns_ = turn.now_ns;
    turn.begin = turn.read.consumed;
  }
  phase_ = Phase::head;
  switch (outcome.what) {
    case Outcome::incomplete:
      return false;
    case Outcome::too_large:
      turn.fail(Failure::header_too_large, "a response head beyond the limit");
      return true;
    case Outcome::malformed:
      turn.fail(Failure::protocol, outcome.reason);
      return true;
    case Outcome::complete:
      break;
  }
  const std::string_view head =
      turn.rest().substr(0, outcome.framing->head_bytes);
  take_bytes(turn, head.size());
  if (outcome.framing->is_interim) return true;
  framing_ = *outcome.framing;
  phase_ = Phase::body;
  if (turn.tap != nullptr && !turn.accepts(turn.tap->head(head))) return true;
  if (framing_.body == BodyKind::none) complete(turn);
  return true;
}

// The hot loop: answers that lie completely in the buffer, one after another
// with the same head. False when the first of them is not such a one.
bool ResponseReader::take_run(Turn& turn, const Framing& framing) {
  const bool is_framed =
      framing.body == BodyKind::none || framing.body == BodyKind::length;
  if (!is_framed || framing.is_interim || !framing.keep_alive) return false;
  const std::string_view rest = turn.rest();
  const size_t head = framing.head_bytes;
  const uint64_t size = head + framing.length;
  if (size > rest.size()) return false;

  const auto fit = static_cast<uint32_t>(
      std::min<uint64_t>(turn.expected, rest.size() / size));
  const char* const begin = rest.data();
  uint32_t count = 1;
  // Short answers that are equal to the last byte are found by one comparison
  // of them all; otherwise the heads decide, one by one.
  if (size <= kRepeatBytes &&
      std::memcmp(begin, begin + size, (fit - 1) * size) == 0)
    count = fit;
  while (count < fit && std::memcmp(begin + count * size, begin, head) == 0)
    ++count;
  turn.read.consumed += count * size;
  turn.add({.count = count,
            .status = framing.status,
            .closes = false,
            .own_server = framing.own_server,
            .bytes = size,
            .body_bytes = framing.length,
            .first_byte_ns = turn.now_ns});
  return true;
}

void ResponseReader::take_body(Turn& turn) {
  if (framing_.body == BodyKind::chunked) return take_chunks(turn);
  size_t size = turn.rest().size();
  if (framing_.body == BodyKind::length)
    size = static_cast<size_t>(
        std::min<uint64_t>(size, framing_.length - body_bytes_));
  const std::string_view piece = turn.rest().substr(0, size);
  if (turn.tap != nullptr && !turn.accepts(turn.tap->body(piece))) return;
  take_bytes(turn, size);
  body_bytes_ += size;
  if (framing_.body == BodyKind::length && body_bytes_ == framing_.length)
    complete(turn);
}

void ResponseReader::take_chunks(Turn& turn) {
  const ChunkDecoder::Read read =
      turn.tap == nullptr ? chunks_.feed(turn.rest(), turn.heads.head_limit())
                          : next_chunks(turn);
  if (turn.read.state == State::failed) return;
  take_bytes(turn, read.consumed);
  body_bytes_ += read.body_bytes;
  switch (read.state) {
    case ChunkDecoder::State::more:
      return;
    case ChunkDecoder::State::done:
      return complete(turn);
    case ChunkDecoder::State::malformed:
      return turn.fail(Failure::protocol, "a malformed chunk");
    case ChunkDecoder::State::trailer_too_large:
      return turn.fail(Failure::protocol, "a trailer section beyond the limit");
  }
}

// The same as feed(), piece by piece, until the tap finds fault.
ChunkDecoder::Read ResponseReader::next_chunks(Turn& turn) {
  ChunkDecoder::Read read;
  const std::string_view data = turn.rest();
  while (read.state == ChunkDecoder::State::more &&
         read.consumed < data.size()) {
    const ChunkDecoder::Piece piece =
        chunks_.next(data.substr(read.consumed), turn.heads.head_limit());
    read.state = piece.state;
    read.consumed += piece.consumed;
    read.body_bytes += piece.data.size();
    if (!turn.accepts(turn.tap->body(piece.data))) break;
  }
  return read;
}

void ResponseReader::take_bytes(Turn& turn, size_t size) {
  turn.read.consumed += size;
  bytes_ += size;
}

void ResponseReader::complete(Turn& turn) {
  assert(phase_ == Phase::body);
  if (turn.tap != nullptr && !turn.accepts(turn.tap->end())) return;
  Response response = answer();
  reset();
  if (!response.closes && turn.tap == nullptr)
    response.count += take_repeats(turn);
  turn.add(response);
  if (!response.closes) return;
  phase_ = Phase::closed;
  turn.read.state = State::closing;
}

// Takes the answers that follow and equal, byte by byte, the one that has just
// been read.
uint32_t ResponseReader::take_repeats(Turn& turn) {
  if (turn.begin == std::string_view::npos) return 0;
  const std::string_view answer =
      turn.data.substr(turn.begin, turn.read.consumed - turn.begin);
  if (answer.size() > kRepeatBytes) return 0;
  const size_t count = count_repeats(turn.rest(), answer, turn.expected - 1);
  turn.read.consumed += count * answer.size();
  return static_cast<uint32_t>(count);
}

Response ResponseReader::answer() const {
  return {.count = 1,
          .status = framing_.status,
          .closes = !framing_.keep_alive,
          .own_server = framing_.own_server,
          .bytes = bytes_,
          .body_bytes = body_bytes_,
          .first_byte_ns = first_byte_ns_};
}

ResponseReader::Read ResponseReader::finish(std::vector<Response>& done,
                                            ResponseTap* tap) {
  if (phase_ != Phase::body || framing_.body != BodyKind::until_close)
    return {};
  if (tap != nullptr)
    if (const auto verdict = tap->end(); verdict.reason != nullptr)
      return {State::failed, 0, verdict.failure, verdict.reason};
  done.push_back(answer());
  reset();
  phase_ = Phase::closed;
  return {.state = State::closing};
}

}  // namespace dyno
