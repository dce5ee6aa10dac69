#include "base/failure.hh"

#include <array>
#include <cerrno>

namespace dyno {
namespace {

constexpr std::array<FailureRow, kFailureKinds> kTable{{
    {Failure::pool_timeout, "pool_timeout", "pool", "ours",
     "waited longer than pool.wait for a slot: more slots, fewer callers or a "
     "longer pool.wait"},
    {Failure::queue_full, "queue_full", "pool", "ours",
     "the pool's queue held pool.queue_limit requests already"},
    {Failure::busy, "busy", "pool", "ours",
     "the slot that was drawn was in use and pool.full=fail: more slots or "
     "fewer callers; load.error_pause slows the callers down"},
    {Failure::backlog_full, "backlog_full", "pool", "ours",
     "the slot that was drawn had pool.depth requests on its wire already"},
    {Failure::retry_later, "retry_later", "pool", "ours",
     "every connection of the pool was at pool.depth"},
    {Failure::no_connection, "no_connection", "pool", "ours",
     "the slot that was drawn had lost its connection and waits for "
     "pool.backoff; the server closes connections or refuses them"},
    {Failure::budget_exhausted, "budget_exhausted", "pool", "ours",
     "the wait for a slot used up the request's whole time"},
    {Failure::resolve, "resolve", "resolve", "network",
     "the name could not be resolved"},
    {Failure::connect_refused, "connect_refused", "connect", "theirs",
     "nobody listens on that address and port"},
    {Failure::connect_timeout, "connect_timeout", "connect", "network",
     "no answer to the connection request within connect.timeout: a full "
     "listen backlog or a filter on the way"},
    {Failure::connect_other, "connect_other", "connect", "network",
     "the connection could not be made"},
    {Failure::fd_exhausted, "fd_exhausted", "connect", "ours",
     "too many open files: raise the hard limit (ulimit -Hn) or use fewer "
     "connections"},
    {Failure::address_exhausted, "address_exhausted", "connect", "ours",
     "no local port is left: keep connections alive or widen "
     "net.ipv4.ip_local_port_range"},
    {Failure::tls, "tls", "connect", "theirs",
     "no TLS with the server: it does not speak it on that port, or its "
     "certificate is not trusted (tls.ca; -k takes any), or ours is not"},
    {Failure::proxy, "proxy", "connect", "theirs", "the proxy refused"},
    {Failure::send, "send", "send", "network",
     "the request could not be written"},
    {Failure::closed, "closed", "response", "theirs",
     "the server closed the connection before any byte of the answer: look at "
     "its limits on requests per connection and idle time"},
    {Failure::reset, "reset", "response", "theirs",
     "the server reset the connection"},
    {Failure::truncated, "truncated", "response", "theirs",
     "the server closed the connection in the middle of an answer"},
    {Failure::request_timeout, "request_timeout", "response", "theirs",
     "no whole answer within request.timeout"},
    {Failure::protocol, "protocol", "response", "theirs",
     "the answer is not valid HTTP/1.1"},
    {Failure::header_too_large, "header_too_large", "response", "theirs",
     "the answer's head is larger than http.head_limit"},
    {Failure::too_many_redirects, "too_many_redirects", "response", "theirs",
     "more redirects than allowed"},
    {Failure::body_mismatch, "body_mismatch", "response", "theirs",
     "the body is not the one that was asked for"},
    {Failure::misdelivered, "misdelivered", "response", "ours",
     "the answer belongs to another request"},
}};

constexpr bool table_is_in_order() {
  for (size_t i = 0; i < kTable.size(); ++i)
    if (kTable[i].kind != static_cast<Failure>(i)) return false;
  return true;
}
static_assert(table_is_in_order());

}  // namespace

std::span<const FailureRow> failure_table() {
  return kTable;
}

const FailureRow& failure_row(Failure kind) {
  return kTable[static_cast<size_t>(kind)];
}

const FailureRow* find_failure(std::string_view name) {
  for (const FailureRow& row : kTable)
    if (name == row.name) return &row;
  return nullptr;
}

Failure connect_failure(int error) {
  switch (error) {
    case ECONNREFUSED:
      return Failure::connect_refused;
    case ETIMEDOUT:
      return Failure::connect_timeout;
    case EMFILE:
    case ENFILE:
      return Failure::fd_exhausted;
    case EADDRNOTAVAIL:
    case EADDRINUSE:
      return Failure::address_exhausted;
    default:
      return Failure::connect_other;
  }
}

}  // namespace dyno
