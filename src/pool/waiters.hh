// Waiters: the queue of a pool, first in, first out. A request stands in it
// with the ticket of its question, so that one who left and came back is not
// taken for the one who left. At most one entry per request counts, its last.
#pragma once

#include <algorithm>
#include <vector>

#include "base/ring.hh"
#include "pool/request.hh"

namespace dyno {

class Waiters {
 public:
  struct Entry {
    RequestId id;
    uint32_t ticket;  // not 0
  };

  explicit Waiters(size_t requests) : tickets_(requests) {}

  bool is_empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  const Entry& front() { return queue_.front(); }

  void push(Entry entry) {
    uint32_t& ticket = tickets_[entry.id];
    size_ += ticket == 0;  // else the older entry does not count any more
    ticket = entry.ticket;
    queue_.push(entry);
    drop_dead();
  }

  Entry pop() {
    const Entry entry = queue_.pop();
    forget(entry);
    return entry;
  }

  // False when it is not there.
  bool remove(Entry entry) {
    if (tickets_[entry.id] != entry.ticket) return false;
    forget(entry);
    return true;
  }

 private:
  void forget(Entry entry) {
    tickets_[entry.id] = 0;
    --size_;
    drop_dead();
  }
  // The front is always one that counts.
  void drop_dead() {
    while (!queue_.is_empty() &&
           tickets_[queue_.front().id] != queue_.front().ticket)
      queue_.pop();
  }

  Ring<Entry> queue_;
  std::vector<uint32_t> tickets_;  // of the entry that counts; 0: none
  size_t size_ = 0;
};

// Patience: when which waiter gives up; for pools whose queue is not in the
// order of its deadlines.
class Patience {
 public:
  struct Limit {
    int64_t due_ns;
    Waiters::Entry who;
    bool operator<(const Limit& other) const { return due_ns > other.due_ns; }
  };

  bool is_empty() const { return limits_.empty(); }
  int64_t next_ns() const { return limits_.front().due_ns; }

  void push(Limit limit) {
    limits_.push_back(limit);
    std::push_heap(limits_.begin(), limits_.end());
  }
  Waiters::Entry pop() {
    std::pop_heap(limits_.begin(), limits_.end());
    const Waiters::Entry who = limits_.back().who;
    limits_.pop_back();
    return who;
  }

 private:
  std::vector<Limit> limits_;  // a heap, the earliest first
};

}  // namespace dyno
