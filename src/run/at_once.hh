// Many independent pieces of work on a few threads.
#pragma once

#include <cstddef>
#include <functional>

namespace dyno {

// Calls work(0) … work(count - 1), each once, in this order as far as threads
// are free; the calling thread is one of up to `most_threads`, and fewer do
// where no more can be started. Returns when all have returned; throws what the
// first of them threw, and then some may not have been called.
void at_once(size_t count, size_t most_threads,
             const std::function<void(size_t)>& work);

}  // namespace dyno
