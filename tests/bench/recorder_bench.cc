// Recorder: ns per completed request. A run of equal samples, as pipelined
// answers make them, costs as much as one sample.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/rng.hh"
#include "record/recorder.hh"

namespace dyno {
namespace {

constexpr size_t kSamples = 4096;

// Latencies around 250 us, each different; first byte and end of an answer come
// with one read.
std::vector<Sample> samples(uint32_t run) {
  std::vector<Sample> made;
  Rng rng(1);
  int64_t now_ns = 1'000'000'000;
  while (made.size() < kSamples) {
    now_ns += 4'500;
    const int64_t sent_ns = now_ns - 200'000 - rng.below(100'000);
    for (uint32_t i = 0; i < run; ++i)
      made.push_back({sent_ns, sent_ns, sent_ns, sent_ns, now_ns, now_ns});
  }
  return made;
}

void complete(benchmark::State& state) {
  const std::vector<Sample> made =
      samples(static_cast<uint32_t>(state.range(0)));
  Recorder recorder;
  size_t next = 0;
  for (auto _ : state) recorder.complete(made[next++ % kSamples]);
  recorder.flush();
  benchmark::DoNotOptimize(recorder);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(complete)->Arg(1)->Arg(64);

}  // namespace
}  // namespace dyno
