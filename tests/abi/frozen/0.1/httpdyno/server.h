/* httpdyno's own test server: an HTTP/1.1 server in this process, on threads of
   the library's own, whose limits and faults are options. The conventions of
   httpdyno.h hold.

   Routes. GET, HEAD and POST unless noted; request bodies are read and dropped.
     /              Hello world!
     /wait/MS       ok, after MS milliseconds (a decimal number)
     /rnd?c=N       N text bytes (100 if not given), 32 ... 127, different for
                    each request: byte i is 32 + (a + i % 1024) % 96, where a
                    depends on seed, connection number and request number only
     /bytes/N       N times x
     /chunked/N     the same in chunks
     /status/CODE   an answer with that status, 200 ... 599
     /snoop         the request's line and header fields; any method
     /echo          the request's body, up to 16 MiB; POST and PUT
     /stats         the counters and the options in force, as JSON; GET, HEAD
   Sizes may have units: /bytes/64KiB.

   Faults. The options delay, jitter, fault, fault_share, truncate and split
   hold for every route but /stats; a request asks for its own in the query:
     /rnd?c=2048&delay=5ms&jitter=1ms    answers late
     /?fault=reset                       RST in place of the answer
     /?fault=close                       FIN in place of the answer
     /?fault=never                       no answer, the connection stays
     /bytes/1000?truncate=100            100 bytes of the body, then FIN
     /?fault=reset&fault_share=5         5 in 100 requests, by the seed
     /bytes/100?split=10                 pieces of 10 bytes, 1 ms apart
   A value that is none is answered with 400 and what would work. */
#ifndef HTTPDYNO_SERVER_H
#define HTTPDYNO_SERVER_H

#include <httpdyno/httpdyno.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A server: options first, then started, then stopped; never started again. */
typedef struct dyno_server dyno_server;

/* --- options ------------------------------------------------------------ */

/* The option table of a server, as dyno_option_* is that of a plan. The name is
   the key: "max_connections". Since 0.1, as all of this header. */
DYNO_API size_t dyno_server_option_count(void);
DYNO_API const char *dyno_server_option_name(size_t index);
/* DYNO_TYPE_*, or -1 for an index beyond the table. */
DYNO_API int32_t dyno_server_option_type(size_t index);
DYNO_API const char *dyno_server_option_default(size_t index);
/* The words of a choice, separated by '|'; "" for other types. */
DYNO_API const char *dyno_server_option_values(size_t index);
/* The unit of the value as a number: "ns", "bytes", "percent" or "". */
DYNO_API const char *dyno_server_option_unit(size_t index);
DYNO_API const char *dyno_server_option_help(size_t index);
/* A plain alias of the long flag, or "". The long flag itself is the key with
   underscores turned to dashes. */
DYNO_API const char *dyno_server_option_flag(size_t index);
/* One letter or "". */
DYNO_API const char *dyno_server_option_short_flag(size_t index);
/* DYNO_LIST_*. */
DYNO_API int32_t dyno_server_option_is_list(size_t index);

/* --- server ------------------------------------------------------------- */

DYNO_API dyno_status dyno_server_new(dyno_server **out);

/* Sets an option from text and checks it at once. DYNO_E_OPTION, DYNO_E_VALUE;
   DYNO_E_STATE once the server was started. */
DYNO_API dyno_status dyno_server_set(dyno_server *server, const char *key,
                                     const char *value);

/* Takes the port and serves it, on threads of its own; returns at once. A port
   that another socket listens on is DYNO_E_SYSTEM, even where both could share
   it. A host that is a name is looked up here. A start that failed may be tried
   again with other options. */
DYNO_API dyno_status dyno_server_start(dyno_server *server);

/* The port that is served: the one that was taken for port 0. 0 before the
   start. */
DYNO_API int32_t dyno_server_port(const dyno_server *server);

/* Closes the port and all connections and waits for the threads, which takes
   milliseconds; the numbers stay as they are. Any thread, and more than once;
   not from a signal handler. */
DYNO_API dyno_status dyno_server_stop(const dyno_server *server);

/* --- numbers ------------------------------------------------------------ */

/* The counters. "accepted", "closed" and "open" are about connections, "read"
   and "written" about requests whose head was read and answers that were handed
   to the kernel in full. Requests for /stats, and connections on which nothing
   else was asked, are in none of them; a connection that never asked anything
   is counted. Beyond max_connections /stats waits like any other request;
   dyno_server_stat never does. */
DYNO_API size_t dyno_server_stat_count(void);
DYNO_API const char *dyno_server_stat_name(size_t index);
DYNO_API const char *dyno_server_stat_help(size_t index);

/* One counter now, summed over the threads; -1 for a name that is none. */
DYNO_API int64_t dyno_server_stat(const dyno_server *server, const char *name);

/* What /stats says: {"server":"httpdyno", each counter, "limits":{each option
   as the text that sets it}}. Borrowed until the next call with a non-const
   pointer; NULL when out of memory. */
DYNO_API const char *dyno_server_stats(dyno_server *server);

/* The message and the option of the last call that failed, or "". */
DYNO_API const char *dyno_server_error(const dyno_server *server);
DYNO_API const char *dyno_server_error_key(const dyno_server *server);

/* Stops it first. */
DYNO_API void dyno_server_free(dyno_server *server);

#ifdef __cplusplus
}
#endif

#endif
