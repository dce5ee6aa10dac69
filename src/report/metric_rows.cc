#include "report/metric_rows.hh"

#include <utility>

#include "report/fit.hh"
#include "report/limited_by.hh"

namespace dyno {
namespace {

// Makes rows from accessors that take a cell, const or not, and return the
// member that holds the value; or, for derived values, the value.
class Rows {
 public:
  template <typename At>
  void whole(const char* name, const char* unit, Fold fold, const char* help,
             At at) {
    MetricRow& row = add(name, MetricType::whole, unit, fold, help);
    row.get = [at](const CellResult& cell) -> MetricValue {
      return int64_t{at(cell)};
    };
    row.set = [at](CellResult& cell, const MetricValue& value) {
      at(cell) = std::get<int64_t>(value);
    };
  }

  template <typename At>
  void flag(const char* name, const char* help, At at) {
    MetricRow& row = add(name, MetricType::whole, "flag", Fold::any, help);
    row.get = [at](const CellResult& cell) -> MetricValue {
      return int64_t{at(cell) ? 1 : 0};
    };
    row.set = [at](CellResult& cell, const MetricValue& value) {
      at(cell) = std::get<int64_t>(value) != 0;
    };
  }

  template <typename At>
  void real(const char* name, const char* unit, Fold fold, const char* help,
            At at) {
    MetricRow& row = add(name, MetricType::real, unit, fold, help);
    row.get = [at](const CellResult& cell) -> MetricValue { return at(cell); };
    row.set = [at](CellResult& cell, const MetricValue& value) {
      at(cell) = std::get<double>(value);
    };
  }

  template <typename At>
  void text(const char* name, const char* help, At at) {
    MetricRow& row = add(name, MetricType::text, "text", Fold::none, help);
    row.get = [at](const CellResult& cell) -> MetricValue {
      return at(cell).c_str();
    };
    row.set = [at](CellResult& cell, const MetricValue& value) {
      at(cell) = std::get<const char*>(value);
    };
  }

  template <typename Get>
  void derived(const char* name, MetricType type, const char* unit, Fold fold,
               const char* help, Get get) {
    add(name, type, unit, fold, help).get = get;
  }

  void append(std::vector<MetricRow> rows) {
    for (MetricRow& row : rows) rows_.push_back(std::move(row));
  }
  std::vector<MetricRow> take() { return std::move(rows_); }

 private:
  MetricRow& add(const char* name, MetricType type, const char* unit, Fold fold,
                 const char* help) {
    MetricRow& row = rows_.emplace_back();
    row.name = name;
    row.type = type;
    row.unit = unit;
    row.fold = fold;
    row.help = help;
    return row;
  }

