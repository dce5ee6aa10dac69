// Rules: the axes of a discipline as a pool uses them, taken from a cell's
// config. See the option table (plan/options.cc) for what each one means.
#pragma once

#include <cstdint>

#include "base/failure.hh"
#include "plan/config.hh"
#include "pool/slot.hh"

namespace dyno {

struct Rules {
  Select select = Select::own;
  uint32_t depth = 1;
  uint64_t room = 1;  // depth + slot_queue
  Full full = Full::wait;
  Failure full_kind = Failure::busy;  // what a request fails with when full
  int64_t queue_limit = kUnlimited;
  int64_t wait_ns = kUnlimited;
  Open open = Open::lazy;
  bool leaks = false;
  OnClose on_close = OnClose::honour;
  int64_t backoff_ns = 0;
  int64_t backoff_max_ns = 0;
  uint32_t down_tries = 0;
  Pending pending = Pending::fail;
  uint32_t retry_closed = 0;
  OnTimeout on_timeout = OnTimeout::close;
  Budget budget = Budget::separate;
  int64_t request_timeout_ns = 0;
  int64_t idle_timeout_ns = kUnlimited;
  bool has_late_news = false;  // an opened connection may be none yet
  int64_t connect_backoff_ns = 0;
  int64_t connect_backoff_max_ns = 0;

  // A serial owner whose messages cost nothing is no different from none.
  bool is_serial = false;
  bool cancels_eagerly = false;  // by a message to that owner
  int64_t owner_cost_ns = 0;
  int64_t owner_slot_cost_ns = 0;
  int64_t cancel_scan_ns = 0;
  int64_t timer_lateness_ns = 0;  // of a modelled host

  bool selects_idle() const {
    return select == Select::idle_lifo || select == Select::idle_fifo;
  }
  bool selects_by_load() const {
    return select == Select::least_loaded || select == Select::least_ready;
  }
  bool draws() const { return !selects_idle() && !selects_by_load(); }

  // Places that take no room from the next request.
  uint32_t forgotten(const Slot& slot) const {
    return on_timeout == OnTimeout::abandon ? slot.late : 0;
  }
  // The requests that a slot has for this discipline.
  uint64_t load(const Slot& slot) const {
    return slot.queue.size() + slot.unreturned + slot.taken - forgotten(slot);
  }
  bool has_room(const Slot& slot) const { return load(slot) < room; }
};

Rules make_rules(const Config& config);

}  // namespace dyno
