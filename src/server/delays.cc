#include "server/delays.hh"

#include <algorithm>

#include "base/units.hh"
#include "server/clock.hh"

namespace dyno::server {
namespace {

bool is_later(const Ticket& a, const Ticket& b) {
  return a.due_ns > b.due_ns;
}

// libevent counts microseconds; rounded up, nothing is ever early.
void arm(event& timer, int64_t due_ns, int64_t now_ns) {
  const int64_t left_us =
      std::max<int64_t>(due_ns - now_ns + kMicrosecond - 1, 0) / kMicrosecond;
  const timeval left{.tv_sec = left_us / 1'000'000,
                     .tv_usec = left_us % 1'000'000};
  event_add(&timer, &left);
}

}  // namespace

Delays::Delays(event_base* base, DueSink& sink) : base_(base), sink_(sink) {
  evtimer_assign(&heap_timer_, base_, on_heap, this);
}

Delays::~Delays() {
  event_del(&heap_timer_);
  for (const auto& queue : queues_) event_del(&queue->timer);
}

Delays::Queue* Delays::queue_for(int64_t delay_ns) {
  if (last_ < queues_.size() && queues_[last_]->delay_ns == delay_ns)
    return queues_[last_].get();
  Queue* idle = nullptr;
  for (last_ = 0; last_ < queues_.size(); ++last_) {
    Queue* queue = queues_[last_].get();
    if (queue->delay_ns == delay_ns) return queue;
    if (queue->tickets.is_empty()) idle = queue;
  }
  if (queues_.size() < kQueues) {
    queues_.push_back(std::make_unique<Queue>());
    idle = queues_.back().get();
    idle->owner = this;
    evtimer_assign(&idle->timer, base_, on_queue, idle);
  }
  if (idle != nullptr) idle->delay_ns = delay_ns;
  return idle;
}

void Delays::add(const Ticket& ticket, int64_t delay_ns, int64_t now_ns) {
  Queue* queue = queue_for(delay_ns);
  if (queue == nullptr) return add_odd(ticket, now_ns);
  const bool was_empty = queue->tickets.is_empty();
  queue->tickets.push(ticket);
  if (was_empty) arm(queue->timer, ticket.due_ns, now_ns);
}

void Delays::add_odd(const Ticket& ticket, int64_t now_ns) {
  heap_.push_back(ticket);
  std::push_heap(heap_.begin(), heap_.end(), is_later);
  if (heap_.front().due_ns == ticket.due_ns)
    arm(heap_timer_, ticket.due_ns, now_ns);
}

void Delays::on_queue(evutil_socket_t, short, void* argument) noexcept {
  Queue& queue = *static_cast<Queue*>(argument);
  const int64_t now_ns = monotonic_ns();
  // Serial requests may be given a delay here again: not in this round.
  size_t due = 0;
  while (due < queue.tickets.size() && queue.tickets[due].due_ns <= now_ns)
    ++due;
  for (; due > 0; --due) queue.owner->sink_.due(queue.tickets.pop());
  if (!queue.tickets.is_empty())
    arm(queue.timer, queue.tickets.front().due_ns, now_ns);
  queue.owner->sink_.all_due();
}

void Delays::on_heap(evutil_socket_t, short, void* argument) noexcept {
  Delays& self = *static_cast<Delays*>(argument);
  const int64_t now_ns = monotonic_ns();
  while (!self.heap_.empty() && self.heap_.front().due_ns <= now_ns) {
    std::pop_heap(self.heap_.begin(), self.heap_.end(), is_later);
    const Ticket ticket = self.heap_.back();
    self.heap_.pop_back();
    self.sink_.due(ticket);
  }
  if (!self.heap_.empty())
    arm(self.heap_timer_, self.heap_.front().due_ns, now_ns);
  self.sink_.all_due();
}

}  // namespace dyno::server
