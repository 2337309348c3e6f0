/* SPDX-License-Identifier: MIT
 * ali3d with a fault: the linker replaces functions between the files of the real program (--wrap), so that the real
 * one needs no hook. The environment variable ALI3_BREAK=KIND:CYCLE selects the fault, which happens once in that cycle
 * of the loop. A fault takes 12 ms, at a period of 10 ms.
 *
 *   sleep           observe    sleeps
 *   sleep-feedback  feedback   sleeps
 *   lock            latch      waits for a lock that another thread holds
 *   compute         feedback   computes
 *   page            prepare    allocates memory and touches it
 *   preempt         observe    a thread of higher priority takes the loop's processor
 *   late            wake-up    a thread of higher priority takes it, from 1 ms before the start of the cycle
 *   worker-sleep    prepare    worker 1 sleeps in its share of the condensation
 *   worker-preempt  prepare    a thread of higher priority takes that worker's processor
 *   worker-killed   prepare    that worker ends */
#include "condensation/condense.h"
#include "inputs/inputs.h"
#include "rt/clock.h"
#include "rt/realtime.h"
#include "signals/signals.h"

#include <ali3/ali3.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { USAGE = 2, NO_RIGHT = 77, HOG_PRIORITY = 90, STACK_KB = 64, CHUNK = 1 << 20, PAGE = 4096 };
static const uint64_t FAULT_NS = 12 * UINT64_C(1000000);

/* The linker sends calls of NAME to __wrap_NAME, and calls of __real_NAME to NAME. */
int __wrap_main(int argc, char **argv);
int __real_main(int argc, char **argv);
void __wrap_clock_sleep_until_ns(uint64_t t_ns);
void __real_clock_sleep_until_ns(uint64_t t_ns);
void __wrap_inputs_latch(struct inputs *in, uint64_t now_ns);
void __real_inputs_latch(struct inputs *in, uint64_t now_ns);
int __wrap_ali3_step(const ali3_model *m, ali3_data *d);
int __real_ali3_step(const ali3_model *m, ali3_data *d);
int __wrap_ali3_prepare(const ali3_model *m, ali3_data *d);
int __real_ali3_prepare(const ali3_model *m, ali3_data *d);
void __wrap_signals_observe(const struct signals *s, const ali3_model *m, const ali3_data *d,
                            const double *channels, double *values);
void __real_signals_observe(const struct signals *s, const ali3_model *m, const ali3_data *d,
                            const double *channels, double *values);
int __wrap_tree_condense_groups(const struct tree_solver *s, const struct tree_work *w,
                                const struct tree_matrix *matrix, int first, int end);
int __real_tree_condense_groups(const struct tree_solver *s, const struct tree_work *w,
                                const struct tree_matrix *matrix, int first, int end);

static char kind[32];
static unsigned long at_cycle;
static _Atomic unsigned long cycle; /* last cycle that has latched its inputs */
static atomic_bool done;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t lock_wanted;

/* The thread of higher priority. */
static pthread_t hog;
static sem_t hog_wanted;
static uint64_t hog_from_ns;

static bool is(const char *name)
{
  return strcmp(kind, name) == 0;
}

/* True if the fault `name` is due in cycle `now`. */
static bool due(const char *name, unsigned long now)
{
  return now == at_cycle && is(name) && !atomic_exchange(&done, true);
}

static void sleep_until(uint64_t ns)
{
  const struct timespec end = clock_timespec(ns);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) continue;
}

static void nap(void)
{
  sleep_until(clock_now_ns() + FAULT_NS);
}

static uint64_t cpu_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return clock_ns(t);
}

static void compute(void)
{
  const uint64_t end = cpu_ns() + FAULT_NS;
  while (cpu_ns() < end) continue;
}

/* With locked memory the first call brings the pages, else the access does. */
static void take_pages(void)
{
  const uint64_t end = clock_now_ns() + FAULT_NS;
  while (clock_now_ns() < end) {
    volatile char *chunk = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED) return;
    for (int i = 0; i < CHUNK; i += PAGE) chunk[i] = 1;
    munmap((void *)chunk, CHUNK);
  }
}

