#include "report/render.hh"

#include <fmt/format.h>

#include "report/json.hh"

namespace dyno {
namespace {

using Renderer = std::string (*)(const RunResult&, const RenderStyle&);

template <std::string (*Render)(const RunResult&)>
std::string plain(const RunResult& run, const RenderStyle&) {
  return Render(run);
}

constexpr const char* kFormats[] = {"text", "json", "csv", "markdown",
                                    "httpc-bench"};
constexpr Renderer kRenderers[] = {render_text, plain<render_json>,
                                   plain<render_csv>, plain<render_markdown>,
                                   plain<render_httpc_bench>};
static_assert(std::size(kFormats) == std::size(kRenderers));

}  // namespace

std::span<const char* const> formats() {
  return kFormats;
}

Result<std::string> render(const RunResult& run, std::string_view format,
                           const RenderStyle& style) {
  std::string known;
  for (size_t i = 0; i < std::size(kFormats); ++i) {
    if (format == kFormats[i]) return kRenderers[i](run, style);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kFormats[i]);
  }
  return fail(Code::not_found,
              fmt::format("format: \"{}\" is not known; one of: "
                          "{}",
                          format, known),
              "format");
}

}  // namespace dyno
