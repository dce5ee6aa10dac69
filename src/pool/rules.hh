// Rules: the axes of a discipline as a pool uses them, taken from a cell's
// config. See the option table (plan/options.cc) for what each one means.
#pragma once

#include <cstdint>

#include "base/failure.hh"
#include "plan/config.hh"

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
  OnClose on_close = OnClose::honour;
  int64_t backoff_ns = 0;
  int64_t backoff_max_ns = 0;
  Pending pending = Pending::fail;
  uint32_t retry_closed = 0;
  OnTimeout on_timeout = OnTimeout::close;
  int64_t request_timeout_ns = 0;
  int64_t connect_backoff_ns = 0;
  int64_t connect_backoff_max_ns = 0;
};

Rules make_rules(const Config& config);

}  // namespace dyno
