// THE failure table: every way in which one request can fail, once. Reports,
// JSON, the C ABI and the docs take kind, phase, side and hint from here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dyno {

enum class Failure : uint8_t {
  pool_timeout,
  queue_full,
  busy,
  backlog_full,
  retry_later,
  no_connection,
  budget_exhausted,
  resolve,
  connect_refused,
  connect_timeout,
  connect_other,
  fd_exhausted,
  address_exhausted,
  tls,
  proxy,
  send,
  closed,
  reset,
  truncated,
  request_timeout,
  protocol,
  header_too_large,
  too_many_redirects,
  body_mismatch,
  misdelivered,
};

inline constexpr size_t kFailureKinds = 25;

struct FailureRow {
  Failure kind;
  const char* name;   // as printed and as in JSON
  const char* phase;  // pool, resolve, connect, send, response
  const char* side;   // ours, theirs, network
  const char* hint;   // what to look at first
};

std::span<const FailureRow> failure_table();
const FailureRow& failure_row(Failure kind);
const FailureRow* find_failure(std::string_view name);

// The kind of a failed connect(), by its errno.
Failure connect_failure(int error);

}  // namespace dyno
