// The text and markdown reports: what they must say, and what they must not.
#include "report/render.hh"
#include "unit/cmocka.hh"
#include "unit/report_sample.hh"

namespace dyno {
namespace {

std::string text_of(const RunResult& run) {
  return render_text(run, {});
}

void expect_in(const std::string& text, const std::string& part) {
  if (text.find(part) == text.npos)
    fail_msg("\"%s\" is not in:\n%s", part.c_str(), text.c_str());
}

void expect_not_in(const std::string& text, const char* part) {
  if (text.find(part) != text.npos)
    fail_msg("\"%s\" is in:\n%s", part, text.c_str());
}

size_t count_of(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

void one_cell_is_told_in_full(void**) {
  RunResult run = sample_run();
  count_failures(run.cells[0], Failure::reset, 3, "127.0.0.1:8080: reset");
  run.cells[0].tally.counts.retry = 17;
  const std::string text = text_of(run);
  for (const char* part :
       {"http://127.0.0.1:8080/wait/10\n",
        "client dedicated, 64 connections (2 pools x 32), 64 callers",
        "10s, 500ms of warm-up, 2 threads",
        "6,200.0 (18,600 in 3.000 s)",
        "1.0 (3, 0.02 %)",
        "6,400.0, 96.9 % of it reached; limited by pool",
        "latency, ms    count     min    mean  stdev     p50     p90",
        "response      18,600  10.312  10.822  0.298  10.822  11.231",
        "issued 18,615 = completed 18,600 + failed 3 + abandoned 12 (the "
        "oldest for 9.88ms)",
        "warm-up 321, retries 17, late replies 0",
        "200: 18,600",
        "in 2.13 MiB (727 KiB/s)",
        "opened 64, closed 64",
        "reset    response  theirs      3  127.0.0.1:8080: reset",
        "accepted 64 connections, read 18,612 requests, wrote 18,600 answers",
        "reconciles with our counts",
        "backlog 4096, pipelined concurrent",
        "the generator was not the limit",
        "20,000 open files allowed",
        "nearest rank"})
    expect_in(text, part);
}

void handshakes_are_told_where_there_were_any(void**) {
  RunResult run = sample_run();
  run.cells[0].tally.counts.tls_full = 4;
  run.cells[0].tally.counts.tls_resumed = 1200;
  expect_in(text_of(run), "4 full, 1,200 resumed");
  run.cells[0].tally.counts.tls_full = 0;
  run.cells[0].tally.counts.tls_resumed = 0;
  expect_not_in(text_of(run), "handshakes");
}

void nothing_measured_is_no_number(void**) {
  RunResult run;
  run.cells.emplace_back();
  const std::string text = text_of(run);
  expect_in(text, "completed/s    - (0 in 0.000 s)");
  expect_not_in(text, "nan");
  expect_not_in(text, "inf");
  expect_in(text_of(RunResult()), "no cell was measured");
}

void a_matrix_has_a_row_per_cell(void**) {
  const std::string text = text_of(sample_matrix());
  for (const char* part :
       {"6 cells of 3s, 500ms of warm-up",
        "client          pools  size  callers  completed/s  failed %     p50  "
        "   p99  limit/s  of limit  limited by\n",
        "fifo-lazy           1    32    1,024      3,104.0      0.00  10.8ms  "
        "11.3ms    3,200    97.0 %  pool\n",
        "random-trylock      1    32    1,024      3,104.0     99.25",
        "97.0 %  pool (interrupted)\n",
        "none                1    32    1,024  skipped: pool.size: none opens",
        "busy 1,234,567 (pool, ours)", "in 4 of 4 cells",
        "the limit in 1 of 4 cells", "interrupted    stopped before"})
    expect_in(text, part);
  expect_not_in(text, "depth");
  expect_not_in(text, "round");
}

void columns_that_tell_rows_apart_appear(void**) {
  std::vector<CellResult> cells;
  for (Cell& cell : cells_of({{"target.url", "http://127.0.0.1:1/wait/10"},
                              {"client", "fifo-lazy"},
                              {"pool.depth", "1,16"},
                              {"run.repeat", "2"}}))
    cells.push_back(measured(std::move(cell), 3'000));
  cells[2].cell.config.url = "http://other/";
  const std::string text = text_of(run_of(std::move(cells)));
  for (const char* part :
       {"depth", "round", "url", "several targets", "http://other/"})
    expect_in(text, part);
}

void connections_that_do_not_divide_show_both_sizes(void**) {
  const std::string text =
      text_of(run_of({measured(cells_of({{"target.url", "http://127.0.0.1:1/"},
                                         {"connections", "15"},
                                         {"threads", "8"}})[0],
                               100)}));
  expect_in(text, "15 connections (8 pools x 1-2)");
}

void what_is_said_for_all_cells_is_said_once(void**) {
  RunResult run = sample_matrix();
  for (CellResult& cell : run.cells) cell.notes = {"the same note"};
  run.cells[1].server.limits[0].second = "128";
  const std::string text = text_of(run);
  assert_int_equal(count_of(text, "the same note"), 1);
  assert_int_equal(count_of(text, "server limits"), 2);
  assert_int_equal(count_of(text, "\nserver  "), 1);
  assert_int_equal(count_of(text, "\ngenerator"), 1);
}

void troubles_are_told(void**) {
  RunResult run = sample_matrix();
  run.cells[1].server.difference = "completed 5 > written 4";
  run.cells[1].status = {Code::connect, "127.0.0.1:9: refused", ""};
  run.status = {Code::canceled, "stopped", ""};
  const std::string text = text_of(run);
  expect_in(text,
            "difference     fifo-lazy 1 x 256, 1024 callers: completed 5");
  expect_in(text, "in 3 of 4 cells");
  expect_in(text, "pool (error)");
  expect_in(text, "error          stopped\n");
  expect_in(text, "1024 callers: 127.0.0.1:9: refused");
}

void foreign_texts_cannot_paint_the_terminal(void**) {
  RunResult run = sample_run();
  run.cells[0].server.software = "\x1b[2Jevil";
  count_failures(run.cells[0], Failure::protocol, 1, "\x1b]0;title\x07");
  const std::string text = text_of(run);
  expect_not_in(text, "\x1b");
  expect_in(text, "\\x1b[2Jevil");
  for (const char c : text) assert_true(c == '\n' || (c >= ' ' && c <= '~'));
}

void lines_keep_to_the_width_but_for_tables(void**) {
  const std::string text = render_text(sample_run(), {false, 80});
  size_t start = 0;
  for (size_t end = text.find('\n'); end != text.npos;
       start = end + 1, end = text.find('\n', start))
    assert_true(end - start <= 88);
}

void markdown_has_the_same_table(void**) {
  const std::string text = render_markdown(sample_matrix());
  expect_in(text, "| client | pools | size | callers | completed/s |");
  expect_in(text, "\n| --- | ---: |");
  expect_in(text, "| fifo-lazy | 1 | 32 | 1,024 | 3,104.0 | 0.00 |");
  expect_in(text, "\n- server limits: backlog 4096");
  expect_in(render_markdown(sample_run()), "| dedicated | 2 | 32 | 64 |");
}

void an_unknown_format_names_the_known(void**) {
  for (const char* format : formats())
    assert_true(render(sample_run(), format).is_ok());
  const Result<std::string> made = render(sample_run(), "yaml");
  assert_false(made.is_ok());
  assert_string_equal(made.status().message.c_str(),
                      "format: \"yaml\" is not known; one of: text, json, csv, "
                      "markdown, httpc-bench");
}

}  // namespace
}  // namespace dyno

int main() {
  using namespace dyno;
  const CMUnitTest tests[] = {
      cmocka_unit_test(one_cell_is_told_in_full),
      cmocka_unit_test(handshakes_are_told_where_there_were_any),
      cmocka_unit_test(nothing_measured_is_no_number),
      cmocka_unit_test(a_matrix_has_a_row_per_cell),
      cmocka_unit_test(columns_that_tell_rows_apart_appear),
      cmocka_unit_test(connections_that_do_not_divide_show_both_sizes),
      cmocka_unit_test(what_is_said_for_all_cells_is_said_once),
      cmocka_unit_test(troubles_are_told),
      cmocka_unit_test(foreign_texts_cannot_paint_the_terminal),
      cmocka_unit_test(lines_keep_to_the_width_but_for_tables),
      cmocka_unit_test(markdown_has_the_same_table),
      cmocka_unit_test(an_unknown_format_names_the_known),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
