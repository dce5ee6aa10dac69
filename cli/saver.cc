#include "saver.hh"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "files.hh"
#include "handles.hh"

namespace cli {
namespace {

constexpr int kShare = 20;

}  // namespace

void Saver::tick(const dyno_run* run, size_t cells) {
  const Clock::time_point now = Clock::now();
  if (file_.empty() || cells <= saved_ + 1 || now < next_) return;
  dyno_result* snapshot = nullptr;
  if (dyno_run_snapshot(run, &snapshot) != DYNO_OK) return;
  const ResultPtr result(snapshot);
  save(result.get());
  saved_ = cells - 1;
  const Clock::time_point end = Clock::now();
  next_ = end + kShare * (end - now);
}

void Saver::save(dyno_result* result) {
  const char* text = nullptr;
  size_t size = 0;
  if (file_.empty() ||
      dyno_result_render(result, "json", &text, &size) != DYNO_OK)
    return;
  const int error = write_file(file_, std::string_view(text, size));
  if (error == 0 || has_warned_) return;
  has_warned_ = true;
  say(
      fmt::format("cannot save to \"{}\": {}; the result will only be there "
                  "at the end",
                  file_, std::strerror(error)));
}

}  // namespace cli
