/* httpdyno: measures HTTP servers, clients and connection pools.

   Conventions, for every function here and in server.h:

   1. Handles (dyno_plan, dyno_run, dyno_result) are opaque. What *_new, *_copy
      or an `out` parameter gives you is yours to free with the matching *_free;
      free(NULL) is fine and handles may be freed in any order. Everything else
      that is returned as a pointer is borrowed: valid until the next call with
      a non-const pointer to that handle, or until the handle is freed.
   2. A function that takes a const handle may be called by any thread at any
      time; one that takes a non-const handle by one thread at a time.
   3. Status codes are 0 or negative and never change their meaning. The message
      and the option at fault are kept in the handle that failed: *_error,
      *_error_key. They are never thread-local.
   4. Strings are UTF-8 and end with NUL. NULL where a handle or an argument is
      needed is DYNO_E_ARGUMENT (or NULL, 0 or -1 as the result's type allows);
      nothing crashes on it.
   5. Times are int64_t nanoseconds unless a name says otherwise, sizes bytes,
      rates per second.
   6. The library never prints, exits, forks, installs a signal handler, changes
      the locale, or calls back from a thread that measures. It changes the
      limit of open files only if host.raise_nofile=on. Its threads start with
      all signals blocked and its writes never raise SIGPIPE.
   7. Tables (options, presets, suites, formats, failures, metrics) are
      enumerated by index 0 ... count-1; an index beyond is NULL or 0. Their
      texts live as long as the library is loaded.

   A program in five calls: dyno_plan_new, dyno_plan_set, dyno_run_start,
   dyno_run_wait, dyno_run_result; then dyno_result_quantile or
   dyno_result_render. */
#ifndef HTTPDYNO_HTTPDYNO_H
#define HTTPDYNO_HTTPDYNO_H

#include <stddef.h>
#include <stdint.h>

#define DYNO_VERSION_MAJOR 0
#define DYNO_VERSION_MINOR 1
#define DYNO_VERSION_PATCH 0
#define DYNO_VERSION_NUMBER \
  ((DYNO_VERSION_MAJOR << 16) | (DYNO_VERSION_MINOR << 8) | DYNO_VERSION_PATCH)

#ifndef DYNO_API
#if defined(__GNUC__)
#define DYNO_API __attribute__((visibility("default")))
#else
#define DYNO_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What to do: options and their values. One thread at a time. */
typedef struct dyno_plan dyno_plan;
/* The doing of it: threads, sockets, cells one after another. */
typedef struct dyno_run dyno_run;
/* The numbers: one sub-result per cell. Never changes once you have it. */
typedef struct dyno_result dyno_result;

/* --- status ------------------------------------------------------------- */

typedef int32_t dyno_status;
#define DYNO_OK 0
#define DYNO_E_ARGUMENT (-1)    /* NULL or nonsense where a value is needed */
#define DYNO_E_OPTION (-2)      /* no such option; the message names the nearest */
#define DYNO_E_VALUE (-3)       /* the option does not take that value */
#define DYNO_E_STATE (-4)       /* not now: the handle is in another state */
#define DYNO_E_MEMORY (-5)      /* out of memory */
#define DYNO_E_SYSTEM (-6)      /* the system refused: descriptors, ports, ... */
#define DYNO_E_RESOLVE (-7)     /* the target's name has no address */
#define DYNO_E_CONNECT (-8)     /* nothing could ever be connected */
#define DYNO_E_UNSUPPORTED (-9) /* known, but not in this build or engine */
#define DYNO_E_TIMEOUT (-10)    /* not ended yet */
#define DYNO_E_CANCELED (-11)   /* ended by dyno_run_cancel; partial numbers */
#define DYNO_E_NOTFOUND (-12)   /* no such metric, format or cell */
#define DYNO_E_INTERNAL (-99)   /* a fault of the library: please report it */

/* The version of the loaded library, as DYNO_VERSION_NUMBER and as "0.1.0". */
DYNO_API uint32_t dyno_version_number(void);
DYNO_API const char *dyno_version_string(void);

/* A fact of the build: "compiler", "build_type", "libevent", "c-ares",
   "llhttp", "fmt". NULL for another name. */
DYNO_API const char *dyno_build_info(const char *name);

/* "DYNO_E_VALUE" and one sentence. Never NULL: unknown codes say so. */
DYNO_API const char *dyno_status_name(dyno_status status);
DYNO_API const char *dyno_status_text(dyno_status status);

/* --- options ------------------------------------------------------------ */

