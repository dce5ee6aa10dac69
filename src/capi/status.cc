// Bridge: versions, build facts and the names of the status codes.
#include "base/status.hh"

#include <httpdyno/httpdyno.h>

#include <array>
#include <string_view>

#include "base/version.hh"

namespace {

#define DYNO_TEXT_OF(x) #x
#define DYNO_TEXT(x) DYNO_TEXT_OF(x)
constexpr std::string_view kHeaderVersion =
    DYNO_TEXT(DYNO_VERSION_MAJOR) "." DYNO_TEXT(
        DYNO_VERSION_MINOR) "." DYNO_TEXT(DYNO_VERSION_PATCH);
static_assert(kHeaderVersion == dyno::kVersion);

struct StatusRow {
  int32_t code;
  dyno::Code same;  // the same code inside
  const char* name;
  const char* text;
};

constexpr std::array<StatusRow, 14> kStatuses{{
    {DYNO_OK, dyno::Code::ok, "DYNO_OK", "no error"},
    {DYNO_E_ARGUMENT, dyno::Code::argument, "DYNO_E_ARGUMENT",
     "an argument is NULL or makes no sense"},
    {DYNO_E_OPTION, dyno::Code::option, "DYNO_E_OPTION",
     "there is no option of that name"},
    {DYNO_E_VALUE, dyno::Code::value, "DYNO_E_VALUE",
     "the option does not take that value"},
    {DYNO_E_STATE, dyno::Code::state, "DYNO_E_STATE",
     "the handle is in another state"},
    {DYNO_E_MEMORY, dyno::Code::memory, "DYNO_E_MEMORY", "out of memory"},
    {DYNO_E_SYSTEM, dyno::Code::system, "DYNO_E_SYSTEM",
     "the system refused: descriptors, ports or permissions"},
    {DYNO_E_RESOLVE, dyno::Code::resolve, "DYNO_E_RESOLVE",
     "the target's name has no address"},
    {DYNO_E_CONNECT, dyno::Code::connect, "DYNO_E_CONNECT",
     "the target could not be reached or answered nothing"},
    {DYNO_E_UNSUPPORTED, dyno::Code::unsupported, "DYNO_E_UNSUPPORTED",
     "known, but not in this build or engine"},
    {DYNO_E_TIMEOUT, dyno::Code::timeout, "DYNO_E_TIMEOUT", "not ended yet"},
    {DYNO_E_CANCELED, dyno::Code::canceled, "DYNO_E_CANCELED",
     "canceled; the numbers are partial"},
    {DYNO_E_NOTFOUND, dyno::Code::not_found, "DYNO_E_NOTFOUND",
     "there is no such metric, format or cell, or it has no value"},
    {DYNO_E_INTERNAL, dyno::Code::internal, "DYNO_E_INTERNAL",
     "a fault of the library; please report it"},
}};

constexpr bool codes_agree() {
  for (const StatusRow& row : kStatuses)
    if (row.code != static_cast<int32_t>(row.same)) return false;
  return true;
}
static_assert(codes_agree());

const StatusRow* find(dyno_status status) {
  for (const StatusRow& row : kStatuses)
    if (row.code == status) return &row;
  return nullptr;
}

struct BuildFact {
  std::string_view name;
  const char* value;
};

constexpr std::array<BuildFact, 8> kBuildFacts{{
    {"compiler", __VERSION__},
    {"build_type", HTTPDYNO_BUILD_TYPE},
    {"libevent", HTTPDYNO_LIBEVENT_VERSION},
    {"c-ares", HTTPDYNO_CARES_VERSION},
    {"libcurl", HTTPDYNO_CURL_VERSION},
    {"openssl", HTTPDYNO_OPENSSL_VERSION},
    {"llhttp", HTTPDYNO_LLHTTP_VERSION},
    {"fmt", HTTPDYNO_FMT_VERSION},
}};

}  // namespace

uint32_t dyno_version_number(void) {
  return DYNO_VERSION_NUMBER;
}

const char* dyno_version_string(void) {
  return dyno::kVersion;
}

const char* dyno_build_info(const char* name) {
  if (name == nullptr) return nullptr;
  for (const BuildFact& fact : kBuildFacts)
    if (fact.name == name) return fact.value;
  return nullptr;
}

const char* dyno_status_name(dyno_status status) {
  const StatusRow* row = find(status);
  return row != nullptr ? row->name : "DYNO_E_UNKNOWN";
}

const char* dyno_status_text(dyno_status status) {
  const StatusRow* row = find(status);
  return row != nullptr ? row->text : "no status of this version";
}
