#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/units.hh"
#include "plan/options.hh"
#include "report/json_parts.hh"

namespace dyno {
namespace {

constexpr const char* kUnlimitedWord = "unlimited";
constexpr std::string_view kPublished = "published.";

Json option_json(const OptionRow& row, const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* real = std::get_if<double>(&value)) return finite(*real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* texts = std::get_if<Texts>(&value)) return *texts;
  const int64_t number = std::get<int64_t>(value);
  if (row.type == OptionType::choice) return format_value(row, value);
  if (number == kUnlimited) return kUnlimitedWord;
  return number;
}

Status read_texts(const Json& json, const std::string& path, Value& out) {
  if (!json.is_array()) return not_a(path, "an array of texts");
  Texts texts;
  for (const Json& one : json) {
    if (!one.is_string()) return not_a(path, "an array of texts");
    texts.push_back(one.get<std::string>());
  }
  out = std::move(texts);
  return {};
}

Status read_choice(const OptionRow& row, const Json& json,
                   const std::string& path, Value& out) {
  if (!json.is_string()) return not_a(path, "a text");
  Result<Value> value = parse_value(row, json.get<std::string>());
  if (!value.is_ok()) return fail(Code::value, value.status().message, row.key);
  out = std::move(value.value());
  return {};
}

Status read_whole(const Json& json, const std::string& path, Value& out) {
  if (json.is_string() && json.get<std::string>() == kUnlimitedWord) {
    out = kUnlimited;
    return {};
  }
  if (!is_whole(json)) return not_a(path, "a whole number");
  out = json.get<int64_t>();
  return {};
}

// Not parse_value: what a plan completed need not be what a user may set.
Status read_option(const OptionRow& row, const Json& json,
                   const std::string& path, Value& out) {
  if (row.list == OptionList::appended) return read_texts(json, path, out);
  switch (row.type) {
    case OptionType::text:
      if (!json.is_string()) return not_a(path, "a text");
      out = json.get<std::string>();
      return {};
    case OptionType::flag:
      if (!json.is_boolean()) return not_a(path, "true or false");
      out = json.get<bool>();
      return {};
    case OptionType::rate:
      if (!json.is_number()) return not_a(path, "a number");
      out = json.get<double>();
      return {};
    case OptionType::choice:
      return read_choice(row, json, path, out);
    case OptionType::count:
    case OptionType::size:
    case OptionType::duration:
      break;
  }
  return read_whole(json, path, out);
}

Json annotation_json(const Annotation& annotation) {
  if (const auto* whole = std::get_if<int64_t>(&annotation.value))
    return *whole;
  if (const auto* real = std::get_if<double>(&annotation.value))
    return finite(*real);
  return std::get<std::string>(annotation.value);
}

}  // namespace

Json config_json(const Config& config) {
  Json json = Json::object();
  for (const OptionRow& row : plan_options().rows())
    json[row.key] = option_json(row, row.field.load(&config));
  return json;
}

Status read_config(const Json& json, const std::string& path, Config& config) {
  if (!json.is_object()) return not_a(path, "an object");
  plan_options().set_defaults(&config);
  for (const OptionRow& row : plan_options().rows()) {
    const auto found = json.find(row.key);
    if (found == json.end()) continue;
    Value value;
    Status status = read_option(row, *found, path + "." + row.key, value);
    if (!status.is_ok()) return status;
    row.field.store(&config, value);
  }
  return {};
}

Json published_json(const Cell& cell) {
  Json json;
  for (const Annotation& annotation : cell.annotations)
    if (annotation.key.starts_with(kPublished))
      json[annotation.key.substr(kPublished.size())] =
          annotation_json(annotation);
  return json;
}

Json annotations_json(const Cell& cell) {
  Json json = Json::object();
  for (const Annotation& annotation : cell.annotations)
    if (!annotation.key.starts_with(kPublished))
      json[annotation.key] = annotation_json(annotation);
  return json;
}

Status read_annotations(const Json& json, const std::string& path,
                        const char* prefix, Cell& cell) {
  if (json.is_null()) return {};
  if (!json.is_object()) return not_a(path, "an object");
  for (const auto& [key, value] : json.items()) {
    Annotation annotation{prefix + key, std::string()};
    if (is_whole(value))
      annotation.value = value.get<int64_t>();
    else if (value.is_number())
      annotation.value = value.get<double>();
    else if (value.is_string())
      annotation.value = value.get<std::string>();
    else if (value.is_null())
      annotation.value = std::numeric_limits<double>::quiet_NaN();
    else
      return not_a(path + "." + key, "a number or a text");
    cell.annotations.push_back(std::move(annotation));
  }
  return {};
}

Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

bool is_whole(const Json& json) {
  if (json.is_number_unsigned())
    return json.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX);
  return json.is_number_integer();
}

Status not_a(const std::string& path, const char* what) {
  return fail(Code::value, fmt::format("{}: is not {}", path, what));
}

}  // namespace dyno
