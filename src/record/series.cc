#include "record/series.hh"

namespace dyno {

void Series::add(int64_t at_ns, int64_t completed, int64_t failed) {
  while (at_ns / interval_ >= static_cast<int64_t>(kMostPoints)) halve();
  const auto index = static_cast<size_t>(at_ns < 0 ? 0 : at_ns / interval_);
  if (index >= points_.size()) points_.resize(index + 1);
  points_[index].completed += completed;
  points_[index].failed += failed;
}

void Series::merge(const Series& other) {
  while (interval_ < other.interval_) halve();
  Series finer = other;
  while (finer.interval_ < interval_) finer.halve();
  if (points_.size() < finer.points_.size())
    points_.resize(finer.points_.size());
  for (size_t i = 0; i < finer.points_.size(); ++i) {
    points_[i].completed += finer.points_[i].completed;
    points_[i].failed += finer.points_[i].failed;
  }
}

Series Series::make(int64_t interval_ns, std::vector<Point> points) {
  Series made;
  made.interval_ = interval_ns;
  made.points_ = std::move(points);
  return made;
}

void Series::halve() {
  std::vector<Point> coarse((points_.size() + 1) / 2);
  for (size_t i = 0; i < points_.size(); ++i) {
    coarse[i / 2].completed += points_[i].completed;
    coarse[i / 2].failed += points_[i].failed;
  }
  points_ = std::move(coarse);
  interval_ *= 2;
}

}  // namespace dyno
