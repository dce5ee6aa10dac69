#include "measure.hh"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "files.hh"
#include "progress.hh"
#include "saver.hh"
#include "signals.hh"

namespace cli {
namespace {

constexpr int64_t kTickMs = 250;
constexpr const char* kBodyKey = "http.body";
constexpr const char* kEngineKey = "engine";
constexpr std::string_view kModelled = "sim";
constexpr const char* kHeaderKey = "http.header";
constexpr const char* kRaiseKey = "host.raise_nofile";

dyno_status set_body(dyno_plan* plan, const std::string& value) {
  const std::string data = read_file(value.substr(1), kBodyKey);
  return dyno_plan_set_bytes(plan, kBodyKey, data.data(), data.size());
}

// A field per line of the file; empty lines are passed over.
void add_headers(dyno_plan* plan, const std::string& file) {
  std::string rest = read_file(file, kHeaderKey) + '\n';
  for (size_t end; (end = rest.find('\n')) != rest.npos;
       rest.erase(0, end + 1)) {
    std::string line = rest.substr(0, end);
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty())
      check(plan, dyno_plan_append(plan, kHeaderKey, line.c_str()));
  }
}

void set_option(dyno_plan* plan, const Setting& setting) {
  const char* key = setting.row->key.c_str();
  bool replaces = setting.row->list != DYNO_LIST_APPENDED;
  for (const std::string& value : setting.values) {
    if (setting.row->key == kBodyKey && value.starts_with('@'))
      check(plan, set_body(plan, value));
    else if (setting.row->key == kHeaderKey && value.starts_with('@'))
      add_headers(plan, value.substr(1));
    else if (replaces)
      check(plan, dyno_plan_set(plan, key, value.c_str()));
    else
      check(plan, dyno_plan_append(plan, key, value.c_str()));
    replaces = false;
  }
}

// Why the result of a cell is not to be trusted, or "".
std::string doubt_about(const dyno_result* cell) {
  const char* text = "";
  int64_t is_limit = 0;
  if (dyno_result_text(cell, "server.difference", &text) == DYNO_OK &&
      *text != '\0')
    return text;
  if (dyno_result_int(cell, "client.is_limit", &is_limit) != DYNO_OK ||
      is_limit == 0)
    return "";
  if (dyno_result_text(cell, "client.verdict", &text) == DYNO_OK) return text;
  return "the generator was the limit";
}

bool is_trusted(const dyno_result* result,
                const std::vector<std::string>& cells) {
  bool is_good = true;
  for (size_t i = 0; i < dyno_result_cell_count(result); ++i) {
    const std::string doubt = doubt_about(dyno_result_cell(result, i));
    if (doubt.empty()) continue;
    say(fmt::format("--strict: {}: {}", i < cells.size() ? cells[i] : "",
                    doubt));
    is_good = false;
  }
  return is_good;
}

ResultPtr result_of(dyno_run* run) {
  dyno_result* result = nullptr;
  if (dyno_run_result(run, &result) != DYNO_OK) return nullptr;
  return ResultPtr(result);
}

RunPtr start(dyno_plan* plan, const dyno_result* before) {
  dyno_run* run = nullptr;
  check(plan, before == nullptr ? dyno_run_start(&run, plan)
                                : dyno_run_resume(&run, plan, before));
  return RunPtr(run);
}

// Who looks at a run while it goes on.
struct Watch {
  const dyno_run* run;
  Progress* progress;  // null: nobody is told
  Saver* saver;

  static int32_t tick(const dyno_result* so_far, void* userdata) {
    auto* self = static_cast<Watch*>(userdata);
    if (self->progress != nullptr) Progress::tick(so_far, self->progress);
    self->saver->tick(self->run, dyno_result_cell_count(so_far));
    return 0;
  }
};

dyno_status drive(dyno_run* run, Watch watch, bool is_watched) {
  const CancelOnSignal cancel(run);
  return dyno_run_drive(run, kTickMs, is_watched ? &Watch::tick : nullptr,
                        &watch);
}

// What was measured is in the saved file too, unless that was only a draft.
void keep(Saver& saver, const Saving& saving, dyno_result* result, int code) {
  if (saving.file.empty()) return;
  if (code == 0 && saving.is_draft) {
    (void)std::remove(saving.file.c_str());
    return;
  }
  if (result != nullptr) saver.save(result);
  if (code != 0)
    say(fmt::format("what was measured is in \"{}\"; go on with --resume {}",
                    saving.file, saving.file));
}

// The exit code of a run that ended like this, told where it is not 0.
int tell_end(dyno_run* run, dyno_status status) {
  if (status == DYNO_OK) return 0;
  if (status == DYNO_E_CANCELED) {
    say("interrupted; the result is that of the time before");
    return interrupted_code();
  }
  const char* message = dyno_run_error(run);
  const bool is_told = message != nullptr && *message != '\0';
  say(is_told ? message : dyno_status_text(status));
  return kFailed;
}

}  // namespace

void set_options(dyno_plan* plan, const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) set_option(plan, setting);
  // A program of its own may raise its limit; the library asks first.
  if (dyno_plan_is_set(plan, kRaiseKey) == 0)
    check(plan, dyno_plan_set(plan, kRaiseKey, "on"));
}

bool needs_url(const dyno_plan* plan) {
  return std::string_view(dyno_plan_get(plan, kEngineKey)) != kModelled;
}

std::vector<std::string> cell_texts(dyno_plan* plan) {
  check(plan, dyno_plan_check(plan));
  std::vector<std::string> texts;
  const size_t count = dyno_plan_cell_count(plan);
  for (size_t i = 0; i < count; ++i)
    texts.emplace_back(dyno_plan_cell_text(plan, i));
  return texts;
}

int64_t expected_ns(dyno_plan* plan) {
  int64_t sum = 0;
  const size_t count = dyno_plan_cell_count(plan);
  for (size_t i = 0; i < count; ++i) sum += dyno_plan_cell_expected_ns(plan, i);
  return sum;
}

int measure(dyno_plan* plan, const Output& output, const Saving& saving) {
  const std::vector<std::string> cells = cell_texts(plan);
  const RunPtr run = start(plan, saving.before);
  Progress progress(cells, output.is_quiet);
  Saver saver(saving.file);
  const dyno_status status = drive(
      run.get(), {run.get(), output.is_quiet ? nullptr : &progress, &saver},
      !output.is_quiet || !saving.file.empty());
  const ResultPtr result = result_of(run.get());
  progress.finish(result.get());
  if (result != nullptr && dyno_result_cell_count(result.get()) > 0) {
    output.deliver(output.render(result.get()));
    output.save(result.get());
  }
  const int code = tell_end(run.get(), status);
  keep(saver, saving, result.get(), code);
  if (code != 0 || !output.is_strict || result == nullptr) return code;
  return is_trusted(result.get(), cells) ? 0 : kUntrusted;
}

}  // namespace cli
