/* SPDX-License-Identifier: MIT
 * libFuzzer: a LINK.yaml, and after a zero byte the modelDescription.xml of each FMU in it. Participants are not there: daemons are
 * made up, and FMUs have their description alone. A link that was read has wires between values that exist. */
#include "fmu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const char *xml; /* of every FMU */
static size_t xml_size;

static void need(bool holds)
{
  if (!holds) abort();
}

/* --- a made-up daemon: out.0 to out.2 in m, in.0 to in.2 in N --- */

static bool describe_daemon(struct participant *p, struct report *r)
{
  (void)r;
  p->period = 0.01;
  return true;
}

static int find_in_daemon(struct participant *p, const char *name, bool input, struct slots *to,
                          const char **near)
{
  (void)p;
  *near = input ? "in" : "out";
  if (strcmp(name, *near) != 0) return -1;
  for (int i = 0; i < 3; i++)
    if (!slots_add(to, 10 * input + i, name, input ? "N" : "m")) return -1;
  return 3;
}

static bool connect_nothing(struct participant *p)
{
  (void)p;
  return true;
}

static void close_nothing(struct participant *p)
{
  (void)p;
}

const struct participant_kind osc_kind = {
    .describe = describe_daemon, .find = find_in_daemon, .connect = connect_nothing, .close = close_nothing};

/* --- an FMU without an object --- */

static bool describe_fmu(struct participant *p, struct report *r)
{
  char why[FMU_WHY];
  struct fmu *f = calloc(1, sizeof *f);
  need(f != NULL);
  p->state = f;
  p->period = p->keys.step;
  if (!description_parse(&f->description, xml, xml_size, "fuzz.fmu", why)) {
    need(memchr(why, '\0', sizeof why) != NULL && *why);
    report_error(r, p->at, "%s", why);
    return false;
  }
  p->usual_period = f->description.step;
  return fmu_read_presets(p, r);
}

static void close_fmu(struct participant *p)
{
  struct fmu *f = fmu_of(p);
  if (!f) return;
  description_free(&f->description);
  free(f->preset);
  free(f);
}

const struct participant_kind fmu_kind = {
    .describe = describe_fmu, .find = fmu_find, .connect = connect_nothing, .close = close_fmu};

/* --- a link that was read --- */

static void judge_link(const struct link *l)
{
  need(l->participants > 0 && l->step > 0.0 && isfinite(l->step));
  for (int i = 0; i < l->participants; i++) {
    const struct participant *p = &l->participant[i];
    need(p->steps > 0 && fabs(p->steps * p->period - l->step) <= 1e-6 * l->step);
  }
  for (int i = 0; i < l->connections; i++) {
    const struct connection *c = &l->connection[i];
    need(c->out >= 0 && c->out < c->from->out.count && c->in >= 0 && c->in < c->to->in.count);
    if (c->to->kind == &fmu_kind)
      need(fmu_of(c->to)->description.variable[c->to->in.slot[c->in].signal].kind <= FMU_Boolean);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static FILE *quiet;
  char path[40];
  struct link l;
  if (!quiet) {
    quiet = fopen("/dev/null", "w");
    need(quiet != NULL);
    stderr = quiet;
  }
  /* The two files. */
  const uint8_t *end = n ? memchr(bytes, 0, n) : NULL;
  const size_t size = end ? (size_t)(end - bytes) : n;
  xml = end ? (const char *)end + 1 : "";
  xml_size = end ? n - size - 1 : 0;
  const int fd = memfd_create("link", MFD_CLOEXEC);
  need(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (link_read(&l, path, n % 2)) {
    judge_link(&l);
    link_carry(&l, NULL);
    link_print(&l, quiet, n % 3);
  }
  link_close(&l);
  close(fd);
  return 0;
}
