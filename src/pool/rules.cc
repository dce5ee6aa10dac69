#include "pool/rules.hh"

namespace dyno {

Rules make_rules(const Config& config) {
  Rules rules;
  rules.select = config.select;
  rules.depth = static_cast<uint32_t>(config.depth);
  rules.room = static_cast<uint64_t>(config.depth + config.slot_queue);
  rules.full = config.full;
  rules.full_kind = rules.room > 1 ? Failure::backlog_full : Failure::busy;
  rules.queue_limit = config.queue_limit;
  rules.wait_ns = config.wait_ns;
  rules.open = config.open;
  rules.on_close = config.on_close;
  rules.backoff_ns = config.backoff_ns;
  rules.backoff_max_ns = config.backoff_max_ns;
  rules.pending = config.pending;
  rules.retry_closed = static_cast<uint32_t>(config.retry_closed);
  rules.on_timeout = config.on_timeout;
  rules.request_timeout_ns = config.request_timeout_ns;
  rules.connect_backoff_ns = config.connect_backoff_ns;
  rules.connect_backoff_max_ns = config.connect_backoff_max_ns;
  return rules;
}

}  // namespace dyno
