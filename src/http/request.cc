#include "http/request.hh"

#include <cassert>

#include "http/chunked.hh"
#include "http/fields.hh"
#include "http/text.hh"

namespace dyno {

namespace {

constexpr size_t kBlockBytes = 64 * 1024;

Status refuse(const char* key, std::string_view value, std::string_view why) {
  std::string message = key;
  message += ": ";
  message += quoted(value);
  message += ' ';
  message += why;
  return fail(Code::value, std::move(message), key);
}

struct Header {
  std::string_view name;
  std::string_view value;
};

Header split(std::string_view line) {
  const size_t colon = line.find(':');
  return {line.substr(0, colon), trim(line.substr(colon + 1))};
}

bool is(std::string_view line, std::string_view name) {
  return equals_ignoring_case(split(line).name, name);
}

Status check_method(std::string_view method) {
  if (!is_token(method))
    return refuse("http.method", method, "is no method; try GET or POST");
  if (method == "CONNECT")
    return refuse("http.method", method,
                  "asks for a tunnel, not for an answer; try GET");
  return {};
}

Status check_header(std::string_view line) {
  constexpr const char* kKey = "http.header";
  if (line.find_first_of(std::string_view("\r\n\0", 3)) != line.npos)
    return refuse(kKey, line, "has a CR, LF or NUL; leave it out");
  if (line.find(':') == line.npos)
    return refuse(kKey, line, "has no colon; try \"Name: value\"");
  if (!is_token(split(line).name))
    return refuse(kKey, line,
                  "has a name with characters that no field name may have; "
                  "try \"Name: value\"");
  return {};
}

bool is_chunked_body(std::string_view body) {
  ChunkDecoder decoder;
  const ChunkDecoder::Read read = decoder.feed(body, body.size());
  return read.state == ChunkDecoder::State::done &&
         read.consumed == body.size();
}

// The lines together: framing must be said once, and be true.
struct Lines {
  std::string_view host;
  HeadFields fields;
  size_t lengths = 0;

  Status add(std::string_view line, std::string_view body);
};

Status Lines::add(std::string_view line, std::string_view body) {
  constexpr const char* kKey = "http.header";
  if (Status status = check_header(line); !status.is_ok()) return status;
  fields.read(split(line).name, split(line).value);
  if (is(line, "host")) host = line;
  lengths += is(line, "content-length");
  if (fields.hosts > 1)
    return refuse(kKey, line, "is a second Host field; give one");
  if (lengths > 1)
    return refuse(kKey, line, "is a second Content-Length; give one or none");
  const bool is_wrong_length =
      !fields.is_length_valid || (lengths > 0 && fields.length != body.size());
  if (is_wrong_length)
    return refuse(kKey, line,
                  "contradicts the body, which has " +
                      std::to_string(body.size()) + " bytes; leave it out");
  if (lengths > 0 && fields.has_coding)
    return refuse(kKey, line,
                  "stands beside the other of Content-Length and "
                  "Transfer-Encoding; give one or none");
  if (is(line, "transfer-encoding") &&
      !(fields.is_chunked && is_chunked_body(body)))
    return refuse(kKey, line,
                  "does not describe the body; leave it out, or give a body "
                  "that is chunked already");
  return {};
}

bool wants_length(const RequestSpec& spec) {
  return !spec.body.empty() || spec.method == "POST" || spec.method == "PUT" ||
         spec.method == "PATCH";
}

void append_line(std::string& text, std::string_view line) {
  text += line;
  text += "\r\n";
}

}  // namespace

Result<std::string> request_text(const RequestSpec& spec) {
  if (Status status = check_method(spec.method); !status.is_ok()) return status;
  Lines lines;
  for (const std::string& line : spec.headers)
    if (Status status = lines.add(line, spec.body); !status.is_ok())
      return status;

  std::string text;
  append_line(text, spec.method + ' ' + spec.url.target + " HTTP/1.1");
  append_line(text, lines.host.empty() ? "Host: " + spec.url.authority()
                                       : std::string(lines.host));
  for (const std::string& line : spec.headers)
    if (!is(line, "host")) append_line(text, line);
  const bool is_framed = lines.lengths > 0 || lines.fields.has_coding;
  if (!is_framed && wants_length(spec))
    append_line(text, "Content-Length: " + std::to_string(spec.body.size()));
  if (!spec.keep_alive && !lines.fields.has_close)
    append_line(text, "Connection: close");
  append_line(text, "");
  return text + spec.body;
}

// One copy is enough where the request itself is long: a slice then ends with
// it and the caller asks again.
RequestBlock::RequestBlock(const std::string& request)
    : unit_(request.size()), copies_((kBlockBytes + unit_ - 1) / unit_) {
  assert(unit_ > 0);
  block_.reserve(copies_ * unit_);
  for (size_t i = 0; i < copies_; ++i) block_ += request;
}

}  // namespace dyno
