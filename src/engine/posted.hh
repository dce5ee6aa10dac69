// Posted: tasks that other threads have given to a loop's thread. Any thread
// adds; one thread runs them.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

namespace dyno {

class Posted {
 public:
  // False once it is closed, and then the task never runs.
  bool add(std::function<void()> task);
  // Runs the tasks that are there; costs next to nothing where there are none.
  void run();
  // No more are taken: run() once more, and who came in time is not left
  // waiting.
  void close();

 private:
  std::atomic<bool> has_some_ = false;
  std::mutex mutex_;  // guards the two below
  std::vector<std::function<void()>> tasks_;
  bool is_closed_ = false;
};

}  // namespace dyno
