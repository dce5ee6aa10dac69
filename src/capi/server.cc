// Bridge: dyno_server.
#include "server/server.hh"

#include <httpdyno/server.h>

#include <string>
#include <string_view>

#include "capi/guard.hh"

using dyno::OptionRow;
using dyno::Status;
using dyno::capi::guarded;
using dyno::capi::kArgument;

struct dyno_server {
  dyno::server::Server server;
  std::string stats;
  dyno::capi::Failed failed;
};

namespace {

const OptionRow* option(size_t index) {
  const auto rows = dyno::server::server_options().rows();
  return index < rows.size() ? &rows[index] : nullptr;
}

const char* text_of(size_t index, const char* OptionRow::*member) {
  const OptionRow* row = option(index);
  return row == nullptr ? nullptr : row->*member;
}

const dyno::server::StatRow* stat_row(size_t index) {
  const auto rows = dyno::server::stat_table();
  return index < rows.size() ? &rows[index] : nullptr;
}

}  // namespace

size_t dyno_server_option_count(void) {
  return dyno::server::server_options().rows().size();
}

const char* dyno_server_option_name(size_t index) {
  return text_of(index, &OptionRow::key);
}

int32_t dyno_server_option_type(size_t index) {
  const OptionRow* row = option(index);
  return row == nullptr ? -1 : static_cast<int32_t>(row->type);
}

const char* dyno_server_option_default(size_t index) {
  return text_of(index, &OptionRow::fallback);
}

const char* dyno_server_option_values(size_t index) {
  return text_of(index, &OptionRow::values);
}

const char* dyno_server_option_unit(size_t index) {
  return text_of(index, &OptionRow::unit);
}

const char* dyno_server_option_help(size_t index) {
  return text_of(index, &OptionRow::help);
}

const char* dyno_server_option_flag(size_t index) {
  return text_of(index, &OptionRow::flag);
}

const char* dyno_server_option_short_flag(size_t index) {
  return text_of(index, &OptionRow::short_flag);
}

int32_t dyno_server_option_is_list(size_t index) {
  const OptionRow* row = option(index);
  return row == nullptr ? 0 : static_cast<int32_t>(row->list);
}

dyno_status dyno_server_new(dyno_server** out) {
  if (out == nullptr) return kArgument;
  *out = nullptr;
  return guarded([&] {
    *out = new dyno_server();
    return DYNO_OK;
  });
}

dyno_status dyno_server_set(dyno_server* server, const char* key,
                            const char* value) {
  if (server == nullptr || key == nullptr || value == nullptr) return kArgument;
  return guarded(server->failed,
                 [&] { return server->server.set(key, value); });
}

dyno_status dyno_server_start(dyno_server* server) {
  if (server == nullptr) return kArgument;
  return guarded(server->failed, [&] { return server->server.start(); });
}

int32_t dyno_server_port(const dyno_server* server) {
  return server == nullptr ? 0 : server->server.port();
}

dyno_status dyno_server_stop(const dyno_server* server) {
  if (server == nullptr) return kArgument;
  return guarded([&] {
    server->server.stop();
    return DYNO_OK;
  });
}

size_t dyno_server_stat_count(void) {
  return dyno::server::stat_table().size();
}

const char* dyno_server_stat_name(size_t index) {
  const auto* row = stat_row(index);
  return row == nullptr ? nullptr : row->name;
}

const char* dyno_server_stat_help(size_t index) {
  const auto* row = stat_row(index);
  return row == nullptr ? nullptr : row->help;
}

int64_t dyno_server_stat(const dyno_server* server, const char* name) {
  if (server == nullptr || name == nullptr) return -1;
  int64_t value = -1;
  (void)guarded([&] {
    value = server->server.stat(name).value_or(-1);
    return DYNO_OK;
  });
  return value;
}

const char* dyno_server_stats(dyno_server* server) {
  if (server == nullptr) return nullptr;
  const dyno_status status = guarded(server->failed, [&] {
    server->stats = server->server.stats_json();
    return Status{};
  });
  return status == DYNO_OK ? server->stats.c_str() : nullptr;
}

const char* dyno_server_error(const dyno_server* server) {
  return server == nullptr ? "" : server->failed.message.c_str();
}

const char* dyno_server_error_key(const dyno_server* server) {
  return server == nullptr ? "" : server->failed.key.c_str();
}

void dyno_server_free(dyno_server* server) {
  delete server;
}