  std::vector<MetricRow> rows_;
};

void add_cell(Rows& rows) {
  MetricRow round;
  round.name = "round";
  round.help = "which of run.repeat measurements of the same cell, from 1";
  round.get = [](const CellResult& c) -> MetricValue {
    return c.cell.repeat + 1;
  };
  round.set = [](CellResult& c, const MetricValue& value) {
    c.cell.repeat = std::get<int64_t>(value) - 1;
  };
  rows.append({round});
  rows.whole(
      "started", "unix_ns", Fold::least,
      "when measuring began, wall clock, ns since 1970-01-01 UTC",
      [](auto& c) -> auto& { return c.started_unix_ns; });
  rows.whole(
      "duration_ns", "ns", Fold::sum,
      "measured time from start to stop, monotonic clock",
      [](auto& c) -> auto& { return c.duration_ns; });
  rows.flag(
      "interrupted", "stopped from outside before its end",
      [](auto& c) -> auto& { return c.interrupted; });
  rows.text(
      "skipped", "why the cell could not be measured; empty: it was",
      [](auto& c) -> auto& { return c.cell.skipped; });
  MetricRow code;
  code.name = "error.code";
  code.help = "why the cell ended early, a dyno_status; 0: it did not";
  code.fold = Fold::least;
  code.get = [](const CellResult& c) -> MetricValue {
    return static_cast<int64_t>(c.status.code);
  };
  code.set = [](CellResult& c, const MetricValue& value) {
    c.status.code = static_cast<Code>(std::get<int64_t>(value));
  };
  rows.append({code});
  rows.text(
      "error.message", "the same in words",
      [](auto& c) -> auto& { return c.status.message; });
  rows.text(
      "error.key", "the option at fault, where there is one",
      [](auto& c) -> auto& { return c.status.key; });
}

void add_counts(Rows& rows) {
  rows.whole(
      "counts.issued", "1", Fold::sum,
      "requests begun: completed + failed + abandoned",
      [](auto& c) -> auto& { return c.tally.counts.issued; });
  rows.whole(
      "counts.completed", "1", Fold::sum,
      "requests whose whole final answer was read, whatever its status",
      [](auto& c) -> auto& { return c.tally.counts.completed; });
  rows.derived("counts.failed", MetricType::whole, "1", Fold::sum,
               "requests that failed, each of exactly one kind",
               [](const CellResult& c) -> MetricValue {
                 return c.tally.counts.failed();
               });
  rows.whole(
      "counts.abandoned", "1", Fold::sum,
      "requests in flight when the run stopped",
      [](auto& c) -> auto& { return c.tally.counts.abandoned; });
  rows.whole(
      "counts.abandoned_oldest_ns", "ns", Fold::most,
      "age of the oldest abandoned request at the stop",
      [](auto& c) -> auto& { return c.tally.oldest_abandoned_ns; });
  rows.whole(
      "counts.unsent", "1", Fold::sum,
      "requests due in open loop that were never issued",
      [](auto& c) -> auto& { return c.tally.counts.unsent; });
  rows.whole(
      "counts.blocked", "1", Fold::sum,
      "requests of an open loop that were issued late, since "
      "load.max_outstanding were out",
      [](auto& c) -> auto& { return c.tally.counts.blocked; });
  rows.whole(
      "counts.warmup", "1", Fold::sum,
      "requests that ended before measuring began; in no other number",
      [](auto& c) -> auto& { return c.tally.counts.warmup; });
  rows.whole(
      "counts.late_reply", "1", Fold::sum,
      "answers to requests that had timed out",
      [](auto& c) -> auto& { return c.tally.counts.late_reply; });
  rows.whole(
      "counts.misdelivered", "1", Fold::sum,
      "completed with the answer to an earlier request (pool.correlate=none)",
      [](auto& c) -> auto& { return c.tally.counts.misdelivered; });
  rows.whole(
      "counts.reconnect", "1", Fold::sum,
      "connections opened by a slot that had had one",
      [](auto& c) -> auto& { return c.tally.counts.reconnect; });
  rows.whole(
      "counts.retry", "1", Fold::sum,
      "requests sent again after their connection was closed",
      [](auto& c) -> auto& { return c.tally.counts.retry; });
  rows.whole(
      "counts.resubmit", "1", Fold::sum,
      "requests given back to the pool for that reason, or asked again after "
      "a pool time-out",
      [](auto& c) -> auto& { return c.tally.counts.resubmit; });
  rows.whole(
      "counts.pipelined_discarded", "1", Fold::sum,
      "requests on the wire behind the answer that closed it",
      [](auto& c) -> auto& { return c.tally.counts.pipelined_discarded; });
}

// A rate over 0 s, a share of nothing and an unknown limit have no value.
MetricValue known_if(bool is_known, double value) {
  return is_known ? MetricValue(value) : MetricValue();
}

void add_rates(Rows& rows) {
  const auto rate = [&rows](const char* name, const char* unit,
                            const char* help, auto get) {
    rows.derived(name, MetricType::real, unit, Fold::none, help, get);
  };
  rate("rate.completed_per_s", "per_s", "completed / duration",
       [](const CellResult& c) {
         return known_if(c.duration_ns > 0, c.completed_per_s());
       });
  rate("rate.failed_per_s", "per_s", "failed / duration",
       [](const CellResult& c) {
         return known_if(c.duration_ns > 0, c.failed_per_s());
       });
  rate("rate.failed_percent", "percent", "failed of completed + failed",
       [](const CellResult& c) {
         const int64_t ended =
             c.tally.counts.completed + c.tally.counts.failed();
         return known_if(ended > 0, c.failed_percent());
       });
  rate("rate.limit_per_s", "per_s",
       "the closed-form ceiling: min(callers, slots x effective depth) / "
       "server delay; known for our own server's /wait/MS",
       [](const CellResult& c) {
         return known_if(c.limit_per_s() > 0, c.limit_per_s());
       });
  rate("rate.limit_share", "1", "completed_per_s / limit_per_s",
       [](const CellResult& c) {
         return known_if(c.limit_per_s() > 0 && c.duration_ns > 0,
                         c.limit_share());
       });
  rows.derived(
      "limited_by", MetricType::text, "text", Fold::none,
      "what limited the cell, in one word; - where that is not known",
      [](const CellResult& c) -> MetricValue { return limited_by(c); });
  rate("suite.ratio", "1", "completed_per_s / the published req/s",
       [](const CellResult& c) {
         return known_if(fit_of(c).has_value(),
                         fit_of(c).value_or(Fit{}).ratio);
       });
  rate("suite.points", "percent", "failed_percent - the published error %",
       [](const CellResult& c) {
         return known_if(fit_of(c).has_value(),
                         fit_of(c).value_or(Fit{}).points);
       });
  rows.derived(
      "suite.fits", MetricType::whole, "flag", Fold::sum,
      "within 25 % of the published req/s and 5 points of its failed share",
      [](const CellResult& c) -> MetricValue {
        if (!fit_of(c)) return {};
        return int64_t{fit_of(c)->is_good};
      });
}

void add_bytes(Rows& rows) {
  rows.whole(
      "bytes.in", "bytes", Fold::sum, "read: heads, framing and bodies",
      [](auto& c) -> auto& { return c.tally.counts.bytes_in; });
  rows.whole(
      "bytes.out", "bytes", Fold::sum, "written",
      [](auto& c) -> auto& { return c.tally.counts.bytes_out; });
  rows.whole(
      "bytes.body", "bytes", Fold::sum,
      "bodies of completed answers, without their framing",
      [](auto& c) -> auto& { return c.tally.counts.bytes_body; });
}

void add_pools(Rows& rows) {
  rows.whole(
      "pools.queue_peak", "1", Fold::most,
      "most requests that waited in one pool's queue",
      [](auto& c) -> auto& { return c.pools.queue_peak; });
  rows.whole(
      "pools.in_use_peak", "1", Fold::most, "most slots in use at once",
      [](auto& c) -> auto& { return c.pools.in_use_peak; });
  rows.whole(
      "connections.opened", "1", Fold::sum,
      "connections made, warm-up included",
      [](auto& c) -> auto& { return c.tally.counts.opened; });
  rows.whole(
      "connections.closed", "1", Fold::sum,
      "connections closed by either side, the end included",
      [](auto& c) -> auto& { return c.tally.counts.closed; });
  rows.whole(
      "connections.reused", "1", Fold::sum,
      "requests completed on a connection that had served before",
      [](auto& c) -> auto& { return c.tally.counts.reused; });
  rows.whole(
      "connections.dial_failed", "1", Fold::sum,
      "attempts that did not connect",
      [](auto& c) -> auto& { return c.tally.counts.dial_failed; });
  rows.whole(
      "connections.tls_full", "1", Fold::sum,
      "TLS handshakes from the beginning, warm-up included",
      [](auto& c) -> auto& { return c.tally.counts.tls_full; });
  rows.whole(
      "connections.tls_resumed", "1", Fold::sum,
      "TLS handshakes that resumed an earlier session, warm-up included",
      [](auto& c) -> auto& { return c.tally.counts.tls_resumed; });
}

void add_client(Rows& rows) {
  rows.real(
      "client.cpu_s", "s", Fold::sum,
      "processor time of the generator's threads",
      [](auto& c) -> auto& { return c.client.cpu_s; });
  rows.real(
      "client.busiest_share", "1", Fold::most,
      "of one processor, by the busiest thread",
      [](auto& c) -> auto& { return c.client.busiest_share; });
  rows.flag(
      "client.is_limit", "the generator was the limit",
      [](auto& c) -> auto& { return c.client.is_limit; });
  rows.text(
      "client.verdict", "whether the generator was the limit, and why",
      [](auto& c) -> auto& { return c.client.verdict; });
  rows.whole(
      "client.threads", "1", Fold::most, "threads that made the load",
      [](auto& c) -> auto& { return c.client.threads; });
  rows.whole(
      "client.peak_rss_bytes", "bytes", Fold::most,
      "peak memory of the process so far",
      [](auto& c) -> auto& { return c.client.peak_rss_bytes; });
  rows.whole(
      "client.nofile_limit", "1", Fold::least,
      "open files allowed: the soft limit in force",
      [](auto& c) -> auto& { return c.client.nofile_limit; });
}

void add_server(Rows& rows) {
  rows.text(
      "server.software", "the Server field of our own server",
      [](auto& c) -> auto& { return c.server.software; });
  rows.flag(
      "server.is_own", "the target is httpdyno's own server",
      [](auto& c) -> auto& { return c.server.is_own; });
  rows.flag(
      "server.is_reconciled", "its counters were read when stable",
      [](auto& c) -> auto& { return c.server.is_reconciled; });
  rows.whole(
      "server.accepted", "1", Fold::sum,
      "connections that it accepted in this cell",
      [](auto& c) -> auto& { return c.server.accepted; });
  rows.whole(
      "server.read", "1", Fold::sum, "requests that it read",
      [](auto& c) -> auto& { return c.server.read; });
  rows.whole(
      "server.written", "1", Fold::sum, "answers that it wrote",
      [](auto& c) -> auto& { return c.server.written; });
  rows.text(
      "server.difference",
      "what does not add up between it and us; empty: all does",
      [](auto& c) -> auto& { return c.server.difference; });
}

}  // namespace

std::vector<MetricRow> path_rows() {
  Rows rows;
  add_cell(rows);
  add_counts(rows);
  add_rates(rows);
  add_bytes(rows);
  rows.append(latency_rows());
  add_pools(rows);
  add_client(rows);
  add_server(rows);
  return rows.take();
}

}  // namespace dyno
