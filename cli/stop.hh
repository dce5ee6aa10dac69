// Stop: why the program ends now, and with which exit code. Thrown by whoever
// finds it out, printed by main alone.
#pragma once

#include <stdexcept>
#include <string>

namespace cli {

constexpr int kFailed = 1;     // it could not be done
constexpr int kUsage = 2;      // it was not said right
constexpr int kUntrusted = 5;  // --strict: done, but not to be trusted

class Stop : public std::runtime_error {
 public:
  Stop(int exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

// "httpdyno: message" on stderr.
void say(const std::string& message);

}  // namespace cli
