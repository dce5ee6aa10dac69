#include "files.hh"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool is_special(const std::string& file) {
  struct stat info {};
  return stat(file.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

// errno, or 0.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

int write_in_place(const std::string& file, std::string_view text) {
  const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = write_all(fd, text);
  return close(fd) == 0 || error != 0 ? error : errno;
}

int write_and_rename(const std::string& file, std::string_view text) {
  const std::string draft = fmt::format("{}.{}.tmp", file, getpid());
  const int fd =
      open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  int error = write_all(fd, text);
  if (close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && rename(draft.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) (void)unlink(draft.c_str());
  return error;
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

std::optional<std::string> read_file_if_there(const std::string& name,
                                              const std::string& what) {
  if (name != "-" && access(name.c_str(), F_OK) != 0 && errno == ENOENT)
    return {};
  return read_file(name, what);
}

int write_file(const std::string& name, std::string_view text) {
  return is_special(name) ? write_in_place(name, text)
                          : write_and_rename(name, text);
}

}  // namespace cli
