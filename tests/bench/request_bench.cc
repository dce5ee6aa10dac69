// Request block: ns for the bytes of pipelined requests, from the start and
// from the middle of one.
#include <benchmark/benchmark.h>

#include <string>

#include "http/request.hh"

namespace dyno {
namespace {

constexpr const char* kRequest =
    "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";

void slice(benchmark::State& state) {
  const RequestBlock block(kRequest);
  const auto count = static_cast<size_t>(state.range(0));
  const auto offset = static_cast<size_t>(state.range(1));
  for (auto _ : state) {
    size_t left = count;
    for (size_t begin = offset; left > 0; begin = 0) {
      const std::string_view bytes = block.slice(left, begin);
      benchmark::DoNotOptimize(bytes.data());
      left -= (begin + bytes.size()) / block.unit();
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(slice)->Args({1, 0})->Args({64, 0})->Args({64, 7})->Args({4096, 0});

}  // namespace
}  // namespace dyno
