/* SPDX-License-Identifier: MIT
 * The worker pool at work. One piece of work is active at a time; a share always goes to one worker.
 *
 *   caller   pending = workers, work, arg | generation + 1 | share 0 | wait for pending = 0
 *   worker   wait for a new generation    | share i        | pending - 1
 *
 * Invariants: 1. pending, work and arg are set only between two pieces, after pending = 0 and before the next
 * generation; generation (release) hands them over, pending (acquire) hands the results back. 2. A sleeper announces
 * itself before it reads its word for the last time, a waker changes the word before it looks for sleepers; all four
 * accesses are sequentially consistent, so one of the two sees the other. A late wake meets a loop that checks again.
 * 3. A worker that has died delays the caller by LOOK_NS once; then the caller does its share. The caller waits for a
 * worker that is only late.
 *
 * Loop code: no lock, no allocation, no system call except futex, getrusage, the processor time of a thread, and tgkill
 * for a worker that does not come. */
#include "rt/pool_parts.h"

#include "rt/clock.h"
#include "rt/futex.h"

#include <errno.h>
#include <string.h>

enum {
  PAUSES_PER_LOOK = 32,  /* between two readings of the clock */
  LOOK_NS = 5 * 1000000, /* between two checks for dead workers */
};

/* Spins until the word differs from `old`, for a limited time. Returns the last value of the word. */
static uint32_t spin_on_word(struct event *e, uint32_t old, uint64_t spin_ns)
{
  uint32_t now = atomic_load_explicit(&e->word, memory_order_acquire);
  if (now != old || !spin_ns) return now;
  uint64_t end = 0, time; /* the clock is read after the first pauses: most waits end in them */
  do {
    for (int i = 0; i < PAUSES_PER_LOOK; i++) {
      now = atomic_load_explicit(&e->word, memory_order_acquire);
      if (now != old) return now;
      clock_pause();
    }
    time = clock_now_ns();
    if (!end) end = time + spin_ns;
  } while (time < end);
  return now;
}

static void sample_usage(const struct worker *w, struct usage_sample *l)
{
  usage_now(&l->usage);
  l->sleeps = w->sleeps;
  l->slept_ns = w->slept_ns;
}

/* Waits for a new generation: spins for a bounded time, then sleeps. Returns the generation. */
static uint32_t wait_for_work(struct worker *w, uint32_t old, uint64_t spin_ns)
{
  /* Spin first. */
  struct event *e = &w->pool->generation;
  uint32_t now = spin_on_word(e, old, spin_ns);
  if (now != old) return now;
  /* Sleep. Sample the usage first, because now there is time. */
  sample_usage(w, &w->idle);
  w->rested = true;
  const uint64_t since = clock_now_ns();
  atomic_fetch_add(&e->sleepers, 1);
  while ((now = atomic_load(&e->word)) == old) w->sleeps += futex_wait(&e->word, old, NULL) != EAGAIN;
  atomic_fetch_sub(&e->sleepers, 1);
  w->slept_ns += clock_now_ns() - since;
  return now;
}

void event_wake(struct event *e)
{
  if (atomic_load(&e->sleepers)) futex_wake_all(&e->word);
}

static void pool_finished(struct pool *p)
{
  if (atomic_fetch_sub(&p->pending.word, 1) == 1) event_wake(&p->pending);
}

/* Continues without dead workers. The results of their shares are lost. */
static void find_lost(struct pool *p)
{
  const uint32_t generation = atomic_load(&p->generation.word);
  for (int i = 0; i < p->started; i++) {
    struct worker *w = &p->worker[i];
    if (w->lost || atomic_load(&w->done) == generation) continue;
    if (syscall(SYS_tgkill, p->process, w->id, 0) == 0 || errno != ESRCH) continue;
    if (atomic_load(&w->done) == generation) continue; /* setting `done` is the worker's last act */
    w->lost = true;
    p->alive--;
    p->lost++;
    p->last_lost = w->share;
    atomic_fetch_sub(&p->pending.word, 1);
  }
}

/* Sleeps once, unless the word has changed. */
static void sleep_on(struct pool *p, uint32_t left)
{
  const struct timespec end = clock_timespec(clock_now_ns() + LOOK_NS);
  int status = EAGAIN;
  atomic_fetch_add(&p->pending.sleepers, 1);
  if (atomic_load(&p->pending.word) == left) status = futex_wait(&p->pending.word, left, &end);
  atomic_fetch_sub(&p->pending.sleepers, 1);
  p->now.sleeps += status != EAGAIN;
  if (status == ETIMEDOUT) find_lost(p);
}

uint64_t pool_wait_all(struct pool *p)
{
  uint64_t woke_ns = 0;
  uint32_t left = spin_on_word(&p->pending, 0, 0);
  while (left) {
    uint32_t now = spin_on_word(&p->pending, left, p->spin_ns);
    if (now == left) {
      const uint64_t since = clock_now_ns();
      sleep_on(p, left);
      woke_ns = clock_now_ns();
      p->now.slept_ns += woke_ns - since;
      now = atomic_load_explicit(&p->pending.word, memory_order_acquire);
    }
    left = now;
  }
  return woke_ns;
}

