/* Runs: waiting, driving, cancelling from everywhere, looking at one that goes
   on, and freeing in any order. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "host.h"

static void set_endless(struct host* host) {
  ask(host, "/wait/5");
  set(host, "load.requests", "0");
  set(host, "load.duration", "60s");
}

static void a_run_ends_well(void** state) {
  struct host* host = *state;
  assert_int_equal(measure(host), DYNO_OK);
  assert_string_equal(dyno_run_error(host->run), "");
  assert_int_equal(dyno_result_status(host->result), DYNO_OK);
  assert_int_equal(number(host->result, "counts.completed"), 100);
  assert_int_equal(dyno_run_wait(host->run, -1), DYNO_OK);
  assert_int_equal(dyno_run_wait(host->run, 0), DYNO_OK);
}

static void a_plan_may_change_while_its_copy_runs(void** state) {
  struct host* host = *state;
  start(host);
  set(host, "target.url", "http://no-such-name.invalid/");
  dyno_plan_free(host->plan);
  host->plan = NULL;
  assert_int_equal(dyno_run_wait(host->run, -1), DYNO_OK);
}

/* Any number of ms is a time to wait, the largest one too. */
static void a_very_long_wait_is_a_wait(void** state) {
  struct host* host = *state;
  ask(host, "/wait/20");
  set(host, "load.requests", "4");
  start(host);
  assert_int_equal(dyno_run_wait(host->run, INT64_MAX), DYNO_OK);
}

static void the_descriptor_is_readable_at_the_end(void** state) {
  struct host* host = *state;
  struct pollfd entry;
  start(host);
  entry.fd = dyno_run_done_fd(host->run);
  entry.events = POLLIN;
  assert_true(entry.fd >= 0);
  assert_int_equal(poll(&entry, 1, 30000), 1);
  assert_int_equal(dyno_run_wait(host->run, 0), DYNO_OK);
  assert_int_equal(poll(&entry, 1, 0), 1);
}

/* A cell that a result has whole is taken from there; another one is run. */
static void a_resumed_run_measures_what_is_missing(void** state) {
  struct host* host = *state;
  dyno_result* again = NULL;
  int64_t started;
  set(host, "connections", "2,3");
  assert_int_equal(measure(host), DYNO_OK);
  started = number(dyno_result_cell(host->result, 1), "started");
  dyno_run_free(host->run);
  host->run = NULL;
  set(host, "connections", "1,3");
  assert_int_equal(dyno_run_resume(&host->run, host->plan, host->result),
                   DYNO_OK);
  assert_int_equal(dyno_run_wait(host->run, -1), DYNO_OK);
  assert_int_equal(dyno_run_result(host->run, &again), DYNO_OK);
  dyno_result_free(host->result);
  host->result = again;
  assert_int_equal(number(again, "counts.completed"), 200);
  assert_int_equal(number(dyno_result_cell(again, 1), "started"), started);
  assert_true(number(dyno_result_cell(again, 0), "started") > started);
}

/* --- driving ---------------------------------------------------------------
 */

struct seen {
  int ticks;
  int64_t last_completed;
  int stops_at; /* the tick that cancels; 0: none */
};

static int32_t look(const dyno_result* so_far, void* userdata) {
  struct seen* seen = userdata;
  int64_t completed = 0;
  ++seen->ticks;
  if (dyno_result_cell_count(so_far) > 0 &&
      dyno_result_int(so_far, "counts.completed", &completed) == DYNO_OK) {
    if (completed < seen->last_completed) seen->last_completed = INT64_MAX;
    if (completed >= seen->last_completed) seen->last_completed = completed;
  }
  return seen->ticks == seen->stops_at;
}

static void ticks_see_the_numbers_grow(void** state) {
  struct host* host = *state;
  struct seen seen = {0, 0, 0};
  ask(host, "/wait/5");
  set(host, "load.requests", "60");
  start(host);
  assert_int_equal(dyno_run_drive(host->run, 10, look, &seen), DYNO_OK);
  assert_true(seen.ticks > 0);
  assert_true(seen.last_completed <= 60);
}

