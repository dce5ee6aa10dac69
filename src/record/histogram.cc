#include "record/histogram.hh"

#include <algorithm>
#include <cmath>

namespace dyno {
namespace {

double midpoint(uint32_t index) {
  return (static_cast<double>(HistogramScale::lowest(index)) +
          static_cast<double>(HistogramScale::highest(index))) /
         2;
}

}  // namespace

double Distribution::mean() const {
  if (count_ == 0) return 0;
  return static_cast<double>(sum_) / static_cast<double>(count_);
}

double Distribution::stdev() const {
  if (count_ == 0) return 0;
  double total = 0;
  for (const Bucket& bucket : buckets_)
    total += midpoint(bucket.index) * static_cast<double>(bucket.count);
  const double centre = total / static_cast<double>(count_);
  double squares = 0;
  for (const Bucket& bucket : buckets_) {
    const double distance = midpoint(bucket.index) - centre;
    squares += distance * distance * static_cast<double>(bucket.count);
  }
  return std::sqrt(squares / static_cast<double>(count_));
}

int64_t Distribution::quantile(double q) const {
  if (count_ == 0) return 0;
  // q and the product are rounded: 0.999 * 1000 must not become rank 1000. The
  // error is relative, and below this.
  constexpr double kRounding = 1 - 1e-15;
  const double rank = std::ceil(q * static_cast<double>(count_) * kRounding);
  const auto wanted = std::max<int64_t>(1, static_cast<int64_t>(rank));
  int64_t seen = 0;
  for (const Bucket& bucket : buckets_) {
    seen += bucket.count;
    if (seen < wanted) continue;
    // The last bucket also holds what is above the scale.
    if (bucket.index == HistogramScale::kBuckets - 1) return max_;
    return std::clamp(HistogramScale::highest(bucket.index), min_, max_);
  }
  return max_;
}

void Distribution::merge(const Distribution& other) {
  std::vector<Bucket> merged;
  merged.reserve(buckets_.size() + other.buckets_.size());
  auto a = buckets_.begin();
  auto b = other.buckets_.begin();
  while (a != buckets_.end() || b != other.buckets_.end()) {
    if (b == other.buckets_.end() ||
        (a != buckets_.end() && a->index < b->index)) {
      merged.push_back(*a++);
    } else if (a == buckets_.end() || b->index < a->index) {
      merged.push_back(*b++);
    } else {
      merged.push_back({a->index, a->count + b->count});
      ++a, ++b;
    }
  }
  buckets_ = std::move(merged);
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
}

Distribution Distribution::make(std::vector<Bucket> buckets, int64_t min,
                                int64_t max, int64_t sum) {
  Distribution made;
  for (const Bucket& bucket : buckets) made.count_ += bucket.count;
  if (made.count_ == 0) return made;
  made.buckets_ = std::move(buckets);
  made.min_ = min;
  made.max_ = max;
  made.sum_ = sum;
  return made;
}

void Histogram::add(const Histogram& other) {
  for (uint32_t i = other.first(); i < other.end(); ++i)
    counts_[i] += other.counts_[i];
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
}

void Histogram::clear() {
  std::fill(counts_.begin() + first(), counts_.begin() + end(), 0);
  min_ = INT64_MAX;
  max_ = 0;
  sum_ = 0;
}

Distribution Histogram::finish() const {
  std::vector<Distribution::Bucket> buckets;
  for (uint32_t i = first(); i < end(); ++i)
    if (counts_[i] != 0) buckets.push_back({i, counts_[i]});
  return Distribution::make(std::move(buckets), min_, max_, sum_);
}

}  // namespace dyno
