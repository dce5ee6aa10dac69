// CurlTransport: engine curl for disciplines whose slots own their connections.
// A slot is one easy handle, and one socket that is dialed and watched here and
// lent to libcurl, which never makes one by itself: so libcurl retries nothing
// silently, and dials and closes are those of engine event.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/curl/call.hh"
#include "engine/curl/multi.hh"
#include "engine/dialer.hh"
#include "engine/transport.hh"

namespace dyno {

struct CurlOptions {
  DialOptions dial;
  CurlRequest request;
  size_t connections = 1;  // CurlNative: at most so many
};

class CurlTransport final : public Transport, private Dials, private CurlEnds {
 public:
  CurlTransport(LibeventLoop& loop, const CurlOptions& options, Sink& sink);
  ~CurlTransport() override;
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  void open(SlotId slot, int64_t now_ns) override;
  void send(SlotId slot, uint32_t count) override;
  void close(SlotId slot) override;
  void flush() override;
  void sweep(int64_t now_ns) override;
  const Traffic& traffic() const override { return traffic_; }
  std::vector<std::string> notes() const override { return dialer_.notes(); }

 private:
  enum class State : uint8_t { closed, dialing, open };

  struct Slot {
    CurlTransport* owner = nullptr;
    SlotId id = 0;
    State state = State::closed;
    int fd = -1;             // ours; -1 too once libcurl has closed it
    bool is_lent = false;    // libcurl has it
    bool is_busy = false;    // a transfer is under way
    bool was_reset = false;  // when libcurl closed it
    bool is_ready = false;   // a request could go out
    bool is_told = false;    // its handshake
    int64_t dial_started_ns = 0;
    std::unique_ptr<CurlCall> call;
  };

  void dialed(SlotId slot, int fd, int64_t now_ns) override;
  void not_dialed(SlotId slot, Failure kind, std::string_view detail,
                  int64_t now_ns) override;
  void ended(CURL* easy, CURLcode code, int64_t now_ns) override;
  bool spoke(int fd, int64_t now_ns) override;
  void settled(int64_t now_ns) override;

  void make_call(Slot& slot);
  void ready(Slot& slot);
  void tell_handshake(Slot& slot, int64_t now_ns);
  void count(const Slot& slot);
  void complete(Slot& slot, const Answer& answer, int64_t now_ns);
  void fail(Slot& slot, const CurlCall::Outcome& outcome, int64_t now_ns);
  void tear_down(Slot& slot);
  void give_up_lent(Slot& slot);
  int lend(Slot& slot);
  void take_back(Slot* slot, int fd);

  static void on_ready(void* slot) noexcept;
  static curl_socket_t on_open(void* slot, curlsocktype,
                               curl_sockaddr*) noexcept;
  static int on_made(void*, curl_socket_t, curlsocktype) noexcept;
  static int on_close(void* slot, curl_socket_t fd) noexcept;

  LibeventLoop& loop_;
  Sink& sink_;
  const CurlRequest request_;
  Dialer dialer_;
  // libcurl closes what it still has when it ends: the slots outlive it.
  std::vector<Slot> slots_;
  std::vector<SlotId> slot_of_;  // by descriptor
  CurlMulti multi_;
  std::vector<SlotId> dirty_;
  std::vector<SlotId> ready_;  // whose handshake is to be told
  Traffic traffic_;
};

}  // namespace dyno