static void a_tick_can_cancel(void** state) {
  struct host* host = *state;
  struct seen seen = {0, 0, 3};
  set_endless(host);
  start(host);
  assert_int_equal(dyno_run_drive(host->run, 20, look, &seen), DYNO_E_CANCELED);
  assert_true(seen.ticks >= 3);
  assert_int_equal(dyno_run_result(host->run, &host->result), DYNO_OK);
  assert_int_equal(dyno_result_status(host->result), DYNO_E_CANCELED);
  assert_int_equal(number(host->result, "interrupted"), 1);
}

static void without_a_tick_driving_is_waiting(void** state) {
  struct host* host = *state;
  start(host);
  assert_int_equal(dyno_run_drive(host->run, 0, NULL, NULL), DYNO_OK);
}

/* --- cancelling --------------------------------------------------------------
 */

static void* cancel_often(void* run) {
  int i;
  for (i = 0; i < 3; ++i) dyno_run_cancel(run);
  return NULL;
}

static void expect_partial(struct host* host) {
  assert_int_equal(dyno_run_wait(host->run, -1), DYNO_E_CANCELED);
  assert_true(strlen(dyno_run_error(host->run)) > 0);
  assert_int_equal(dyno_run_result(host->run, &host->result), DYNO_OK);
  assert_int_equal(number(host->result, "interrupted"), 1);
  assert_int_equal(number(host->result, "counts.issued"),
                   number(host->result, "counts.completed") +
                       number(host->result, "counts.failed") +
                       number(host->result, "counts.abandoned"));
}

static void another_thread_cancels(void** state) {
  struct host* host = *state;
  pthread_t thread;
  set_endless(host);
  start(host);
  assert_int_equal(pthread_create(&thread, NULL, cancel_often, host->run), 0);
  expect_partial(host);
  pthread_join(thread, NULL);
}

static const dyno_run* volatile signaled_run;

static void on_signal(int number_of) {
  (void)number_of;
  dyno_run_cancel(signaled_run);
}

static void a_signal_handler_cancels(void** state) {
  struct host* host = *state;
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  set_endless(host);
  start(host);
  signaled_run = host->run;
  assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
  raise(SIGUSR1);
  expect_partial(host);
  sigaction(SIGUSR1, &before, NULL);
}

/* The run's threads take no signal of the host: a SIGUSR1 to the process, whose
   only other thread blocks it, stays pending. */
