#include "server/answer.hh"

#include <algorithm>
#include <array>
#include <charconv>

#include "http/rnd_body.hh"
#include "http/verification.hh"

namespace dyno::server {
namespace {

// A larger uniform answer is composed piece by piece instead.
constexpr uint64_t kLargestUnit = 256 * 1024;
// Large enough that a batch is few slices, small enough for the L2 cache.
constexpr uint64_t kBlockBytes = 64 * 1024;

struct Reason {
  int status;
  std::string_view text;
};

constexpr std::array kReasons{
    Reason{200, "OK"},
    Reason{201, "Created"},
    Reason{202, "Accepted"},
    Reason{204, "No Content"},
    Reason{206, "Partial Content"},
    Reason{301, "Moved Permanently"},
    Reason{302, "Found"},
    Reason{303, "See Other"},
    Reason{304, "Not Modified"},
    Reason{307, "Temporary Redirect"},
    Reason{308, "Permanent Redirect"},
    Reason{400, "Bad Request"},
    Reason{401, "Unauthorized"},
    Reason{403, "Forbidden"},
    Reason{404, "Not Found"},
    Reason{405, "Method Not Allowed"},
    Reason{408, "Request Timeout"},
    Reason{410, "Gone"},
    Reason{413, "Content Too Large"},
    Reason{418, "I'm a teapot"},
    Reason{429, "Too Many Requests"},
    Reason{431, "Request Header Fields Too Large"},
    Reason{500, "Internal Server Error"},
    Reason{501, "Not Implemented"},
    Reason{502, "Bad Gateway"},
    Reason{503, "Service Unavailable"},
    Reason{504, "Gateway Timeout"},
};

// RFC 9110 sections 15.3.5 and 15.4.5.
bool has_body(int status) {
  return status != 204 && status != 304;
}

bool is_chunked(const AnswerSpec& spec) {
  return spec.body.kind == Body::Kind::chunked && !spec.is_http_10;
}

std::string body_fields(const AnswerSpec& spec) {
  if (!has_body(spec.status)) return "";
  std::string fields = "Content-Type: ";
  fields += spec.type;
  if (is_chunked(spec)) return fields + "\r\nTransfer-Encoding: chunked\r\n";
  // HTTP/1.0 knows no chunks: the close ends the body.
  if (spec.body.kind == Body::Kind::chunked) return fields + "\r\n";
  return fields + "\r\nContent-Length: " + std::to_string(spec.body.size()) +
         "\r\n";
}

std::string head_text(const AnswerSpec& spec) {
  std::string head = "HTTP/1.1 " + std::to_string(spec.status) + " ";
  head += reason_of(spec.status);
  head += "\r\nServer: httpdyno\r\n" + body_fields(spec) + spec.fields;
  if (spec.says_keep_alive) head += "Connection: keep-alive\r\n";
  return head;
}

}  // namespace

std::string_view reason_of(int status) {
  for (const Reason& reason : kReasons)
    if (reason.status == status) return reason.text;
  return "Status";
}

Answer::Answer(AnswerSpec spec)
    : head_(head_text(spec)),
      is_sequenced_(spec.is_sequenced),
      seed_(spec.seed) {
  const bool is_empty = spec.is_head_only || !has_body(spec.status);
  const bool is_plain =
      spec.body.kind == Body::Kind::chunked && spec.is_http_10;
  if (!is_empty) body_ = std::move(spec.body);
  if (!is_empty && is_plain) body_.kind = Body::Kind::fill;
  const uint64_t size = head_.size() + 2 + body_.size();
  if (is_sequenced_ || body_.kind == Body::Kind::random || size > kLargestUnit)
    return;
  unit_ = static_cast<size_t>(size);
  copies_ = 1;
  block_.resize(unit_);
  copy({}, 0, block_);
}

Answer::Answer(std::string text)
    : unit_(text.size()), copies_(1), block_(std::move(text)) {
  head_ = block_.substr(0, unit_ - 2);
}

// The end of a head: what the stamp adds, and the empty line.
class Answer::Ending {
 public:
  Ending(const Stamp& stamp, bool is_sequenced, int64_t seed) {
    if (is_sequenced) {
      add(kConnectionField, stamp.place.connection);
      add(kRequestField, stamp.place.number);
      add(kSeedField, static_cast<uint64_t>(seed));
    }
    if (stamp.says_close) add("Connection: close\r\n");
    add("\r\n");
  }
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  void add(std::string_view text) {
    size_ += text.copy(text_.data() + size_, text_.size() - size_);
  }
  void add(std::string_view name, uint64_t value) {
    add(name);
    add(": ");
    const auto end =
        std::to_chars(text_.data() + size_, text_.data() + text_.size(), value);
    size_ = static_cast<size_t>(end.ptr - text_.data());
    add("\r\n");
  }

  std::array<char, 192> text_;
  size_t size_ = 0;
};

uint64_t Answer::head_size(const Stamp& stamp) const {
  return head_.size() + Ending(stamp, is_sequenced_, seed_).text().size();
}

size_t Answer::copy(const Stamp& stamp, uint64_t offset,
                    std::span<char> to) const {
  Cursor cursor(offset, to);
  cursor.add(head_);
  cursor.add(Ending(stamp, is_sequenced_, seed_).text());
  const uint64_t start =
      body_.kind == Body::Kind::random ? rnd_start(seed_, stamp.place) : 0;
  body_.copy(cursor, start);
  return cursor.used();
}

void Answer::grow(uint64_t count) {
  const uint64_t most = std::max<uint64_t>(kBlockBytes / unit_, 1);
  const uint64_t wanted = std::min(std::max(count, copies_ * 2), most);
  if (wanted == copies_) return;
  const std::string one = block_.substr(0, unit_);
  block_.reserve(wanted * unit_);
  for (; copies_ < wanted; ++copies_) block_ += one;
}

}  // namespace dyno::server
