#include "run/at_once.hh"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace dyno {
namespace {

// What the threads share.
struct Work {
  size_t count;
  const std::function<void(size_t)>& each;
  std::atomic<size_t> next = 0;
  std::mutex mutex = {};  // guards error
  std::exception_ptr error = {};

  void take_some() noexcept {
    try {
      for (size_t i = next++; i < count; i = next++) each(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  }
};

}  // namespace

void at_once(size_t count, size_t most_threads,
             const std::function<void(size_t)>& work) {
  Work shared{.count = count, .each = work};
  if (count == 0) return;
  const size_t helpers = std::min(count, std::max<size_t>(most_threads, 1)) - 1;
  std::vector<std::jthread> threads;
  threads.reserve(helpers);
  try {
    while (threads.size() < helpers)
      threads.emplace_back([&shared] { shared.take_some(); });
  } catch (const std::system_error&) {
    // The ones that there are do all of it.
  }
  shared.take_some();
  threads.clear();  // joins
  if (shared.error) std::rethrow_exception(shared.error);
}

}  // namespace dyno
