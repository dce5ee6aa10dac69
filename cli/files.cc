#include "files.hh"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "stop.hh"

namespace cli {
namespace {

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

[[noreturn]] void fail(const std::string& name, const std::string& what,
                       int error) {
  throw Stop(kFailed, fmt::format("{}: cannot read \"{}\": {}", what, name,
                                  std::strerror(error)));
}

}  // namespace

std::string read_file(const std::string& name, const std::string& what) {
  const std::unique_ptr<std::FILE, Close> file(
      name == "-" ? stdin : std::fopen(name.c_str(), "rbe"));
  if (file == nullptr) fail(name, what, errno);
  std::string data;
  char part[65536];
  size_t count = 0;
  while ((count = std::fread(part, 1, sizeof part, file.get())) > 0)
    data.append(part, count);
  if (std::ferror(file.get()) != 0) fail(name, what, errno);
  return data;
}

}  // namespace cli
