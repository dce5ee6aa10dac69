// Config: the typed values of one cell, one member per option row. Made from
// the option table (plan/options.cc); nobody else writes to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.hh"

namespace dyno {

enum class Engine : uint8_t { event, curl, sim };
enum class HttpVersion : uint8_t { v1_1, v2 };
// How a request's slot is proposed (disciplines.md, axis 3, and `own`: every
// caller has a slot of its own).
enum class Select : uint8_t {
  own,
  idle_lifo,
  idle_fifo,
  random,
  round_robin,
  least_loaded,
  least_ready,
  native
};
enum class Full : uint8_t { wait, fail, new_connection };
enum class Open : uint8_t { eager, lazy, per_request };
enum class OnClose : uint8_t { honour, reopen_now, fail_fast, next_use_error };
enum class Pending : uint8_t { fail, retry, resubmit };
enum class OnTimeout : uint8_t { close, abandon_id, abandon };
enum class Budget : uint8_t { separate, shared, active_only };
enum class Correlate : uint8_t { strict, none };
enum class Cancel : uint8_t { lazy, eager };
enum class OwnerKind : uint8_t { inlined, serial };
enum class Shard : uint8_t { random, round_robin };
enum class Pipelined : uint8_t { concurrent, serial };
enum class Order : uint8_t { sequential, interleaved };
enum class ArrivalKind : uint8_t { constant, poisson };
enum class TlsVersion : uint8_t { v1_2, v1_3 };
enum class SuiteTable : uint8_t { automatic, current, original, all };
enum class SuiteMode : uint8_t { automatic, quick, full };

struct Config {
  // What is asked, and of whom.
  std::string url;
  bool target_own = false;
  std::string method;
  std::vector<std::string> headers;
  std::string body;
  bool keep_alive = true;
  int64_t head_limit = 0;
  HttpVersion http_version = HttpVersion::v1_1;
  int64_t follow = 0;  // redirects of one request
  bool compressed = false;
  std::string proxy;
  bool verify_id = false;
  bool verify_body = false;

  // Who asks, and how hard.
  std::string client;
  Engine engine = Engine::event;
  int64_t connections = 0;  // 0: pool.count and pool.size decide
  int64_t callers = 0;      // 0: slots x depth
  int64_t requests = 0;     // 0: no budget
  int64_t duration_ns = 0;  // 0: until the budget is used up
  int64_t warmup_ns = 0;
  int64_t error_pause_ns = 0;
  double rate = 0;  // requests per second; 0: closed loop
  ArrivalKind arrivals = ArrivalKind::constant;
  int64_t max_outstanding = 0;  // 0: what callers would be
  int64_t threads = 0;          // 0: min(pools, processors)

  // The discipline: the axes of disciplines.md section 3.
  int64_t pool_count = 0;
  int64_t pool_size = 0;
  Shard shard = Shard::random;
  Select select = Select::own;
  int64_t depth = 0;
  int64_t slot_queue = 0;
  Full full = Full::wait;
  int64_t queue_limit = 0;
  int64_t wait_ns = 0;
  Open open = Open::lazy;
  OnClose on_close = OnClose::honour;
  int64_t backoff_ns = 0;
  int64_t backoff_max_ns = 0;
  Pending pending = Pending::fail;
  int64_t retry_closed = 0;
  int64_t down_tries = 0;
  int64_t retry_wait = 0;
  Budget budget = Budget::separate;
  OnTimeout on_timeout = OnTimeout::close;
  Correlate correlate = Correlate::strict;
  int64_t idle_timeout_ns = 0;
  bool leak_on_done = false;
  Cancel cancel = Cancel::lazy;
  int64_t cancel_scan_ns = 0;
  OwnerKind owner = OwnerKind::inlined;
  int64_t owner_cost_ns = 0;
  int64_t owner_slot_cost_ns = 0;

  // Connections and times.
  int64_t request_timeout_ns = 0;
  int64_t resolve_timeout_ns = 0;
  int64_t connect_timeout_ns = 0;
  int64_t connect_concurrency = 0;
  int64_t connect_backoff_ns = 0;
  int64_t connect_backoff_max_ns = 0;
  int64_t connect_give_up_ns = 0;

  // TLS, and other ways to the target.
  bool tls_insecure = false;
  std::string tls_ca;
  std::string tls_cert;
  std::string tls_key;
  std::string tls_server_name;
  TlsVersion tls_min_version = TlsVersion::v1_2;
  bool tls_resume = true;
  std::string unix_socket;
  std::string connect_to;                    // HOST:PORT
  std::vector<std::string> local_addresses;  // numeric

  // The run and the machine.
  int64_t repeat = 1;
  Order order = Order::sequential;
  int64_t seed = 1;
  SuiteTable suite_table = SuiteTable::automatic;
  SuiteMode suite_mode = SuiteMode::automatic;
  std::string cpus;
  bool raise_nofile = false;
  int64_t nofile = 0;  // descriptors for connections; 0: as the engine says

  // What engine sim models: the client's host and the server.
  int64_t sim_cpus = 0;
  int64_t sim_completed_cost_ns = 0;
  int64_t sim_failed_cost_ns = 0;
  int64_t sim_timer_lateness_ns = 0;
  int64_t sim_delay_ns = 0;
  int64_t sim_hold_overhead_ns = 0;
  int64_t sim_connect_time_ns = 0;
  int64_t sim_requests_per_connection = 0;
  bool sim_close_header = true;
  int64_t sim_idle_close_ns = 0;
  int64_t sim_max_connections = 0;
  int64_t sim_backlog = 0;
  Pipelined sim_pipelined = Pipelined::concurrent;

  bool is_open_loop() const { return rate > 0; }
  // Nothing is measured: numbers are those of a model.
  bool is_modelled() const { return engine == Engine::sim; }
  // libcurl shakes hands, and talks to a proxy, with the first request only: a
  // connection that is open is none to the server yet.
  bool has_late_news() const {
    const bool is_indirect = url.starts_with("https:") || !proxy.empty();
    return select == Select::native || (engine == Engine::curl && is_indirect);
  }
  // From a request to its answer, by the modelled server.
  int64_t sim_hold_ns() const { return sim_delay_ns + sim_hold_overhead_ns; }

  // All the slots of the cell.
  int64_t slots() const {
    return connections > 0 ? connections : pool_count * pool_size;
  }
  // Connections beyond the slots, up to one for each caller.
  bool grows() const { return full == Full::new_connection; }
};

}  // namespace dyno
