#include "engine/posted.hh"

#include <utility>

namespace dyno {

bool Posted::add(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return false;
  tasks_.push_back(std::move(task));
  has_some_.store(true, std::memory_order_release);
  return true;
}

void Posted::run() {
  if (!has_some_.load(std::memory_order_acquire)) return;
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
    has_some_.store(false, std::memory_order_relaxed);
  }
  for (const auto& task : tasks) task();
}

void Posted::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
}

}  // namespace dyno
