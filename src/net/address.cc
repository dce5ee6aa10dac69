#include "net/address.hh"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace dyno {
namespace {

sockaddr_in& v4(sockaddr_storage& storage) {
  return reinterpret_cast<sockaddr_in&>(storage);
}
const sockaddr_in& v4(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in&>(storage);
}
sockaddr_in6& v6(sockaddr_storage& storage) {
  return reinterpret_cast<sockaddr_in6&>(storage);
}
const sockaddr_in6& v6(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in6&>(storage);
}

std::string_view path_of(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_un&>(storage).sun_path;
}

std::string_view without_brackets(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return text;
  return text.substr(1, text.size() - 2);
}

std::string zone_text(uint32_t index) {
  std::array<char, IF_NAMESIZE> name{};
  if (if_indextoname(index, name.data()) != nullptr) return name.data();
  return std::to_string(index);
}

std::string interface_names() {
  std::string names;
  struct if_nameindex* const all = if_nameindex();
  if (all == nullptr) return names;
  for (const struct if_nameindex* one = all; one->if_index != 0; ++one) {
    if (!names.empty()) names += ", ";
    names += one->if_name;
  }
  if_freenameindex(all);
  return names;
}

// The number of the interface, 0 when this host has none of that name.
uint32_t zone_index(const std::string& zone) {
  uint32_t index = 0;
  const char* const end = zone.data() + zone.size();
  const auto parsed = std::from_chars(zone.data(), end, index);
  if (parsed.ec == std::errc{} && parsed.ptr == end) return index;
  return if_nametoindex(zone.c_str());
}

}  // namespace

uint16_t Address::port() const {
  if (family() == AF_UNIX) return 0;
  // IPv4 and IPv6 keep the port at the same place.
  return ntohs(v4(storage).sin_port);
}

void Address::set_port(uint16_t port) {
  v4(storage).sin_port = htons(port);
}

std::string Address::text() const {
  std::array<char, INET6_ADDRSTRLEN> host{};
  const std::string port_text = ":" + std::to_string(port());
  switch (family()) {
    case AF_INET:
      inet_ntop(AF_INET, &v4(storage).sin_addr, host.data(), host.size());
      return host.data() + port_text;
    case AF_INET6: {
      inet_ntop(AF_INET6, &v6(storage).sin6_addr, host.data(), host.size());
      const uint32_t index = v6(storage).sin6_scope_id;
      const std::string zone = index == 0 ? "" : "%" + zone_text(index);
      return std::string("[") + host.data() + zone + "]" + port_text;
    }
    case AF_UNIX:
      return "unix:" + std::string(path_of(storage));
    default:
      return "no address";
  }
}

bool Address::operator==(const Address& other) const {
  if (family() != other.family() || port() != other.port()) return false;
  if (family() == AF_UNIX) return path_of(storage) == path_of(other.storage);
  if (family() == AF_INET)
    return v4(storage).sin_addr.s_addr == v4(other.storage).sin_addr.s_addr;
  const sockaddr_in6& mine = v6(storage);
  const sockaddr_in6& theirs = v6(other.storage);
  return mine.sin6_scope_id == theirs.sin6_scope_id &&
         std::memcmp(&mine.sin6_addr, &theirs.sin6_addr,
                     sizeof mine.sin6_addr) == 0;
}

Address make_address(const sockaddr* address, socklen_t length) {
  Address made;
  made.length = std::min(length, static_cast<socklen_t>(sizeof made.storage));
  std::memcpy(&made.storage, address, made.length);
  return made;
}

std::optional<Address> parse_literal(std::string_view text, uint16_t port) {
  const bool has_brackets = text.starts_with('[');
  // inet_pton reads a C string and would stop at a NUL in the middle.
  const std::string host(without_brackets(text));
  if (host.find('\0') != std::string::npos) return {};
  Address address;
  if (!has_brackets &&
      inet_pton(AF_INET, host.c_str(), &v4(address.storage).sin_addr) == 1) {
    address.storage.ss_family = AF_INET;
    address.length = sizeof(sockaddr_in);
  } else if (inet_pton(AF_INET6, host.c_str(),
                       &v6(address.storage).sin6_addr) == 1) {
    address.storage.ss_family = AF_INET6;
    address.length = sizeof(sockaddr_in6);
  } else {
    return {};
  }
  address.set_port(port);
  return address;
}

Result<Address> parse_address(std::string_view text, uint16_t port) {
  const std::string_view plain = without_brackets(text);
  const size_t percent = plain.find('%');
  const std::string_view host =
      percent == std::string_view::npos ? text : plain.substr(0, percent);
  std::optional<Address> address = parse_literal(host, port);
  if (!address)
    return fail(Code::value, "\"" + std::string(text) +
                                 "\" is not an address; try 127.0.0.1 or ::1");
  if (percent == std::string_view::npos) return *address;
  Status status = set_zone(*address, std::string(plain.substr(percent + 1)));
  if (!status.is_ok()) return status;
  return *address;
}

Result<Address> unix_address(const std::string& path) {
  Address address;
  auto& made = reinterpret_cast<sockaddr_un&>(address.storage);
  // With the NUL that ends it.
  if (path.empty() || path.size() >= sizeof made.sun_path)
    return fail(Code::value,
                "\"" + path +
                    "\" is no path of a Unix socket: " + "that has 1 to " +
                    std::to_string(sizeof made.sun_path - 1) + " bytes");
  made.sun_family = AF_UNIX;
  std::memcpy(made.sun_path, path.data(), path.size());
  address.length = sizeof made;
  return address;
}

Status set_zone(Address& address, const std::string& zone) {
  if (address.family() != AF_INET6)
    return fail(Code::value, "zone \"" + zone + "\": " + address.text() +
                                 " takes none; only IPv6 addresses do");
  const uint32_t index = zone_index(zone);
  if (index == 0)
    return fail(Code::value, "zone \"" + zone +
                                 "\" is no interface of this host; use one "
                                 "of: " +
                                 interface_names());
  v6(address.storage).sin6_scope_id = index;
  return {};
}

}  // namespace dyno
