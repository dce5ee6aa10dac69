// The modelled server as a client sees it. The notes of a run read like this:
// "o0@5 d0x2@107!" slot 0 is open after 5 ns, got two answers at 107, and the
// last one announced the end. "?" is an end that nobody announced, "c" one
// without an answer, "f" a dial that failed. An answer costs the host 1 ns.
#include <functional>
#include <map>
#include <string>

#include "engine/sim/transport.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

class Bench final : public Turn, public Sink {
 public:
  explicit Bench(const SimOptions& options, const SimHostOptions& host = {})
      : loop(host), transport(loop, options, *this) {}

  void at(int64_t ns, std::function<void()> what) {
    script_.emplace(kStart + ns, std::move(what));
  }
  void open_at(int64_t ns, SlotId slot) {
    at(ns, [this, slot] { transport.open(slot, loop.now_ns()); });
  }
  void send_at(int64_t ns, SlotId slot, uint32_t count = 1) {
    at(ns, [this, slot, count] { transport.send(slot, count); });
  }
  void close_at(int64_t ns, SlotId slot) {
    at(ns, [this, slot] { transport.close(slot); });
  }
  // Until nothing is left to happen; the notes of it.
  std::string run() {
    loop.run(*this);
    if (!notes_.empty()) notes_.pop_back();
    return notes_;
  }

  static constexpr int64_t kStart = kSecond;
  SimLoop loop;
  SimTransport transport;
  std::function<void(SlotId)> on_done = [](SlotId) {};
  int64_t first_byte_ns = 0;  // of the last answer

 private:
  int64_t turn(int64_t now_ns) override {
    while (!script_.empty() && script_.begin()->first <= now_ns) {
      const auto what = script_.begin()->second;
      script_.erase(script_.begin());
      const std::string before = notes_;
      what();
      assert_string_equal(notes_.c_str(), before.c_str());  // no up-call inside
    }
    return script_.empty() ? kUnlimited : script_.begin()->first;
  }

  void note(const std::string& what, SlotId slot, const std::string& more,
            const char* end = "") {
    notes_ += what + std::to_string(slot) + more + "@" +
              std::to_string(loop.now_ns() - kStart) + end + " ";
  }
  void opened(SlotId slot, int64_t took_ns, int64_t) override {
    note("o", slot, took_ns == 0 ? "" : "+" + std::to_string(took_ns));
  }
  void handshaken(SlotId slot, int64_t, bool, int64_t) override {
    note("h", slot, "");
  }
  void dial_failed(SlotId slot, Failure kind, std::string_view detail,
                   int64_t) override {
    assert_false(detail.empty());
    note("f", slot, std::string(":") + failure_row(kind).name);
  }
  void done(SlotId slot, std::span<const Answer> answers, const Ended* ended,
            int64_t now_ns) override {
    uint32_t count = 0;
    for (const Answer& answer : answers) {
      count += answer.count;
      assert_int_equal(answer.status, 200);
      first_byte_ns = answer.first_byte_ns - kStart;
      assert_true(answer.first_byte_ns < now_ns);
    }
    note("d", slot, "x" + std::to_string(count),
         ended == nullptr   ? ""
         : ended->announced ? "!"
                            : "?");
    on_done(slot);
  }
  void closed(SlotId slot, const Ended& ended, int64_t) override {
    assert_true(ended.kind == Failure::closed);
    assert_false(ended.announced || ended.in_answer || ended.detail.empty());
    note("c", slot, "");
  }

  std::multimap<int64_t, std::function<void()>> script_;
  std::string notes_;
};

SimOptions small(size_t slots) {
  SimOptions options;
  options.slots = slots;
  options.hold_ns = 100;
  options.request_bytes = 30;
  options.answer_bytes = 40;
  options.body_bytes = 2;
  return options;
}

// --- an answer ---------------------------------------------------------------

void a_request_is_answered_after_the_hold_time(void**) {
  Bench bench(small(1));
  bench.open_at(0, 0);
  bench.send_at(10, 0);
  assert_string_equal(bench.run().c_str(), "o0@0 d0x1@111");
  assert_int_equal(bench.first_byte_ns, 110);
  const Traffic& traffic = bench.transport.traffic();
  assert_int_equal(traffic.requests_sent, 1);
  assert_int_equal(traffic.bytes_out, 30);
  assert_int_equal(traffic.bytes_in, 40);
  assert_int_equal(traffic.opened, 1);
  assert_int_equal(traffic.closed, 0);
}

void a_connection_takes_its_time(void**) {
  SimOptions options = small(2);
  options.connect_time_ns = 25;
  Bench bench(options);
  bench.open_at(0, 1);
  bench.open_at(5, 0);
  assert_string_equal(bench.run().c_str(), "o1+25@25 o0+25@30");
}

void pipelined_requests_are_answered_side_by_side(void**) {
  Bench bench(small(1));
  bench.open_at(0, 0);
  bench.send_at(10, 0, 2);
  bench.send_at(50, 0, 1);
  assert_string_equal(bench.run().c_str(), "o0@0 d0x1@111 d0x1@112 d0x1@151");
}

