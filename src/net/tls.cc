#include "net/tls.hh"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <new>

#include "net/address.hh"
#include "net/certificate.hh"
#include "net/socket.hh"

namespace dyno {
namespace {

// --- the socket below a stream -----------------------------------------------

int fd_of(BIO* bio) {
  return *static_cast<const int*>(BIO_get_data(bio));
}

int on_write(BIO* bio, const char* data, int size) noexcept {
  BIO_clear_retry_flags(bio);
  const ssize_t sent = send_some(fd_of(bio), data, static_cast<size_t>(size));
  if (sent < 0 && errno == EAGAIN) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int on_read(BIO* bio, char* data, int size) noexcept {
  BIO_clear_retry_flags(bio);
  const ssize_t got = read_some(fd_of(bio), data, static_cast<size_t>(size));
  if (got < 0 && errno == EAGAIN) BIO_set_retry_read(bio);
  if (got == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(got);
}

long on_control(BIO* bio, int what, long, void*) noexcept {
  if (what == BIO_CTRL_EOF)
    return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return what == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* make_method() {
  // A type of its own it needs not, and those are few for all the process.
  BIO_METHOD* method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "dyno socket");
  if (method == nullptr) return nullptr;
  BIO_meth_set_write(method, on_write);
  BIO_meth_set_read(method, on_read);
  BIO_meth_set_ctrl(method, on_control);
  return method;
}

// --- what OpenSSL says -------------------------------------------------------

std::string last_reason() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = ERR_reason_error_string(code);
  if (reason != nullptr) return reason;
  return ERR_SYSTEM_ERROR(code) ? error_text(ERR_GET_REASON(code))
                                : "an error without a reason";
}

Status no_file(const char* key, const std::string& path, const char* what) {
  return fail(Code::value,
              std::string(key) + ": \"" + path + "\" has no " + what +
                  " that can be used (" + last_reason() + "); give a PEM file",
              key);
}

bool is_address(const std::string& name) {
  return parse_literal(name, 0).has_value();
}

constexpr unsigned char kAlpn[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length,
                    const unsigned char* offered, unsigned int size,
                    void*) noexcept {
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, length, kAlpn, sizeof kAlpn, offered,
                            size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

// --- the context -------------------------------------------------------------

TlsContext::~TlsContext() {
  SSL_CTX_free(context_);
  BIO_meth_free(method_);
}

void set_up_openssl() {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
}

Status TlsContext::make(bool is_server) {
  set_up_openssl();
  ERR_clear_error();
  is_server_ = is_server;
  context_ = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
  method_ = make_method();
  if (context_ == nullptr || method_ == nullptr)
    return fail(Code::system, "TLS could not be set up: " + last_reason());
  SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
  SSL_CTX_set_options(context_, SSL_OP_NO_RENEGOTIATION);
  // Whole batches of records by one recv(); no buffers while a connection is
  // idle; a write that is tried again may come from another place.
  SSL_CTX_set_read_ahead(context_, 1);
  SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS |
                                 SSL_MODE_ENABLE_PARTIAL_WRITE |
                                 SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return {};
}

Status TlsContext::use_certificate(const std::string& cert,
                                   const std::string& key, const char* cert_key,
                                   const char* key_key) {
  if (cert.empty()) {
    if (key.empty()) return {};
    return fail(Code::value,
                std::string(key_key) + ": a key needs its certificate; give " +
                    cert_key + " as well",
                key_key);
  }
  if (SSL_CTX_use_certificate_chain_file(context_, cert.c_str()) != 1)
    return no_file(cert_key, cert, "certificate");
  const std::string& file = key.empty() ? cert : key;
  if (SSL_CTX_use_PrivateKey_file(context_, file.c_str(), SSL_FILETYPE_PEM) !=
      1)
    return no_file(key_key, file, "key of that certificate");
  return {};
}

Status TlsContext::trust(const std::string& ca, const char* key) {
  if (SSL_CTX_load_verify_file(context_, ca.c_str()) == 1) return {};
  return no_file(key, ca, "certificate");
}

Result<std::shared_ptr<const TlsContext>> TlsContext::client(
    const TlsClientOptions& options) {
  std::shared_ptr<TlsContext> made(new TlsContext());
  Status status = made->make(false);
  if (!status.is_ok()) return status;
  SSL_CTX* context = made->context_;
  made->client_ = options;
  if (options.is_1_3_only)
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  status =
      made->use_certificate(options.cert, options.key, "tls.cert", "tls.key");
  if (!status.is_ok()) return status;
  if (!options.ca.empty()) {
    status = made->trust(options.ca, "tls.ca");
    if (!status.is_ok()) return status;
  } else if (options.verifies) {
    SSL_CTX_set_default_verify_paths(context);
  }
  if (options.verifies) SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_alpn_protos(context, kAlpn, sizeof kAlpn);
  SSL_CTX_set_session_cache_mode(
      context, options.resumes
                   ? SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL
                   : SSL_SESS_CACHE_OFF);
  SSL_CTX_sess_set_new_cb(context, [](SSL* ssl, SSL_SESSION* session) {
    auto* sessions = static_cast<TlsSessions*>(SSL_get_app_data(ssl));
    if (sessions == nullptr) return 0;
    sessions->keep(session);
    return 1;
  });
  return std::shared_ptr<const TlsContext>(std::move(made));
}

Result<std::shared_ptr<const TlsContext>> TlsContext::server(
    const TlsServerOptions& options) {
  std::shared_ptr<TlsContext> made(new TlsContext());
  Status status = made->make(true);
  if (!status.is_ok()) return status;
  SSL_CTX* context = made->context_;
  status = options.cert.empty() && options.key.empty()
               ? use_own_certificate(context)
               : made->use_certificate(options.cert, options.key, "tls_cert",
                                       "tls_key");
  if (!status.is_ok()) return status;
  if (!options.ca.empty()) {
    status = made->trust(options.ca, "tls_ca");
    if (!status.is_ok()) return status;
    SSL_CTX_set_client_CA_list(context,
                               SSL_load_client_CA_file(options.ca.c_str()));
    SSL_CTX_set_verify(
        context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  static constexpr unsigned char kContext[] = "httpdyno";
  SSL_CTX_set_session_id_context(context, kContext, sizeof kContext - 1);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  return std::shared_ptr<const TlsContext>(std::move(made));
}

TlsSessions::~TlsSessions() {
  SSL_SESSION_free(last_);
}

void TlsSessions::keep(ssl_session_st* session) {
  SSL_SESSION_free(last_);
  last_ = session;
}

// --- a stream ----------------------------------------------------------------

TlsStream::TlsStream(std::shared_ptr<const TlsContext> context, int fd,
                     TlsSessions* sessions)
    : context_(std::move(context)), fd_(fd) {
  ssl_ = SSL_new(context_->context_);
  BIO* bio = ssl_ == nullptr ? nullptr : BIO_new(context_->method_);
  if (bio == nullptr) {
    SSL_free(ssl_);
    throw std::bad_alloc();
  }
  BIO_set_data(bio, &fd_);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  if (context_->is_server_) {
    SSL_set_accept_state(ssl_);
    return;
  }
  const TlsClientOptions& options = context_->client_;
  SSL_set_app_data(ssl_, options.resumes ? sessions : nullptr);
  const bool has_name = !options.name.empty() && !is_address(options.name);
  if (has_name) SSL_set_tlsext_host_name(ssl_, options.name.c_str());
  if (options.verifies && has_name) SSL_set1_host(ssl_, options.name.c_str());
  if (options.verifies && !has_name)
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), options.name.c_str());
  if (options.resumes && sessions != nullptr && sessions->last_ != nullptr)
    SSL_set_session(ssl_, sessions->last_);
  SSL_set_connect_state(ssl_);
}

TlsStream::~TlsStream() {
  // A session is good for others even if its connection ended unannounced.
  if (is_established()) {
    SSL_set_quiet_shutdown(ssl_, 1);
    SSL_shutdown(ssl_);
  }
  SSL_free(ssl_);
  ERR_clear_error();
}

void TlsStream::note_error(int error) {
  const bool is_about_trust =
      ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_CERTIFICATE_VERIFY_FAILED;
  if (error == SSL_ERROR_SSL && is_about_trust)
    error_ = X509_verify_cert_error_string(SSL_get_verify_result(ssl_));
  else if (ERR_peek_last_error() != 0)
    error_ = last_reason();
  else if (errno != 0)
    error_ = error_text(errno);
  else
    error_ = "the peer closed the connection";
}

TlsStream::Step TlsStream::handshake() {
  ERR_clear_error();
  errno = 0;
  const int result = SSL_do_handshake(ssl_);
  if (result == 1) return Step::done;
  const int error = SSL_get_error(ssl_, result);
  if (error == SSL_ERROR_WANT_READ) return Step::wants_read;
  if (error == SSL_ERROR_WANT_WRITE) return Step::wants_write;
  note_error(error);
  return Step::failed;
}

bool TlsStream::is_established() const {
  return SSL_is_init_finished(ssl_) == 1;
}

bool TlsStream::was_resumed() const {
  return SSL_session_reused(ssl_) == 1;
}

ssize_t TlsStream::failed(int result) {
  const int system_error = errno;
  switch (const int error = SSL_get_error(ssl_, result)) {
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      errno = EAGAIN;
      return -1;
    case SSL_ERROR_SYSCALL:
      error_ = system_error == 0 ? "the end came unannounced"
                                 : error_text(system_error);
      errno = system_error == 0 ? ECONNABORTED : system_error;
      return -1;
    default: {
      const bool is_cut = ERR_GET_REASON(ERR_peek_last_error()) ==
                          SSL_R_UNEXPECTED_EOF_WHILE_READING;
      errno = 0;
      note_error(error);
      errno = is_cut ? ECONNABORTED : EPROTO;
      return -1;
    }
  }
}

ssize_t TlsStream::read(void* data, size_t size) {
  // Asked again after a failure, OpenSSL has forgotten why.
  if (read_error_ != 0) {
    errno = read_error_;
    return -1;
  }
  ERR_clear_error();
  errno = 0;
  size_t got = 0;
  const int result = SSL_read_ex(ssl_, data, size, &got);
  if (result == 1) return static_cast<ssize_t>(got);
  const ssize_t end = failed(result);
  if (end < 0 && errno != EAGAIN) read_error_ = errno;
  return end;
}

ssize_t TlsStream::write(const void* data, size_t size) {
  ERR_clear_error();
  errno = 0;
  size_t sent = 0;
  const int result = SSL_write_ex(ssl_, data, size, &sent);
  return result == 1 ? static_cast<ssize_t>(sent) : failed(result);
}

bool TlsStream::has_pending() const {
  return SSL_has_pending(ssl_) == 1;
}

bool TlsStream::wants_write() const {
  return SSL_want_write(ssl_);
}

bool tls_was_resumed(void* ssl) {
  return SSL_session_reused(static_cast<SSL*>(ssl)) == 1;
}

void TlsStream::shut() {
  ERR_clear_error();
  if (is_established()) SSL_shutdown(ssl_);
  ERR_clear_error();
}

}  // namespace dyno
