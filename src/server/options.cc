#include "server/options.hh"

#include <array>

#include "net/affinity.hh"

namespace dyno::server {
namespace {

Status check_cpus(std::string_view text) {
  const Result<std::vector<int>> cpus = parse_cpus(text);
  if (cpus.is_ok()) return {};
  return under_key(cpus.status(), "host.cpus", "cpus");
}

constexpr int64_t kMostCount = 1'000'000'000'000'000;
constexpr int64_t kLongest = 3600 * kSecond;

// The order of the rows is the order in help.
const std::array kRows{
    OptionRow{.key = "host",
              .field = field<&ServerConfig::host>(),
              .fallback = "127.0.0.1",
              .help = "the address to listen on; 0.0.0.0 and :: are all of "
                      "this machine's"},
    OptionRow{.key = "port",
              .type = OptionType::count,
              .field = field<&ServerConfig::port>(),
              .fallback = "8080",
              .max = 65535,
              .help = "the port to listen on; 0 takes a free one"},
    OptionRow{.key = "threads",
              .type = OptionType::count,
              .field = field<&ServerConfig::threads>(),
              .fallback = "1",
              .min = 1,
              .max = 1024,
              .help = "threads, each with its own loop and listening socket",
              .short_flag = "t"},
    OptionRow{.key = "cpus",
              .field = field<&ServerConfig::cpus>(),
              .help = "processors that the threads are pinned to, in turn: "
                      "0,2-3",
              .check = check_cpus},

    OptionRow{.key = "unix_socket",
              .field = field<&ServerConfig::unix_socket>(),
              .help = "listen on this Unix socket instead of host and port; "
                      "it is removed at the end"},
    OptionRow{.key = "tls",
              .type = OptionType::flag,
              .field = field<&ServerConfig::tls>(),
              .fallback = "off",
              .help = "speak TLS (1.2 and 1.3), with a self-signed "
                      "certificate for localhost unless tls_cert is given"},
    OptionRow{.key = "tls_cert",
              .field = field<&ServerConfig::tls_cert>(),
              .help = "a PEM file with the certificate and its chain"},
    OptionRow{.key = "tls_key",
              .field = field<&ServerConfig::tls_key>(),
              .help = "a PEM file with the key of tls_cert, where that has "
                      "none"},
    OptionRow{.key = "tls_ca",
              .field = field<&ServerConfig::tls_ca>(),
              .help = "a PEM file: clients must have a certificate that one "
                      "of these has signed"},

    OptionRow{
        .key = "tls_handshake",
        .type = OptionType::duration,
        .field = field<&ServerConfig::tls_handshake_ns>(),
        .fallback = "10s",
        .min = kMillisecond,
        .unit = "ns",
        .help = "a connection whose TLS handshake takes longer is closed"},

    OptionRow{.key = "backlog",
              .type = OptionType::count,
              .field = field<&ServerConfig::backlog>(),
              .fallback = "4096",
              .min = 1,
              .max = 65535,
              .help = "connections that may wait to be accepted"},
    OptionRow{.key = "max_connections",
              .type = OptionType::count,
              .field = field<&ServerConfig::max_connections>(),
              .fallback = "unlimited",
              .min = 1,
              .help = "connections served at once; more are accepted and held "
                      "unread until one of them closes"},
    OptionRow{.key = "max_requests_per_connection",
              .type = OptionType::count,
              .field = field<&ServerConfig::max_requests>(),
              .fallback = "unlimited",
              .min = 1,
              .help = "a connection is closed after this many answers"},
    OptionRow{.key = "close_header",
              .type = OptionType::flag,
              .field = field<&ServerConfig::close_header>(),
              .fallback = "on",
              .help = "the answer that uses up max_requests_per_connection "
                      "says Connection: close"},
    OptionRow{.key = "after_close",
              .type = OptionType::choice,
              .field = field<&ServerConfig::after_close>(),
              .fallback = "discard",
              .values = "discard|answer",
              .help = "requests that were pipelined behind the last one are "
                      "thrown away, or answered before the close"},
    OptionRow{.key = "idle_close",
              .type = OptionType::duration,
              .field = field<&ServerConfig::idle_close_ns>(),
              .fallback = "unlimited",
              .min = kMillisecond,
              .unit = "ns",
              .help = "a connection without a request for this long is closed "
                      "(up to an eighth later)"},
    OptionRow{.key = "pipelined",
              .type = OptionType::choice,
              .field = field<&ServerConfig::pipelined>(),
              .fallback = "concurrent",
              .values = "concurrent|serial",
              .help = "the delays of pipelined requests run side by side, or "
                      "each starts when the answer before it was written"},

    OptionRow{.key = "seed",
              .type = OptionType::count,
              .field = field<&ServerConfig::seed>(),
              .fallback = "1",
              .max = kMostCount,
              .help = "of the bodies of /rnd, of jitter and of fault_share"},
    OptionRow{.key = "sequence_header",
              .type = OptionType::flag,
              .field = field<&ServerConfig::sequence_header>(),
              .fallback = "off",
              .help = "answers say X-Dyno-Connection and X-Dyno-Request, both "
                      "counted from 1, and X-Dyno-Seed, the seed: what a "
                      "client needs to know the bodies of /rnd"},
    OptionRow{.key = "delay",
              .type = OptionType::duration,
              .field = field<&ServerConfig::delay_ns>(),
              .fallback = "0s",
              .max = kLongest,
              .unit = "ns",
              .help = "from a request's arrival to its answer, on every route "
                      "but /wait"},
    OptionRow{.key = "jitter",
              .type = OptionType::duration,
              .field = field<&ServerConfig::jitter_ns>(),
              .fallback = "0s",
              .max = kLongest,
              .unit = "ns",
              .help = "adds between nothing and this to each delay, evenly"},
    OptionRow{.key = "fault",
              .type = OptionType::choice,
              .field = field<&ServerConfig::fault>(),
              .fallback = "none",
              .values = "none|reset|close|never",
              .help = "in place of an answer the connection is reset or "
                      "closed, or no answer ever comes"},
    OptionRow{.key = "truncate",
              .type = OptionType::size,
              .field = field<&ServerConfig::truncate>(),
              .fallback = "unlimited",
              .unit = "bytes",
              .help = "an answer ends after this much of its body, and the "
                      "connection is closed"},
    OptionRow{.key = "fault_share",
              .type = OptionType::count,
              .field = field<&ServerConfig::fault_share>(),
              .fallback = "100",
              .max = 100,
              .unit = "percent",
              .help = "of the requests meet fault or truncate"},
    OptionRow{.key = "split",
              .type = OptionType::size,
              .field = field<&ServerConfig::split>(),
              .fallback = "unlimited",
              .min = 1,
              .unit = "bytes",
              .help = "an answer is written in pieces of this size, 1 ms "
                      "apart"},
};

}  // namespace

Status under_key(Status status, std::string_view theirs, const char* ours) {
  if (status.is_ok()) return status;
  if (status.message.starts_with(theirs))
    status.message.replace(0, theirs.size(), ours);
  status.key = ours;
  return status;
}

const OptionTable& server_options() {
  static const OptionTable table(kRows);
  return table;
}

}  // namespace dyno::server