void a_serial_server_begins_where_it_ended(void**) {
  SimOptions options = small(2);
  options.is_serial = true;
  Bench bench(options);
  bench.open_at(0, 0);
  bench.open_at(0, 1);
  bench.send_at(10, 0, 2);
  bench.send_at(50, 0, 1);
  bench.send_at(60, 1, 1);   // another connection
  bench.send_at(500, 0, 1);  // it was idle again
  assert_string_equal(bench.run().c_str(),
                      "o0@0 o1@0 d0x1@111 d1x1@161 d0x1@211 d0x1@311 d0x1@601");
}

// An overloaded host holds its slots longer.
void an_answer_is_handed_over_when_the_host_is_done(void**) {
  Bench bench(small(3), {.cpus = 2, .completed_cost_ns = 40});
  for (const SlotId slot : {0u, 1u, 2u}) bench.open_at(0, slot);
  bench.send_at(1, 0, 2);
  bench.send_at(1, 1);
  bench.send_at(1, 2);
  assert_string_equal(bench.run().c_str(),
                      "o0@0 o1@0 o2@0 d0x2@141 d1x1@181 d2x1@181");
  assert_int_equal(bench.first_byte_ns, 101);
}

void a_caller_may_go_on_from_inside_an_answer(void**) {
  Bench bench(small(1));
  int left = 2;
  bench.on_done = [&](SlotId slot) {
    if (left-- > 0) bench.transport.send(slot, 1);
  };
  bench.open_at(0, 0);
  bench.send_at(9, 0);
  assert_string_equal(bench.run().c_str(), "o0@0 d0x1@110 d0x1@211 d0x1@312");
}

// --- the ends of a connection ------------------------------------------------

void what_is_behind_the_last_answer_is_discarded(void**) {
  SimOptions options = small(1);
  options.requests_per_connection = 3;
  Bench bench(options);
  bench.open_at(0, 0);
  bench.send_at(1, 0, 2);
  bench.send_at(10, 0, 4);
  bench.open_at(500, 0);  // a new one may serve as many again
  bench.send_at(501, 0, 1);
  assert_string_equal(bench.run().c_str(),
                      "o0@0 d0x1@102 d0x1@103 d0x1@111! o0@500 d0x1@602");
}

void a_close_without_a_header_is_not_announced(void**) {
  SimOptions options = small(1);
  options.requests_per_connection = 1;
  options.announces_close = false;
  Bench bench(options);
  bench.open_at(0, 0);
  bench.send_at(9, 0);
  assert_string_equal(bench.run().c_str(), "o0@0 d0x1@110?");
  assert_int_equal(bench.transport.traffic().closed, 1);
}

