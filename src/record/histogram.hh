// Histogram: how often each latency occurred. The index arithmetic is that of
// HdrHistogram (hdrhistogram.org) with 3 significant digits: a value differs
// from its bucket's bounds by less than 1/1024 of it. Memory is constant while
// measuring; a finished one is kept sparse. One per worker and metric.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace dyno {

// Value 0 … 2047 have a bucket each; above, each power of two has 1024.
struct HistogramScale {
  static constexpr int kSubBits = 11;
  static constexpr uint32_t kSubCount = 1u << kSubBits;
  static constexpr uint32_t kHalfCount = kSubCount / 2;
  static constexpr int64_t kHighest = int64_t{1} << 42;  // over 73 minutes
  static constexpr uint32_t kBuckets = (42 - kSubBits + 2) * kHalfCount;

  static constexpr uint32_t index(int64_t value) {
    const auto v = static_cast<uint64_t>(value);
    const int shift = 64 - kSubBits - std::countl_zero(v | (kSubCount - 1));
    return static_cast<uint32_t>(shift) * kHalfCount +
           static_cast<uint32_t>(v >> shift);
  }
  static constexpr int64_t lowest(uint32_t index) {
    const uint32_t bucket = index < kSubCount ? 0 : index / kHalfCount - 1;
    const uint64_t sub = index - bucket * kHalfCount;
    return static_cast<int64_t>(sub << bucket);
  }
  // The largest value that falls into the bucket.
  static constexpr int64_t highest(uint32_t index) {
    return lowest(index + 1) - 1;
  }
};

// A finished histogram: sparse buckets in rising order, mergeable exactly.
class Distribution {
 public:
  struct Bucket {
    uint32_t index;
    int64_t count;
    bool operator==(const Bucket&) const = default;
  };

  int64_t count() const { return count_; }
  int64_t min() const { return count_ == 0 ? 0 : min_; }
  int64_t max() const { return max_; }
  int64_t sum() const { return sum_; }
  double mean() const;   // exact: sum / count; 0 when empty
  double stdev() const;  // population, from the buckets' midpoints

  // Nearest rank: the smallest bucket that holds the ceil(q * count)-th value;
  // its upper bound, never outside min … max. q in 0 … 1. 0 when empty.
  int64_t quantile(double q) const;

  std::span<const Bucket> buckets() const { return buckets_; }
  void merge(const Distribution& other);

  static Distribution make(std::vector<Bucket> buckets, int64_t min,
                           int64_t max, int64_t sum);
  bool operator==(const Distribution&) const = default;

 private:
  std::vector<Bucket> buckets_;
  int64_t count_ = 0;
  int64_t min_ = INT64_MAX;
  int64_t max_ = 0;
  int64_t sum_ = 0;
};

// Memory that the system gives as zeros: buckets that never count anything are
// never touched and cost neither time nor memory.
template <typename T>
struct ZeroedAllocator {
  using value_type = T;

  T* allocate(size_t count) {
    void* made = std::calloc(count, sizeof(T));
    if (made == nullptr) throw std::bad_alloc();
    return static_cast<T*>(made);
  }
  void deallocate(T* made, size_t) { std::free(made); }
  void construct(T*) {}  // it is zero already
  template <typename From>
  void construct(T* at, const From& value) {
    *at = value;
  }
  bool operator==(const ZeroedAllocator&) const = default;
};

class Histogram {
 public:
  Histogram() : counts_(HistogramScale::kBuckets) {}

  // `count` equal values in ns. Values below 0 count as 0, those above
  // HistogramScale::kHighest fall into the last bucket; min, max and sum keep
  // the true value.
  void record(int64_t value, int64_t count) {
    if (value < 0) value = 0;
    if (value < min_) min_ = value;
    if (value > max_) max_ = value;
    sum_ += value * count;
    counts_[bucket_of(value)] += count;
  }

  // As if everything that `other` holds had been recorded here.
  void add(const Histogram& other);
  bool is_empty() const { return min_ == INT64_MAX; }
  void clear();
  Distribution finish() const;

 private:
  static uint32_t bucket_of(int64_t value) {
    return HistogramScale::index(value < HistogramScale::kHighest
                                     ? value
                                     : HistogramScale::kHighest - 1);
  }
  // The buckets that may hold something: first … end - 1.
  uint32_t first() const { return is_empty() ? 0 : bucket_of(min_); }
  uint32_t end() const { return is_empty() ? 0 : bucket_of(max_) + 1; }

  std::vector<int64_t, ZeroedAllocator<int64_t>> counts_;
  int64_t min_ = INT64_MAX;
  int64_t max_ = 0;
  int64_t sum_ = 0;
};

}  // namespace dyno
