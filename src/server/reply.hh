// Replies: from a request head to what it gets, an answer and a behaviour. The
// last few heads' replies are remembered by the id that the head cache gives.
// One per thread; so are the replies, which are counted without atomics.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "http/request_head.hh"
#include "server/answer.hh"
#include "server/behaviour.hh"
#include "server/stats.hh"

namespace dyno::server {

struct Reply {
  explicit Reply(Answer made) : answer(std::move(made)) {}

  Answer answer;
  Behaviour behaviour;
  bool closes = false;      // the connection ends with this answer
  bool is_counted = true;   // as read and written; /stats is not
  bool is_interim = false;  // 100 Continue: no answer yet
  bool wants_body = false;  // /echo: its answer is made when that is there
  // Of an answer whose body is not known when the head is.
  std::optional<AnswerSpec> pattern;
  uint32_t references = 0;
};

// Shares a reply among the requests that wait for it.
class ReplyRef {
 public:
  ReplyRef() = default;
  explicit ReplyRef(Reply* reply) : reply_(reply) { ++reply_->references; }
  ReplyRef(const ReplyRef& other) : reply_(other.reply_) {
    if (reply_ != nullptr) ++reply_->references;
  }
  ReplyRef(ReplyRef&& other) noexcept
      : reply_(std::exchange(other.reply_, nullptr)) {}
  ReplyRef& operator=(ReplyRef other) noexcept {
    std::swap(reply_, other.reply_);
    return *this;
  }
  ~ReplyRef() {
    if (reply_ != nullptr && --reply_->references == 0) destroy(reply_);
  }

  Reply* operator->() const { return reply_; }
  Reply& operator*() const { return *reply_; }
  bool operator==(const ReplyRef& other) const = default;

 private:
  static void destroy(Reply* reply);

  Reply* reply_ = nullptr;
};

class Replies {
 public:
  Replies(const ServerConfig& config, const Stats& stats)
      : config_(config), stats_(stats) {}

  ReplyRef find(const RequestHead& head);
  // What was no request, or too large a one: answered, and then closed.
  ReplyRef refuse(int status, std::string why);
  // The reply to a request like `asked`, whose body is known now.
  ReplyRef complete(const Reply& asked, std::string body);
  // The same for /stats, with the counters of this moment.
  ReplyRef complete_stats(const Reply& asked);
  ReplyRef proceed();  // 100 Continue

 private:
  ReplyRef make(const RequestHead& head);

  struct Remembered {
    uint64_t id = 0;
    ReplyRef reply;
  };
  const ServerConfig& config_;
  const Stats& stats_;
  std::array<Remembered, 8> remembered_;
};

}  // namespace dyno::server
