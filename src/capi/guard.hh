// Guard: where exceptions stop. Every C function runs its body through one of
// these; the handle keeps the message.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "base/status.hh"

namespace dyno::capi {

inline int32_t code_of(const Status& status) {
  return static_cast<int32_t>(status.code);
}

// The last failure of a handle.
struct Failed {
  std::string message;
  std::string key;

  int32_t keep(const Status& status) {
    if (status.is_ok()) return 0;
    message = status.message;
    key = status.key;
    return code_of(status);
  }
};

// Runs `body`, which gives a Status; keeps its message in `failed`.
template <typename Body>
int32_t guarded(Failed& failed, Body body) noexcept {
  try {
    return failed.keep(body());
  } catch (const std::bad_alloc&) {
    failed.message.clear();
    return static_cast<int32_t>(Code::memory);
  } catch (...) {
    failed.message.clear();
    return static_cast<int32_t>(Code::internal);
  }
}

// The same where there is no handle to keep a message in.
template <typename Body>
int32_t guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return static_cast<int32_t>(Code::memory);
  } catch (...) {
    return static_cast<int32_t>(Code::internal);
  }
}

inline constexpr int32_t kArgument = static_cast<int32_t>(Code::argument);

}  // namespace dyno::capi
