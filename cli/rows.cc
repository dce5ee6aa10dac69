#include "rows.hh"

#include <httpdyno/httpdyno.h>
#include <httpdyno/server.h>

#include <algorithm>
#include <cctype>

namespace cli {
namespace {

const char* word_of(int32_t type) {
  switch (type) {
    case DYNO_TYPE_FLAG:
      return "flag";
    case DYNO_TYPE_COUNT:
      return "count";
    case DYNO_TYPE_SIZE:
      return "size";
    case DYNO_TYPE_DURATION:
      return "duration";
    case DYNO_TYPE_RATE:
      return "rate";
    case DYNO_TYPE_CHOICE:
      return "word";
    default:
      return "text";
  }
}

}  // namespace

std::string Row::long_flag() const {
  std::string flag = key;
  std::replace(flag.begin(), flag.end(), '.', '-');
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string Row::type_name() const {
  std::string name = word_of(type);
  if (list == DYNO_LIST_EXPAND) name += ",...";
  if (list == DYNO_LIST_APPENDED) name += " (repeats)";
  return name;
}

std::string Row::placeholder() const {
  std::string name = word_of(type);
  for (char& letter : name)
    letter =
        static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return list == DYNO_LIST_EXPAND ? name + ",..." : name;
}

Rows plan_rows() {
  Rows rows;
  for (size_t i = 0; i < dyno_option_count(); ++i)
    rows.push_back({.key = dyno_option_name(i),
                    .type = dyno_option_type(i),
                    .list = dyno_option_is_list(i),
                    .fallback = dyno_option_default(i),
                    .values = dyno_option_values(i),
                    .unit = dyno_option_unit(i),
                    .help = dyno_option_help(i),
                    .alias = dyno_option_flag(i),
                    .short_flag = dyno_option_short_flag(i),
                    .engines = dyno_option_engines(i)});
  return rows;
}

Rows plan_rows_without_suites() {
  Rows rows = plan_rows();
  std::erase_if(rows,
                [](const Row& row) { return row.key.starts_with("suite."); });
  return rows;
}

Rows server_rows() {
  Rows rows;
  for (size_t i = 0; i < dyno_server_option_count(); ++i)
    rows.push_back({.key = dyno_server_option_name(i),
                    .type = dyno_server_option_type(i),
                    .list = dyno_server_option_is_list(i),
                    .fallback = dyno_server_option_default(i),
                    .values = dyno_server_option_values(i),
                    .unit = dyno_server_option_unit(i),
                    .help = dyno_server_option_help(i),
                    .alias = dyno_server_option_flag(i),
                    .short_flag = dyno_server_option_short_flag(i),
                    .engines = ""});
  return rows;
}

Row* find_row(Rows& rows, std::string_view key) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [key](const Row& r) { return r.key == key; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace cli
