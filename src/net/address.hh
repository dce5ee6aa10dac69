// Address: one socket address, IPv4, IPv6 or a Unix socket, and the text it is
// read from and printed as. Names are resolver.hh's business. A plain value,
// free to cross threads.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.hh"

namespace dyno {

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&storage);
  }
  // AF_INET, AF_INET6 or AF_UNIX.
  int family() const { return storage.ss_family; }
  uint16_t port() const;  // 0 for a Unix socket
  void set_port(uint16_t port);
  // 127.0.0.1:80, [::1]:80, [fe80::1%lo]:80, unix:/run/http.sock
  std::string text() const;

  bool operator==(const Address& other) const;
};

// A copy of what a system call filled in.
Address make_address(const sockaddr* address, socklen_t length);

// 127.0.0.1, ::1 or [::1]: a numeric address without a zone; nothing when the
// text is something else (a name, perhaps).
std::optional<Address> parse_literal(std::string_view text, uint16_t port);

// The same with a zone, fe80::1%lo or fe80::1%1. Code::value tells why not.
Result<Address> parse_address(std::string_view text, uint16_t port);

// A Unix socket by its path. Code::value: the path is too long, or empty.
Result<Address> unix_address(const std::string& path);

// Gives an IPv6 address its zone: an interface's name or its number.
Status set_zone(Address& address, const std::string& zone);

}  // namespace dyno
