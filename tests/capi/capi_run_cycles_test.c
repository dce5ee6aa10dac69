/* A host that starts, cancels and frees runs for ever keeps no descriptor and
   no memory of them. */
#include <dirent.h>
#include <limits.h>
#include <malloc.h>
#include <time.h>

#include "host.h"
#include "sanitized.h"

enum { kCycles = IS_SANITIZED ? 200 : 1000, kSettled = 50, kAtOnce = 5 };
enum { kMostGrowthKiB = 1024 };

static int descriptors(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  assert_non_null(folder);
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

/* Without what malloc keeps for later: chance says how much that is. Arenas and
   huge pages come and go, so it is the least of some readings that tells. */
static long resident_kib(void) {
  char line[256];
  long kib = -1;
  FILE* file = fopen("/proc/self/status", "r");
  assert_non_null(file);
  malloc_trim(0);
  while (kib < 0 && fgets(line, sizeof line, file) != NULL)
    sscanf(line, "VmRSS: %ld", &kib);
  fclose(file);
  assert_true(kib > 0);
  return kib;
}

static long least(long one, long other) {
  return one < other ? one : other;
}

/* The server is in this process: it must have seen all connections go. */
static void let_the_server_see(const struct host* host) {
  const struct timespec a_moment = {0, 1000000};
  int i;
  for (i = 0; dyno_server_stat(host->server, "open") > 0; ++i) {
    if (i == 10000) fail_msg("connections stay open at the server");
    nanosleep(&a_moment, NULL);
  }
}

/* Each is caught somewhere else: before its thread began, as it connects, as it
   measures. Several at once, since their ends take a moment of waiting. */
static void cycle(struct host* host, int round) {
  dyno_run* runs[kAtOnce] = {NULL};
  dyno_result* result = NULL;
  int i;
  for (i = 0; i < kAtOnce; ++i)
    if (dyno_run_start(&runs[i], host->plan) != DYNO_OK)
      fail_msg("%s", dyno_plan_error(host->plan));
  if (round % 4 > 0) dyno_run_wait(runs[0], round % 4);
  assert_int_equal(dyno_run_snapshot(runs[1], &result), DYNO_OK);
  dyno_result_free(result);
  /* The last one is only freed. */
  for (i = 0; i + 1 < kAtOnce; ++i)
    assert_int_equal(dyno_run_cancel(runs[i]), DYNO_OK);
  for (i = 0; i < kAtOnce; ++i) dyno_run_free(runs[(i + round) % kAtOnce]);
}

static void a_thousand_canceled_runs_leave_nothing(void** state) {
  struct host* host = *state;
  int round, fds = 0;
  long early = LONG_MAX, late = LONG_MAX;
  set(host, "threads", "2");
  set(host, "connections", "4");
  set(host, "load.requests", "0");
  set(host, "load.duration", "60s");
  for (round = 1; round <= kCycles / kAtOnce; ++round) {
    /* What has been answered takes longer to end: it looks at /stats. */
    ask(host, round % 20 == 10 ? "/wait/1" : "/?fault=never");
    cycle(host, round);
    if (round % (kSettled / kAtOnce) != 0) continue;
    let_the_server_see(host);
    if (fds == 0) fds = descriptors();
    if (round <= kCycles / kAtOnce / 2)
      early = least(early, resident_kib());
    else
      late = least(late, resident_kib());
  }
  let_the_server_see(host);
  assert_int_equal(descriptors(), fds);
  if (!IS_SANITIZED && late > early + kMostGrowthKiB)
    fail_msg(
        "at least %ld KiB resident in the first half of %d cycles, %ld in "
        "the second",
        early, kCycles, late);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOST_TEST(a_thousand_canceled_runs_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