#define DYNO_TYPE_TEXT 0
#define DYNO_TYPE_FLAG 1     /* on, off */
#define DYNO_TYPE_COUNT 2    /* 64, 10k, 1M */
#define DYNO_TYPE_SIZE 3     /* bytes: 512, 64KiB, 2kB */
#define DYNO_TYPE_DURATION 4 /* 500ms, 30s, 1m30s; as an integer: ns */
#define DYNO_TYPE_RATE 5     /* per second: 1000, 5k, 100/ms */
#define DYNO_TYPE_CHOICE 6   /* one of dyno_option_values */

#define DYNO_LIST_SINGLE 0   /* one value */
#define DYNO_LIST_EXPAND 1   /* commas separate values; each makes cells */
#define DYNO_LIST_APPENDED 2 /* dyno_plan_append adds values; commas stay */

/* The option table of a plan. name is the key: "pool.size". */
DYNO_API size_t dyno_option_count(void);
DYNO_API const char *dyno_option_name(size_t index);
/* DYNO_TYPE_*, or -1 for an index beyond the table. */
DYNO_API int32_t dyno_option_type(size_t index);
/* As dyno_plan_set takes it; "" where there is no default. A client's preset
   may have another one: dyno_preset_axis. */
DYNO_API const char *dyno_option_default(size_t index);
/* The words of a choice, separated by '|'; "" for other types. */
DYNO_API const char *dyno_option_values(size_t index);
/* The unit of the integer value: "ns", "bytes" or "". */
DYNO_API const char *dyno_option_unit(size_t index);
DYNO_API const char *dyno_option_help(size_t index);
/* A plain alias of the long flag ("callers" for load.callers), or "". The long
   flag itself is the key with dots and underscores turned to dashes. */
DYNO_API const char *dyno_option_flag(size_t index);
/* One letter or "". */
DYNO_API const char *dyno_option_short_flag(size_t index);
/* The engines that honour it, separated by commas. */
DYNO_API const char *dyno_option_engines(size_t index);
/* DYNO_LIST_*. */
DYNO_API int32_t dyno_option_is_list(size_t index);

/* The clients: named pool disciplines. alias is the published client that has
   it, or "". law is its closed forms, source where its rules were read. */
DYNO_API size_t dyno_preset_count(void);
DYNO_API const char *dyno_preset_name(size_t index);
DYNO_API const char *dyno_preset_alias(size_t index);
DYNO_API const char *dyno_preset_help(size_t index);
DYNO_API const char *dyno_preset_law(size_t index);
DYNO_API const char *dyno_preset_source(size_t index);
/* The preset's value of an option, or NULL where the default holds. */
DYNO_API const char *dyno_preset_axis(size_t index, const char *option);

/* The suites: published benchmarks that can be run again. source is where it
   was published, path what its requests ask for ("/wait/10"). */
DYNO_API size_t dyno_suite_count(void);
DYNO_API const char *dyno_suite_name(size_t index);
DYNO_API const char *dyno_suite_help(size_t index);
DYNO_API const char *dyno_suite_source(size_t index);
DYNO_API const char *dyno_suite_path(size_t index);
/* The suite's value of an option of the server (server.h), or NULL where the
   server's default holds. An engine that simulates time needs no server. */
DYNO_API const char *dyno_suite_server_option(size_t index, const char *option);

/* The failure kinds: one failed request counts in exactly one. phase is where
   it happened (pool, resolve, connect, send, response), side whose it is (ours,
   theirs, network), hint what to look at first. */
DYNO_API size_t dyno_failure_count(void);
DYNO_API const char *dyno_failure_name(size_t index);
DYNO_API const char *dyno_failure_phase(size_t index);
DYNO_API const char *dyno_failure_side(size_t index);
DYNO_API const char *dyno_failure_hint(size_t index);

/* The formats of dyno_result_render: "text", "json", ... */
DYNO_API size_t dyno_format_count(void);
DYNO_API const char *dyno_format_name(size_t index);

/* --- plan --------------------------------------------------------------- */

DYNO_API dyno_status dyno_plan_new(dyno_plan **out);
DYNO_API dyno_status dyno_plan_copy(dyno_plan **out, const dyno_plan *plan);
DYNO_API void dyno_plan_free(dyno_plan *plan);

/* Sets an option from text and checks it at once. Replaces an earlier value; a
   DYNO_LIST_EXPAND option takes several, separated by commas. What is set here
   wins over the client's preset, in any order of setting. DYNO_E_OPTION,
   DYNO_E_VALUE. */
