// Histogram: ns per recorded value, near one another and spread out.
#include <benchmark/benchmark.h>

#include "base/rng.hh"
#include "record/histogram.hh"

namespace dyno {
namespace {

void record(benchmark::State& state) {
  const auto spread = static_cast<uint32_t>(state.range(0));
  Histogram histogram;
  Rng rng(1);
  std::vector<int64_t> values(4096);
  for (int64_t& value : values) value = 250'000 + rng.below(spread);
  size_t next = 0;
  for (auto _ : state) {
    histogram.record(values[next], 1);
    next = (next + 1) % values.size();
  }
  benchmark::DoNotOptimize(histogram);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(record)->Arg(100'000)->Arg(1'000'000'000);

}  // namespace
}  // namespace dyno
