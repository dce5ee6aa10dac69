#include "report/layout.hh"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/json.hh"

namespace dyno {
namespace {

// Commas between the thousands of the digits at the front of `number`.
std::string with_commas(std::string number) {
  const size_t first = number.starts_with('-') ? 1 : 0;
  const size_t dot = std::min(number.find('.'), number.size());
  for (size_t at = dot; at > first + 3; at -= 3) number.insert(at - 3, ",");
  return number;
}

std::string markdown_cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '<') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

const char* colour_code(Paint paint) {
  switch (paint) {
    case Paint::strong:
      return "\x1b[1m";
    case Paint::good:
      return "\x1b[32m";
    case Paint::warn:
      return "\x1b[33m";
    case Paint::bad:
      return "\x1b[31m";
    case Paint::plain:
      break;
  }
  return "";
}

}  // namespace

std::string grouped(int64_t value) {
  return with_commas(fmt::format("{}", value));
}

std::string grouped(double value, int places) {
  if (!std::isfinite(value)) return "-";
  return with_commas(fmt::format("{:.{}f}", value, places));
}

std::string milliseconds(int64_t ns) {
  return grouped(static_cast<double>(ns) / 1e6, 3);
}

std::string percent(double value, int places) {
  return grouped(value, places) + " %";
}

std::string printable(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string shown;
  for (size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    const bool is_c1 = byte == 0xc2 && (valid[i + 1] & 0xe0) == 0x80;
    if (byte == '\n')
      shown += "\\n";
    else if (is_c1)
      shown += fmt::format("\\u{:04x}", valid[++i] & 0xff);
    else if (byte < 0x20 || byte == 0x7f)
      shown += fmt::format("\\x{:02x}", byte);
    else
      shown += valid[i];
  }
  return shown;
}

std::string wrapped(std::string_view text, size_t indent, int32_t width) {
  const size_t room =
      std::max<size_t>(indent + 20, static_cast<size_t>(std::max(width, 0)));
  std::string out;
  size_t used = indent;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const size_t length = display_width(word);
    if (used > indent && used + 1 + length > room) {
      out += '\n';
      out.append(indent, ' ');
      used = indent;
    } else if (used > indent) {
      out += ' ';
      ++used;
    }
    out += word;
    used += length;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

size_t display_width(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string painted(std::string_view text, Paint paint, bool colour) {
  if (!colour || paint == Paint::plain || text.empty())
    return std::string(text);
  return fmt::format("{}{}\x1b[0m", colour_code(paint), text);
}

std::vector<size_t> Table::widths() const {
  std::vector<size_t> widths;
  for (const Column& column : columns_)
    widths.push_back(display_width(column.head));
  for (const Row& row : rows_)
    for (size_t i = 0; i < row.fields.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row.fields[i].text));
  return widths;
}

std::string Table::line(const Row& row, const std::vector<size_t>& widths,
                        bool colour) const {
  std::string line;
  for (size_t i = 0; i < row.fields.size(); ++i) {
    const Field& field = row.fields[i];
    const std::string pad(widths[i] - display_width(field.text), ' ');
    if (i > 0) line += "  ";
    if (!columns_[i].is_text) line += pad;
    line += painted(field.text, field.paint, colour);
    if (columns_[i].is_text) line += pad;
  }
  if (!row.rest.empty()) line += "  " + row.rest;
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string Table::text(size_t indent, bool colour) const {
  const std::vector<size_t> width = widths();
  const std::string blanks(indent, ' ');
  Row head;
  for (const Column& column : columns_)
    head.fields.push_back({column.head, Paint::strong});
  std::string text = blanks + line(head, width, colour) + "\n";
  for (const Row& row : rows_) text += blanks + line(row, width, colour) + "\n";
  return text;
}

std::string Table::markdown() const {
  std::string text = "|";
  for (const Column& column : columns_)
    text += " " + markdown_cell(column.head) + " |";
  text += "\n|";
  for (const Column& column : columns_)
    text += column.is_text ? " --- |" : " ---: |";
  text += "\n";
  for (const Row& row : rows_) {
    text += "|";
    for (size_t i = 0; i < columns_.size(); ++i) {
      const bool is_last = i + 1 == columns_.size();
      if (i < row.fields.size())
        text += " " + markdown_cell(row.fields[i].text) + " |";
      else
        text += is_last ? " " + markdown_cell(row.rest) + " |" : " |";
    }
    text += "\n";
  }
  return text;
}

}  // namespace dyno
