// Response framing: ns per answer, with heads that the cache knows and with
// heads that never come again.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "http/response.hh"

namespace dyno {
namespace {

std::string answer(const std::string& field) {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + field +
         "Content-Length: 2\r\n\r\nok";
}

// One read of `count` answers per turn.
void feed(benchmark::State& state, const std::string& data, uint32_t count) {
  HeadParser heads(64 * 1024);
  ResponseReader reader;
  std::vector<Response> done;
  int64_t now_ns = 0;
  for (auto _ : state) {
    done.clear();
    const auto read =
        reader.feed(heads, data, RequestKind::ordinary, count, ++now_ns, done);
    benchmark::DoNotOptimize(done.data());
    if (read.state != ResponseReader::State::open)
      return state.SkipWithError("an answer was not understood");
  }
  state.SetItemsProcessed(state.iterations() * count);
}

void equal_heads(benchmark::State& state) {
  const auto count = static_cast<uint32_t>(state.range(0));
  std::string data;
  for (uint32_t i = 0; i < count; ++i) data += answer("");
  feed(state, data, count);
}
BENCHMARK(equal_heads)->Arg(1)->Arg(64)->Arg(1024);

// Two heads in turn: known, but never the one before.
void alternating_heads(benchmark::State& state) {
  constexpr uint32_t kCount = 64;
  std::string data;
  for (uint32_t i = 0; i < kCount; ++i)
    data += answer(i % 2 == 0 ? "X-Server: a\r\n" : "X-Server: b\r\n");
  feed(state, data, kCount);
}
BENCHMARK(alternating_heads);

// More heads than the cache keeps, each parsed in full.
void different_heads(benchmark::State& state) {
  constexpr uint32_t kCount = 64;
  std::string data;
  for (uint32_t i = 0; i < kCount; ++i)
    data += answer("X-Number: " + std::to_string(1000 + i) + "\r\n");
  feed(state, data, kCount);
}
BENCHMARK(different_heads);

}  // namespace
}  // namespace dyno
