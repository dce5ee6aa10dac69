// TLS on a non-blocking socket, by OpenSSL: a context is what all connections
// of one side share, a stream is one connection. Nothing here waits, and no
// write raises SIGPIPE.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>

#include "base/status.hh"

struct ssl_st;
struct ssl_ctx_st;
struct ssl_session_st;
struct bio_method_st;

namespace dyno {

struct TlsClientOptions {
  bool verifies = true;
  std::string ca;    // PEM file; empty: the system's trust store
  std::string cert;  // PEM file; empty: no client certificate
  std::string key;   // PEM file; empty: it is in `cert`
  std::string name;  // what the certificate must say: a host name (sent as SNI
                     // too) or an IP address
  bool is_1_3_only = false;
  bool resumes = true;
};

struct TlsServerOptions {
  std::string cert;  // PEM files; both empty: a certificate of its own,
  std::string key;   // self-signed, for localhost, 127.0.0.1, ::1
  std::string ca;    // whose certificates clients must have; empty: none asked
};

// Before anything else uses OpenSSL: it registers no exit handler then, since a
// host may exit while threads of ours use it, and may unload us.
void set_up_openssl();

// Immutable once made: any number of threads may make streams of it.
class TlsContext {
 public:
  // Errors are Code::value with the key of the option: tls.ca, tls.cert or
  // tls.key, for a server tls_cert, tls_key or tls_ca; or Code::system.
  static Result<std::shared_ptr<const TlsContext>> client(
      const TlsClientOptions& options);
  static Result<std::shared_ptr<const TlsContext>> server(
      const TlsServerOptions& options);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

 private:
  friend class TlsStream;
  TlsContext() = default;
  Status make(bool is_server);
  Status use_certificate(const std::string& cert, const std::string& key,
                         const char* cert_key, const char* key_key);
  Status trust(const std::string& ca, const char* key);

  ssl_ctx_st* context_ = nullptr;
  bio_method_st* method_ = nullptr;  // recv and send as net/socket does them
  TlsClientOptions client_;
  bool is_server_ = false;
};

// The session that the next connection of a client resumes: the last one that
// the server gave. One thread's.
class TlsSessions {
 public:
  TlsSessions() = default;
  ~TlsSessions();
  TlsSessions(const TlsSessions&) = delete;
  TlsSessions& operator=(const TlsSessions&) = delete;

 private:
  friend class TlsContext;
  friend class TlsStream;
  void keep(ssl_session_st* session);  // takes it over
  ssl_session_st* last_ = nullptr;
};

// One connection. The descriptor stays its owner's, and must be open for as
// long as the stream is used. One thread's.
class TlsStream {
 public:
  // `sessions` may be null: then nothing is resumed.
  TlsStream(std::shared_ptr<const TlsContext> context, int fd,
            TlsSessions* sessions);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  enum class Step { done, wants_read, wants_write, failed };
  // Goes on with the handshake; a server's is also done by read().
  Step handshake();
  bool is_established() const;
  bool was_resumed() const;

  // As recv() and send(): bytes, 0 at an end that the peer announced, or -1 and
  // errno. EAGAIN: the socket has to be readable (read) or writable (write)
  // first, or as wants_write() says. EPROTO: error() tells; ECONNABORTED: the
  // end came unannounced. A write that is tried again begins with the bytes it
  // had then.
  ssize_t read(void* data, size_t size);
  ssize_t write(const void* data, size_t size);
  // Bytes were received that read() has not given yet.
  bool has_pending() const;
  bool wants_write() const;
  // Announces the end, if that can be done at once.
  void shut();
  // Why the last step failed: "self-signed certificate".
  const std::string& error() const { return error_; }

 private:
  ssize_t failed(int result);
  void note_error(int error);

  std::shared_ptr<const TlsContext> context_;
  ssl_st* ssl_ = nullptr;
  int fd_;
  int read_error_ = 0;  // errno of the read() that failed for good
  std::string error_;
};

// Of a connection that another library has made: `ssl` is its SSL*.
bool tls_was_resumed(void* ssl);

}  // namespace dyno
