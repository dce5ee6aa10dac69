#include "suite/closed_form.hh"

#include <algorithm>

namespace dyno {
namespace {

ClosedForm with_limit(ClosedForm form, double most, const char* formula,
                      const char* limit) {
  if (most <= 0 || most >= *form.requests_per_second) return form;
  form.requests_per_second = most;
  form.formula = formula;
  form.limit = limit;
  return form;
}

// What the machine or a serial owner makes of a rate that the pool would give.
ClosedForm limited(ClosedForm form, const RowFacts& row) {
  if (row.owner > 0)
    form = with_limit(form, 1 / row.owner, "1 / owner's time", "pool");
  return with_limit(form, row.capacity, "processors / cost", "cpu");
}

double closes_percent(const RowFacts& row) {
  return row.fails_once_per_close ? 100 / (row.per_close + 1) : 0;
}

// Every slot serves K requests, is closed and answers at once that it is down:
// the callers burn what is left of the budget before it is up again.
ClosedForm burn(const RowFacts& row) {
  const double served = row.slots * row.pools * row.per_close;
  ClosedForm form;
  form.error_percent = std::max(0.0, 100 * (1 - served / row.requests));
  form.formula = "1 - S*K/N";
  form.limit = *form.error_percent > 0 ? "server-close" : "-";
  return form;
}

// More callers than a queue serves within T: x of them give up per second.
ClosedForm overloaded(const RowFacts& row, double threshold) {
  const double slots = row.slots * row.pools;
  const double expiring = (row.callers - threshold) / row.wait;
  const double cancel =
      row.message + row.scan * (row.callers / row.pools - row.slots);
  ClosedForm form;
  if (expiring / row.pools * cancel >= 1) {
    // The owner does nothing but cancels: one T of useful work in the run.
    form.requests_per_second =
        slots * row.callers / (row.hold * row.requests * row.rounds);
    form.error_percent =
        100 * (1 - slots * row.wait / (row.hold * row.requests));
    form.formula = "S*P*C / (h*N*r)";
    form.limit = "timeouts";
    return form;
  }
  // Late answers are taken for timely ones: more than S/h, how much is not
  // known in closed form.
  if (row.takes_any_answer) return form;
  const double rate = slots / row.hold;
  form.requests_per_second = rate;
  form.error_percent = 100 * expiring / (rate + expiring);
  form.formula = "S*P/h; x / (S*P/h + x)";
  form.limit = "pool";
  return limited(form, row);
}

ClosedForm queue(const RowFacts& row) {
  const double slots = row.slots * row.pools;
  const double threshold = slots * (1 + row.wait / row.hold);
  if (row.wait > 0 && row.callers > threshold)
    return overloaded(row, threshold);
  ClosedForm form;
  const bool is_pool = slots <= row.callers;
  form.requests_per_second = std::min(slots, row.callers) / row.hold;
  form.formula = is_pool ? "S*P/h" : "C/h";
  form.limit = is_pool ? "pool" : "callers";
  form.error_percent = closes_percent(row);
  return limited(form, row);
}

// One process does a part of every request, one request after another.
ClosedForm owner(const RowFacts& row) {
  ClosedForm form;
  form.requests_per_second = row.callers / row.hold;
  form.formula = "C/h";
  form.limit = "callers";
  if (row.owner <= 0) return {};
  return limited(form, row);
}

// Connections that are left to the server's idle close.
ClosedForm leak(const RowFacts& row) {
  constexpr double kPorts = kLocalPorts;
  const bool is_files = row.open_files > 0 && row.open_files < kPorts;
  ClosedForm form;
  form.requests_per_second =
      (is_files ? row.open_files : kPorts) / row.idle_close;
  form.formula = is_files ? "F/I" : "ports/I";
  form.limit = is_files ? "descriptors" : "ports";
  return limited(form, row);
}

}  // namespace

ClosedForm closed_form(Law law, const RowFacts& row) {
  switch (law) {
    case Law::burn:
      return burn(row);
    case Law::queue:
      return queue(row);
    case Law::owner:
      return owner(row);
    case Law::leak:
      return leak(row);
    case Law::unknown:
      break;
  }
  return {};
}

}  // namespace dyno
