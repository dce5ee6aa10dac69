#include "text.hh"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "stop.hh"

namespace cli {
namespace {

// A last column narrower than this is left to the terminal to break.
constexpr size_t kNarrowest = 24;
constexpr int64_t kSecond = 1'000'000'000;

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<size_t> widths_of(const Table& table) {
  std::vector<size_t> widths;
  for (const auto& row : table) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

}  // namespace

std::string wrapped(std::string_view text, size_t indent, size_t width) {
  std::string out;
  size_t column = indent;
  while (!text.empty()) {
    const size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    if (column > indent && width > 0 && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    text = blank == text.npos ? "" : text.substr(blank + 1);
  }
  return out;
}

std::string two_columns(std::string_view left, std::string_view right,
                        size_t column, size_t width) {
  std::string out = "  " + std::string(left);
  if (out.size() + 2 > column)
    out += '\n' + std::string(column, ' ');
  else
    out.resize(column, ' ');
  return out + wrapped(right, column, width) + '\n';
}

std::string aligned(const Table& table, size_t width) {
  const std::vector<size_t> widths = widths_of(table);
  std::string out;
  for (const auto& row : table) {
    std::string line;
    for (size_t i = 0; i + 1 < row.size(); ++i)
      line += fmt::format("{:<{}}  ", row[i], widths[i]);
    const size_t indent = line.size();
    const bool wraps = width >= indent + kNarrowest;
    if (!row.empty()) line += wrapped(row.back(), indent, wraps ? width : 0);
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string nearest(std::string_view word, std::span<const std::string> known) {
  std::string best;
  size_t best_distance = word.size() / 3 + 2;
  for (const std::string& name : known) {
    const size_t distance = edit_distance(word, name);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = name;
  }
  return best;
}

std::string brief_time(int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns >= 60 * kSecond) {
    const int64_t seconds = (ns + kSecond / 2) / kSecond;
    return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  }
  if (ns >= 10 * kSecond) return fmt::format("{:.0f}s", value / 1e9);
  if (ns >= kSecond) return fmt::format("{:.2g}s", value / 1e9);
  if (ns >= 1'000'000) return fmt::format("{:.3g}ms", value / 1e6);
  if (ns >= 1'000) return fmt::format("{:.3g}us", value / 1e3);
  return fmt::format("{}ns", ns);
}

size_t terminal_width(int fd) {
  if (isatty(fd) == 0) return 0;
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kHelpWidth;
  return size.ws_col;
}

int print_out(std::string_view text) {
  const bool is_written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0;
  if (!is_written)
    throw Stop(kFailed, fmt::format("stdout: cannot write the result: {}",
                                    std::strerror(errno)));
  return 0;
}

}  // namespace cli