void an_idle_connection_is_closed(void**) {
  SimOptions options = small(2);
  options.idle_close_ns = 1'000;
  Bench bench(options);
  bench.open_at(0, 0);
  bench.open_at(0, 1);
  bench.send_at(600, 1);    // answered at 700
  bench.send_at(1'650, 1);  // in time; answered at 1750
  assert_string_equal(bench.run().c_str(),
                      "o0@0 o1@0 d1x1@701 c0@1000 d1x1@1751 c1@2750");
  assert_int_equal(bench.transport.traffic().opened, 2);
  assert_int_equal(bench.transport.traffic().closed, 2);
}

void a_long_request_is_not_idle(void**) {
  SimOptions options = small(1);
  options.hold_ns = 5'000;
  options.idle_close_ns = 1'000;
  Bench bench(options);
  bench.open_at(0, 0);
  bench.send_at(10, 0);
  assert_string_equal(bench.run().c_str(), "o0@0 d0x1@5011 c0@6010");
}

// The answers that the host has not looked at come before the end.
void an_end_comes_after_the_answers_before_it(void**) {
  SimOptions options = small(1);
  options.idle_close_ns = 50;
  Bench bench(options, {.completed_cost_ns = 200});
  bench.open_at(0, 0);
  bench.send_at(1, 0);
  bench.send_at(160, 0);  // the server is gone, the client does not know
  assert_string_equal(bench.run().c_str(), "o0@0 d0x1@301?");
}

void what_was_closed_is_forgotten(void**) {
  SimOptions options = small(1);
  options.connect_time_ns = 20;
  options.idle_close_ns = 1'000;
  Bench bench(options);
  bench.open_at(0, 0);
  bench.close_at(10, 0);  // a dial
  bench.open_at(30, 0);
  bench.send_at(60, 0);
  bench.close_at(70, 0);  // with a request on it
  bench.close_at(71, 0);
  bench.open_at(80, 0);
  bench.send_at(110, 0);
  assert_string_equal(bench.run().c_str(),
                      "o0+20@50 o0+20@100 d0x1@211 c0@1210");
  assert_int_equal(bench.transport.traffic().opened, 2);
  assert_int_equal(bench.transport.traffic().closed, 2);
}

void a_connection_may_be_closed_from_inside_its_answer(void**) {
  Bench bench(small(1));
  bench.on_done = [&](SlotId slot) {
    bench.transport.close(slot);
    bench.transport.open(slot, bench.loop.now_ns());
  };
  bench.open_at(0, 0);
  bench.send_at(9, 0, 2);
  assert_string_equal(bench.run().c_str(), "o0@0 d0x1@110 o0@110");
}

// --- limits ------------------------------------------------------------------

void above_its_limit_the_server_reads_when_one_has_closed(void**) {
  SimOptions options = small(4);
  options.max_connections = 2;
  options.backlog = 2;
  Bench bench(options);
  for (const SlotId slot : {0u, 1u, 2u, 3u}) bench.open_at(0, slot);
  for (const SlotId slot : {0u, 2u, 3u}) bench.send_at(10, slot);
  bench.send_at(20, 3);
  bench.close_at(500, 1);  // 2 is served
  bench.close_at(700, 0);  // then 3, with both of its requests
  assert_string_equal(
      bench.run().c_str(),
      "o0@0 o1@0 o2@0 o3@0 d0x1@111 d2x1@601 d3x1@801 d3x1@802");
}

void who_leaves_the_queue_is_not_served(void**) {
  SimOptions options = small(3);
  options.max_connections = 1;
  options.backlog = 2;
  options.requests_per_connection = 1;
  Bench bench(options);
  for (const SlotId slot : {0u, 1u, 2u}) bench.open_at(0, slot);
  bench.send_at(10, 2);
  bench.close_at(20, 1);
  bench.send_at(30, 0);  // its last
  assert_string_equal(bench.run().c_str(),
                      "o0@0 o1@0 o2@0 d0x1@131! d2x1@231!");
}

void beyond_the_backlog_a_dial_times_out(void**) {
  SimOptions options = small(4);
  options.max_connections = 1;
  options.backlog = 1;
  options.connect_time_ns = 5;
  options.connect_timeout_ns = 300;
  Bench bench(options);
  for (const SlotId slot : {0u, 1u, 2u}) bench.open_at(slot, slot);
  bench.close_at(400, 1);
  bench.open_at(400, 3);  // there is room in the queue again
  assert_string_equal(bench.run().c_str(),
                      "o0+5@5 o1+5@6 f2:connect_timeout@302 o3+5@405");
  assert_int_equal(bench.transport.traffic().opened, 3);
}

void a_far_server_is_not_reached_in_time(void**) {
  SimOptions options = small(1);
  options.connect_time_ns = 300;
  options.connect_timeout_ns = 300;
  Bench bench(options);
  bench.open_at(0, 0);
  assert_string_equal(bench.run().c_str(), "f0:connect_timeout@300");
  assert_int_equal(bench.transport.traffic().opened, 0);
  assert_int_equal(bench.transport.traffic().closed, 0);
}

void descriptors_run_out_and_come_back(void**) {
  SimOptions options = small(3);
  options.descriptors = 2;
  options.connect_time_ns = 10;
  Bench bench(options);
  for (const SlotId slot : {0u, 1u, 2u}) bench.open_at(0, slot);
  bench.close_at(5, 1);  // a dial has one too
  bench.open_at(6, 2);
  bench.open_at(7, 1);
  bench.close_at(100, 0);
  bench.open_at(100, 1);
  assert_string_equal(bench.run().c_str(),
                      "f2:fd_exhausted@0 f1:fd_exhausted@7 o0+10@10 o2+10@16 "
                      "o1+10@110");
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(a_request_is_answered_after_the_hold_time),
      cmocka_unit_test(a_connection_takes_its_time),
      cmocka_unit_test(pipelined_requests_are_answered_side_by_side),
      cmocka_unit_test(a_serial_server_begins_where_it_ended),
      cmocka_unit_test(an_answer_is_handed_over_when_the_host_is_done),
      cmocka_unit_test(a_caller_may_go_on_from_inside_an_answer),
      cmocka_unit_test(what_is_behind_the_last_answer_is_discarded),
      cmocka_unit_test(a_close_without_a_header_is_not_announced),
      cmocka_unit_test(an_idle_connection_is_closed),
      cmocka_unit_test(a_long_request_is_not_idle),
      cmocka_unit_test(an_end_comes_after_the_answers_before_it),
      cmocka_unit_test(what_was_closed_is_forgotten),
      cmocka_unit_test(a_connection_may_be_closed_from_inside_its_answer),
      cmocka_unit_test(above_its_limit_the_server_reads_when_one_has_closed),
      cmocka_unit_test(who_leaves_the_queue_is_not_served),
      cmocka_unit_test(beyond_the_backlog_a_dial_times_out),
      cmocka_unit_test(a_far_server_is_not_reached_in_time),
      cmocka_unit_test(descriptors_run_out_and_come_back),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
