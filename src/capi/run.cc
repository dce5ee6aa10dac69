// Bridge: dyno_run.
#include "run/run.hh"

#include <httpdyno/httpdyno.h>

#include <memory>
#include <utility>

#include "capi/plan.hh"
#include "capi/result.hh"

using dyno::capi::code_of;
using dyno::capi::guarded;
using dyno::capi::kArgument;

struct dyno_run {
  std::unique_ptr<dyno::Run> run;
};

namespace {

constexpr int64_t kShortestTick = 1;

dyno_status ended_status(const dyno_run* run) {
  return code_of(run->run->result().status);
}

dyno_status start(dyno_run** out, dyno_plan* plan,
                  const dyno::RunResult* before) {
  if (out == nullptr) return kArgument;
  *out = nullptr;
  if (plan == nullptr) return kArgument;
  return guarded(plan->failed, [&]() -> dyno::Status {
    auto handle = std::make_unique<dyno_run>();
    auto run = dyno::Run::start(plan->plan, before);
    if (!run.is_ok()) return run.status();
    handle->run = std::move(run.value());
    *out = handle.release();
    return {};
  });
}

}  // namespace

dyno_status dyno_run_start(dyno_run** out, dyno_plan* plan) {
  return start(out, plan, nullptr);
}

dyno_status dyno_run_resume(dyno_run** out, dyno_plan* plan,
                            const dyno_result* before) {
  if (out != nullptr) *out = nullptr;
  return before == nullptr ? kArgument : start(out, plan, &before->run);
}

dyno_status dyno_run_wait(dyno_run* run, int64_t timeout_ms) {
  if (run == nullptr) return kArgument;
  return guarded([&] {
    return run->run->wait(timeout_ms) ? ended_status(run) : DYNO_E_TIMEOUT;
  });
}

dyno_status dyno_run_drive(dyno_run* run, int64_t tick_ms, dyno_tick_fn tick,
                           void* userdata) {
  if (run == nullptr) return kArgument;
  if (tick == nullptr) return dyno_run_wait(run, -1);
  return guarded([&] {
    while (!run->run->wait(tick_ms > kShortestTick ? tick_ms : kShortestTick)) {
      const dyno_result so_far(run->run->snapshot());
      if (tick(&so_far, userdata) != 0) run->run->cancel();
    }
    return ended_status(run);
  });
}

dyno_status dyno_run_cancel(const dyno_run* run) {
  if (run == nullptr) return kArgument;
  run->run->cancel();
  return DYNO_OK;
}

int32_t dyno_run_done_fd(const dyno_run* run) {
  return run == nullptr ? -1 : run->run->done_fd();
}

dyno_status dyno_run_snapshot(const dyno_run* run, dyno_result** out) {
  if (out == nullptr) return kArgument;
  *out = nullptr;
  if (run == nullptr) return kArgument;
  return guarded([&] {
    *out = new dyno_result(run->run->snapshot());
    return DYNO_OK;
  });
}

dyno_status dyno_run_result(dyno_run* run, dyno_result** out) {
  if (out == nullptr) return kArgument;
  *out = nullptr;
  if (run == nullptr) return kArgument;
  return guarded([&] {
    if (!run->run->has_ended()) return DYNO_E_STATE;
    *out = new dyno_result(run->run->result());
    return DYNO_OK;
  });
}

const char* dyno_run_error(const dyno_run* run) {
  if (run == nullptr || !run->run->has_ended()) return "";
  return run->run->result().status.message.c_str();
}

void dyno_run_free(dyno_run* run) {
  delete run;
}
