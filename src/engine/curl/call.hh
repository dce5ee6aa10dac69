// CurlCall: one easy handle, set up once for the requests of a cell, and what
// it saw of the answer to the latest one. It knows no slot and no pool.
#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <string>

#include "engine/loop.hh"
#include "engine/transport.hh"
#include "http/url.hh"
#include "plan/config.hh"

namespace dyno {

// What every call of a worker is set up with. All of it must outlive the calls.
struct CurlRequest {
  const Config* config = nullptr;
  Url url;
  bool says_close = false;  // the request announces the end of its connection
};

class CurlCall {
 public:
  // `place`, if not empty, is an address of nobody that stands for the slot's
  // own connection: libcurl never uses another one for this call then.
  CurlCall(const CurlRequest& request, const std::string& place, Loop& loop,
           void* owner);
  ~CurlCall();
  CurlCall(const CurlCall&) = delete;
  CurlCall& operator=(const CurlCall&) = delete;

  CURL* easy() { return easy_; }
  static void* owner_of(CURL* easy);
  // Called with the owner whenever a connection is ready for the request, from
  // inside libcurl.
  void tell_ready(void (*hook)(void* owner) noexcept) { hook_ = hook; }

  // Forgets the answer before.
  void begin();

  // A whole answer, or how there was none.
  struct Outcome {
    bool is_complete = false;
    Answer answer;
    Failure kind = Failure::closed;
    bool in_answer = false;  // a part of one had come
    bool is_dial = false;    // there was no connection to ask on
    std::string detail;
  };
  // `was_reset`: the connection had been, as far as the kernel knows.
  Outcome outcome(CURLcode code, bool was_reset) const;

  // Bytes and requests of this call so far, redirects included.
  int64_t bytes_in() const;
  int64_t bytes_out() const;
  int64_t requests_sent() const;

  // Times that a connection was ready for the latest request; a second one is
  // libcurl's own retry.
  int readied() const { return readied_; }
  struct Handshake {
    int64_t took_ns = 0;
    bool was_resumed = false;
  };
  // Of the connection that became ready last.
  Handshake handshake() const;

 private:
  void set_request();
  void set_headers();
  void set_way(const std::string& place);
  void set_tls();
  bool take_header(std::string_view line);
  bool check_length(std::string_view value);
  Failure failure_of(CURLcode code, bool was_reset) const;

  static size_t on_header(char* data, size_t, size_t size, void* self) noexcept;
  static size_t on_body(char*, size_t, size_t size, void* self) noexcept;
  static int on_ready(void* self, char*, char*, int, int) noexcept;

  const CurlRequest& request_;
  Loop& loop_;
  CURL* easy_;
  curl_slist* headers_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  char error_[CURL_ERROR_SIZE] = {};

  int64_t head_bytes_ = 0;  // of the current head
  int64_t all_head_bytes_ = 0;
  int64_t body_bytes_ = 0;
  int64_t first_byte_ns_ = 0;
  std::string length_;  // of the current head
  bool is_own_server_ = false;
  const char* fault_ = nullptr;  // what we found wrong with the answer
  Failure fault_kind_ = Failure::protocol;
  int readied_ = 0;
  void (*hook_)(void* owner) noexcept = nullptr;
};

}  // namespace dyno
