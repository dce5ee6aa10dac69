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
    for (size_t at = 0; (at = rest.find(word, at)) != rest.npos;) {
      const std::string_view next =
          std::string_view(rest).substr(at + word.size(), 1);
      if (next == " " || next == "\t")
        ++at;  // folded: the value goes on
      else
        rest.erase(at, word.size());
    }
  }
  const bool has_both =
      has_any(text, {"content-length"}) && has_any(text, {"transfer-encoding"});
  return !has_both && !may_deviate(rest);
}

// A line begins with a number of 64 bits or more, which llhttp takes for the
// size of a chunk up to the last of them; ours end at 63.
inline bool has_huge_size(std::string_view text) {
  constexpr size_t kDigits = 16;
  for (size_t at = text.find('\n'); at != text.npos;
       at = text.find('\n', at + 1)) {
    const std::string_view line = text.substr(at + 1, kDigits);
    if (line.size() == kDigits &&
        line.find_first_not_of("0123456789abcdef") == line.npos)
      return true;
  }
  return false;
}

// Whether a malformed chunked body of ours may be none for llhttp: a trailer
// without a name, a line that ends with LF alone, or a size beyond 63 bits.
// After the data of a chunk there is no other opinion.
inline bool may_be_strict_in_body(std::string_view text) {
  if (has_huge_size(text)) return true;
  for (size_t at = text.find('\n'); at != text.npos;
       at = text.find('\n', at + 1))
    if (at == 0 || text[at - 1] != '\r') return true;
  return has_any(text, {"\n:"});
}

// Behind the semicolon of a chunk's size line: llhttp blames the size for what
// cannot begin an extension.
inline bool is_in_extension(std::string_view data, const char* at) {
  const std::string_view before =
      data.substr(0, static_cast<size_t>(at - data.data()));
  return before.substr(before.rfind('\n') + 1).find(';') != before.npos;
}

// What llhttp refuses and we take: extensions and trailers of a chunked body
// are only passed over, blanks after a size too; fields may come twice.
inline bool may_be_lax(const llhttp_t& parser, std::string_view data) {
  const std::string_view refusal = llhttp_get_error_reason(&parser);
  const char* at = llhttp_get_error_pos(&parser);
  if (refusal == "Invalid character in chunk size")
    return *at == ' ' || *at == '\t' || at[-1] == ' ' ||
           is_in_extension(data, at);
  return has_any(refusal, {"Duplicate Content-Length", "Invalid header value",
                           "Invalid header token", "chunk extensions",
                           "`Transfer-Encoding`"});
}

}  // namespace fuzz
