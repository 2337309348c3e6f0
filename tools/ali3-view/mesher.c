/* SPDX-License-Identifier: MIT */
#include "mesher.h"

#include "mesh/mesh.h"
#include "page/meshes.h"
#include "rt/realtime.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { STACK_KB = 512 };

struct mesher {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t asked;
  bool ends;
  int event;
  struct mesh_job job[VIEW_MESHES];
};

static void clear_job(struct mesh_job *job)
{
  free(job->folder);
  free(job->file);
  free(job->packed);
  *job = (struct mesh_job){0};
}

static struct mesh_job *job_in_phase(struct mesher *m, int phase)
{
  for (int i = 0; i < VIEW_MESHES; i++)
    if ((int)m->job[i].phase == phase) return &m->job[i];
  return NULL;
}

static void *run_mesher(void *arg)
{
  struct mesher *m = arg;
  pthread_mutex_lock(&m->lock);
  while (!m->ends) {
    struct mesh_job *job = job_in_phase(m, JOB_WAITS);
    if (!job) {
      pthread_cond_wait(&m->asked, &m->lock);
      continue;
    }
    /* Only this thread touches a job that runs, except its mark `forgotten`. */
    job->phase = JOB_RUNS;
    pthread_mutex_unlock(&m->lock);
    job->packed =
        meshes_load(job->folder, job->file, &job->count, &job->status, job->error, sizeof job->error);
    pthread_mutex_lock(&m->lock);
    job->phase = JOB_DONE;
    if (job->forgotten) clear_job(job);
    eventfd_write(m->event, 1);
  }
  pthread_mutex_unlock(&m->lock);
  return NULL;
}

struct mesher *mesher_start(void)
{
  struct mesher *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  pthread_mutex_init(&m->lock, NULL);
  pthread_cond_init(&m->asked, NULL);
  if (m->event >= 0 && thread_start_ordinary(&m->thread, "ali3-meshes", STACK_KB, run_mesher, m) == 0)
    return m;
  if (m->event >= 0) close(m->event);
  free(m);
  return NULL;
}

void mesher_stop(struct mesher *m)
{
  pthread_mutex_lock(&m->lock);
  m->ends = true;
  pthread_cond_signal(&m->asked);
  pthread_mutex_unlock(&m->lock);
  pthread_join(m->thread, NULL);
  for (int i = 0; i < VIEW_MESHES; i++) clear_job(&m->job[i]);
  pthread_cond_destroy(&m->asked);
  pthread_mutex_destroy(&m->lock);
  close(m->event);
  free(m);
}

int mesher_event(const struct mesher *m)
{
  return m->event;
}

void mesher_hear(struct mesher *m)
{
  eventfd_t events;
  eventfd_read(m->event, &events);
}

struct mesh_job *mesher_ask(struct mesher *m, char *folder, char *file)
{
  pthread_mutex_lock(&m->lock);
  struct mesh_job *job = folder && file ? job_in_phase(m, JOB_FREE) : NULL;
  if (job) {
    *job = (struct mesh_job){.folder = folder, .file = file, .phase = JOB_WAITS};
    pthread_cond_signal(&m->asked);
  } else {
    free(folder);
    free(file);
  }
  pthread_mutex_unlock(&m->lock);
  return job;
}

bool mesher_is_done(struct mesher *m, const struct mesh_job *job)
{
  pthread_mutex_lock(&m->lock);
  const bool done = job->phase == JOB_DONE;
  pthread_mutex_unlock(&m->lock);
  return done;
}

void mesher_release(struct mesher *m, struct mesh_job *job)
{
  pthread_mutex_lock(&m->lock);
  if (job->phase == JOB_RUNS)
    job->forgotten = true;
  else
    clear_job(job);
  pthread_mutex_unlock(&m->lock);
}
