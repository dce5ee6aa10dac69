#include "report/server_stats.hh"

#include <nlohmann/json.hpp>

namespace dyno {

Result<ServerStats> parse_server_stats(std::string_view text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  const bool is_ours = json.is_object() && json.contains("accepted") &&
                       json.contains("read") && json.contains("written");
  if (!is_ours)
    return fail(Code::value, "/stats of the target is not httpdyno's");
  ServerStats stats;
  const auto count = [&json](const char* name) {
    return json[name].is_number_integer() ? json[name].get<int64_t>() : 0;
  };
  stats.accepted = count("accepted");
  stats.read = count("read");
  stats.written = count("written");
  if (!json.contains("limits") || !json["limits"].is_object()) return stats;
  for (const auto& [name, value] : json["limits"].items())
    stats.limits.emplace_back(
        name, value.is_string() ? value.get<std::string>() : value.dump());
  return stats;
}

}  // namespace dyno
