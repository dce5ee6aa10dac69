// CurlMulti: one libcurl multi handle on a worker's loop. It watches the
// sockets that libcurl is given, one persistent read event each, so that a
// request costs no change of what the kernel watches; and it tells of transfers
// that have ended, and of sockets that speak while no transfer listens. One per
// worker, its thread only.
#pragma once

#include <curl/curl.h>
#include <event2/event.h>
#include <event2/event_struct.h>

#include <memory>
#include <vector>

#include "engine/loop_libevent.hh"

namespace dyno {

// Told from the loop, never from inside a call to CurlMulti.
class CurlEnds {
 public:
  virtual void ended(CURL* easy, CURLcode code, int64_t now_ns) = 0;
  // Readable, and no transfer waits for it. False: it is not to be watched
  // until one does.
  virtual bool spoke(int fd, int64_t now_ns) = 0;
  // All that was ready has been told.
  virtual void settled(int64_t now_ns) = 0;

 protected:
  ~CurlEnds() = default;
};

class CurlMulti {
 public:
  // Both must outlive it.
  CurlMulti(LibeventLoop& loop, CurlEnds& ends);
  ~CurlMulti();
  CurlMulti(const CurlMulti&) = delete;
  CurlMulti& operator=(const CurlMulti&) = delete;

  CURLM* get() { return multi_; }
  // Starts the transfer at the next kick().
  void add(CURL* easy) { curl_multi_add_handle(multi_, easy); }
  // Ends it, its connection too unless it is complete.
  void remove(CURL* easy) { curl_multi_remove_handle(multi_, easy); }
  // Closes every connection; no transfer may be left, none can be added.
  void end();
  // Does what libcurl wants done now.
  void kick();
  // Has settled() called soon.
  void settle_soon() { event_active(&soon_, EV_TIMEOUT, 0); }

  // From now on the socket is watched; until before it is closed.
  void watch(int fd);
  void unwatch(int fd);

 private:
  struct Watch {
    event readable;
    event writable;
    CurlMulti* owner = nullptr;
    int fd = -1;
    bool wants_read = false;  // libcurl does
    bool is_read = false;     // the event is armed
  };

  void change(int fd, int what);
  void act(int fd, int what);
  void settle();
  void tell_ends(int64_t now_ns);
  void readable(Watch& watch);

  static int on_socket(CURL*, curl_socket_t fd, int what, void* self,
                       void*) noexcept;
  static int on_timer(CURLM*, long timeout_ms, void* self) noexcept;
  static void on_readable(evutil_socket_t, short, void* watch) noexcept;
  static void on_writable(evutil_socket_t, short, void* watch) noexcept;
  static void on_due(evutil_socket_t, short, void* self) noexcept;
  static void on_soon(evutil_socket_t, short, void* self) noexcept;

  LibeventLoop& loop_;
  CurlEnds& ends_;
  CURLM* multi_;
  bool is_due_ = false;  // libcurl wants to be called at once
  event due_;
  event soon_;
  std::vector<std::unique_ptr<Watch>> watches_;  // by descriptor
};

// libcurl is set up for this process, once and for all.
bool curl_is_ready();

}  // namespace dyno
