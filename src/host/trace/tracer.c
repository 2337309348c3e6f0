/* SPDX-License-Identifier: MIT */
#include "trace/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_LENGTH = 288, FORMAT_LENGTH = 4096, MASK_WORD = 32, LEAST_KB = 1, CPU_LEAST_KB = 64 };

static const char *const tracing_folders[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* --- files of tracefs --- */

/* Returns 0 or -errno. */
static int read_setting(const char *path, char *text, size_t size)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  text[0] = '\0';
  if (fd < 0) return -errno;
  size_t used = 0;
  ssize_t n = 0;
  while (used < size - 1 && (n = read(fd, text + used, size - 1 - used)) > 0) used += (size_t)n;
  const int status = n < 0 ? -errno : 0;
  text[used] = '\0';
  close(fd);
  return status;
}

static int write_setting(const char *path, const char *text)
{
  const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return -errno;
  const ssize_t n = write(fd, text, strlen(text));
  const int status = n < 0 ? -errno : 0;
  close(fd);
  return status;
}

struct setup {
  struct tracer *t;
  char *error;
  size_t size;
};

static __attribute__((format(printf, 2, 3))) bool refuse_setup(const struct setup *o, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(o->error, o->size, format, list);
  va_end(list);
  return false;
}

/* Writes a setting of the instance. */
static __attribute__((format(printf, 3, 4))) bool set_up_file(const struct setup *o, const char *text,
                                                              const char *name, ...)
{
  char path[PATH_LENGTH];
  const int used = snprintf(path, sizeof path, "%s/", o->t->folder);
  va_list list;
  va_start(list, name);
  vsnprintf(path + used, sizeof path - (size_t)used, name, list);
  va_end(list);
  const int status = write_setting(path, text);
  return status == 0 || refuse_setup(o, "%s: %s", path, strerror(-status));
}

/* --- set-up --- */

/* Returns NULL with the reason. */
static const char *find_tracefs(const struct setup *o)
{
  int denied = 0;
  for (size_t i = 0; i < sizeof tracing_folders / sizeof *tracing_folders; i++) {
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/trace_clock", tracing_folders[i]);
    if (access(path, F_OK) == 0) return tracing_folders[i];
    if (errno == EACCES) denied = EACCES;
  }
  if (denied)
    refuse_setup(o, "/sys/kernel/tracing: %s; only root may trace, see NAMES OF CULPRITS in ali3d(8)",
                 strerror(denied));
  else
    refuse_setup(o, "tracefs is not mounted; as root: mount -t tracefs tracefs /sys/kernel/tracing");
  return NULL;
}

/* An instance that a killed process left behind is taken over. */
static bool make_instance(const struct setup *o, const char *name)
{
  const char *folder = find_tracefs(o);
  if (!folder) return false;
  snprintf(o->t->folder, sizeof o->t->folder, "%s/instances/ali3-%s", folder, name);
  if (mkdir(o->t->folder, 0750) == 0 || errno == EEXIST) return true;
  refuse_setup(o, "%s: %s; only root may trace, see NAMES OF CULPRITS in ali3d(8)", o->t->folder,
               strerror(errno));
  o->t->folder[0] = '\0';
  return false;
}

/* Hexadecimal words, the highest first, with commas between them. */
static void mask_text(const struct tracer *t, char *text, size_t size)
{
  uint32_t word[CPU_SETSIZE / MASK_WORD] = {0};
  int top = 0;
  for (int i = 0; i < t->cpus; i++) {
    const int at = t->cpu[i].cpu / MASK_WORD;
    word[at] |= UINT32_C(1) << (t->cpu[i].cpu % MASK_WORD);
    if (at > top) top = at;
  }
  size_t used = 0;
  for (int i = top; i >= 0 && used < size; i--)
    used += (size_t)snprintf(text + used, size - used, "%08x%s", word[i], i ? "," : "");
}

