// httpc-bench: the published client-pool benchmark as rows of a plan, for a
// native engine and for simulated time.
#pragma once

#include <cstdint>
#include <span>

#include "plan/plan.hh"
#include "plan/presets.hh"

namespace dyno {

const RowSource& httpc_bench_rows();
// The limits of its server, Cowboy 2.5.0 under Plug.
std::span<const PresetAxis> httpc_bench_server();

// What a row attempts in all: floor(500,000 / callers) for each caller.
int64_t httpc_bench_requests(int64_t callers);

}  // namespace dyno
