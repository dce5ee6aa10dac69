/* Runs by chance, by a seed: any plans, several at once, canceled and looked
   at by other threads, waited for, driven and freed at any time, and their
   results freed in any order. What has ended must balance, and nothing may
   hang. */
#include <pthread.h>

#include "host.h"
#include "sanitized.h"

enum { kRuns = 4, kHelpers = 3, kKept = 12, kSeeds = 4 };
enum { kSteps = IS_SANITIZED ? 400 : 500 };

struct helper {
  pthread_t thread;
  const dyno_run* run;
  unsigned random;
};

struct live {
  dyno_run* run;
  struct helper helpers[kHelpers];
  int helper_count;
};

struct fuzz {
  struct host* host;
  unsigned random;
  struct live runs[kRuns];
  dyno_result* kept[kKept];
  const char* wrong; /* what a helper saw */
  long started, refused, canceled, ended, kept_count, helped, balanced;
};

static unsigned below(unsigned* random, unsigned limit) {
  *random = *random * 1664525u + 1013904223u;
  return (*random >> 8) % limit;
}

/* --- plans -----------------------------------------------------------------
 */

static const struct choice {
  const char* key;
  const char* values[6];
} kChoices[] = {
    {"client",
     {"dedicated", "fifo-lazy", "fifo-patient", "random-trylock",
      "random-mux-failfast", "none"}},
    {"pool.size", {"1", "2", "5", "8", "1,3", "0"}},
    {"pool.count", {"1", "1", "2", "3", "1", "1"}},
    {"pool.depth", {"1", "1", "2", "4", "16", "1,2"}},
    {"pool.open", {"eager", "lazy", "lazy", "eager", "lazy", "per-request"}},
    {"pool.on_close_pending",
     {"fail", "retry", "resubmit", "retry", "retry", "retry"}},
    {"load.callers", {"1", "2", "7", "16", "30", "4,8"}},
    {"load.requests", {"0", "1", "20", "100", "300", "2k"}},
    {"load.duration", {"0s", "1ms", "10ms", "30ms", "60s", "60s"}},
    {"load.warmup", {"0s", "0s", "0s", "0s", "1ms", "10ms"}},
    {"threads", {"1", "1", "2", "3", "0", "1"}},
    {"request.timeout", {"5ms", "10s", "10s", "50ms", "10s", "10s"}},
    {"run.repeat", {"1", "1", "1", "1", "2", "3"}},
};

static const char* const kTargets[] = {
    "/",
    "/",
    "/wait/1",
    "/wait/20",
    "/chunked/100",
    "/status/503",
    "/?fault=close&fault_share=20",
    "/?fault=reset&fault_share=20",
    "/?fault=never&fault_share=5",
    "/bytes/1000?truncate=100&fault_share=10",
};

static void any_plan(struct fuzz* fuzz) {
  size_t i;
  dyno_plan_free(fuzz->host->plan);
  fuzz->host->plan = NULL;
  assert_int_equal(dyno_plan_new(&fuzz->host->plan), DYNO_OK);
  ask(fuzz->host,
      kTargets[below(&fuzz->random, sizeof kTargets / sizeof kTargets[0])]);
  for (i = 0; i < sizeof kChoices / sizeof kChoices[0]; ++i) {
    const char* value = kChoices[i].values[below(&fuzz->random, 6)];
    if (below(&fuzz->random, 4) == 0) continue;
    /* Some of the values are refused; the default stays. */
    dyno_plan_set(fuzz->host->plan, kChoices[i].key, value);
  }
}

/* --- results ---------------------------------------------------------------
 */

/* 1 if it has been measured, else 0. */
static int check_cell(const dyno_result* cell) {
  const char* skipped = "";
  assert_int_equal(dyno_result_text(cell, "skipped", &skipped), DYNO_OK);
  if (*skipped != '\0') return 0;
  assert_int_equal(number(cell, "counts.issued"),
                   number(cell, "counts.completed") +
                       number(cell, "counts.failed") +
                       number(cell, "counts.abandoned"));
  assert_int_equal(number(cell, "latency.response.count"),
                   number(cell, "counts.completed"));
  return 1;
}

static int check_balance(const dyno_result* result) {
  int balanced = 0;
  size_t i;
  for (i = 0; i < dyno_result_cell_count(result); ++i)
    balanced += check_cell(dyno_result_cell(result, i));
  return balanced;
}

/* Takes the place of any other one, which is freed. */
static void keep(struct fuzz* fuzz, dyno_result* result) {
  dyno_result** place = &fuzz->kept[below(&fuzz->random, kKept)];
  dyno_result_free(*place);
  *place = result;
  ++fuzz->kept_count;
}

static void read_one(struct fuzz* fuzz) {
  dyno_result* result = fuzz->kept[below(&fuzz->random, kKept)];
  const char* text = NULL;
  const char* format =
      dyno_format_name(below(&fuzz->random, (unsigned)dyno_format_count()));
  if (result == NULL) return;
  assert_int_equal(dyno_result_render(result, format, &text, NULL), DYNO_OK);
}

/* --- what other threads do --------------------------------------------------
 */

/* A text if something is wrong: cmocka can only fail on its own thread. */
static void* help(void* argument) {
  struct helper* self = argument;
  unsigned turns = 1 + below(&self->random, 4);
  while (turns-- > 0) {
    dyno_result* so_far = NULL;
    int64_t completed = 0;
    switch (below(&self->random, 6)) {
      case 0:
        if (dyno_run_cancel(self->run) != DYNO_OK) return "cancel";
        break;
      case 1:
        if (dyno_run_done_fd(self->run) < 0) return "done_fd";
        if (dyno_run_error(self->run) == NULL) return "error";
        break;
      default:
        if (dyno_run_snapshot(self->run, &so_far) != DYNO_OK) return "snapshot";
        if (dyno_result_cell_count(so_far) > 0)
          dyno_result_int(so_far, "counts.completed", &completed);
        dyno_result_free(so_far);
        if (completed < 0) return "completed";
    }
  }
  return NULL;
}

