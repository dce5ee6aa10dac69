#include "output.hh"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "files.hh"
#include "handles.hh"
#include "text.hh"

namespace cli {
namespace {

constexpr std::array<std::array<const char*, 2>, 4> kEndings{{
    {".json", "json"},
    {".csv", "csv"},
    {".md", "markdown"},
    {".txt", "text"},
}};

bool is_format(std::string_view name) {
  for (size_t i = 0; i < dyno_format_count(); ++i)
    if (name == dyno_format_name(i)) return true;
  return false;
}

std::string format_names() {
  std::string names;
  for (size_t i = 0; i < dyno_format_count(); ++i)
    names += (i == 0 ? "" : ", ") + std::string(dyno_format_name(i));
  return names;
}

std::string format_by_ending(std::string_view file) {
  for (const auto& [ending, format] : kEndings)
    if (file.ends_with(ending) && is_format(format)) return format;
  return "text";
}

std::string directory_of(const std::string& file) {
  const size_t slash = file.rfind('/');
  if (slash == file.npos) return ".";
  return slash == 0 ? "/" : file.substr(0, slash);
}

void check_file(const char* flag, const std::string& file) {
  struct stat info {};
  const bool exists = stat(file.c_str(), &info) == 0;
  int error = 0;
  if (exists && S_ISDIR(info.st_mode))
    error = EISDIR;
  else if (exists && access(file.c_str(), W_OK) != 0)
    error = errno;
  else if ((!exists || S_ISREG(info.st_mode)) &&
           access(directory_of(file).c_str(), W_OK | X_OK) != 0)
    error = errno;
  if (error != 0)
    throw Stop(kFailed, fmt::format("{}: cannot write \"{}\": {}", flag, file,
                                    std::strerror(error)));
}

std::string render_as(dyno_result* result, const std::string& format) {
  const char* text = nullptr;
  size_t size = 0;
  const dyno_status status =
      dyno_result_render(result, format.c_str(), &text, &size);
  if (status != DYNO_OK) throw stop_of(status, dyno_result_error(result));
  std::string report(text, size);
  if (!report.ends_with('\n')) report += '\n';
  return report;
}

}  // namespace

void Output::add_flags(Parser& parser) {
  parser.add_value("--format", "WORD", kOutputGroup,
                   "the result's format: " + format_names() +
                       " [text, or by the ending of -o FILE]",
                   &format);
  parser.add_value("-o,--output", "FILE", kOutputGroup,
                   "write the result to FILE and not to stdout", &file);
  parser.add_value("--color", "WORD", kOutputGroup,
                   "auto, always or never; auto: on a terminal, unless "
                   "NO_COLOR is set or TERM is dumb [auto]",
                   &color);
}

void Output::add_run_flags(Parser& parser) {
  parser.add_value("--save", "FILE", kOutputGroup,
                   "write the result to FILE too, as JSON: `httpdyno report "
                   "FILE` prints it again in any format",
                   &saved);
  parser.add_switch("-q,--quiet", kOutputGroup,
                    "no progress and no notes on stderr, only errors",
                    &is_quiet);
  parser.add_switch("--strict", kOutputGroup,
                    "exit 5 if the result is not to be trusted: the generator "
                    "was the limit, or the server counted differently",
                    &is_strict);
}

void Output::check() {
  if (format.empty()) format = file.empty() ? "text" : format_by_ending(file);
  if (!is_format(format))
    throw Stop(kUsage, fmt::format("--format: \"{}\" is no format; one of: {}",
                                   format, format_names()));
  if (color != "auto" && color != "always" && color != "never")
    throw Stop(kUsage, fmt::format("--color: \"{}\" is not known; one of: "
                                   "auto, always, never",
                                   color));
  if (!file.empty()) check_file("-o", file);
  if (!saved.empty()) check_file("--save", saved);
}

bool Output::is_colored() const {
  if (format != "text" || color == "never") return false;
  if (color == "always") return true;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  if (term == nullptr || std::string_view(term) == "dumb") return false;
  return file.empty() && isatty(STDOUT_FILENO) != 0;
}

std::string Output::render(dyno_result* result) const {
  return render_as(result, is_colored() ? format + ",color" : format);
}

void Output::deliver(const std::string& text) const {
  if (file.empty()) {
    print_out(text);
    return;
  }
  const int error = write_file(file, text);
  if (error == 0) return;
  // What was measured is not thrown away for that.
  print_out(text);
  throw Stop(kFailed,
             fmt::format("-o: cannot write \"{}\": {}; the result is on stdout",
                         file, std::strerror(error)));
}

void Output::save(dyno_result* result) const {
  if (saved.empty()) return;
  const int error = write_file(saved, render_as(result, "json"));
  if (error != 0)
    throw Stop(kFailed, fmt::format("--save: cannot write \"{}\": {}", saved,
                                    std::strerror(error)));
}

}  // namespace cli
