#include "server/stats.hh"

namespace dyno::server {
namespace {

// The rows stand in the order of Stat, but for `open`, which comes last.
constexpr std::array<StatRow, kStats + 1> kTable{{
    {"accepted",
     "connections accepted, but for those that only asked for /stats"},
    {"closed", "of these, closed again, by either side"},
    {"read", "requests whose head was read completely"},
    {"written", "answers whose last byte was handed to the kernel"},
    {"bad_requests", "what was no request and was answered with 4xx"},
    {"faults", "requests that met fault or truncate on request"},
    {"held", "connections that had to wait for max_connections"},
    {"idle_closed", "connections closed by idle_close"},
    {"accept_errors", "failed accepts, such as for want of descriptors"},
    {"tls_failed", "connections that ended without a TLS handshake"},
    {"open", "accepted minus closed"},
}};
constexpr size_t kOpen = kStats;

void add_quoted(std::string& json, std::string_view text) {
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  json += '"';
}

}  // namespace

std::span<const StatRow> stat_table() {
  return kTable;
}

Stats::Stats(size_t threads) {
  for (size_t i = 0; i < threads; ++i)
    counters_.push_back(std::make_unique<Counters>());
}

int64_t Stats::sum(size_t row) const {
  // Closed first: a connection that comes and goes meanwhile cannot make the
  // number of open ones negative.
  if (row == kOpen) {
    const int64_t closed = sum(static_cast<size_t>(Stat::closed));
    return sum(static_cast<size_t>(Stat::accepted)) - closed;
  }
  int64_t total = 0;
  for (const auto& counters : counters_)
    total += counters->get(static_cast<Stat>(row));
  return total;
}

std::optional<int64_t> Stats::get(std::string_view name) const {
  for (size_t row = 0; row < kTable.size(); ++row)
    if (name == kTable[row].name) return sum(row);
  return std::nullopt;
}

std::string Stats::json(const ServerConfig& config) const {
  std::string json = "{\"server\":\"httpdyno\"";
  for (size_t row = 0; row < kTable.size(); ++row) {
    json += ',';
    add_quoted(json, kTable[row].name);
    json += ':';
    json += std::to_string(sum(row));
  }
  json += ",\"limits\":{";
  for (const OptionRow& row : server_options().rows()) {
    if (json.back() != '{') json += ',';
    add_quoted(json, row.key);
    json += ':';
    add_quoted(json, format_value(row, row.field.load(&config)));
  }
  return json + "}}\n";
}

}  // namespace dyno::server
