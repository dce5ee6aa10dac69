// Verification: what client and server must agree on, so that an answer can be
// told from another's: the fields that say whose it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dyno {

// Sent with a request and back with its answer: 16 hexadecimal digits.
inline constexpr std::string_view kIdField = "X-Dyno-Id";
// Of a server's answers: which one of which connection, both from 1, and the
// seed of its random bodies.
inline constexpr std::string_view kConnectionField = "X-Dyno-Connection";
inline constexpr std::string_view kRequestField = "X-Dyno-Request";
inline constexpr std::string_view kSeedField = "X-Dyno-Seed";

// The value of the first field of that name in a head, trimmed; empty when
// there is none.
std::string_view find_field(std::string_view head, std::string_view name);

// An id as it is sent.
inline constexpr size_t kIdDigits = 16;
std::string id_text(uint64_t id);

}  // namespace dyno
