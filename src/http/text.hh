// The small text rules that URLs, fields and error messages share (RFC 9110
// section 5.6).
#pragma once

#include <string>
#include <string_view>

namespace dyno {

bool is_token_char(char byte);
bool is_token(std::string_view text);  // at least one character
bool is_digits(std::string_view text);

// ASCII only, independent of the locale.
char to_lower(char byte);
bool equals_ignoring_case(std::string_view a, std::string_view b);

// Without blanks at both ends. CR and LF count as blanks: inside a field value
// that was parsed they can only be a fold.
std::string_view trim(std::string_view text);

// For error messages: quoted, cut to a readable length, bytes that could harm a
// terminal or a log as \xNN.
std::string quoted(std::string_view text);

}  // namespace dyno
