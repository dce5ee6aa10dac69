// What the oracles have in common: plain llhttp's opinion of the same bytes,
// and where it may differ from ours.
#pragma once

#include <llhttp.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

namespace fuzz {

[[noreturn]] inline void differ(const char* what, std::string_view data) {
  fprintf(stderr, "differs: %s, %zu bytes\n", what, data.size());
  abort();
}

inline std::string lower(std::string_view data) {
  std::string text(data);
  for (char& c : text) c = static_cast<char>(tolower(c));
  return text;
}

inline bool has_any(std::string_view text,
                    std::initializer_list<const char*> words) {
  for (const char* word : words)
    if (text.find(word) != text.npos) return true;
  return false;
}

// Fields by which llhttp means something else than RFC 9112, or which it does
// not mean at all after a status without a body.
inline bool may_deviate(std::string_view text) {
  return has_any(text,
                 {"content-length", "transfer-encoding", "proxy-connection",
                  "connection", "upgrade", "\n\n", "\r\n\r\n\r\n", "\r\r"});
}

// Without any of these fields but one plain length or chunked, so that no
// difference is allowed. `text` is in lower case.
inline bool is_plain(std::string_view text) {
  std::string rest(text);
  for (const char* plain :
       {"content-length: 5\r\n", "transfer-encoding: chunked\r\n",
        "connection: close\r\n", "connection: keep-alive\r\n"}) {
    const std::string_view word = plain;
    for (size_t at; (at = rest.find(word)) != rest.npos;)
      rest.erase(at, word.size());
  }
  const bool has_both =
      has_any(text, {"content-length"}) && has_any(text, {"transfer-encoding"});
  return !has_both && !may_deviate(rest);
}

// Whether a malformed chunked body of ours may be none for llhttp: a trailer
// without a name, or a line that ends with LF alone. In the size and after the
// data of a chunk there is no other opinion.
inline bool may_be_strict_in_body(std::string_view text) {
  for (size_t at = text.find('\n'); at != text.npos;
       at = text.find('\n', at + 1))
    if (at == 0 || text[at - 1] != '\r') return true;
  return has_any(text, {"\n:"});
}

// What llhttp refuses and we take: extensions and trailers of a chunked body
// are only passed over, blanks after a size too; fields may come twice.
inline bool may_be_lax(const llhttp_t& parser) {
  const std::string_view refusal = llhttp_get_error_reason(&parser);
  const char* at = llhttp_get_error_pos(&parser);
  if (refusal == "Invalid character in chunk size")
    return *at == ' ' || *at == '\t' || at[-1] == ' ';
  return has_any(refusal, {"Duplicate Content-Length", "Invalid header value",
                           "Invalid header token", "chunk extensions",
                           "`Transfer-Encoding`"});
}

}  // namespace fuzz