DYNO_API dyno_status dyno_plan_set(dyno_plan *plan, const char *key,
                                   const char *value);
/* A number in the option's base unit (ns, bytes, per second); for a flag 0 is
   off. DYNO_E_VALUE for texts and choices. */
DYNO_API dyno_status dyno_plan_set_int(dyno_plan *plan, const char *key,
                                       int64_t value);
DYNO_API dyno_status dyno_plan_set_real(dyno_plan *plan, const char *key,
                                        double value);
/* A text that may contain any byte, NUL too: http.body. The bytes are copied;
   data may be NULL if size is 0. */
DYNO_API dyno_status dyno_plan_set_bytes(dyno_plan *plan, const char *key,
                                         const void *data, size_t size);
/* Adds a value to a list-valued option. */
DYNO_API dyno_status dyno_plan_append(dyno_plan *plan, const char *key,
                                      const char *value);
/* What was set, or the default; lists are joined with commas, appended values
   with new lines. NULL for an unknown key. */
DYNO_API const char *dyno_plan_get(const dyno_plan *plan, const char *key);
/* 1 if the option was set on this plan, else 0. */
DYNO_API int32_t dyno_plan_is_set(const dyno_plan *plan, const char *key);

/* Makes the plan's cells those of a suite, as suite.table and suite.mode ask
   for, each with the published row beside it. A DYNO_LIST_EXPAND option that is
   set and that the rows have too (client, pool.size, ...) chooses rows; another
   one wins over them. Any order of setting; target.url is the host's to set,
   except where time is simulated. DYNO_E_NOTFOUND for an unknown name. */
DYNO_API dyno_status dyno_plan_suite(dyno_plan *plan, const char *name);

/* Checks the options against each other without running anything. */
DYNO_API dyno_status dyno_plan_check(dyno_plan *plan);
/* The cells in the order in which they would run, and one line about each;
   0 cells if dyno_plan_check fails. */
DYNO_API size_t dyno_plan_cell_count(dyno_plan *plan);
DYNO_API const char *dyno_plan_cell_text(dyno_plan *plan, size_t index);
/* About how long a cell takes, in ns; 0 where that is not known: a budget of
   requests ends it, and nothing is known about the rate. */
DYNO_API int64_t dyno_plan_cell_expected_ns(dyno_plan *plan, size_t index);

/* The message and the option of the last call that failed, or "". */
DYNO_API const char *dyno_plan_error(const dyno_plan *plan);
DYNO_API const char *dyno_plan_error_key(const dyno_plan *plan);

/* --- run ---------------------------------------------------------------- */

/* Called by dyno_run_drive on the thread that called it. so_far is borrowed for
   the call. Another return value than 0 cancels the run. */
typedef int32_t (*dyno_tick_fn)(const dyno_result *so_far, void *userdata);

/* Checks the plan and starts its cells on threads of the library's own. The
   plan is copied: change or free it at will. A plan that cannot be run fails
   here with its message in the plan; *out is then NULL. */
DYNO_API dyno_status dyno_run_start(dyno_run **out, dyno_plan *plan);

/* The same, but a cell that `before` has whole (measured to its end, the same
   options, the same published row) is taken from there and not run again. */
DYNO_API dyno_status dyno_run_resume(dyno_run **out, dyno_plan *plan,
                                     const dyno_result *before);

/* Waits for the end, at most timeout_ms (-1: for ever). DYNO_OK: every cell ran
   and something was completed. DYNO_E_TIMEOUT: not ended yet. DYNO_E_CANCELED:
   canceled. Other codes: why it could not be done, dyno_run_error says more.
   Whatever was measured is in dyno_run_result in every case. */
DYNO_API dyno_status dyno_run_wait(dyno_run *run, int64_t timeout_ms);

/* Waits like dyno_run_wait(run, -1) and calls tick about every tick_ms with a
   snapshot. tick may be NULL. */
DYNO_API dyno_status dyno_run_drive(dyno_run *run, int64_t tick_ms,
                                    dyno_tick_fn tick, void *userdata);

/* Stops the run soon; dyno_run_wait then returns DYNO_E_CANCELED and what was
   measured so far is the result. Any thread, a signal handler too, and more
   than once. */
DYNO_API dyno_status dyno_run_cancel(const dyno_run *run);

/* A descriptor that is readable once the run has ended, for poll(2); it belongs
   to the run. -1 on NULL. */
DYNO_API int32_t dyno_run_done_fd(const dyno_run *run);

/* The numbers so far, as a result of its own. The cell that runs is the last
   one, its duration what has passed. Any thread. Costs each measuring thread a
   copy of its histograms: a few times a second is plenty. */
