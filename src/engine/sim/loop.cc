#include "engine/sim/loop.hh"

#include <algorithm>

#include "base/units.hh"

namespace dyno {

void SimLoop::run(Turn& turn) {
  is_stopped_ = false;
  try {
    while (!is_stopped_) {
      posted_.run();
      const int64_t next_ns = turn.turn(now_ns_);
      if (is_stopped_ || !advance(next_ns)) break;
      let_happen();
    }
  } catch (...) {
    close();
    throw;
  }
  close();
}

// A turn that wants to be called again at once takes 1 ns where nothing else
// happens, or time would stand still.
bool SimLoop::advance(int64_t next_turn_ns) {
  const int64_t event_ns =
      events_.is_empty() ? kUnlimited : events_.front().at_ns;
  if (event_ns <= now_ns_) return true;
  if (std::min(event_ns, next_turn_ns) == kUnlimited) return false;
  now_ns_ = std::min(event_ns, std::max(next_turn_ns, now_ns_ + 1));
  return true;
}

// All of this instant, what it brings about for this instant too.
void SimLoop::let_happen() {
  while (!is_stopped_ && !events_.is_empty() &&
         events_.front().at_ns <= now_ns_)
    model_->happened(events_.pop());
}

void SimLoop::close() {
  posted_.close();
  posted_.run();
}

}  // namespace dyno
