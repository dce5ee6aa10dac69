// CurlNative: engine curl for pool.select=native. Every caller is a transfer;
// which connection it gets, whether it waits for one, and what is tried again,
// is libcurl's choice. Sockets are made and counted here, connected by libcurl.
#pragma once

#include <string>
#include <vector>

#include "engine/curl/transport.hh"

namespace dyno {

class CurlNative final : public Transport, private CurlEnds {
 public:
  CurlNative(LibeventLoop& loop, const CurlOptions& options, Sink& sink);
  ~CurlNative() override;
  CurlNative(const CurlNative&) = delete;
  CurlNative& operator=(const CurlNative&) = delete;

  // A slot has no connection of its own: it can be used at once.
  void open(SlotId slot, int64_t now_ns) override;
  void send(SlotId slot, uint32_t count) override;
  void close(SlotId slot) override;
  void end() override;
  void flush() override;
  void sweep(int64_t) override {}  // libcurl ends its own dials
  const Traffic& traffic() const override { return traffic_; }
  std::vector<std::string> notes() const override { return {}; }

 private:
  struct Slot {
    CurlNative* owner = nullptr;
    SlotId id = 0;
    bool is_open = false;
    bool is_busy = false;
    std::vector<int> dialed;  // sockets made for it, until one is ready
    std::unique_ptr<CurlCall> call;
  };
  enum class Socket : uint8_t { none, dialing, open };

  void ended(CURL* easy, CURLcode code, int64_t now_ns) override;
  bool spoke(int fd, int64_t now_ns) override;
  void settled(int64_t now_ns) override;

  void make_call(Slot& slot);
  void count(const Slot& slot);
  void ready(Slot& slot);
  void fail(Slot& slot, const CurlCall::Outcome& outcome, int64_t now_ns);
  void fail_dial(Slot& slot, const CurlCall::Outcome& outcome, int64_t now_ns);
  int make_socket(Slot& slot, int family);
  void close_socket(int fd);

  static curl_socket_t on_open(void* slot, curlsocktype,
                               curl_sockaddr* address) noexcept;
  static int on_close(void* self, curl_socket_t fd) noexcept;
  static void on_ready(void* slot) noexcept;

  LibeventLoop& loop_;
  Sink& sink_;
  const CurlOptions options_;
  std::string resolve_;  // the name and our addresses of it
  curl_slist* resolved_ = nullptr;
  int64_t free_descriptors_;
  int socket_error_ = 0;         // of the socket that could not be made last
  std::vector<Socket> sockets_;  // by descriptor
  std::vector<Slot> slots_;
  CurlMulti multi_;
  std::vector<SlotId> opening_;
  std::vector<SlotId> dirty_;
  std::vector<std::pair<SlotId, CurlCall::Handshake>> handshakes_;
  Traffic traffic_;
};

}  // namespace dyno