DYNO_API dyno_status dyno_run_snapshot(const dyno_run *run, dyno_result **out);

/* The numbers, after the end; DYNO_E_STATE before. */
DYNO_API dyno_status dyno_run_result(dyno_run *run, dyno_result **out);

/* Why the run ended early, or "". Complete once it has ended. */
DYNO_API const char *dyno_run_error(const dyno_run *run);

/* A live run is canceled and its threads are joined first. */
DYNO_API void dyno_run_free(dyno_run *run);

/* --- result ------------------------------------------------------------- */

#define DYNO_METRIC_INT 0
#define DYNO_METRIC_REAL 1
#define DYNO_METRIC_TEXT 2

/* The metric table. A metric's name is also its path in a cell of the JSON. */
DYNO_API size_t dyno_metric_count(void);
DYNO_API const char *dyno_metric_name(size_t index);
/* DYNO_METRIC_*, or -1. */
DYNO_API int32_t dyno_metric_type(size_t index);
DYNO_API const char *dyno_metric_unit(size_t index);
DYNO_API const char *dyno_metric_help(size_t index);

/* The status of the run, or of the cell for a sub-result. */
DYNO_API dyno_status dyno_result_status(const dyno_result *result);

/* One number by the metric's name. On a result of several cells counts are the
   sums over the cells; what has no sum is DYNO_E_NOTFOUND. An integer metric can
   be read as real too. */
DYNO_API dyno_status dyno_result_int(const dyno_result *result,
                                     const char *metric, int64_t *out);
DYNO_API dyno_status dyno_result_real(const dyno_result *result,
                                      const char *metric, double *out);
/* *out is borrowed from the result until it is freed. */
DYNO_API dyno_status dyno_result_text(const dyno_result *result,
                                      const char *metric, const char **out);

/* The cells, each a result of one cell, borrowed from its parent. A result of
   one cell is its own cell 0. */
DYNO_API size_t dyno_result_cell_count(const dyno_result *result);
DYNO_API const dyno_result *dyno_result_cell(const dyno_result *result,
                                             size_t index);

/* The failure kinds that occurred, and how often each. */
DYNO_API size_t dyno_result_failure_count(const dyno_result *result);
DYNO_API const char *dyno_result_failure_kind(const dyno_result *result,
                                              size_t index);
DYNO_API int64_t dyno_result_failure_value(const dyno_result *result,
                                           size_t index);

/* The q-quantile (0 ... 1) of a latency: "latency.response", ".service",
   ".pool_wait", ".first_byte" or ".connect". Nearest rank, within 1/1024 of the
   true value and never outside min ... max. DYNO_E_NOTFOUND when there are no
   samples. */
DYNO_API dyno_status dyno_result_quantile(const dyno_result *result,
                                          const char *metric, double q,
                                          int64_t *out_ns);

/* The buckets of a latency in rising order: the largest value of each, and how
   many samples it holds. *length is the room of both arrays on entry and the
   number of buckets on return; with NULL arrays only the number is given. */
DYNO_API dyno_status dyno_result_buckets(const dyno_result *result,
                                         const char *metric, int64_t *upper_ns,
                                         int64_t *counts, size_t *length);

/* "completed" or "failed" per second over the measured time, one value per
   interval of series.interval_ns. *length as for dyno_result_buckets. */
DYNO_API dyno_status dyno_result_series(const dyno_result *result,
                                        const char *metric, double *values,
                                        size_t *length);

/* The report in one of dyno_format_name. *text is borrowed until the next
   render of this result; it ends with NUL, which *size (may be NULL) leaves
   out. "text" may be followed by ",color" for terminals. */
DYNO_API dyno_status dyno_result_render(dyno_result *result, const char *format,
                                        const char **text, size_t *size);

/* Reads what "json" rendered. DYNO_E_VALUE with a message on the new handle,
   which is given in every case and is yours to free. */
DYNO_API dyno_status dyno_result_parse(dyno_result **out, const char *text,
                                       size_t size);

/* Adds up results of the same cells, histograms bucket by bucket. Refuses parts
   that do not match, with a message on the new handle (as above). */
DYNO_API dyno_status dyno_result_merge(dyno_result **out,
                                       const dyno_result *const *parts,
                                       size_t count);

/* The message of a parse, merge or render that failed, or "". */
DYNO_API const char *dyno_result_error(const dyno_result *result);
DYNO_API void dyno_result_free(dyno_result *result);

#ifdef __cplusplus
}
#endif

#endif
