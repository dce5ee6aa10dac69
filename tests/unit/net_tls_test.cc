// TLS between two ends of a socket pair in one thread: who trusts whom, what is
// resumed, and how an end is told.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>

#include "net/socket.hh"
#include "net/tls.hh"
#include "unit/cmocka.hh"

using dyno::Code;
using dyno::Fd;
using dyno::TlsClientOptions;
using dyno::TlsContext;
using dyno::TlsServerOptions;
using dyno::TlsSessions;
using dyno::TlsStream;
using Step = TlsStream::Step;
using Context = std::shared_ptr<const TlsContext>;

namespace {

Context client_of(const TlsClientOptions& options) {
  auto made = TlsContext::client(options);
  assert_true(made.is_ok());
  return made.value();
}

Context server_of(const TlsServerOptions& options) {
  auto made = TlsContext::server(options);
  assert_true(made.is_ok());
  return made.value();
}

TlsClientOptions anybody() {
  TlsClientOptions options;
  options.verifies = false;
  options.name = "localhost";
  return options;
}

// Both ends of a connection, and their streams.
struct Pair {
  Pair(const Context& ours, const Context& theirs, TlsSessions* sessions) {
    std::array<int, 2> ends{};
    assert_int_equal(
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    fds = {Fd(ends[0]), Fd(ends[1])};
    client = std::make_unique<TlsStream>(ours, ends[0], sessions);
    server = std::make_unique<TlsStream>(theirs, ends[1], nullptr);
  }
  // Until one has failed or both are done.
  bool shake_hands() const {
    Step one = Step::wants_read;
    Step other = Step::wants_read;
    while (one != Step::failed && other != Step::failed &&
           (one != Step::done || other != Step::done)) {
      if (one != Step::done) one = client->handshake();
      if (other != Step::done) other = server->handshake();
    }
    return one == Step::done && other == Step::done;
  }
  // What the client has been sent; then how it ended.
  std::string heard() const {
    std::array<char, 4096> data{};
    std::string text;
    ssize_t size = 0;
    while ((size = client->read(data.data(), data.size())) > 0)
      text.append(data.data(), static_cast<size_t>(size));
    end = size;
    error = errno;
    return text;
  }
  void end_server() {
    server.reset();
    fds[1] = Fd();
  }

  std::array<Fd, 2> fds;
  std::unique_ptr<TlsStream> client;
  std::unique_ptr<TlsStream> server;
  mutable ssize_t end = 0;
  mutable int error = 0;
};

void bytes_go_both_ways(void**) {
  const Pair pair(client_of(anybody()), server_of({}), nullptr);
  assert_false(pair.client->is_established());
  assert_true(pair.shake_hands());
  assert_true(pair.client->is_established());
  assert_false(pair.client->was_resumed());
  assert_string_equal(pair.heard().c_str(), "");
  assert_int_equal(pair.end, -1);
  assert_int_equal(pair.error, EAGAIN);
  assert_int_equal(pair.client->write("ping", 4), 4);
  std::array<char, 16> got{};
  assert_int_equal(pair.server->read(got.data(), 2), 2);
  assert_true(pair.server->has_pending());
  assert_int_equal(pair.server->read(got.data(), got.size()), 2);
  assert_false(pair.server->has_pending());
  assert_int_equal(pair.server->write("pong", 4), 4);
  assert_string_equal(pair.heard().c_str(), "pong");
}

void its_own_certificate_is_trusted_by_nobody(void**) {
  TlsClientOptions options;
  options.name = "localhost";
  const Pair pair(client_of(options), server_of({}), nullptr);
  assert_false(pair.shake_hands());
  assert_string_equal(pair.client->error().c_str(), "self-signed certificate");
}

void a_session_is_resumed_if_that_is_wanted(void**) {
  for (const bool is_wanted : {true, false}) {
    TlsClientOptions options = anybody();
    options.resumes = is_wanted;
    const Context ours = client_of(options);
    const Context theirs = server_of({});
    TlsSessions sessions;
    for (const bool is_second : {false, true}) {
      Pair pair(ours, theirs, &sessions);
      assert_true(pair.shake_hands());
      assert_int_equal(pair.client->was_resumed(), is_wanted && is_second);
      // TLS 1.3 sends its tickets after the handshake.
      (void)pair.server->write("x", 1);
      assert_string_equal(pair.heard().c_str(), "x");
    }
  }
}

void an_end_that_was_announced_is_told_from_one_that_was_not(void**) {
  for (const bool is_announced : {true, false}) {
    Pair pair(client_of(anybody()), server_of({}), nullptr);
    assert_true(pair.shake_hands());
    (void)pair.server->write("last", 4);
    if (is_announced) pair.server->shut();
    pair.end_server();
    assert_string_equal(pair.heard().c_str(), "last");
    assert_int_equal(pair.end, is_announced ? 0 : -1);
    if (!is_announced) assert_int_equal(pair.error, ECONNABORTED);
    // It says the same when it is asked again.
    const ssize_t end = pair.end;
    const int error = pair.error;
    assert_string_equal(pair.heard().c_str(), "");
    assert_int_equal(pair.end, end);
    if (!is_announced) assert_int_equal(pair.error, error);
  }
}

void garbage_after_the_handshake_has_a_reason(void**) {
  const Pair pair(client_of(anybody()), server_of({}), nullptr);
  assert_true(pair.shake_hands());
  (void)pair.heard();
  const std::string text = "HTTP/1.1 200 OK\r\n\r\n";
  (void)dyno::send_some(pair.fds[1].get(), text.data(), text.size());
  assert_string_equal(pair.heard().c_str(), "");
  assert_int_equal(pair.error, EPROTO);
  assert_string_equal(pair.client->error().c_str(), "wrong version number");
  // It says the same when it is asked again.
  assert_string_equal(pair.heard().c_str(), "");
  assert_int_equal(pair.error, EPROTO);
  assert_string_equal(pair.client->error().c_str(), "wrong version number");
}

void a_write_to_a_peer_that_is_gone_raises_no_signal(void**) {
  (void)signal(SIGPIPE, SIG_DFL);  // it would end this program
  Pair pair(client_of(anybody()), server_of({}), nullptr);
  assert_true(pair.shake_hands());
  pair.end_server();
  assert_int_equal(pair.client->write("x", 1), -1);
  assert_int_equal(errno, EPIPE);
}

void a_write_that_is_tried_again_goes_on_where_it_was(void**) {
  const Pair pair(client_of(anybody()), server_of({}), nullptr);
  assert_true(pair.shake_hands());
  std::string sent;
  for (int i = 0; sent.size() < 4000000; ++i) sent += std::to_string(i);
  std::string got;
  size_t done = 0;
  bool was_full = false;
  while (got.size() < sent.size()) {
    // From another place each time, as a caller's buffer may be.
    const std::string rest = sent.substr(done);
    const ssize_t size =
        rest.empty() ? -1 : pair.server->write(rest.data(), rest.size());
    if (size > 0) {
      done += static_cast<size_t>(size);
      continue;
    }
    was_full = was_full || !rest.empty();
    got += pair.heard();
  }
  assert_true(was_full);
  assert_true(got == sent);
}

void what_is_wrong_with_a_file_is_told_with_its_option(void**) {
  const struct {
    std::string TlsClientOptions::*field;
    const char* path;
    const char* key;
    const char* part;
  } rows[] = {
      {&TlsClientOptions::ca, "/no/such/file", "tls.ca", "/no/such/file"},
      {&TlsClientOptions::ca, "/dev/null", "tls.ca", "has no certificate"},
      {&TlsClientOptions::cert, "/dev/null", "tls.cert", "has no certificate"},
      {&TlsClientOptions::key, "/dev/null", "tls.key", "give tls.cert as well"},
  };
  for (const auto& [field, path, key, part] : rows) {
    TlsClientOptions options;
    options.*field = path;
    const auto made = TlsContext::client(options);
    assert_false(made.is_ok());
    assert_int_equal(made.status().code, Code::value);
    assert_string_equal(made.status().key.c_str(), key);
    assert_non_null(strstr(made.status().message.c_str(), part));
  }
  TlsServerOptions options;
  options.cert = "/dev/null";
  const auto server = TlsContext::server(options);
  assert_string_equal(server.status().key.c_str(), "tls_cert");
}

// A host may make and free any number of them.
void contexts_have_no_limit(void**) {
  for (int i = 0; i < 300; ++i) client_of(anybody());
  const Pair pair(client_of(anybody()), server_of({}), nullptr);
  assert_true(pair.shake_hands());
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(bytes_go_both_ways),
      cmocka_unit_test(its_own_certificate_is_trusted_by_nobody),
      cmocka_unit_test(a_session_is_resumed_if_that_is_wanted),
      cmocka_unit_test(an_end_that_was_announced_is_told_from_one_that_was_not),
      cmocka_unit_test(garbage_after_the_handshake_has_a_reason),
      cmocka_unit_test(a_write_to_a_peer_that_is_gone_raises_no_signal),
      cmocka_unit_test(a_write_that_is_tried_again_goes_on_where_it_was),
      cmocka_unit_test(what_is_wrong_with_a_file_is_told_with_its_option),
      cmocka_unit_test(contexts_have_no_limit),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
