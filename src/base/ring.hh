// Ring: a first-in-first-out queue that allocates nothing until it is used and
// nothing again once it has grown to the size that is needed.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace dyno {

template <typename T>
class Ring {
 public:
  bool is_empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  T& front() {
    assert(size_ > 0);
    return cells_[head_];
  }

  // The element that stands `index` places behind the front.
  T& operator[](size_t index) {
    assert(index < size_);
    return cells_[(head_ + index) & (capacity_ - 1)];
  }
  const T& operator[](size_t index) const {
    assert(index < size_);
    return cells_[(head_ + index) & (capacity_ - 1)];
  }

  void push(T value) {
    if (size_ == capacity_) grow();
    cells_[(head_ + size_) & (capacity_ - 1)] = std::move(value);
    ++size_;
  }

  T pop() {
    assert(size_ > 0);
    T value = std::move(cells_[head_]);
    head_ = (head_ + 1) & (capacity_ - 1);
    --size_;
    return value;
  }

  // As many as there is room for; so many must be there.
  void pop(std::span<T> to) {
    assert(to.size() <= size_);
    uint32_t head = head_;
    for (T& value : to) {
      value = std::move(cells_[head]);
      head = (head + 1) & (capacity_ - 1);
    }
    head_ = head;
    size_ -= static_cast<uint32_t>(to.size());
  }

  T pop_back() {
    assert(size_ > 0);
    --size_;
    return std::move(cells_[(head_ + size_) & (capacity_ - 1)]);
  }

  void clear() { head_ = size_ = 0; }

 private:
  void grow() {
    const uint32_t capacity = capacity_ == 0 ? 2 : capacity_ * 2;
    auto cells = std::make_unique<T[]>(capacity);
    for (uint32_t i = 0; i < size_; ++i) cells[i] = std::move((*this)[i]);
    cells_ = std::move(cells);
    capacity_ = capacity;
    head_ = 0;
  }

  std::unique_ptr<T[]> cells_;
  uint32_t capacity_ = 0;  // a power of two
  uint32_t head_ = 0;
  uint32_t size_ = 0;
};

}  // namespace dyno
