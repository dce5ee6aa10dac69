// Merge: parts of one measurement make the whole, and nothing else is merged.
#include "report/json.hh"
#include "report/merge.hh"
#include "unit/cmocka.hh"
#include "unit/report_sample.hh"

namespace dyno {
namespace {

// Takes what is counted out of a cell, so that it can be dealt out to parts.
CellResult emptied(CellResult cell) {
  cell.tally = Tally();
  cell.client.cpu_s = 0;
  cell.server.accepted = cell.server.read = cell.server.written = 0;
  return cell;
}

// Splits a run's numbers in two: even buckets here, odd ones there.
std::pair<RunResult, RunResult> halves(const RunResult& whole) {
  std::pair<RunResult, RunResult> made{whole, whole};
  for (size_t c = 0; c < whole.cells.size(); ++c) {
    const CellResult& cell = whole.cells[c];
    CellResult& one = made.first.cells[c] = emptied(cell);
    CellResult& other = made.second.cells[c] = cell;
    // What the first half has is taken from the second.
    one.tally.counts.completed = cell.tally.counts.completed / 3;
    one.tally.counts.status[200] = cell.tally.counts.status[200] / 3;
    one.tally.counts.issued = one.tally.counts.completed;
    one.server.read = cell.server.read / 2;
    other.tally.counts.completed -= one.tally.counts.completed;
    other.tally.counts.status[200] -= one.tally.counts.status[200];
    other.tally.counts.issued -= one.tally.counts.issued;
    other.server.read -= one.server.read;
    for (size_t i = 0; i < kLatencies; ++i) {
      std::vector<Distribution::Bucket> kept[2];
      int64_t count = 0;
      for (const auto& bucket : cell.tally.latency[i].buckets())
        kept[count++ % 2].push_back(bucket);
      const Distribution& all = cell.tally.latency[i];
      one.tally.latency[i] =
          Distribution::make(kept[0], all.min(), all.max(), all.sum() / 4);
      other.tally.latency[i] = Distribution::make(kept[1], all.min(), all.max(),
                                                  all.sum() - all.sum() / 4);
    }
  }
  return made;
}

RunResult merged(std::vector<const RunResult*> parts) {
  Result<RunResult> run = merge(parts);
  if (!run.is_ok()) fail_msg("%s", run.status().message.c_str());
  return std::move(run.value());
}

std::string refusal(const RunResult& one, const RunResult& other) {
  const RunResult* parts[] = {&one, &other};
  const Result<RunResult> run = merge(parts);
  assert_false(run.is_ok());
  return run.status().message;
}

void two_halves_are_the_whole(void**) {
  for (const RunResult& whole : {sample_run(), sample_matrix()}) {
    const auto [one, other] = halves(whole);
    assert_string_equal(render_json(merged({&one, &other})).c_str(),
                        render_json(whole).c_str());
    assert_string_equal(render_json(merged({&other, &one})).c_str(),
                        render_json(whole).c_str());
  }
}

void one_part_is_itself(void**) {
  const RunResult run = sample_matrix();
  assert_string_equal(render_json(merged({&run})).c_str(),
                      render_json(run).c_str());
  assert_false(merge({}).is_ok());
}

void parts_of_the_same_time_take_the_longest(void**) {
  RunResult one = sample_run();
  RunResult other = sample_run();
  other.cells[0].started_unix_ns += 50'000'000;
  other.cells[0].duration_ns += 7;
  const RunResult both = merged({&one, &other});
  assert_int_equal(both.cells[0].duration_ns, one.cells[0].duration_ns + 7);
  assert_int_equal(both.cells[0].tally.counts.completed, 2 * 18'600);
  assert_int_equal(both.cells[0].started_unix_ns, one.cells[0].started_unix_ns);
}

void parts_that_followed_one_another_add_their_time(void**) {
  RunResult first = sample_run();
  RunResult later = sample_run();
  later.cells[0].started_unix_ns += 60'000'000'000;
  RunResult beside = later;
  const RunResult all = merged({&later, &first, &beside});
  const CellResult& cell = all.cells[0];
  assert_int_equal(cell.duration_ns, 2 * first.cells[0].duration_ns);
  assert_int_equal(cell.started_unix_ns, first.cells[0].started_unix_ns);
  const auto& points = cell.tally.series.points();
  assert_int_equal(points.size(), 60);
  assert_int_equal(points[0].completed, 620);
  assert_int_equal(points[59].completed, 2 * 620);
}

void facts_of_the_parts_are_kept(void**) {
  RunResult one = sample_run();
  RunResult other = sample_run();
  one.cells[0].notes = {"a", "b"};
  other.cells[0].notes = {"b", "c"};
  other.cells[0].interrupted = true;
  other.interrupted = true;
  other.cells[0].client.is_limit = true;
  other.cells[0].client.verdict = "was the limit";
  other.cells[0].status = {Code::connect, "refused", ""};
  count_failures(other.cells[0], Failure::reset, 3, "sample");
  const RunResult both = merged({&one, &other});
  const CellResult& cell = both.cells[0];
  assert_true(cell.notes == (std::vector<std::string>{"a", "b", "c"}));
  assert_true(cell.interrupted && both.interrupted);
  assert_string_equal(cell.client.verdict.c_str(), "was the limit");
  assert_string_equal(cell.status.message.c_str(), "refused");
  assert_int_equal(cell.tally.counts.failed(), 3);
  assert_string_equal(cell.tally.failure_samples.at(Failure::reset).c_str(),
                      "sample");
}

void what_does_not_match_is_refused_by_name(void**) {
  const RunResult good = sample_matrix();
  RunResult other = sample_matrix();
  other.cells.pop_back();
  assert_string_equal(refusal(good, other).c_str(),
                      "merge: part 1 has 6 cells and part 2 has 5; only parts "
                      "of the same measurement can be merged");
  other = sample_matrix();
  other.cells[1].cell.config.pool_size = 512;
  assert_string_equal(
      refusal(good, other).c_str(),
      "merge: pool.size of cell 2 is \"256\" in part 1 and \"512\" in part 2; "
      "only parts of the same measurement can be merged");
  other = sample_matrix();
  other.cells[0].server.limits[0].second = "128";
  assert_true(refusal(good, other)
                  .starts_with("merge: server limits of cell "
                               "1 is"));
  other = sample_matrix();
  other.cells[0].cell.annotations.push_back({"published.client", "Finch"});
  assert_true(
      refusal(good, other).starts_with("merge: annotations of cell 1 is"));
  other = sample_matrix();
  other.cells[3].cell.repeat = 1;
  assert_true(refusal(good, other).starts_with("merge: round of cell 4 is"));
  other = sample_matrix();
  other.cells[3].cell.skipped = "why";
  assert_true(refusal(good, other).starts_with("merge: skipped of cell 4 is"));
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(two_halves_are_the_whole),
      cmocka_unit_test(one_part_is_itself),
      cmocka_unit_test(parts_of_the_same_time_take_the_longest),
      cmocka_unit_test(parts_that_followed_one_another_add_their_time),
      cmocka_unit_test(facts_of_the_parts_are_kept),
      cmocka_unit_test(what_does_not_match_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
