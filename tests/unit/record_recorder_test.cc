// The recorder: which instants make which latency, and that no request is lost
// when equal ones are gathered or the warm-up ends.
#include <algorithm>

#include "base/rng.hh"
#include "record/recorder.hh"
#include "unit/cmocka.hh"

namespace dyno {
namespace {

constexpr Sample kSample{.intended = 1000,
                         .submitted = 1100,
                         .granted = 1300,
                         .sent = 1400,
                         .first_byte = 1700,
                         .done = 1900};

void complete(Recorder& recorder, const Sample& sample) {
  ++recorder.counts.issued;
  ++recorder.counts.completed;
  recorder.complete(sample);
}

void each_latency_has_its_two_instants(void**) {
  Recorder recorder;
  complete(recorder, kSample);
  recorder.connected(55);
  recorder.handshaken(44, false);
  recorder.handshaken(33, true);
  const Tally tally = recorder.finish();
  assert_int_equal(tally.of(Latency::response).max(), 900);
  assert_int_equal(tally.of(Latency::service).max(), 500);
  assert_int_equal(tally.of(Latency::pool_wait).max(), 200);
  assert_int_equal(tally.of(Latency::first_byte).max(), 300);
  assert_int_equal(tally.of(Latency::connect).max(), 55);
  assert_int_equal(tally.of(Latency::tls).max(), 44);
  assert_int_equal(tally.of(Latency::tls).count(), 2);
  assert_int_equal(tally.counts.tls_full, 1);
  assert_int_equal(tally.counts.tls_resumed, 1);
}

void gathered_samples_are_all_counted(void**) {
  Recorder recorder;
  Sample other = kSample;
  other.done += 7;
  for (int i = 0; i < 64; ++i) complete(recorder, kSample);
  for (int i = 0; i < 3; ++i) complete(recorder, other);
  complete(recorder, kSample);
  const Tally tally = recorder.finish();
  for (const Latency metric : {Latency::response, Latency::service,
                               Latency::pool_wait, Latency::first_byte})
    assert_int_equal(tally.of(metric).count(), 68);
  assert_int_equal(tally.of(Latency::response).sum(), 68 * 900 + 3 * 7);
  assert_int_equal(tally.counts.completed, 68);
}

// Sent when it was wanted, answered in one piece: its latencies are alike.
void alike_latencies_count_in_each_of_them(void**) {
  Sample alike{};
  alike.first_byte = alike.done = 400;
  Recorder recorder;
  complete(recorder, kSample);
  for (int i = 0; i < 3; ++i) complete(recorder, alike);
  for (int round = 1; round <= 2; ++round) {
    const Tally tally = recorder.finish();
    for (const Latency metric :
         {Latency::response, Latency::service, Latency::first_byte}) {
      assert_int_equal(tally.of(metric).count(), 1 + 3 * round);
      assert_int_equal(tally.of(metric).quantile(0.4), 400);
    }
    assert_int_equal(tally.of(Latency::response).sum(), 900 + 1200 * round);
    assert_int_equal(tally.of(Latency::pool_wait).count(), 1 + 3 * round);
    assert_int_equal(tally.of(Latency::pool_wait).min(), 0);
    for (int i = 0; i < 3; ++i) complete(recorder, alike);
  }
  recorder.restart(0);
  assert_int_equal(recorder.finish().of(Latency::service).count(), 0);
  assert_int_equal(recorder.finish().of(Latency::pool_wait).count(), 0);
}

void a_sample_of_zeros_is_a_sample(void**) {
  Recorder recorder;
  complete(recorder, Sample{});
  assert_int_equal(recorder.finish().of(Latency::response).count(), 1);
}

void a_snapshot_changes_nothing(void**) {
  Recorder recorder;
  complete(recorder, kSample);
  assert_int_equal(recorder.finish().of(Latency::response).count(), 1);
  complete(recorder, kSample);
  assert_int_equal(recorder.finish().of(Latency::response).count(), 2);
  assert_int_equal(recorder.finish().of(Latency::response).count(), 2);
}

void one_failure_adds_one_to_one_kind_and_to_no_latency(void**) {
  Recorder recorder;
  recorder.fail(Failure::reset, "first");
  recorder.fail(Failure::reset, "second");
  recorder.fail(Failure::busy, "");
  const Tally tally = recorder.finish();
  assert_int_equal(tally.counts.failed(), 3);
  assert_int_equal(tally.counts.failures[static_cast<size_t>(Failure::reset)],
                   2);
  assert_int_equal(tally.counts.completed, 0);
  assert_int_equal(tally.of(Latency::response).count(), 0);
  assert_string_equal(tally.failure_samples.at(Failure::reset).c_str(),
                      "first");
  assert_int_equal(tally.failure_samples.size(), 1);
}

void warm_up_leaves_no_number_behind_but_connections(void**) {
  Recorder recorder;
  recorder.counts.opened = 4;
  recorder.connected(55);
  for (int i = 0; i < 5; ++i) complete(recorder, kSample);
  ++recorder.counts.issued;
  recorder.fail(Failure::reset, "in the warm-up");
  recorder.restart(2);
  complete(recorder, kSample);
  const Tally tally = recorder.finish();
  assert_int_equal(tally.counts.warmup, 6);
  assert_int_equal(tally.counts.issued, 3);
  assert_int_equal(tally.counts.completed, 1);
  assert_int_equal(tally.counts.failed(), 0);
  assert_int_equal(tally.counts.opened, 4);
  assert_int_equal(tally.of(Latency::response).count(), 1);
  assert_int_equal(tally.of(Latency::connect).count(), 1);
  assert_true(tally.failure_samples.empty());
}

void tallies_of_workers_add_up(void**) {
  Recorder one;
  Recorder other;
  complete(one, kSample);
  complete(other, kSample);
  one.counts.status[200] = 1;
  other.counts.status[200] = 1;
  one.fail(Failure::busy, "");
  other.fail(Failure::busy, "the other");
  Tally sum = one.finish();
  sum.oldest_abandoned_ns = 3;
  Tally second = other.finish();
  second.oldest_abandoned_ns = 9;
  sum.add(second);
  assert_int_equal(sum.counts.completed, 2);
  assert_int_equal(sum.counts.status[200], 2);
  assert_int_equal(sum.counts.failed(), 2);
  assert_int_equal(sum.of(Latency::service).count(), 2);
  assert_int_equal(sum.oldest_abandoned_ns, 9);
  assert_string_equal(sum.failure_samples.at(Failure::busy).c_str(),
                      "the other");
}

// From 1 ns to minutes, each magnitude as often; some are like the one before.
Sample any_sample(Rng& rng, const Sample& before) {
  if (rng.below(4) == 0) return before;
  const auto any_span = [&rng] {
    return int64_t{1 + rng.below(1000)} << rng.below(29);
  };
  Sample sample;
  sample.submitted = sample.intended + any_span();
  sample.granted = sample.submitted + any_span();
  sample.sent = sample.granted + any_span();
  sample.first_byte = sample.sent + any_span();
  sample.done = sample.first_byte + any_span();
  return sample;
}

void a_stream_in_two_recorders_adds_up_to_the_whole(void**) {
  Rng rng(7);
  Recorder whole;
  Recorder parts[2];
  Sample sample;
  for (int i = 0; i < 20'000; ++i) {
    sample = any_sample(rng, sample);
    complete(whole, sample);
    complete(parts[rng.below(2)], sample);
  }
  Tally sum = parts[0].finish();
  sum.add(parts[1].finish());
  const Tally expected = whole.finish();
  assert_int_equal(sum.counts.completed, 20'000);
  for (const Latency metric : {Latency::response, Latency::service,
                               Latency::pool_wait, Latency::first_byte}) {
    const Distribution& got = sum.of(metric);
    const Distribution& want = expected.of(metric);
    assert_true(std::ranges::equal(got.buckets(), want.buckets()));
    assert_int_equal(got.count(), 20'000);
    assert_int_equal(got.min(), want.min());
    assert_int_equal(got.max(), want.max());
    assert_true(got.mean() == want.mean() && got.stdev() == want.stdev());
    assert_true(got == want);
  }
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(each_latency_has_its_two_instants),
      cmocka_unit_test(gathered_samples_are_all_counted),
      cmocka_unit_test(alike_latencies_count_in_each_of_them),
      cmocka_unit_test(a_sample_of_zeros_is_a_sample),
      cmocka_unit_test(a_snapshot_changes_nothing),
      cmocka_unit_test(one_failure_adds_one_to_one_kind_and_to_no_latency),
      cmocka_unit_test(warm_up_leaves_no_number_behind_but_connections),
      cmocka_unit_test(tallies_of_workers_add_up),
      cmocka_unit_test(a_stream_in_two_recorders_adds_up_to_the_whole),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