static void the_run_takes_no_signal(void** state) {
  struct host* host = *state;
  sigset_t usr1, before, pending;
  const struct timespec at_once = {0, 0};
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, &before);
  start(host);
  kill(getpid(), SIGUSR1);
  assert_int_equal(dyno_run_wait(host->run, -1), DYNO_OK);
  sigpending(&pending);
  assert_true(sigismember(&pending, SIGUSR1));
  assert_int_equal(sigtimedwait(&usr1, NULL, &at_once), SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void the_host_s_signal_mask_stays(void** state) {
  struct host* host = *state;
  sigset_t mask;
  start(host);
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  assert_false(sigismember(&mask, SIGINT));
  assert_false(sigismember(&mask, SIGTERM));
}

static void a_canceled_matrix_skips_the_rest(void** state) {
  struct host* host = *state;
  set_endless(host);
  set(host, "connections", "1,2,3");
  start(host);
  dyno_run_cancel(host->run);
  assert_int_equal(dyno_run_wait(host->run, -1), DYNO_E_CANCELED);
  assert_int_equal(dyno_run_result(host->run, &host->result), DYNO_OK);
  assert_int_equal(dyno_result_cell_count(host->result), 3);
  {
    const char* skipped = NULL;
    const dyno_result* last = dyno_result_cell(host->result, 2);
    assert_int_equal(dyno_result_text(last, "skipped", &skipped), DYNO_OK);
    assert_non_null(strstr(skipped, "canceled"));
  }
}

static void a_cancel_after_the_end_changes_nothing(void** state) {
  struct host* host = *state;
  start(host);
  assert_int_equal(dyno_run_wait(host->run, -1), DYNO_OK);
  assert_int_equal(dyno_run_cancel(host->run), DYNO_OK);
  assert_int_equal(dyno_run_wait(host->run, -1), DYNO_OK);
}

/* --- snapshots ---------------------------------------------------------------
 */

static void* take_snapshots(void* run) {
  int i;
  for (i = 0; i < 20; ++i) {
    dyno_result* so_far = NULL;
    if (dyno_run_snapshot(run, &so_far) == DYNO_OK) dyno_result_free(so_far);
  }
  return NULL;
}

/* Two threads look while a third waits, from before the first cell on. */
static void any_thread_may_look(void** state) {
  struct host* host = *state;
  pthread_t threads[2];
  int i;
  ask(host, "/wait/1");
  set(host, "connections", "1,2,3");
  set(host, "load.requests", "40");
  start(host);
  for (i = 0; i < 2; ++i)
    assert_int_equal(
        pthread_create(&threads[i], NULL, take_snapshots, host->run), 0);
  assert_int_equal(dyno_run_wait(host->run, -1), DYNO_OK);
  for (i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

static void a_snapshot_after_the_end_is_the_result(void** state) {
  struct host* host = *state;
  dyno_result* snapshot = NULL;
  assert_int_equal(measure(host), DYNO_OK);
  assert_int_equal(dyno_run_snapshot(host->run, &snapshot), DYNO_OK);
  assert_int_equal(number(snapshot, "counts.completed"),
                   number(host->result, "counts.completed"));
  dyno_result_free(snapshot);
}

/* A thread that has used up its share still counts: with 2 threads, one of
   which has less to do. */
static void a_snapshot_keeps_what_has_ended(void** state) {
  struct host* host = *state;
  struct seen seen = {0, 0, 0};
  ask(host, "/wait/10");
  set(host, "connections", "3");
  set(host, "threads", "2");
  set(host, "load.requests", "8");
  start(host);
  assert_int_equal(dyno_run_drive(host->run, 1, look, &seen), DYNO_OK);
  /* look() marks a number that went down. */
  assert_true(seen.last_completed <= 8);
}

/* --- freeing -----------------------------------------------------------------
 */

static void a_live_run_can_be_freed(void** state) {
  struct host* host = *state;
  set_endless(host);
  start(host);
  dyno_run_free(host->run);
  host->run = NULL;
}

static void a_live_run_can_be_freed_while_it_cannot_connect(void** state) {
  struct host* host = *state;
  assert_int_equal(dyno_server_stop(host->server), DYNO_OK);
  set(host, "connect.give_up", "60s");
  start(host);
  dyno_run_free(host->run);
  host->run = NULL;
}

static void handles_are_freed_in_any_order(void** state) {
  struct host* host = *state;
  const char* text = NULL;
  assert_int_equal(measure(host), DYNO_OK);
  dyno_plan_free(host->plan);
  host->plan = NULL;
  dyno_run_free(host->run);
  host->run = NULL;
  dyno_server_free(host->server);
  host->server = NULL;
  assert_int_equal(dyno_result_render(host->result, "json", &text, NULL),
                   DYNO_OK);
  assert_int_equal(number(host->result, "counts.completed"), 100);
}

static void two_runs_go_on_at_once(void** state) {
  struct host* host = *state;
  dyno_run* other = NULL;
  start(host);
  assert_int_equal(dyno_run_start(&other, host->plan), DYNO_OK);
  assert_int_equal(dyno_run_wait(other, -1), DYNO_OK);
  assert_int_equal(dyno_run_wait(host->run, -1), DYNO_OK);
  dyno_run_free(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HOST_TEST(a_run_ends_well),
      HOST_TEST(a_plan_may_change_while_its_copy_runs),
      HOST_TEST(a_very_long_wait_is_a_wait),
      HOST_TEST(the_descriptor_is_readable_at_the_end),
      HOST_TEST(a_resumed_run_measures_what_is_missing),
      HOST_TEST(ticks_see_the_numbers_grow),
      HOST_TEST(a_tick_can_cancel),
      HOST_TEST(without_a_tick_driving_is_waiting),
      HOST_TEST(another_thread_cancels),
      HOST_TEST(a_signal_handler_cancels),
      HOST_TEST(the_run_takes_no_signal),
      HOST_TEST(the_host_s_signal_mask_stays),
      HOST_TEST(a_canceled_matrix_skips_the_rest),
      HOST_TEST(a_cancel_after_the_end_changes_nothing),
      HOST_TEST(any_thread_may_look),
      HOST_TEST(a_snapshot_after_the_end_is_the_result),
      HOST_TEST(a_snapshot_keeps_what_has_ended),
      HOST_TEST(a_live_run_can_be_freed),
      HOST_TEST(a_live_run_can_be_freed_while_it_cannot_connect),
      HOST_TEST(handles_are_freed_in_any_order),
      HOST_TEST(two_runs_go_on_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
