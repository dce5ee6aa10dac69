// Series: completed and failed requests per interval of the measured time.
// Bounded: when it is full, neighbours are added up and the interval doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dyno {

class Series {
 public:
  static constexpr int64_t kFirstInterval = 100'000'000;  // ns
  static constexpr size_t kMostPoints = 600;

  struct Point {
    int64_t completed = 0;
    int64_t failed = 0;
    bool operator==(const Point&) const = default;
  };

  // Adds to the point that holds `at_ns`, counted from the start of measuring.
  void add(int64_t at_ns, int64_t completed, int64_t failed);
  void merge(const Series& other);

  int64_t interval_ns() const { return interval_; }
  const std::vector<Point>& points() const { return points_; }

  static Series make(int64_t interval_ns, std::vector<Point> points);
  bool operator==(const Series&) const = default;

 private:
  void halve();

  int64_t interval_ = kFirstInterval;
  std::vector<Point> points_;
};

}  // namespace dyno
