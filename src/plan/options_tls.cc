// The rows of TLS: for targets with https://.
#include <array>

#include "plan/config.hh"
#include "plan/option_rows.hh"

namespace dyno {
namespace {

constexpr const char* kEngines = "event,curl";

const std::array kRows{
    OptionRow{.key = "tls.insecure",
              .type = OptionType::flag,
              .field = field<&Config::tls_insecure>(),
              .fallback = "off",
              .help = "take any certificate of the server, unchecked",
              .flag = "insecure",
              .short_flag = "k",
              .engines = kEngines},
    OptionRow{.key = "tls.ca",
              .field = field<&Config::tls_ca>(),
              .help = "a PEM file of the certificates that are trusted, "
                      "instead of the system's",
              .engines = kEngines},
    OptionRow{.key = "tls.cert",
              .field = field<&Config::tls_cert>(),
              .help = "a PEM file with the client's certificate and its chain",
              .engines = kEngines},
    OptionRow{.key = "tls.key",
              .field = field<&Config::tls_key>(),
              .help = "a PEM file with the key of tls.cert, where that has "
                      "none",
              .engines = kEngines},
    OptionRow{.key = "tls.server_name",
              .field = field<&Config::tls_server_name>(),
              .help = "the name that is sent (SNI) and that the certificate "
                      "must have, instead of the URL's host",
              .engines = kEngines},
    OptionRow{.key = "tls.min_version",
              .type = OptionType::choice,
              .field = field<&Config::tls_min_version>(),
              .fallback = "1.2",
              .values = "1.2|1.3",
              .help = "the oldest version of TLS that is spoken",
              .engines = kEngines},
    OptionRow{.key = "tls.resume",
              .type = OptionType::flag,
              .field = field<&Config::tls_resume>(),
              .fallback = "on",
              .help = "a connection resumes the session of an earlier one "
                      "where the server lets it; off: every handshake is a "
                      "full one",
              .engines = kEngines},
};

}  // namespace

std::span<const OptionRow> tls_rows() {
  return kRows;
}

}  // namespace dyno
