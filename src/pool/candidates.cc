#include "pool/candidates.hh"

#include <utility>

namespace dyno {

// --- LoadHeap ----------------------------------------------------------------

void LoadHeap::put(uint32_t slot, uint64_t load, uint32_t age) {
  const Node node{load, age, slot};
  size_t place = places_[slot];
  if (place == kNowhere) {
    place = heap_.size();
    heap_.push_back(node);
  }
  sift_up(place, node);
  sift_down(places_[slot], node);
}

void LoadHeap::remove(uint32_t slot) {
  const size_t place = std::exchange(places_[slot], kNowhere);
  if (place == kNowhere) return;
  const Node last = heap_.back();
  heap_.pop_back();
  if (last.slot == slot) return;
  sift_up(place, last);
  sift_down(places_[last.slot], last);
}

void LoadHeap::sift_up(size_t place, Node node) {
  while (place > 0) {
    const size_t parent = (place - 1) / 2;
    if (!(node < heap_[parent])) break;
    set(place, heap_[parent]);
    place = parent;
  }
  set(place, node);
}

void LoadHeap::sift_down(size_t place, Node node) {
  for (size_t child; (child = 2 * place + 1) < heap_.size(); place = child) {
    if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
    if (!(heap_[child] < node)) break;
    set(place, heap_[child]);
  }
  set(place, node);
}

void LoadHeap::set(size_t place, Node node) {
  heap_[place] = node;
  places_[node.slot] = static_cast<uint32_t>(place);
}

// --- Candidates --------------------------------------------------------------

void Candidates::update(Slots& slots, uint32_t index) {
  if (rules_.draws()) return;
  Slot& slot = slots[index];
  const SlotState state = slot.state;
  const bool is_idle = state == SlotState::open || state == SlotState::stale;
  if (rules_.selects_by_load()) {
    if (rules_.select == Select::least_ready
            ? is_idle && (slot.has_served || rules_.load(slot) == 0)
            : is_idle || state == SlotState::opening)
      by_load_.put(index, rules_.load(slot), slot.age);
    else
      by_load_.remove(index);
    if (state != SlotState::empty) return;
  }
  if (!rules_.has_room(slot)) return;
  if (!slot.can_serve()) return;
  bool& is_listed = is_idle ? slot.is_in_idle : slot.is_in_fresh;
  if (is_listed) return;
  is_listed = true;
  (is_idle ? idle_ : fresh_).push(index);
}

bool Candidates::take(Slots& slots, uint32_t& index) {
  switch (rules_.select) {
    case Select::least_loaded:
      return take_fresh(slots, index) || take_least(slots, index);
    case Select::least_ready:
      return take_least(slots, index) || take_fresh(slots, index);
    default:
      return take_idle(slots, index) || take_fresh(slots, index);
  }
}

// Entries whose slot has changed since it was listed are dropped on the way.
bool Candidates::take_idle(Slots& slots, uint32_t& index) {
  while (!idle_.is_empty()) {
    index = rules_.select == Select::idle_lifo ? idle_.pop_back() : idle_.pop();
    Slot& slot = slots[index];
    slot.is_in_idle = false;
    const bool is_idle =
        slot.state == SlotState::open || slot.state == SlotState::stale;
    if (is_idle && rules_.has_room(slot)) return true;
  }
  return false;
}

bool Candidates::take_fresh(Slots& slots, uint32_t& index) {
  while (!fresh_.is_empty()) {
    index = fresh_.pop();
    Slot& slot = slots[index];
    slot.is_in_fresh = false;
    const bool is_fresh =
        slot.state == SlotState::empty ||
        (slot.state == SlotState::opening && rules_.selects_idle());
    if (is_fresh && rules_.has_room(slot)) return true;
  }
  return false;
}

bool Candidates::take_least(const Slots& slots, uint32_t& index) const {
  if (by_load_.is_empty()) return false;
  index = by_load_.top();
  return rules_.has_room(slots[index]);
}

}  // namespace dyno
