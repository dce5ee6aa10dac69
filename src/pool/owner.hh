// Owner: the process that owns a pool in some clients. It takes one message
// after another and each one costs it time, so that callers meet its queue
// before they meet the pool's. Time is an argument; the same under a real and
// a virtual clock. What a message does is the pool's business.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/ring.hh"
#include "base/units.hh"

namespace dyno {

struct Message {
  enum Kind : uint8_t { checkout, checkin, cancel };
  Kind kind;
  uint32_t subject;     // a request; of a check-in the slot
  uint32_t ticket = 0;  // of the request
};

class Owner {
 public:
  void post(Message message, int64_t now_ns) {
    mailbox_.push({message, now_ns});
  }

  // The message that it would take now, if it is free and has one.
  const Message* next() const {
    return is_busy_ || mailbox_.is_empty() ? nullptr : &mailbox_[0].message;
  }
  // Takes it; it is done with it `cost_ns` later.
  void begin(int64_t cost_ns) {
    is_busy_ = true;
    free_at_ns_ = std::max(free_at_ns_, mailbox_[0].posted_ns) + cost_ns;
  }

  bool is_due(int64_t now_ns) const {
    return is_busy_ && free_at_ns_ <= now_ns;
  }
  int64_t due_ns() const { return is_busy_ ? free_at_ns_ : kUnlimited; }
  // What it is done with.
  Message finish() {
    is_busy_ = false;
    return mailbox_.pop().message;
  }

 private:
  struct Letter {
    Message message;
    int64_t posted_ns;
  };

  Ring<Letter> mailbox_;
  bool is_busy_ = false;  // with the front of the mailbox
  int64_t free_at_ns_ = 0;
};

}  // namespace dyno
