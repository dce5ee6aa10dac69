#include "pool/rules.hh"

namespace dyno {
namespace {

Failure full_kind(const Rules& rules) {
  if (rules.leaks) return Failure::fd_exhausted;
  if (rules.selects_by_load()) return Failure::retry_later;
  return rules.room > 1 ? Failure::backlog_full : Failure::busy;
}

}  // namespace

Rules make_rules(const Config& config) {
  Rules rules;
  rules.select = config.select;
  rules.depth = static_cast<uint32_t>(config.depth);
  rules.room = static_cast<uint64_t>(config.depth + config.slot_queue);
  rules.full = config.full;
  rules.queue_limit = config.queue_limit;
  rules.wait_ns = config.wait_ns;
  rules.open = config.open;
  rules.leaks = config.leak_on_done;
  rules.on_close = config.on_close;
  rules.backoff_ns = config.backoff_ns;
  rules.backoff_max_ns = config.backoff_max_ns;
  rules.down_tries = static_cast<uint32_t>(config.down_tries);
  rules.pending = config.pending;
  rules.retry_closed = static_cast<uint32_t>(config.retry_closed);
  rules.on_timeout = config.on_timeout;
  rules.budget = config.budget;
  rules.idle_timeout_ns = config.idle_timeout_ns;
  rules.request_timeout_ns = config.request_timeout_ns;
  rules.has_late_news = config.has_late_news();
  rules.connect_backoff_ns = config.connect_backoff_ns;
  rules.connect_backoff_max_ns = config.connect_backoff_max_ns;
  const bool is_eager = config.cancel == Cancel::eager;
  rules.owner_cost_ns = config.owner_cost_ns;
  rules.owner_slot_cost_ns = config.owner_slot_cost_ns;
  rules.cancel_scan_ns = is_eager ? config.cancel_scan_ns : 0;
  const int64_t costs =
      rules.owner_cost_ns + rules.owner_slot_cost_ns + rules.cancel_scan_ns;
  rules.timer_lateness_ns = config.sim_timer_lateness_ns;
  rules.is_serial = config.owner == OwnerKind::serial && costs > 0;
  rules.cancels_eagerly = rules.is_serial && is_eager;
  rules.full_kind = full_kind(rules);
  return rules;
}

}  // namespace dyno
