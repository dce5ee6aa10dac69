// Slots: ns from an answer to the next request on the wire, per discipline:
// take the request off its slot, give the slot on, submit the caller again.
// There are 64 slots; callers as many as their connections carry, or 16 times
// that where the discipline has a queue.
#include <benchmark/benchmark.h>

#include <deque>
#include <string>

#include "plan/plan.hh"
#include "pool/slot_pool.hh"

namespace dyno {
namespace {

// Remembers which slot has requests on its wire, in the order of sending.
class Wires final : public Transport {
 public:
  void open(SlotId slot, int64_t) override { dialed.push_back(slot); }
  void send(SlotId slot, uint32_t count) override {
    for (; count > 0; --count) sent.push(slot);
  }
  void close(SlotId) override {}
  void flush() override {}
  void sweep(int64_t) override {}
  const Traffic& traffic() const override { return traffic_; }
  std::vector<std::string> notes() const override { return {}; }

  std::vector<SlotId> dialed;
  Ring<SlotId> sent;

 private:
  Traffic traffic_;
};

class Callers final : public Grants {
 public:
  void granted(RequestId, int64_t) override {}
  void refused(RequestId, Failure, std::string_view, int64_t) override {}
  void expired(RequestId, int64_t) override {}
};

Config config_of(const char* client, int64_t callers) {
  Plan plan;
  (void)plan.set("target.url", "http://127.0.0.1:8080/");
  (void)plan.set("client", client);
  (void)plan.set("pool.size", "64");
  (void)plan.set("load.callers", std::to_string(callers));
  return plan.cells(1).value().front().config;
}

void take_and_put(benchmark::State& state, const char* client,
                  int64_t callers) {
  const Config config = config_of(client, callers);
  Requests requests(static_cast<size_t>(callers));
  Wires wires;
  Callers grants;
  SlotPool pool(make_rules(config), 0, 64, 1, requests, wires, grants);
  for (RequestId id = 0; id < requests.size(); ++id) {
    requests[id].home = id % 64;
    requests[id].is_out = true;  // each caller submits again at once
  }
  pool.open_some(64, 0);
  for (const SlotId slot : wires.dialed) pool.opened(slot, 0);
  for (RequestId id = 0; id < requests.size(); ++id) (void)pool.submit(id, 0);
  for (int64_t now_ns = 1; auto _ : state) {
    const SlotId slot = wires.sent.pop();
    const RequestId caller = pool.take(slot);
    pool.release(slot, now_ns);
    // A discipline that fails fast may refuse: another draw, another slot.
    while (pool.submit(caller, now_ns).what == Admission::failed) {
    }
    ++now_ns;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(take_and_put, dedicated, "dedicated", 64);
BENCHMARK_CAPTURE(take_and_put, fifo_lazy, "fifo-lazy", 64);
BENCHMARK_CAPTURE(take_and_put, fifo_lazy_queued, "fifo-lazy", 1024);
BENCHMARK_CAPTURE(take_and_put, fifo_patient_queued, "fifo-patient", 1024);
BENCHMARK_CAPTURE(take_and_put, random_trylock, "random-trylock", 32);
BENCHMARK_CAPTURE(take_and_put, random_mux_failfast, "random-mux-failfast",
                  1024);

}  // namespace
}  // namespace dyno
