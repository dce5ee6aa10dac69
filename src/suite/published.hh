// Published: the rows of a benchmark that somebody else ran, as data.
#pragma once

#include <cstdint>
#include <span>

namespace dyno {

struct PublishedRow {
  const char* client;
  int64_t pool_count;
  int64_t pool_size;
  int64_t concurrency;
  int64_t requests_per_second;
  double error_percent;
};

// gamache/httpc_bench (2019-05-15): the table with the limit of open files
// raised, and the one before that, at 1,024 of them.
std::span<const PublishedRow> httpc_bench_current();
std::span<const PublishedRow> httpc_bench_original();

}  // namespace dyno
