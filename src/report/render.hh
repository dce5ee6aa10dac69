// Render: a result in any of the known formats. One file per renderer; each is
// a pure function of the result, so a saved one prints the same again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.hh"
#include "report/result.hh"

namespace dyno {

struct RenderStyle {
  bool colour = false;
  int32_t width = 100;  // where running text is wrapped
};

// text, json, csv, markdown, httpc-bench.
std::span<const char* const> formats();

// Code::value for an unknown format; the message names the known ones.
Result<std::string> render(const RunResult& run, std::string_view format,
                           const RenderStyle& style = {});

// The renderers themselves.
std::string render_text(const RunResult& run, const RenderStyle& style);
std::string render_csv(const RunResult& run);
std::string render_markdown(const RunResult& run);
std::string render_httpc_bench(const RunResult& run);

}  // namespace dyno