static void wait_for_lock(void)
{
  sem_post(&lock_wanted);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

static void *hold_lock(void *arg)
{
  pthread_mutex_lock(&lock);
  while (sem_wait(&lock_wanted) != 0) continue;
  nap();
  pthread_mutex_unlock(&lock);
  return arg;
}

/* Takes the processor of the caller at the time from_ns. */
static void send_hog(uint64_t from_ns)
{
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  pthread_setaffinity_np(hog, sizeof here, &here);
  hog_from_ns = from_ns;
  sem_post(&hog_wanted);
}

static void *be_hog(void *arg)
{
  const struct sched_param param = {.sched_priority = HOG_PRIORITY};
  if (sched_setscheduler(0, SCHED_FIFO, &param) != 0) {
    fprintf(stderr, "ALI3_BREAK=%s: SCHED_FIFO %d: %s\n", kind, HOG_PRIORITY, strerror(errno));
    exit(NO_RIGHT);
  }
  while (sem_wait(&hog_wanted) != 0) continue;
  sleep_until(hog_from_ns);
  const uint64_t end = clock_now_ns() + FAULT_NS;
  while (clock_now_ns() < end) continue;
  return arg;
}

/* --- where the loop comes by --- */

void __wrap_inputs_latch(struct inputs *in, uint64_t now_ns)
{
  if (due("lock", atomic_fetch_add(&cycle, 1) + 1)) wait_for_lock();
  __real_inputs_latch(in, now_ns);
}

int __wrap_ali3_step(const ali3_model *m, ali3_data *d)
{
  if (due("sleep-feedback", cycle)) nap();
  if (due("compute", cycle)) compute();
  return __real_ali3_step(m, d);
}

void __wrap_signals_observe(const struct signals *s, const ali3_model *m, const ali3_data *d,
                            const double *channels, double *values)
{
  if (due("sleep", cycle)) nap();
  if (due("preempt", cycle)) send_hog(0);
  __real_signals_observe(s, m, d, channels, values);
}

int __wrap_ali3_prepare(const ali3_model *m, ali3_data *d)
{
  if (due("page", cycle)) take_pages();
  return __real_ali3_prepare(m, d);
}

/* The last call before the cycle; no other thread calls it. */
void __wrap_clock_sleep_until_ns(uint64_t t_ns)
{
  if (due("late", cycle + 1)) send_hog(t_ns - FAULT_NS / 12);
  __real_clock_sleep_until_ns(t_ns);
}

static bool in_worker_1(void)
{
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  return strcmp(name, "ali3-w1") == 0;
}

int __wrap_tree_condense_groups(const struct tree_solver *s, const struct tree_work *w,
                                const struct tree_matrix *matrix, int first, int end)
{
  if (cycle == at_cycle && in_worker_1()) {
    if (due("worker-sleep", cycle)) nap();
    if (due("worker-preempt", cycle)) send_hog(0);
    if (due("worker-killed", cycle)) pthread_exit(NULL);
  }
  return __real_tree_condense_groups(s, w, matrix, first, end);
}

/* --- before all that --- */

static void start(void *(*run)(void *arg))
{
  pthread_t thread;
  const int status = thread_start_ordinary(&thread, "ali3-break", STACK_KB, run, NULL);
  if (status == 0) {
    if (run == be_hog) hog = thread;
    pthread_detach(thread);
    return;
  }
  fprintf(stderr, "ALI3_BREAK=%s: a thread cannot be started: %s\n", kind, strerror(status));
  exit(EXIT_FAILURE);
}

int __wrap_main(int argc, char **argv)
{
  static const char *const kinds[] = {"sleep",          "sleep-feedback", "lock", "compute",
                                      "page",           "preempt",        "late", "worker-sleep",
                                      "worker-preempt", "worker-killed"};
  const char *fault = getenv("ALI3_BREAK");
  bool known = false;
  if (fault && sscanf(fault, "%31[^:]:%lu", kind, &at_cycle) == 2)
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) known |= is(kinds[i]);
  if (!known) {
    fprintf(stderr,
            "ALI3_BREAK: expected KIND:CYCLE, found %s; kinds are those listed in tests/e2e/broken.c\n",
            fault ? fault : "nothing");
    return USAGE;
  }
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* pages of one size */
  sem_init(&lock_wanted, 0, 0);
  sem_init(&hog_wanted, 0, 0);
  if (is("lock")) start(hold_lock);
  if (is("preempt") || is("late") || is("worker-preempt")) start(be_hog);
  return __real_main(argc, argv);
}
