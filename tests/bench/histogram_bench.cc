// Histogram: ns per recorded value, near one another and spread out.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/rng.hh"
#include "record/histogram.hh"

namespace dyno {
namespace {

constexpr size_t kValues = 4096;

void record(benchmark::State& state) {
  const auto spread = static_cast<uint32_t>(state.range(0));
  Histogram histogram;
  Rng rng(1);
  std::vector<int64_t> values(kValues);
  for (int64_t& value : values) value = 250'000 + rng.below(spread);
  size_t next = 0;
  for (auto _ : state) histogram.record(values[next++ % kValues], 1);
  benchmark::DoNotOptimize(histogram);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(record)->Arg(100'000)->Arg(1'000'000'000);

}  // namespace
}  // namespace dyno
