// Layout: numbers, texts and tables as people read them. ASCII, except where
// the user's own texts are not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

std::string grouped(int64_t value);             // 12,345
std::string grouped(double value, int places);  // 3,124.5; not finite: -
std::string milliseconds(int64_t ns);           // 1,010.312: to the us
std::string percent(double value, int places);  // 97.6 %

// One line that a terminal shows as it is: control characters are escaped,
// invalid UTF-8 is replaced as in JSON.
std::string printable(std::string_view text);

// `text` broken at blanks so that no line is longer than `width`; every line
// after the first begins with `indent` blanks, which the first one has taken.
std::string wrapped(std::string_view text, size_t indent, int32_t width);

// Columns on a screen: code points.
size_t display_width(std::string_view text);

enum class Paint : uint8_t { plain, strong, good, warn, bad };
std::string painted(std::string_view text, Paint paint, bool colour);

// A table with a head. Text columns are flush left, numbers flush right.
class Table {
 public:
  struct Column {
    std::string head;
    bool is_text = false;
  };
  struct Field {
    std::string text;
    Paint paint = Paint::plain;
  };

  void add_column(std::string head, bool is_text = false) {
    columns_.push_back({std::move(head), is_text});
  }
  // As many fields as columns; or fewer, and then `rest` across what is left.
  void add_row(std::vector<Field> fields, std::string rest = {}) {
    rows_.push_back({std::move(fields), std::move(rest)});
  }
  bool is_empty() const { return rows_.empty(); }

  // Each line begins with `indent` blanks.
  std::string text(size_t indent, bool colour) const;
  std::string markdown() const;

 private:
  struct Row {
    std::vector<Field> fields;
    std::string rest;
  };

  std::vector<size_t> widths() const;
  std::string line(const Row& row, const std::vector<size_t>& widths,
                   bool colour) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace dyno
