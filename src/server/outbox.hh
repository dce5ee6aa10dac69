// Outbox: the requests of one connection that are still to be answered, in the
// order in which they came, equal neighbours as one run. Decides which bytes
// are next; knows no socket and no time. One connection's.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ring.hh"
#include "server/reply.hh"

namespace dyno::server {

// Some requests in a row that get the same answer at the same time.
struct Run {
  enum class State : uint8_t {
    body,     // the request's body is still arriving
    parked,   // its delay starts when all before it are answered
    waiting,  // for its delay
    ready,
  };
  ReplyRef reply;
  uint64_t number = 0;  // of the first request that is not answered yet
  uint64_t offset = 0;  // bytes of its answer that were written
  uint64_t count = 1;
  State state = State::ready;
  Fault fault = Fault::none;
  bool is_truncated = false;
  bool says_close = false;
};

// The bytes of one system call: slices of blocks, and what had to be composed.
class Parcel {
 public:
  Parcel() : scratch_(kScratchBytes) {}

  void clear() { used_ = pieces_ = bytes_ = 0; }
  bool is_empty() const { return bytes_ == 0; }
  bool is_full() const {
    return pieces_ == slices_.size() || used_ == scratch_.size();
  }
  size_t bytes() const { return bytes_; }
  std::span<iovec> slices() { return {slices_.data(), pieces_}; }

  void add(std::string_view slice);
  // Room to compose in; what was used of it is added by add_composed().
  std::span<char> room() { return std::span(scratch_).subspan(used_); }
  void add_composed(size_t bytes);

 private:
  static constexpr size_t kScratchBytes = 128 * 1024;

  std::array<iovec, 64> slices_;
  std::vector<char> scratch_;
  size_t pieces_ = 0;
  size_t used_ = 0;
  size_t bytes_ = 0;
};

class Outbox {
 public:
  bool is_empty() const { return runs_.is_empty(); }
  size_t size() const { return runs_.size(); }

  // Gives the run's sequence number, which at() takes while it is here. A
  // ready run may join the one before it.
  uint64_t push(Run&& run);
  Run& at(uint64_t sequence) { return runs_[sequence - first_sequence_]; }
  Run& back() { return runs_[runs_.size() - 1]; }
  Run& front() { return runs_.front(); }
  uint64_t front_sequence() const { return first_sequence_; }
  uint64_t back_sequence() const { return first_sequence_ + runs_.size() - 1; }
  // Takes a request back that was no good after all.
  void pop_back() { (void)runs_.pop_back(); }
  void clear();

  // Why collecting ended. All but `more` are about the run at the front once
  // everything that was collected is written.
  enum class Stop : uint8_t {
    empty,
    more,    // the parcel is full
    waits,   // for time or for the request's body
    parked,  // its delay can start now
    never,   // this answer must not come
    reset,
    hang_up,  // close in place of, or in the middle of, an answer
    split,    // the next piece must be a segment of its own
  };
  // Adds what can be written now. `connection` is its number.
  Stop collect(Parcel& parcel, uint64_t connection);
  // So much of what was collected was written; gives the number of counted
  // answers that this finished.
  uint64_t wrote(uint64_t bytes, uint64_t connection);

 private:
  // The end of the first answer of a run.
  static uint64_t end_of(const Run& run, const Stamp& stamp);
  static Stop refusal(const Run& run);
  static Stop add_uniform(Parcel& parcel, const Run& run);
  static Stop add_composed(Parcel& parcel, const Run& run, uint64_t connection);
  static Stop add_piece(Parcel& parcel, const Run& run, uint64_t connection);
  uint64_t finish_front(uint64_t answers);

  Ring<Run> runs_;
  uint64_t first_sequence_ = 0;
};

}  // namespace dyno::server