/* The clock of the misses; room on our processors only; events of theirs only. */
static bool set_up_buffers(const struct setup *o)
{
  struct tracer *t = o->t;
  char mask[CPU_SETSIZE / 4 + CPU_SETSIZE / MASK_WORD], kb[16], least[16];
  const int share = TRACER_ALL_KB / t->cpus;
  mask_text(t, mask, sizeof mask);
  snprintf(least, sizeof least, "%d", LEAST_KB);
  snprintf(kb, sizeof kb, "%d", share > TRACER_KB ? TRACER_KB : share < CPU_LEAST_KB ? CPU_LEAST_KB : share);
  bool good = set_up_file(o, "0", "tracing_on") && set_up_file(o, "0", "events/enable") &&
              set_up_file(o, "mono", "trace_clock") && set_up_file(o, mask, "tracing_cpumask") &&
              set_up_file(o, "1", "options/overwrite") && set_up_file(o, least, "buffer_size_kb");
  for (int i = 0; good && i < t->cpus; i++)
    good = set_up_file(o, kb, "per_cpu/cpu%d/buffer_size_kb", t->cpu[i].cpu);
  return good && set_up_file(o, "", "trace");
}

static bool enable_events(const struct setup *o)
{
  struct tracer *t = o->t;
  for (int i = 0; i < TRACE_EVENTS; i++) {
    char path[PATH_LENGTH], text[FORMAT_LENGTH];
    snprintf(path, sizeof path, "%s/events/%s/format", t->folder, trace_event_path(i));
    const int status = read_setting(path, text, sizeof text);
    const bool read = status == 0 && trace_format_read(i, text, &t->format[i]);
    if (!read && trace_event_needed(i))
      return refuse_setup(o, "%s: %s", path, status ? strerror(-status) : "not in the form that is known");
    if (read && !set_up_file(o, "1", "events/%s/enable", trace_event_path(i))) return false;
  }
  return true;
}

static bool open_pipes(const struct setup *o)
{
  struct tracer *t = o->t;
  for (int i = 0; i < t->cpus; i++) {
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/per_cpu/cpu%d/trace_pipe_raw", t->folder, t->cpu[i].cpu);
    t->cpu[i].pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (t->cpu[i].pipe < 0) return refuse_setup(o, "%s: %s", path, strerror(errno));
  }
  return true;
}

/* A read needs room for a whole page of the ring; newer kernels may have larger ones. */
static bool make_trace_room(const struct setup *o)
{
  struct tracer *t = o->t;
  char path[PATH_LENGTH], text[32];
  snprintf(path, sizeof path, "%s/buffer_subbuf_size_kb", t->folder);
  const long kb = read_setting(path, text, sizeof text) == 0 ? strtol(text, NULL, 10) : 0;
  t->page_size = kb > 0 && kb <= 1024 ? (size_t)kb * 1024 : (size_t)sysconf(_SC_PAGESIZE);
  t->page = malloc(t->page_size);
  t->event = calloc(TRACER_EVENTS, sizeof *t->event);
  return (t->page && t->event) || refuse_setup(o, "out of memory");
}

bool tracer_open(struct tracer *t, const char *name, const cpu_set_t *cpus, char *error, size_t size)
{
  const struct setup o = {t, error, size};
  *t = (struct tracer){.events = 0};
  for (int cpu = 0; cpu < CPU_SETSIZE && t->cpus < TRACER_CPUS; cpu++)
    if (CPU_ISSET(cpu, cpus)) t->cpu[t->cpus++] = (struct tracer_cpu){.cpu = cpu, .pipe = -1};
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
  return refuse_setup(&o, "the trace of a big-endian machine cannot be read");
#endif
  if (t->cpus == 0) return refuse_setup(&o, "there is no processor to trace");
  if (make_instance(&o, name) && set_up_buffers(&o) && make_trace_room(&o) && enable_events(&o) &&
      open_pipes(&o) && set_up_file(&o, "1", "tracing_on"))
    return true;
  tracer_close(t);
  return false;
}

