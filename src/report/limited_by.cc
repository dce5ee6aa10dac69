#include "report/limited_by.hh"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "report/fit.hh"

namespace dyno {
namespace {

constexpr double kReached = 0.9;
// Fewer failures than this share of the requests explain nothing.
constexpr double kFewPercent = 1;

const char* word_of(Failure kind) {
  switch (kind) {
    case Failure::pool_timeout:
    case Failure::budget_exhausted:
      return "pool";
    case Failure::queue_full:
    case Failure::busy:
    case Failure::backlog_full:
    case Failure::retry_later:
      return "busy";
    case Failure::no_connection:
    case Failure::closed:
    case Failure::reset:
    case Failure::truncated:
      return "server-close";
    case Failure::connect_timeout:
    case Failure::request_timeout:
      return "timeouts";
    case Failure::connect_refused:
      return "refused";
    case Failure::fd_exhausted:
      return "descriptors";
    case Failure::address_exhausted:
      return "ports";
    default:
      return "-";
  }
}

Failure most_frequent(const Counters& counts) {
  const auto most =
      std::max_element(counts.failures.begin(), counts.failures.end());
  return static_cast<Failure>(most - counts.failures.begin());
}

// All that the pools can have on their wires at once.
int64_t places(const CellResult& cell) {
  const Config& config = cell.cell.config;
  return config.slots() * (cell.is_server_serial() ? 1 : config.depth);
}

constexpr const char* kNotKnown = "-";

const char* word_of_cell(const CellResult& cell) {
  if (cell.limit_share() >= kReached)
    return places(cell) <= cell.cell.config.callers ? "pool" : "callers";
  if (cell.client.is_limit) return "client-cpu";
  if (cell.failed_percent() >= kFewPercent)
    return word_of(most_frequent(cell.tally.counts));
  return kNotKnown;
}

// The closed form's word, if that is what came out.
const char* word_of_closed_form(const CellResult& cell) {
  const auto rate =
      annotated_number(cell.cell, "closed_form.requests_per_second");
  if (!rate || std::abs(cell.completed_per_s() / *rate - 1) > 1 - kReached)
    return kNotKnown;
  const std::string_view word = annotated_text(cell.cell, "closed_form.limit");
  for (const char* known : {"pool", "callers", "cpu", "server-close",
                            "timeouts", "descriptors", "ports"})
    if (word == known) return known;
  return kNotKnown;
}

// A published table knows pools that turn requests away, and processors that
// may be anybody's.
const char* word_of_suite(const CellResult& cell) {
  const std::string_view word = word_of_cell(cell);
  if (word == "client-cpu") return "cpu";
  if (word == "busy") return "pool";
  if (word != kNotKnown) return word.data();
  const char* closed_form = word_of_closed_form(cell);
  if (closed_form != kNotKnown) return closed_form;
  return cell.pools.queue_peak > 0 ? "pool" : kNotKnown;
}

}  // namespace

const char* limited_by(const CellResult& cell) {
  if (cell.is_skipped()) return kNotKnown;
  return is_published(cell.cell) ? word_of_suite(cell) : word_of_cell(cell);
}

}  // namespace dyno
