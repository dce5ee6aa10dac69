// EventQueue: what is still to happen in a simulation, the earliest first, and
// of the same instant in the order in which it was planned. A heap of four
// children a node: one level of it is about one cache line.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/transport.hh"

namespace dyno {

struct SimEvent {
  int64_t at_ns;
  uint64_t order;  // the number of the event, and its kind in the last bits
  SlotId slot;
  uint32_t epoch;  // of the slot's connection; of another one: out of date

  static constexpr int kKindBits = 3;
  uint8_t kind() const { return order & ((1u << kKindBits) - 1); }
};

class EventQueue {
 public:
  bool is_empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  const SimEvent& front() const { return heap_.front(); }

  void push(int64_t at_ns, uint8_t kind, SlotId slot, uint32_t epoch) {
    assert(kind < 1u << SimEvent::kKindBits);
    const uint64_t order = planned_++ << SimEvent::kKindBits | kind;
    heap_.push_back({at_ns, order, slot, epoch});
    rise(heap_.size() - 1);
  }

  SimEvent pop() {
    const SimEvent first = heap_.front();
    const SimEvent last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return first;
  }

 private:
  static constexpr size_t kChildren = 4;

  static bool is_before(const SimEvent& a, const SimEvent& b) {
    return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.order < b.order;
  }

  void rise(size_t place) {
    const SimEvent event = heap_[place];
    while (place > 0) {
      const size_t parent = (place - 1) / kChildren;
      if (!is_before(event, heap_[parent])) break;
      heap_[place] = heap_[parent];
      place = parent;
    }
    heap_[place] = event;
  }

  // Finds the place of `event`, which takes that of the front.
  void sink(const SimEvent& event) {
    size_t place = 0;
    while (place * kChildren + 1 < heap_.size()) {
      const size_t first = place * kChildren + 1;
      const size_t end = std::min(first + kChildren, heap_.size());
      size_t child = first;
      for (size_t i = first + 1; i < end; ++i)
        if (is_before(heap_[i], heap_[child])) child = i;
      if (!is_before(heap_[child], event)) break;
      heap_[place] = heap_[child];
      place = child;
    }
    heap_[place] = event;
  }

  std::vector<SimEvent> heap_;
  uint64_t planned_ = 0;
};

}  // namespace dyno
