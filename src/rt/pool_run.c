/* SPDX-License-Identifier: MIT
 * The worker pool at work. One piece of work is on at a time; a share goes to the same worker every time.
 *
 *   caller   pending = workers, work, arg | generation + 1 | share 0 | wait for pending = 0
 *   worker   wait for a new generation    | share i        | pending - 1
 *
 * Invariants: 1. pending, work and arg are set only between two pieces, from pending = 0 to the next
 * generation; generation (release) hands them over, pending (acquire) hands the results back. 2. A sleeper
 * announces itself before it looks at its word for the last time, a waker changes the word before it looks for
 * sleepers, all four sequentially consistent: one of the two sees the other. A wake that comes late meets a
 * loop that looks again. 3. A worker that has ended holds the caller up for LOOK_NS once; from then on the caller does
 * its share. One that is only late is waited for.
 *
 * Loop code: no lock, no allocation, no system call but futex, getrusage, and tgkill where a worker does not come. */
#include "rt/pool_parts.h"

#include "rt/clock.h"
#include "signals/futex.h"

#include <errno.h>
#include <string.h>

enum {
  PAUSES_PER_LOOK = 32,  /* between two looks at the clock */
  LOOK_NS = 5 * 1000000, /* between two looks for workers that have ended */
};

/* Spins until the word differs from `old`, but not for longer than that. Returns what it read. */
static uint32_t spin(struct event *e, uint32_t old, uint64_t spin_ns)
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

/* Waits until the word differs from `old`: spins for a bounded time, then sleeps. Returns what it read. */
uint32_t event_wait(struct event *e, uint32_t old, uint64_t spin_ns)
{
  uint32_t now = spin(e, old, spin_ns);
  if (now != old) return now;
  atomic_fetch_add(&e->sleepers, 1);
  while ((now = atomic_load(&e->word)) == old) futex_wait(&e->word, old, NULL);
  atomic_fetch_sub(&e->sleepers, 1);
  return now;
}

void event_wake(struct event *e)
{
  if (atomic_load(&e->sleepers)) futex_wake_all(&e->word);
}

void pool_finished(struct pool *p)
{
  if (atomic_fetch_sub(&p->pending.word, 1) == 1) event_wake(&p->pending);
}

/* Goes on without workers that have ended. What their share was to compute is lost. */
static void look_for_lost(struct pool *p)
{
  const uint32_t generation = atomic_load(&p->generation.word);
  for (int i = 0; i < p->started; i++) {
    struct worker *w = &p->worker[i];
    if (w->lost || atomic_load(&w->done) == generation) continue;
    if (syscall(SYS_tgkill, p->process, w->id, 0) == 0 || errno != ESRCH) continue;
    if (atomic_load(&w->done) == generation) continue; /* its last act */
    w->lost = true;
    p->alive--;
    p->lost++;
    p->last_lost = w->share;
    atomic_fetch_sub(&p->pending.word, 1);
  }
}

void pool_wait_all(struct pool *p)
{
  uint32_t left = spin(&p->pending, 0, 0);
  while (left) {
    uint32_t now = spin(&p->pending, left, p->spin_ns);
    if (now == left) {
      const struct timespec end = clock_timespec(clock_now_ns() + LOOK_NS);
      atomic_fetch_add(&p->pending.sleepers, 1);
      int status = 0;
      if (atomic_load(&p->pending.word) == left) status = futex_wait(&p->pending.word, left, &end);
      atomic_fetch_sub(&p->pending.sleepers, 1);
      p->sleeps += status != EAGAIN;
      if (status == ETIMEDOUT) look_for_lost(p);
      now = atomic_load_explicit(&p->pending.word, memory_order_acquire);
    }
    left = now;
  }
}

static void count_waits(struct pool *p, uint64_t own_done_ns)
{
  struct slowest last = {.level = p->label};
  uint64_t last_done = 0;
  p->pieces++;
  for (int i = 0; i < p->started; i++) {
    const struct worker *w = &p->worker[i];
    if (w->lost) continue;
    const uint64_t wait = w->began_ns > p->handed_ns ? w->began_ns - p->handed_ns : 0;
    if (wait > p->wait_ns[p->label]) p->wait_ns[p->label] = wait;
    if (w->done_ns <= last_done) continue;
    last_done = w->done_ns;
    last.share = w->share;
    last.wait_ns = wait;
    last.busy_ns = w->done_ns - w->began_ns;
  }
  if (last_done <= own_done_ns || last_done - own_done_ns <= p->held_ns) return;
  p->held_ns = last_done - own_done_ns;
  p->slowest = last;
}

/* Returns when the caller's own share was done, 0 if there was nobody to wait for. */
static uint64_t share_out(struct pool *p, void (*work)(void *arg, int share, int shares), void *arg)
{
  const int shares = p->started + 1;
  if (p->alive) {
    atomic_store_explicit(&p->pending.word, (uint32_t)p->alive, memory_order_relaxed);
    p->work = work;
    p->arg = arg;
    p->handed_ns = clock_now_ns();
    atomic_fetch_add(&p->generation.word, 1);
    event_wake(&p->generation);
  }
  work(arg, 0, shares);
  for (int i = 0; p->lost && i < p->started; i++)
    if (p->worker[i].lost) work(arg, p->worker[i].share, shares);
  if (!p->alive) return 0;
  const uint64_t own_done_ns = clock_now_ns();
  pool_wait_all(p);
  return own_done_ns;
}

void pool_run(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  struct pool *p = context;
  const uint64_t own_done_ns = share_out(p, work, arg);
  if (own_done_ns) count_waits(p, own_done_ns);
}

void pool_work(struct worker *w, uint64_t spin_ns)
{
  struct pool *p = w->pool;
  uint32_t seen =
      atomic_load_explicit(&p->generation.word, memory_order_relaxed); /* before the pool is handed out */
  pool_finished(p);
  for (;;) {
    seen = event_wait(&p->generation, seen, spin_ns);
    if (!p->work) return;
    w->began_ns = clock_now_ns();
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

static void own_usage(void *arg, int share, int shares)
{
  struct pool *p = arg;
  (void)shares;
  if (share > 0) usage_now(&p->worker[share - 1].now);
}

struct pool_cycle pool_take_cycle(struct pool *p)
{
  struct pool_cycle c = {.slowest = p->slowest};
  if (p->pieces) share_out(p, own_usage, p); /* else they sleep, and are left in peace */
  c.sleeps = p->sleeps;
  if (p->held_ns == 0) c.slowest.level = -1;
  for (int i = 0; i < p->started; i++) {
    struct worker *w = &p->worker[i];
    if (w->lost) continue;
    if (w->share == c.slowest.share) c.usage = usage_since(&w->now, &w->before);
    w->before = w->now;
  }
  p->pieces = p->sleeps = p->held_ns = 0;
  return c;
}
