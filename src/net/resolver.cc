#include "net/resolver.hh"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "net/dns.hh"
#include "net/socket.hh"

namespace dyno {
namespace {

constexpr const char* kKey = "target.url";
constexpr const char* kGiveAddress =
    "or give an address such as 127.0.0.1 in place of the name";

Status refuse(const std::string& host, const std::string& why,
              const std::string& remedy) {
  return fail(Code::resolve,
              std::string(kKey) + ": \"" + host + "\": " + why + "; " + remedy,
              kKey);
}

// RFC 6761 section 6.3: localhost and all names below it, with or without the
// root's dot.
bool is_localhost(std::string_view host) {
  std::string name(host);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  if (name.ends_with('.')) name.pop_back();
  return name == "localhost" || name.ends_with(".localhost");
}

// 127.1 or 1.2.3.400: no name ends in a number (RFC 3696), so DNS would only
// say so later.
bool is_broken_literal(std::string_view host) {
  return host.find('.') != std::string_view::npos &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::vector<Address> loopback(uint16_t port) {
  return {*parse_literal("127.0.0.1", port), *parse_literal("::1", port)};
}

Status unreachable(const std::string& host, const DnsAnswer& answer) {
  const std::string why = answer.socket_error == 0
                              ? ""
                              : " (" + error_text(answer.socket_error) + ")";
  return refuse(
      host, "no DNS server could be reached" + why,
      std::string("check the nameserver lines of /etc/resolv.conf, ") +
          kGiveAddress);
}

Status failed(const std::string& host, const DnsAnswer& answer) {
  const std::string check_spelling =
      std::string("check the spelling, ") + kGiveAddress;
  const std::string check_server =
      std::string("try again later, ask another DNS server, ") + kGiveAddress;
  switch (answer.status) {
    case ARES_ENOTFOUND:
      return refuse(host, "no such name", check_spelling);
    case ARES_ENODATA:
      return refuse(host, "the name has no address", check_spelling);
    case ARES_EBADNAME:
      return refuse(host, "not a valid host name", check_spelling);
    case ARES_ESERVFAIL:
    case ARES_ENOTIMP:
      return refuse(host, "server failure, says DNS", check_server);
    case ARES_EREFUSED:
      return refuse(host, "the DNS server refused the query", check_server);
    case ARES_ETIMEOUT:
      return refuse(host, "no DNS server answered", check_server);
    case ARES_ECONNREFUSED:
      return unreachable(host, answer);
    case ARES_ENOMEM:
      return fail(Code::memory, "out of memory while resolving " + host, kKey);
    default:
      return refuse(host, ares_strerror(answer.status), check_server);
  }
}

Result<std::vector<Address>> resolve_literal(Address address,
                                             const std::string& zone) {
  if (!zone.empty()) {
    const Status status = set_zone(address, zone);
    if (!status.is_ok())
      return fail(Code::resolve, std::string(kKey) + ": " + status.message,
                  kKey);
  }
  return std::vector<Address>{address};
}

Result<std::vector<Address>> resolve_name(const std::string& host,
                                          uint16_t port,
                                          const ResolveOptions& options) {
  const bool is_local = is_localhost(host);
  DnsAnswer answer = look_up({.name = host,
                              .port = port,
                              .sources = is_local ? "f" : "fb",
                              .timeout_ns = options.timeout_ns,
                              .cancel_fd = options.cancel_fd,
                              .servers = options.servers});
  switch (answer.end) {
    case DnsEnd::canceled:
      return fail(Code::canceled, "canceled while resolving " + host, kKey);
    case DnsEnd::timed_out:
      return refuse(host,
                    "timed out after " + format_duration(options.timeout_ns),
                    std::string("raise resolve.timeout, check the nameserver "
                                "lines of /etc/resolv.conf, ") +
                        kGiveAddress);
    case DnsEnd::answered:
      break;
  }
  if (!answer.addresses.empty()) return std::move(answer.addresses);
  if (is_local) return loopback(port);
  if (answer.status == ARES_SUCCESS) answer.status = ARES_ENODATA;
  return failed(host, answer);
}

}  // namespace

Result<std::vector<Address>> resolve(const std::string& host,
                                     const std::string& zone, uint16_t port,
                                     const ResolveOptions& options) {
  if (const std::optional<Address> literal = parse_literal(host, port))
    return resolve_literal(*literal, zone);
  if (!zone.empty())
    return refuse(host, "zone \"" + zone + "\" without an IPv6 address",
                  "zones go with addresses such as [fe80::1%25" + zone + "]");
  if (is_broken_literal(host))
    return refuse(host, "not an address",
                  "write four numbers from 0 to 255, as in 127.0.0.1");
  if (host.empty() || host.find('\0') != std::string::npos)
    return refuse(host, "not a valid host name",
                  "use one such as localhost, or an address");
  return resolve_name(host, port, options);
}

}  // namespace dyno