static void get_help(struct fuzz* fuzz, struct live* live) {
  struct helper* helper = &live->helpers[live->helper_count];
  if (live->helper_count == kHelpers) return;
  helper->run = live->run;
  helper->random = below(&fuzz->random, 1u << 24);
  assert_int_equal(pthread_create(&helper->thread, NULL, help, helper), 0);
  ++live->helper_count;
  ++fuzz->helped;
}

static void join_helpers(struct fuzz* fuzz, struct live* live) {
  while (live->helper_count > 0) {
    void* wrong = NULL;
    pthread_join(live->helpers[--live->helper_count].thread, &wrong);
    if (wrong != NULL) fuzz->wrong = wrong;
  }
}

/* --- what the host does -----------------------------------------------------
 */

static int32_t maybe_stop(const dyno_result* so_far, void* userdata) {
  struct fuzz* fuzz = userdata;
  assert_non_null(so_far);
  return below(&fuzz->random, 3) == 0;
}

static void start_any(struct fuzz* fuzz, struct live* live) {
  any_plan(fuzz);
  if (dyno_run_start(&live->run, fuzz->host->plan) == DYNO_OK) {
    ++fuzz->started;
    return;
  }
  assert_null(live->run);
  assert_true(strlen(dyno_plan_error(fuzz->host->plan)) > 0);
  ++fuzz->refused;
}

/* Its helpers use it until they are joined; after that it is one thread's. */
static void free_live(struct fuzz* fuzz, struct live* live) {
  join_helpers(fuzz, live);
  dyno_run_free(live->run);
  live->run = NULL;
}

static void take_result(struct fuzz* fuzz, struct live* live) {
  dyno_result* result = NULL;
  const dyno_status status = dyno_run_result(live->run, &result);
  if (status == DYNO_E_STATE) {
    assert_null(result);
    return;
  }
  assert_int_equal(status, DYNO_OK);
  fuzz->balanced += check_balance(result);
  if (dyno_result_status(result) == DYNO_E_CANCELED)
    ++fuzz->canceled;
  else
    ++fuzz->ended;
  keep(fuzz, result);
}

static void look(struct fuzz* fuzz, struct live* live) {
  dyno_result* so_far = NULL;
  assert_int_equal(dyno_run_snapshot(live->run, &so_far), DYNO_OK);
  keep(fuzz, so_far);
}

static void step(struct fuzz* fuzz) {
  struct live* live = &fuzz->runs[below(&fuzz->random, kRuns)];
  if (live->run == NULL) {
    start_any(fuzz, live);
    return;
  }
  switch (below(&fuzz->random, 12)) {
    case 0:
      free_live(fuzz, live);
      break;
    case 1:
      dyno_run_cancel(live->run);
      break;
    case 2:
      look(fuzz, live);
      break;
    case 3:
    case 4:
      dyno_run_wait(live->run, below(&fuzz->random, 8));
      break;
    case 5:
      dyno_run_drive(live->run, 1, maybe_stop, fuzz);
      break;
    case 6:
    case 7:
      read_one(fuzz);
      break;
    case 8:
    case 9:
      take_result(fuzz, live);
      break;
    default:
      get_help(fuzz, live);
  }
}

/* The handles that are left, the plan and the server among them, are freed by
   the teardown: the results after the runs for one seed, before for another. */
static void free_all(struct fuzz* fuzz) {
  int i;
  const int are_runs_first = (int)below(&fuzz->random, 2);
  for (i = 0; are_runs_first && i < kRuns; ++i) free_live(fuzz, &fuzz->runs[i]);
  for (i = 0; i < kKept; ++i) {
    dyno_result_free(fuzz->kept[i]);
    fuzz->kept[i] = NULL;
  }
  for (i = 0; !are_runs_first && i < kRuns; ++i)
    free_live(fuzz, &fuzz->runs[i]);
}

static void any_order_of_calls_is_fine(void** state) {
  struct fuzz* fuzz = *state;
  unsigned seed;
  int i;
  for (seed = 1; seed <= kSeeds; ++seed) {
    fuzz->random = seed;
    for (i = 0; i < kSteps; ++i) step(fuzz);
    free_all(fuzz);
    if (fuzz->wrong != NULL)
      fail_msg("seed %u: a helper: %s", seed, fuzz->wrong);
  }
  print_message(
      "%ld runs started, %ld refused; %ld results of canceled ones, %ld of "
      "others, %ld cells; %ld results kept, %ld helpers\n",
      fuzz->started, fuzz->refused, fuzz->canceled, fuzz->ended, fuzz->balanced,
      fuzz->kept_count, fuzz->helped);
  /* A fuzz that never came somewhere has proved nothing. */
  assert_true(fuzz->started > 10 && fuzz->refused > 3);
  assert_true(fuzz->canceled > 3 && fuzz->ended > 3 && fuzz->balanced > 10);
  assert_true(fuzz->kept_count > 10 && fuzz->helped > 10);
}

/* In the state, as the host is: helpers go on when an assertion fails. */
static int begin(void** state) {
  struct fuzz* fuzz = calloc(1, sizeof *fuzz);
  void* host = NULL;
  *state = fuzz;
  if (fuzz == NULL || set_up(&host) != 0) return -1;
  fuzz->host = host;
  return 0;
}

static int end(void** state) {
  struct fuzz* fuzz = *state;
  void* host = fuzz->host;
  free_all(fuzz);
  free(fuzz);
  return tear_down(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(any_order_of_calls_is_fine, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