void tracer_close(struct tracer *t)
{
  char path[PATH_LENGTH];
  for (int i = 0; i < t->cpus; i++)
    if (t->cpu[i].pipe >= 0) close(t->cpu[i].pipe);
  /* An instance that root gave away stays, without events. */
  if (t->folder[0]) {
    snprintf(path, sizeof path, "%s/events/enable", t->folder);
    (void)write_setting(path, "0");
    (void)rmdir(t->folder);
  }
  free(t->page);
  free(t->event);
  *t = (struct tracer){.events = 0};
}

/* --- reading --- */

/* Drops the events that were read first. */
static void drop_half(struct tracer *t)
{
  const int half = TRACER_EVENTS / 2;
  uint64_t last_ns = 0;
  for (int i = 0; i < half; i++)
    if (t->event[i].t_ns > last_ns) last_ns = t->event[i].t_ns;
  for (int i = 0; i < t->cpus; i++)
    if (t->cpu[i].since_ns < last_ns) t->cpu[i].since_ns = last_ns;
  memmove(t->event, t->event + half, (size_t)(TRACER_EVENTS - half) * sizeof *t->event);
  t->events -= half;
}

static void keep_event(void *context, const struct trace_event *e)
{
  struct tracer *t = context;
  if (t->events == TRACER_EVENTS) drop_half(t);
  t->event[t->events] = *e;
  t->event[t->events++].order = t->taken++;
}

static bool comes_after(const struct trace_event *a, const struct trace_event *b)
{
  return a->t_ns != b->t_ns ? a->t_ns > b->t_ns : a->order > b->order;
}

/* Shell's sort, because a library may take memory for a second copy. */
static void sort_events(struct trace_event *e, int n)
{
  for (int gap = n / 2; gap > 0; gap /= 2) {
    for (int i = gap; i < n; i++) {
      const struct trace_event moved = e[i];
      int k = i;
      for (; k >= gap && comes_after(&e[k - gap], &moved); k -= gap) e[k] = e[k - gap];
      e[k] = moved;
    }
  }
}

static bool is_sorted(const struct trace_event *e, int n)
{
  for (int i = 1; i < n; i++)
    if (comes_after(&e[i - 1], &e[i])) return false;
  return true;
}

/* At most the pages of a full buffer, so that a storm of events cannot hold the reader. */
static void read_processor(struct tracer *t, struct tracer_cpu *c)
{
  const size_t most = (size_t)TRACER_KB * 1024 / t->page_size + 1;
  for (size_t i = 0; i < most; i++) {
    bool missed = false;
    uint64_t begin_ns = 0;
    const ssize_t n = read(c->pipe, t->page, t->page_size);
    if (n <= 0) return;
    const bool good =
        trace_page_decode(t->format, c->cpu, t->page, (size_t)n, keep_event, t, &missed, &begin_ns);
    if (missed && begin_ns > c->since_ns) c->since_ns = begin_ns;
    if (!good && t->events > 0 && t->event[t->events - 1].t_ns > c->since_ns)
      c->since_ns = t->event[t->events - 1].t_ns;
  }
}

void tracer_read(struct tracer *t)
{
  for (int i = 0; i < t->cpus; i++) read_processor(t, &t->cpu[i]);
  if (!is_sorted(t->event, t->events)) sort_events(t->event, t->events);
}

void tracer_blame(const struct tracer *t, const struct blame_question *q, struct culprit *out)
{
  blame(q, t->event, t->events, out);
  for (int i = 0; i < t->cpus; i++) {
    const bool concerned = q->cpu < 0 || q->cpu == t->cpu[i].cpu;
    if (concerned && q->from_ns < t->cpu[i].since_ns)
      *out = (struct culprit){.kind = CULPRIT_LOST, .policy = POLICY_UNKNOWN};
  }
  culprit_ask_policy(out);
}
