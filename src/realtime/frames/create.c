/* SPDX-License-Identifier: MIT
 * Makes and removes the file of the ring, and writes events. Not real-time: the system may wait. */
#include "frames/writer.h"

#include "telemetry/object.h"

#include <ali3/flat.h>
#include <ali3/model.h>
#include <ali3/state.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FRAMES_ALIGNMENT = 64 };

static uint64_t aligned_up(uint64_t x)
{
  return (x + FRAMES_ALIGNMENT - 1) / FRAMES_ALIGNMENT * FRAMES_ALIGNMENT;
}

/* Places in a slot, and its size. */
static void lay_out_slot(const struct frames_plan *plan, struct frames_head *h)
{
  const struct signals *s = plan->signals;
  h->input_at = aligned_up(sizeof(struct frames_slot));
  h->tuning = plan->tuning;
  h->tuning_at = aligned_up(h->input_at + (uint64_t)s->inputs * sizeof(struct frames_input));
  h->values_at = aligned_up(h->tuning_at + (uint64_t)h->tuning * sizeof(double));
  h->slot_bytes = aligned_up(h->values_at + (uint64_t)s->count * sizeof(double));
}

static uint64_t count_of_slots(const struct frames_plan *plan, uint64_t slot_bytes)
{
  const double cycles_per_second = 1e9 / (double)plan->period_ns;
  const uint64_t wanted = (uint64_t)(plan->seconds * cycles_per_second) + 1,
                 least = (uint64_t)cycles_per_second + 2;
  const uint64_t most = plan->limit_bytes / slot_bytes, fits = wanted < most ? wanted : most;
  return fits > least ? fits : least;
}

/* Places of all parts. Texts are counted by the same walk that copies them. */
struct text_pool {
  char *to; /* NULL: count */
  uint64_t first, at;
};

/* text NULL: an empty one. */
static uint64_t place_text(struct text_pool *t, const char *text)
{
  const uint64_t at = t->at;
  if (!text) text = "";
  const size_t n = strlen(text) + 1;
  if (t->to) memcpy(t->to + at, text, n);
  t->at += n;
  return at;
}

static void fill_texts(struct text_pool *t, const struct frames_plan *plan, struct frames_head *h)
{
  /* Names and units of signals and inputs, then the other texts. */
  const struct signals *s = plan->signals;
  const uint64_t none = place_text(t, "");
  struct frames_name *signal = t->to ? (struct frames_name *)(void *)(t->to + h->signals_at) : NULL;
  struct frames_name *input = t->to ? (struct frames_name *)(void *)(t->to + h->inputs_at) : NULL;
  for (int g = 0; g < s->groups; g++) {
    const struct signal_group *group = &s->group[g];
    const uint64_t quantity = place_text(t, group->name);
    for (int i = group->first; i < group->first + group->count; i++) {
      const struct frames_name n = {place_text(t, s->signal[i].name), place_text(t, s->signal[i].unit),
                                    quantity, (uint32_t)(i - group->first), (uint32_t)group->count};
      if (signal) signal[i] = n;
    }
  }
  for (int i = 0; i < s->inputs; i++) {
    const uint64_t name = place_text(t, s->input[i].name);
    const struct frames_name n = {name, none, name, 0, 1};
    if (input) input[i] = n;
  }
  h->version_at = place_text(t, plan->version);
  h->model_at = place_text(t, ali3_model_name(plan->model));
  h->config_at = place_text(t, plan->config);
  h->yaml_at = place_text(t, plan->yaml);
  h->extras_at = place_text(t, plan->extras);
  h->record_at = place_text(t, plan->record);
}

static void lay_out_ring(const struct frames_plan *plan, struct frames_head *h)
{
  const struct signals *s = plan->signals;
  h->signals = (uint32_t)s->count;
  h->inputs = (uint32_t)s->inputs;
  /* Tables and texts. */
  h->signals_at = aligned_up(sizeof *h);
  h->inputs_at = h->signals_at + (uint64_t)s->count * sizeof(struct frames_name);
  h->texts_at = h->inputs_at + (uint64_t)s->inputs * sizeof(struct frames_name);
  struct text_pool texts = {.first = h->texts_at, .at = h->texts_at};
  fill_texts(&texts, plan, h);
  h->texts_bytes = texts.at - texts.first;
  /* Flat model, events, states, slots. */
  h->flat_at = aligned_up(texts.at);
  h->flat_bytes = ali3_model_flat_size(plan->model);
  h->events_at = aligned_up(h->flat_at + h->flat_bytes);
  h->events = FRAMES_EVENTS;
  h->states_at = aligned_up(h->events_at + h->events * sizeof(struct frames_event));
  h->states = FRAMES_STATES;
  h->model_bytes = ali3_state_size(plan->model);
  h->platform_bytes = plan->platform_bytes;
  h->state_bytes = aligned_up(sizeof(struct frames_state) + h->model_bytes + h->platform_bytes);
  h->slots_at = h->states_at + h->states * h->state_bytes;
  lay_out_slot(plan, h);
  h->slots = count_of_slots(plan, h->slot_bytes);
  h->channel_first = (uint32_t)s->input_first;
  h->channels = (uint32_t)s->channels;
  h->size = h->slots_at + h->slots * h->slot_bytes;
}

