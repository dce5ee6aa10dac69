#include "report/merge.hh"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "plan/options.hh"

namespace dyno {
namespace {

Status differs(size_t cell, size_t part, std::string_view what,
               std::string_view one, std::string_view other) {
  return fail(Code::value,
              fmt::format("merge: {} of cell {} is \"{}\" in part 1 and \"{}\" "
                          "in part {}; only parts of the same measurement can "
                          "be merged",
                          what, cell + 1, one, other, part + 1));
}

std::string annotation_text(const Cell& cell) {
  std::string text;
  for (const Annotation& one : cell.annotations)
    text += std::visit(
        [&one](const auto& value) {
          return fmt::format("{}={} ", one.key, value);
        },
        one.value);
  return text;
}

std::string limits_text(const ServerFacts& server) {
  std::string text;
  for (const auto& [key, value] : server.limits)
    text += fmt::format("{} {} ", key, value);
  return text;
}

// Whether two cells measured the same thing; the first difference if not.
Status check_same(size_t index, size_t part, const CellResult& a,
                  const CellResult& b) {
  for (const OptionRow& row : plan_options().rows()) {
    const std::string one = format_value(row, row.field.load(&a.cell.config));
    const std::string other = format_value(row, row.field.load(&b.cell.config));
    if (one != other) return differs(index, part, row.key, one, other);
  }
  const auto check = [&](const char* what, const std::string& one,
                         const std::string& other) {
    return one == other ? Status{} : differs(index, part, what, one, other);
  };
  Status status = check("skipped", a.cell.skipped, b.cell.skipped);
  if (status.is_ok())
    status = check("round", std::to_string(a.cell.repeat + 1),
                   std::to_string(b.cell.repeat + 1));
  if (status.is_ok())
    status =
        check("annotations", annotation_text(a.cell), annotation_text(b.cell));
  if (status.is_ok())
    status = check("server", a.server.software, b.server.software);
  if (status.is_ok())
    status =
        check("server limits", limits_text(a.server), limits_text(b.server));
  return status;
}

// Measured at the same time: more than half of the shorter one is common.
bool is_overlap(int64_t start, int64_t end, const CellResult& next) {
  const int64_t common =
      std::min(end, next.started_unix_ns + next.duration_ns) -
      std::max(start, next.started_unix_ns);
  return 2 * common >= std::min(end - start, next.duration_ns);
}

void merge_client(ClientFacts& into, const ClientFacts& from) {
  if (from.is_limit && !into.is_limit) into.verdict = from.verdict;
  into.cpu_s += from.cpu_s;
  into.busiest_share = std::max(into.busiest_share, from.busiest_share);
  into.is_limit = into.is_limit || from.is_limit;
  into.threads = std::max(into.threads, from.threads);
  into.peak_rss_bytes = std::max(into.peak_rss_bytes, from.peak_rss_bytes);
  into.nofile_limit = std::min(into.nofile_limit, from.nofile_limit);
}

void merge_server(ServerFacts& into, const ServerFacts& from) {
  into.is_own = into.is_own && from.is_own;
  into.is_reconciled = into.is_reconciled && from.is_reconciled;
  into.accepted += from.accepted;
  into.read += from.read;
  into.written += from.written;
  if (into.difference.empty()) into.difference = from.difference;
}

// Series count from their part's start; a later part's are shifted.
Series shifted(const Series& series, int64_t by_ns) {
  if (by_ns == 0) return series;
  Series moved;
  for (size_t i = 0; i < series.points().size(); ++i)
    moved.add(by_ns + static_cast<int64_t>(i) * series.interval_ns(),
              series.points()[i].completed, series.points()[i].failed);
  return moved;
}

void merge_cell(CellResult& into, const CellResult& from, int64_t offset_ns) {
  Tally tally = from.tally;
  tally.series = shifted(tally.series, offset_ns);
  into.tally.add(tally);
  into.interrupted = into.interrupted || from.interrupted;
  if (into.status.is_ok()) into.status = from.status;
  into.pools.queue_peak =
      std::max(into.pools.queue_peak, from.pools.queue_peak);
  into.pools.in_use_peak =
      std::max(into.pools.in_use_peak, from.pools.in_use_peak);
  merge_client(into.client, from.client);
  merge_server(into.server, from.server);
  for (const std::string& note : from.notes)
    if (std::find(into.notes.begin(), into.notes.end(), note) ==
        into.notes.end())
      into.notes.push_back(note);
}

// Parts of one cell, in the order of their starts.
CellResult merge_parts(std::vector<const CellResult*> parts) {
  std::stable_sort(parts.begin(), parts.end(), [](auto* a, auto* b) {
    return a->started_unix_ns < b->started_unix_ns;
  });
  CellResult whole = *parts.front();
  int64_t before = 0;  // measured before the group of parts at hand
  int64_t longest = whole.duration_ns;
  int64_t start = whole.started_unix_ns;
  int64_t end = start + longest;
  for (size_t i = 1; i < parts.size(); ++i) {
    const CellResult& next = *parts[i];
    if (!is_overlap(start, end, next)) {
      before += longest;
      longest = 0;
      start = next.started_unix_ns;
      end = start;
    }
    longest = std::max(longest, next.duration_ns);
    end = std::max(end, next.started_unix_ns + next.duration_ns);
    merge_cell(whole, next, before);
  }
  whole.duration_ns = before + longest;
  return whole;
}

}  // namespace

Result<RunResult> merge(std::span<const RunResult* const> parts) {
  if (parts.empty())
    return fail(Code::argument, "merge: no parts; give at least one result");
  RunResult whole = *parts.front();
  for (size_t p = 1; p < parts.size(); ++p) {
    if (parts[p]->cells.size() != whole.cells.size())
      return fail(
          Code::value,
          fmt::format("merge: part 1 has {} cells and part {} has {}; "
                      "only parts of the same measurement can be "
                      "merged",
                      whole.cells.size(), p + 1, parts[p]->cells.size()));
    whole.interrupted = whole.interrupted || parts[p]->interrupted;
    if (whole.status.is_ok()) whole.status = parts[p]->status;
  }
  for (size_t c = 0; c < whole.cells.size(); ++c) {
    std::vector<const CellResult*> same;
    for (size_t p = 0; p < parts.size(); ++p) {
      same.push_back(&parts[p]->cells[c]);
      Status status = check_same(c, p, *same.front(), *same.back());
      if (!status.is_ok()) return status;
    }
    whole.cells[c] = merge_parts(std::move(same));
  }
  return whole;
}

}  // namespace dyno