static uint64_t time_since(uint64_t a, uint64_t b)
{
  return a > b ? a - b : 0;
}

/* own_done_ns: end of the caller's share; woke_ns: result of pool_wait_all(). */
static void count_waits(struct pool *p, uint64_t own_done_ns, uint64_t woke_ns)
{
  /* Find the worker that finished last, and the longest wait of this label. */
  struct slowest last = {.level = p->handed_label};
  uint64_t last_done = 0;
  for (int i = 0; i < p->started; i++) {
    const struct worker *w = &p->worker[i];
    if (w->lost) continue;
    const uint64_t wait = time_since(w->began_ns, p->handed_ns);
    if (wait > p->wait_ns[p->handed_label]) p->wait_ns[p->handed_label] = wait;
    if (w->done_ns <= last_done) continue;
    last_done = w->done_ns;
    last.share = w->share;
    last.wait_ns = wait;
    last.busy_ns = w->done_ns - w->began_ns;
  }
  /* Add the time that the caller waited for this worker. */
  const uint64_t held = time_since(last_done, own_done_ns);
  p->now.held_ns += held;
  if (woke_ns && last_done) p->now.woke_late_ns += time_since(woke_ns, last_done);
  /* Keep the slowest share of the cycle. */
  if (held <= p->longest_ns) return;
  p->longest_ns = held;
  p->now.slowest = last;
}

static void hand_out(struct pool *p, void (*work)(void *arg, int share, int shares), void *arg)
{
  atomic_store_explicit(&p->pending.word, (uint32_t)p->alive, memory_order_relaxed);
  p->work = work;
  p->arg = arg;
  p->handed_label = p->label;
  p->handed_ns = clock_now_ns();
  atomic_fetch_add(&p->generation.word, 1);
  event_wake(&p->generation);
}

void pool_run(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  struct pool *p = context;
  /* Hand out the work, do the caller's share and those of dead workers, then wait. */
  const int shares = p->started + 1;
  const bool handed = p->alive > 0;
  if (handed) hand_out(p, work, arg);
  work(arg, 0, shares);
  for (int i = 0; p->lost && i < p->started; i++)
    if (p->worker[i].lost) work(arg, p->worker[i].share, shares);
  if (!handed) return;
  const uint64_t own_done_ns = clock_now_ns();
  const uint64_t woke_ns = pool_wait_all(p);
  count_waits(p, own_done_ns, woke_ns);
}

/* At the start of a worker's first piece in a cycle. It usually has a sample from before it went to sleep, when there
 * was time. */
static void begin_cycle(struct worker *w)
{
  w->cycle = w->pool->cycle;
  if (w->rested)
    w->before = w->idle;
  else
    sample_usage(w, &w->before);
}

void pool_work(struct worker *w, uint64_t spin_ns)
{
  struct pool *p = w->pool;
  uint32_t seen =
      atomic_load_explicit(&p->generation.word, memory_order_relaxed); /* before the pool is handed out */
  pool_finished(p);
  for (;;) {
    seen = wait_for_work(w, seen, spin_ns);
    if (!p->work) return;
    w->began_ns = clock_now_ns();
    if (w->cycle != p->cycle) begin_cycle(w);
    w->rested = false;
    p->work(p->arg, w->share, p->exec.shares);
    w->done_ns = clock_now_ns();
    atomic_store_explicit(&w->done, seen, memory_order_release);
    pool_finished(p);
  }
}

int pool_lost(const struct pool *p, int *last)
{
  if (last) *last = p->last_lost;
  return p->lost;
}

void pool_label(struct pool *p, int level)
{
  p->label = level;
}

uint64_t pool_take_wait(struct pool *p, int level)
{
  const uint64_t ns = p->wait_ns[level];
  p->wait_ns[level] = 0;
  return ns;
}

struct pool_cycle pool_take_cycle(struct pool *p)
{
  const struct pool_cycle c = p->now;
  p->now = (struct pool_cycle){.slowest.level = -1};
  p->longest_ns = 0;
  p->cycle++;
  return c;
}

static void own_usage(void *arg, int share, int shares)
{
  struct worker *w = &((struct pool *)arg)->worker[share - 1];
  struct usage_sample now;
  (void)shares;
  sample_usage(w, &now);
  w->used = usage_since(&now.usage, &w->before.usage);
  usage_forgive(&w->used, now.sleeps - w->before.sleeps, now.slept_ns - w->before.slept_ns);
}

struct usage pool_usage(struct pool *p, int share)
{
  const struct pool_cycle now = p->now; /* this piece counts for no cycle */
  p->cycle--;                           /* it belongs to the cycle that has just ended */
  hand_out(p, own_usage, p);
  pool_wait_all(p);
  p->cycle++;
  p->now = now;
  const struct worker *w = &p->worker[share - 1];
  return w->lost ? (struct usage){0} : w->used;
}
