/* SPDX-License-Identifier: MIT */
#include "restart/restart_writer.h"

#include "rt/clock.h"
#include "rt/realtime.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const uint64_t END_NS = 5 * NS_PER_S;
enum { STACK_KB = 256 };

struct restart_writer {
  pthread_t thread;
  pthread_mutex_t lock; /* guards news, wanted, posted, quit and ended */
  pthread_cond_t news;
  struct state_record wanted;
  bool posted, quit, ended;
  atomic_int status;
  char path[1024], instance[80];
};

static void *write_records(void *arg)
{
  struct restart_writer *w = arg;
  pthread_mutex_lock(&w->lock);
  while (w->posted || !w->quit) {
    if (!w->posted) {
      pthread_cond_wait(&w->news, &w->lock);
      continue;
    }
    const struct state_record r = w->wanted;
    w->posted = false;
    pthread_mutex_unlock(&w->lock);
    atomic_store_explicit(&w->status, state_file_write(w->path, w->instance, &r), memory_order_release);
    pthread_mutex_lock(&w->lock);
  }
  w->ended = true;
  pthread_cond_signal(&w->news);
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

static void free_writer(struct restart_writer *w)
{
  pthread_cond_destroy(&w->news);
  pthread_mutex_destroy(&w->lock);
  free(w);
}

struct restart_writer *restart_writer_start(const char *path, const char *instance)
{
  struct restart_writer *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->news, NULL);
  atomic_init(&w->status, 0);
  snprintf(w->path, sizeof w->path, "%s", path);
  snprintf(w->instance, sizeof w->instance, "%s", instance);
  const int status = thread_start_ordinary(&w->thread, "ali3-state", STACK_KB, write_records, w);
  if (status == 0) return w;
  free_writer(w);
  errno = status;
  return NULL;
}

void restart_writer_post(struct restart_writer *w, const struct state_record *r)
{
  pthread_mutex_lock(&w->lock);
  w->wanted = *r;
  w->posted = true;
  pthread_cond_signal(&w->news);
  pthread_mutex_unlock(&w->lock);
}

int restart_writer_status(const struct restart_writer *w)
{
  return atomic_load_explicit(&w->status, memory_order_acquire);
}

int restart_writer_end(struct restart_writer *w)
{
  const struct timespec until = clock_timespec(clock_now_ns() + END_NS);
  pthread_mutex_lock(&w->lock);
  w->quit = true;
  pthread_cond_signal(&w->news);
  int waited = 0;
  while (!w->ended && waited == 0)
    waited = pthread_cond_clockwait(&w->news, &w->lock, CLOCK_MONOTONIC, &until);
  const bool ended = w->ended;
  pthread_mutex_unlock(&w->lock);
  if (!ended) return ETIMEDOUT; /* the disk holds it up; nothing is freed that it uses */
  pthread_join(w->thread, NULL);
  const int status = restart_writer_status(w);
  free_writer(w);
  return status;
}
