#include "http/url.hh"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "http/text.hh"

namespace dyno {

namespace {

uint16_t default_port(const Url& url) {
  return url.is_tls() ? 443 : 80;
}

Status refuse(std::string_view text, std::string_view why) {
  std::string message = "target.url: ";
  message += quoted(text);
  message += ' ';
  message += why;
  return fail(Code::value, std::move(message), "target.url");
}

Status refuse_with_hint(std::string_view text, std::string_view why,
                        std::string_view hint) {
  std::string words(why);
  words += "; try ";
  words += hint;
  return refuse(text, words);
}

// Takes the part before the first of `marks` off `text`.
std::string_view take_until(std::string_view& text, std::string_view marks) {
  const std::string_view part = text.substr(0, text.find_first_of(marks));
  text.remove_prefix(part.size());
  return part;
}

// What no URL may contain (RFC 3986 section 2).
Status check_bytes(std::string_view text) {
  if (text.empty())
    return refuse(text, "is no URL; try http://127.0.0.1:8080/");
  for (const char byte : text) {
    if (byte == ' ')
      return refuse(text, "has a space; percent-encode it as %20");
    if (byte < ' ' || byte > '~')
      return refuse(text,
                    "has a byte that no URL may contain; percent-encode it");
  }
  return {};
}

// Takes the scheme and :// off `text`.
Result<std::string> take_scheme(std::string_view url, std::string_view& text) {
  const size_t end = text.find("://");
  std::string scheme(text.substr(0, end));
  std::ranges::transform(scheme, scheme.begin(), to_lower);
  if (end == text.npos || !is_token(scheme)) {
    std::string_view rest = text;
    std::string start = "http://";
    if (equals_ignoring_case(rest.substr(0, 6), "https:")) start = "https://";
    for (const std::string_view one : {"http:", "https:"})
      if (equals_ignoring_case(rest.substr(0, one.size()), one))
        rest.remove_prefix(one.size());
    while (rest.starts_with('/')) rest.remove_prefix(1);
    return refuse_with_hint(url, "has no scheme", start + std::string(rest));
  }
  text.remove_prefix(end + 3);
  if (scheme != "http" && scheme != "https")
    return refuse_with_hint(url, "has a scheme that cannot be loaded",
                            "http://" + std::string(text));
  return scheme;
}

int hex_value(char byte) {
  const char lower = to_lower(byte);
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (lower >= 'a' && lower <= 'f') return lower - 'a' + 10;
  return -1;
}

// RFC 6874: unreserved characters and percent-encoded bytes. Empty when it is
// something else.
std::string decode_zone(std::string_view text) {
  std::string zone;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      zone += text[i];
      continue;
    }
    if (text.size() - i < 3) return {};
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0 || high + low == 0) return {};
    zone += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return zone;
}

bool is_ipv6_address(const std::string& text) {
  in6_addr address;
  return inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

// Takes [address] or [address%25zone] off `authority`.
Status take_literal(std::string_view url, std::string_view& authority,
                    Url& made) {
  const size_t end = authority.find(']');
  if (end == authority.npos) return refuse(url, "has a [ without its ]");
  std::string_view inside = authority.substr(1, end - 1);
  authority.remove_prefix(end + 1);
  made.host = take_until(inside, "%");
  made.is_ipv6 = true;
  if (!is_ipv6_address(made.host))
    return refuse_with_hint(url, "has no IPv6 address in its brackets",
                            "http://[::1]:8080/");
  if (inside.empty()) return {};
  if (inside.starts_with("%25")) made.zone = decode_zone(inside.substr(3));
  if (made.zone.empty())
    return refuse_with_hint(url, "has an unreadable zone",
                            "http://[fe80::1%25eth0]/");
  return {};
}

bool is_name_char(char byte) {
  return is_token_char(byte) &&
         std::string_view("!#$%&'*+^`|").find(byte) == std::string_view::npos;
}

// Takes a name or an IPv4 address off `authority`.
Status take_name(std::string_view url, std::string_view& authority, Url& made) {
  if (std::ranges::count(authority, ':') > 1)
    return refuse_with_hint(url, "has an IPv6 address without brackets",
                            "http://[::1]:8080/");
  made.host = take_until(authority, ":");
  if (made.host.empty())
    return refuse_with_hint(url, "has no host", "http://127.0.0.1:8080/");
  if (!std::ranges::all_of(made.host, is_name_char))
    return refuse(url,
                  "has a host that is no name; write other alphabets in "
                  "their xn-- form");
  return {};
}

Status take_port(std::string_view url, std::string_view rest, Url& made) {
  made.port = default_port(made);
  if (rest.empty() || rest == ":") return {};
  if (rest.front() != ':') return refuse(url, "has text after the ]");
  rest.remove_prefix(1);
  uint16_t port = 0;
  const auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), port);
  if (error != std::errc() || end != rest.data() + rest.size() || port == 0)
    return refuse(url, "has a port that is none; try 1 to 65535");
  made.port = port;
  return {};
}

Status take_authority(std::string_view url, std::string_view authority,
                      Url& made) {
  const Status status = authority.starts_with('[')
                            ? take_literal(url, authority, made)
                            : take_name(url, authority, made);
  return status.is_ok() ? take_port(url, authority, made) : status;
}

// The credentials themselves are not repeated: messages end up in logs.
Status refuse_userinfo(const Url& url, std::string_view host,
                       std::string_view rest) {
  std::string plain = url.scheme + "://";
  plain += host;
  plain += rest;
  return refuse(plain,
                "was given with a user name, which is not sent; leave it out "
                "and set http.header \"Authorization: Basic ...\"");
}

// Origin form, RFC 9112 section 3.2.1; a fragment is for the client alone.
std::string target_of(std::string_view rest) {
  rest = rest.substr(0, rest.find('#'));
  std::string target(rest.starts_with('/') ? "" : "/");
  target += rest;
  return target;
}

}  // namespace

std::string Url::authority() const {
  std::string text;
  if (is_ipv6) text += '[';
  text += host;
  if (is_ipv6) text += ']';
  if (port == default_port(*this)) return text;
  text += ':';
  text += std::to_string(port);
  return text;
}

Result<Url> parse_url(std::string_view text) {
  if (Status status = check_bytes(text); !status.is_ok()) return status;
  std::string_view rest = text;
  Result<std::string> scheme = take_scheme(text, rest);
  if (!scheme.is_ok()) return scheme.status();

  Url url;
  url.scheme = scheme.value();
  const std::string_view authority = take_until(rest, "/?#");
  const size_t at = authority.rfind('@');
  if (at != authority.npos)
    return refuse_userinfo(url, authority.substr(at + 1), rest);
  Status status = take_authority(text, authority, url);
  if (!status.is_ok()) return status;
  url.target = target_of(rest);
  return url;
}

}  // namespace dyno
