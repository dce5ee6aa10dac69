// Texts for people: wrapping, tables, numbers, and the nearest known word.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

constexpr size_t kHelpWidth = 80;

// Broken at blanks; every line but the first begins after `indent` blanks.
std::string wrapped(std::string_view text, size_t indent, size_t width);

// "  left      right, wrapped\n". A left that is too long gets its own line.
std::string two_columns(std::string_view left, std::string_view right,
                        size_t column, size_t width);

// Columns as wide as their widest cell; the first row is the heading. The last
// column is wrapped at `width`; 0: never.
using Table = std::vector<std::vector<std::string>>;
std::string aligned(const Table& table, size_t width);

// The word that was probably meant, or "".
std::string nearest(std::string_view word, std::span<const std::string> known);

// 331ms, 1.25s, 2m05s.
std::string brief_time(int64_t ns);
// The width of the terminal behind a descriptor; 0: it is none.
size_t terminal_width(int fd);

// Writes a result to stdout and returns 0; throws Stop if it cannot.
int print_out(std::string_view text);

}  // namespace cli
