// Status and Result: how every layer says that something went wrong. The codes
// are the public ones (httpdyno.h), pinned for ever; the message names the key
// and the value and says what would work.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace dyno {

enum class Code : int32_t {
  ok = 0,
  argument = -1,
  option = -2,
  value = -3,
  state = -4,
  memory = -5,
  system = -6,
  resolve = -7,
  connect = -8,
  unsupported = -9,
  timeout = -10,
  canceled = -11,
  not_found = -12,
  internal = -99,
};

struct [[nodiscard]] Status {
  Code code = Code::ok;
  std::string message;
  std::string key;  // the option at fault, where there is one

  bool is_ok() const { return code == Code::ok; }
};

inline Status fail(Code code, std::string message, std::string key = {}) {
  return Status{code, std::move(message), std::move(key)};
}

// A value or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}
  Result(Status status) : held_(std::move(status)) {}

  bool is_ok() const { return held_.index() == 0; }
  T& value() { return std::get<0>(held_); }
  const T& value() const { return std::get<0>(held_); }
  const Status& status() const { return std::get<1>(held_); }

 private:
  std::variant<T, Status> held_;
};

}  // namespace dyno
