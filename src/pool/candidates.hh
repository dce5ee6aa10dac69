// Candidates: the slots that a pool can give to a request, in the order of its
// discipline: the idle ones and those without a connection yet, or all of them
// by load. For disciplines that look at a slot's state before they propose it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ring.hh"
#include "pool/rules.hh"
#include "pool/slot.hh"

namespace dyno {

// The slots by load, the oldest connection first where that is equal. A binary
// heap that knows where each slot stands.
class LoadHeap {
 public:
  explicit LoadHeap(size_t slots) : places_(slots, kNowhere) {}

  bool is_empty() const { return heap_.empty(); }
  uint32_t top() const { return heap_.front().slot; }
  void put(uint32_t slot, uint64_t load, uint32_t age);  // new, or moved
  void remove(uint32_t slot);

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;
  struct Node {
    uint64_t load;
    uint32_t age;
    uint32_t slot;
    bool operator<(const Node& other) const {
      return load != other.load ? load < other.load : age < other.age;
    }
  };

  void sift_up(size_t place, Node node);
  void sift_down(size_t place, Node node);
  void set(size_t place, Node node);

  std::vector<Node> heap_;
  std::vector<uint32_t> places_;  // of each slot in the heap
};

class Candidates {
 public:
  using Slots = std::vector<Slot>;

  Candidates(const Rules& rules, size_t slots)
      : rules_(rules), by_load_(rules.selects_by_load() ? slots : 0) {}

  // To be called whenever the state or load of the slot at `index` changed.
  void update(Slots& slots, uint32_t index);
  // The slot that the discipline prefers; false: none has room.
  bool take(Slots& slots, uint32_t& index);

 private:
  bool take_idle(Slots& slots, uint32_t& index);
  bool take_fresh(Slots& slots, uint32_t& index);
  bool take_least(const Slots& slots, uint32_t& index) const;

  Rules rules_;
  // Open slots with room, and those without a connection yet. Every one of
  // them is there, once; entries may be out of date.
  Ring<uint32_t> idle_;
  Ring<uint32_t> fresh_;
  LoadHeap by_load_;
};

}  // namespace dyno
