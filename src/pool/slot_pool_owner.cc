// SlotPool: the messages of a serial owner. A caller that asks one waits from
// the moment it asks; its patience runs while its message lies in the mailbox,
// and what it gives up comes back as a message too. An owner that cancels
// eagerly does not look whether who it grants a slot is still there: the slot
// is held until that caller's cancel has been read (poolboy@1.5.2
// src/poolboy.erl), which is how such a pool collapses.
#include <algorithm>
#include <utility>

#include "base/units.hh"
#include "pool/slot_pool.hh"

namespace dyno {

void SlotPool::advance(int64_t now_ns) {
  if (!rules_.is_serial) return;
  while (owner_.is_due(now_ns)) {
    handle(owner_.finish(), now_ns);
    take_message();
  }
  expire_patience(now_ns);
}

int64_t SlotPool::next_due_ns() const {
  if (!rules_.is_serial) return kUnlimited;
  const int64_t gives_up_ns =
      patience_.is_empty() ? kUnlimited : patience_.next_ns();
  return std::min(owner_.due_ns(), gives_up_ns);
}

// --- what callers do ---------------------------------------------------------

void SlotPool::ask_owner(RequestId id, int64_t now_ns) {
  const Waiters::Entry who{id, requests_[id].ticket};
  if (rules_.wait_ns != kUnlimited) {
    const double lateness =
        rng_.real() * static_cast<double>(rules_.timer_lateness_ns);
    patience_.push(
        {now_ns + rules_.wait_ns + static_cast<int64_t>(lateness), who});
  }
  post({Message::checkout, id, who.ticket}, now_ns);
}

// It has neither a slot nor any hope for this ticket.
bool SlotPool::has_gone(Waiters::Entry who) const {
  const Request& request = requests_[who.id];
  return !request.is_out || request.is_granted || request.ticket != who.ticket;
}

void SlotPool::expire_patience(int64_t now_ns) {
  while (!patience_.is_empty() && patience_.next_ns() <= now_ns) {
    const Waiters::Entry who = patience_.pop();
    if (has_gone(who)) continue;
    ++requests_[who.id].ticket;  // whoever looks for this one finds it gone
    if (rules_.cancels_eagerly)
      post({Message::cancel, who.id, who.ticket}, now_ns);
    grants_.expired(who.id, now_ns);
  }
}

// A place that a caller does not need any more.
void SlotPool::give_back(SlotId id, int64_t now_ns) {
  if (!rules_.is_serial) return;
  ++at(id).unreturned;
  post({Message::checkin, id}, now_ns);
}

void SlotPool::give_back_taken(SlotId id, int64_t now_ns) {
  for (Slot& slot = at(id); slot.taken > 0; --slot.taken) give_back(id, now_ns);
}

void SlotPool::post(Message message, int64_t now_ns) {
  owner_.post(message, now_ns);
  take_message();
}

// --- what the owner does -----------------------------------------------------

void SlotPool::take_message() {
  if (const Message* message = owner_.next()) owner_.begin(cost_of(*message));
}

int64_t SlotPool::cost_of(const Message& message) const {
  int64_t cost_ns = rules_.owner_cost_ns + rules_.owner_slot_cost_ns * size();
  if (message.kind == Message::cancel)
    cost_ns += rules_.cancel_scan_ns * static_cast<int64_t>(waiters_.size());
  return cost_ns;
}

void SlotPool::handle(const Message& message, int64_t now_ns) {
  switch (message.kind) {
    case Message::checkout:
      return handle_checkout({message.subject, message.ticket}, now_ns);
    case Message::checkin:
      return returned(message.subject, now_ns);
    case Message::cancel:
      return handle_cancel({message.subject, message.ticket}, now_ns);
  }
}

void SlotPool::handle_checkout(Waiters::Entry who, int64_t now_ns) {
  if (!has_gone(who)) {
    const Admission admission = check_out(who.id, now_ns);
    if (admission.what == Admission::failed)
      grants_.refused(who.id, admission.kind, {}, now_ns);
    else if (admission.what == Admission::granted)
      grants_.granted(who.id, now_ns);
    return;
  }
  if (!rules_.cancels_eagerly) return;
  SlotId slot = 0;
  if (choose(requests_[who.id], slot) && rules_.has_room(at(slot)))
    hold(slot, who.id);
  else
    enqueue(who);
}

void SlotPool::handle_cancel(Waiters::Entry who, int64_t now_ns) {
  if (waiters_.remove(who)) return;
  const SlotId held = std::exchange(held_for_[who.id], kNoSlot);
  if (held != kNoSlot) returned(held, now_ns);
}

// Given to a caller that has gone. A caller's messages are read in order, so
// no more than one slot is ever held for it.
void SlotPool::hold(SlotId id, RequestId request) {
  ++at(id).unreturned;
  held_for_[request] = id;
}

void SlotPool::returned(SlotId id, int64_t now_ns) {
  --at(id).unreturned;
  make_room(id, now_ns);
}

}  // namespace dyno
