#include "server/reply.hh"

#include "http/verification.hh"
#include "server/route.hh"

namespace dyno::server {
namespace {

Body sized_body(Body::Kind kind, uint64_t bytes) {
  Body body;
  body.kind = kind;
  body.bytes = bytes;
  return body;
}

Body status_body(int status) {
  std::string text = std::to_string(status) + " ";
  text += reason_of(status);
  return text_body(text + "\n");
}

// An id of the request goes back with its answer.
std::string id_of(const RequestHead& head) {
  const std::string_view id = find_field(head.bytes, kIdField);
  if (id.empty()) return "";
  return std::string(kIdField) + ": " + std::string(id) + "\r\n";
}

std::string fields_of(const Route& route) {
  if (!route.allow.empty()) return "Allow: " + route.allow + "\r\n";
  const bool is_redirect = route.kind == RouteKind::status &&
                           route.status != 304 && route.status >= 301 &&
                           route.status <= 308;
  return is_redirect ? "Location: /\r\n" : "";
}

Body body_of(const Route& route, const RequestHead& head) {
  switch (route.kind) {
    case RouteKind::hello:
      return text_body("Hello world!");
    case RouteKind::wait:
      return text_body("ok");
    case RouteKind::rnd:
      return sized_body(Body::Kind::random, route.bytes);
    case RouteKind::bytes:
      return sized_body(Body::Kind::fill, route.bytes);
    case RouteKind::chunked:
      return sized_body(Body::Kind::chunked, route.bytes);
    case RouteKind::snoop:
      return text_body(std::string(head.bytes));
    case RouteKind::status:
      return status_body(route.status);
    case RouteKind::refused:
      return text_body(route.problem + "\n");
    case RouteKind::echo:
    case RouteKind::stats:
      break;  // known later
  }
  return {};
}

std::string_view type_of(RouteKind kind) {
  if (kind == RouteKind::echo) return "application/octet-stream";
  if (kind == RouteKind::stats) return "application/json";
  return "text/plain";
}

// Ends an HTTP/1.0 answer that has no length.
bool ends_by_close(const AnswerSpec& spec) {
  return spec.is_http_10 && spec.body.kind == Body::Kind::chunked &&
         !spec.is_head_only;
}

}  // namespace

void ReplyRef::destroy(Reply* reply) {
  delete reply;
}

ReplyRef Replies::find(const RequestHead& head) {
  Remembered& place = remembered_[head.id % remembered_.size()];
  if (place.id != head.id) place = {head.id, make(head)};
  return place.reply;
}

ReplyRef Replies::make(const RequestHead& head) {
  const Route route = find_route(head, config_);
  AnswerSpec spec;
  spec.status = route.status;
  spec.fields = fields_of(route) + id_of(head);
  spec.type = type_of(route.kind);
  spec.body = body_of(route, head);
  spec.is_head_only = head.verb == Method::head;
  spec.is_http_10 = head.is_http_10;
  spec.is_sequenced = config_.sequence_header;
  spec.seed = config_.seed;
  const bool closes = !head.keep_alive || ends_by_close(spec);
  spec.says_keep_alive = head.is_http_10 && !closes;
  ReplyRef reply(new Reply(Answer(spec)));
  reply->behaviour = route.behaviour;
  reply->closes = closes;
  reply->is_counted = route.kind != RouteKind::stats;
  reply->wants_body = route.kind == RouteKind::echo;
  if (!reply->is_counted || reply->wants_body) reply->pattern = std::move(spec);
  return reply;
}

ReplyRef Replies::refuse(int status, std::string why) {
  AnswerSpec spec;
  spec.status = status;
  spec.body = text_body(std::move(why) + "\n");
  ReplyRef reply(new Reply(Answer(std::move(spec))));
  reply->closes = true;
  return reply;
}

ReplyRef Replies::complete(const Reply& asked, std::string body) {
  AnswerSpec spec = *asked.pattern;
  spec.body = text_body(std::move(body));
  ReplyRef reply(new Reply(Answer(std::move(spec))));
  reply->behaviour = asked.behaviour;
  reply->closes = asked.closes;
  reply->is_counted = asked.is_counted;
  return reply;
}

ReplyRef Replies::complete_stats(const Reply& asked) {
  return complete(asked, stats_.json(config_));
}

ReplyRef Replies::proceed() {
  ReplyRef reply(new Reply(Answer("HTTP/1.1 100 Continue\r\n\r\n")));
  reply->is_counted = false;
  reply->is_interim = true;
  return reply;
}

}  // namespace dyno::server