/* An empty file of this size, readable by all; -1: see errno. Allocated, not just sized: where the file system is full, the
 * first touch of a page would kill the daemon. */
static int make_file(const char *path, uint64_t bytes)
{
  unlink(path);
  const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  int reason = fchmod(fd, 0644) != 0 ? errno : 0;
  if (reason == 0) reason = posix_fallocate(fd, 0, (off_t)bytes);
  if (reason == 0) return fd;
  unlink(path);
  close(fd);
  errno = reason;
  return -1;
}

static void fill_head(const struct frames_plan *plan, struct frames_head *h)
{
  struct text_pool texts = {.to = (char *)h, .first = h->texts_at, .at = h->texts_at};
  fill_texts(&texts, plan, h);
  h->version = FRAMES_VERSION;
  h->head_bytes = sizeof *h;
  h->pid = plan->telemetry->pid;
  h->start_ns = plan->telemetry->start_ns;
  h->start_utc = plan->start_utc;
  h->period_ns = plan->period_ns;
  snprintf(h->isa, sizeof h->isa, "%s", ali3_model_isa(plan->model));
  ali3_model_flat_write(plan->model, (char *)h + h->flat_at, h->flat_bytes);
  ali3_model_hash(plan->model, h->hash);
}

/* The constant parts in a mapping; the magic number makes them valid. */
static void fill_constant_parts(const struct frames_plan *plan, const struct frames_head *layout,
                                struct frames_head *h)
{
  *h = *layout;
  fill_head(plan, h);
  __atomic_store_n(&h->magic, FRAMES_MAGIC, __ATOMIC_RELEASE);
}

int frames_describe(const struct frames_plan *plan)
{
  struct frames_head layout = {0};
  lay_out_ring(plan, &layout);
  const int fd = memfd_create("frames", MFD_CLOEXEC);
  void *p = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, (off_t)layout.size) == 0)
    p = mmap(NULL, layout.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p != MAP_FAILED) {
    fill_constant_parts(plan, &layout, p);
    munmap(p, layout.size);
    return fd;
  }
  const int reason = errno;
  if (fd >= 0) close(fd);
  errno = reason;
  return -1;
}

bool frames_create(struct frames_writer *w, const struct frames_plan *plan, char *error, size_t size)
{
  /* Make the file and map it. */
  char path[OBJECT_PATH];
  struct frames_head layout = {0};
  *w = (struct frames_writer){0};
  object_path(path, plan->telemetry->instance, OBJECT_FRAMES);
  lay_out_ring(plan, &layout);
  const int fd = make_file(path, layout.size);
  void *p = MAP_FAILED;
  if (fd >= 0) p = mmap(NULL, layout.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int reason = errno;
  if (fd >= 0) close(fd);
  if (p == MAP_FAILED) {
    snprintf(error, size,
             "shared memory %s: %s; it needs %.1f MB: lower telemetry.frames or telemetry.frames_limit", path,
             strerror(reason), (double)layout.size / 1e6);
    if (fd >= 0) unlink(path);
    return false;
  }
  /* The loop must not be the first one who writes a page. In a virtual machine the first write takes some 10 us of the host, even
   * if the page is locked, and no counter shows it. */
  memset(p, 0, layout.size);
  w->head = p;
  fill_constant_parts(plan, &layout, w->head);
  return true;
}

void frames_destroy(struct frames_writer *w, const struct telemetry *telemetry)
{
  if (!w->head) return;
  char path[OBJECT_PATH];
  object_path(path, telemetry->instance, OBJECT_FRAMES);
  unlink(path);
  munmap(w->head, w->head->size);
  *w = (struct frames_writer){0};
}

void frames_tell(struct frames_writer *w, const struct frames_event *event, const char *text)
{
  if (!w || !w->head) return;
  struct frames_head *h = w->head;
  const uint64_t n = atomic_load_explicit(&h->events_written, memory_order_relaxed);
  struct frames_event *e = (struct frames_event *)(void *)((char *)h + h->events_at) + n % h->events;
  /* As in write.c. */
  atomic_store_explicit(&e->sequence, 2 * n + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  memcpy((char *)e + sizeof e->sequence, (const char *)event + sizeof e->sequence,
         sizeof *e - sizeof e->sequence);
  const size_t length = strnlen(text, sizeof e->text - 1);
  memcpy(e->text, text, length);
  memset(e->text + length, 0, sizeof e->text - length);
  atomic_store_explicit(&e->sequence, 2 * n + 2, memory_order_release);
  atomic_store_explicit(&h->events_written, n + 1, memory_order_release);
}
