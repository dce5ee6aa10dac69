// Presets: the named disciplines. Each is a vector of pool.* options; whatever
// the user sets explicitly wins over it.
#pragma once

#include <span>
#include <string_view>

#include "base/status.hh"

namespace dyno {

struct PresetAxis {
  const char* key;
  const char* value;
};

struct Preset {
  const char* name;
  const char* alias;   // the published client that has it, or ""
  const char* help;    // what it does, in two sentences
  const char* law;     // its closed forms
  const char* source;  // where its rules were read
  std::span<const PresetAxis> axes;

  // The preset's value of an option, or nullptr where the default holds.
  const char* axis(std::string_view key) const;
};

std::span<const Preset> presets();

// By name, or by alias in any case.
const Preset* find_preset(std::string_view name);
Status unknown_preset(std::string_view name);

}  // namespace dyno
