/* SPDX-License-Identifier: MIT
 * When which device is polled.
 *
 *   due ----> poll: complete, or refused -------> the next instant of the grid
 *                 | nothing came, the first time -> likewise
 *                 | again, or not to be reached --> after 0.1 s, 0.2 s ... 5 s
 *
 * So a device that keeps silent takes little of a line from those that share it. */
#include "modbus/client.h"

#include "modbus/station.h"
#include "rt/clock.h"
#include "rt/realtime.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { STACK_KB = 128 };
static const uint64_t BACK_OFF_NS = NS_PER_S / 10;
static const uint64_t BACK_OFF_MOST_NS = 5 * NS_PER_S;
static const uint64_t PATIENCE_NS = NS_PER_S / 5; /* with an answer over TCP, when the daemon is to end */

struct member {
  struct station station;
  uint64_t due_ns;
  uint64_t back_off_ns; /* 0: none */
  int silent;           /* polls in a row that nothing came of */
};

/* A thread, and what it polls. */
struct line {
  struct bus bus;
  struct member *member; /* (members) */
  int members;
  int stop;     /* the client's */
  sem_t *heard; /* likewise */
  pthread_t thread;
  bool started;
  _Atomic bool leaves; /* it has heard that it is to stop */
};

struct modbus_client {
  struct line *line; /* (lines) */
  int lines;
  int stop;    /* an eventfd, for all of them, written once and never read */
  sem_t heard; /* posted by each of them that has heard it */
};

/* False if it is to stop first. */
static bool sleep_until(const struct line *l, uint64_t due_ns)
{
  struct pollfd stop = {.fd = l->stop, .events = POLLIN};
  for (;;) {
    const uint64_t now_ns = clock_now_ns();
    const struct timespec rest = clock_timespec(due_ns > now_ns ? due_ns - now_ns : 0);
    if (ppoll(&stop, 1, &rest, NULL) > 0) return false;
    if (now_ns >= due_ns) return true;
  }
}

static struct member *next_due(struct line *l)
{
  struct member *next = &l->member[0];
  for (int i = 1; i < l->members; i++)
    if (l->member[i].due_ns < next->due_ns) next = &l->member[i];
  return next;
}

static void back_off(struct member *m, uint64_t now_ns)
{
  m->back_off_ns = m->back_off_ns == 0 ? BACK_OFF_NS : 2 * m->back_off_ns;
  if (m->back_off_ns > BACK_OFF_MOST_NS) m->back_off_ns = BACK_OFF_MOST_NS;
  if (m->due_ns < now_ns + m->back_off_ns) m->due_ns = now_ns + m->back_off_ns;
}

static void schedule(struct member *m, enum bus_result result, bool answered)
{
  const uint64_t period_ns = m->station.period_ns, now_ns = clock_now_ns();
  uint64_t periods = 1;
  if (now_ns - m->due_ns >= period_ns) {
    periods = (now_ns - m->due_ns) / period_ns + 1;
    if (result != BUS_UNREACHABLE) atomic_fetch_add_explicit(&m->station.view->late, 1, memory_order_relaxed);
  }
  m->due_ns += periods * period_ns;
  if (answered || result == BUS_OK) {
    m->silent = 0;
    m->back_off_ns = 0;
  } else if (m->silent++ > 0 || result == BUS_UNREACHABLE) {
    back_off(m, now_ns);
  }
}

/* Those who wait for a line wait no longer when one of them has found it. */
static void wake_others(struct line *l, const struct member *m)
{
  const uint64_t now_ns = clock_now_ns();
  for (int i = 0; i < l->members; i++) {
    struct member *other = &l->member[i];
    if (other != m && other->back_off_ns && other->due_ns > now_ns) other->due_ns = now_ns;
  }
}

static void poll_one(struct line *l, struct member *m)
{
  const bool was_open = l->bus.open;
  bool answered;
  const enum bus_result result = station_poll(&m->station, &l->bus, &answered);
  schedule(m, result, answered);
  if (!was_open && l->bus.open) wake_others(l, m);
}

static void *run(void *arg)
{
  struct line *l = arg;
  const uint64_t start_ns = clock_now_ns();
  for (int i = 0; i < l->members; i++) l->member[i].due_ns = start_ns;
  for (struct member *m = next_due(l); sleep_until(l, m->due_ns); m = next_due(l)) poll_one(l, m);

  l->leaves = true;
  sem_post(l->heard);
  l->bus.stop = -1;
  for (int i = 0; i < l->members; i++) {
    struct member *m = &l->member[i];
    /* What keeps silent would take the time of the others on its line; over TCP there are none, and it may be back. */
    if (m->back_off_ns == 0 || l->bus.place.host) station_leave(&m->station, &l->bus);
    atomic_store_explicit(&m->station.view->state, DEVICE_OFF, memory_order_relaxed);
  }
  return NULL;
}

/* The line of a device; those with one path share it. NULL when out of memory. */
static struct line *line_of(struct modbus_client *c, const struct modbus_device *d, int devices)
{
  for (int i = 0; i < c->lines && d->place.serial.path; i++) {
    const char *path = c->line[i].bus.place.serial.path;
    if (path && strcmp(path, d->place.serial.path) == 0) return &c->line[i];
  }
  struct line *l = &c->line[c->lines++];
  l->stop = c->stop;
  l->heard = &c->heard;
  l->member = calloc((size_t)devices, sizeof *l->member);
  return bus_init(&l->bus, &d->place, c->stop) && l->member ? l : NULL;
}

static bool add_device(struct modbus_client *c, const struct modbus_device *d, int devices,
                       const struct signals *signals, struct port *port, struct device_view *view)
{
  struct line *l = line_of(c, d, devices);
  snprintf(view->name, sizeof view->name, "%s", d->name);
  view->state = DEVICE_CONNECTING;
  return l && station_init(&l->member[l->members++].station, d, signals, port, view);
}

static void free_line(struct line *l)
{
  for (int i = 0; i < l->members; i++) station_free(&l->member[i].station);
  free(l->member);
  bus_free(&l->bus);
}

static int start_threads(struct modbus_client *c)
{
  for (int i = 0; i < c->lines; i++) {
    struct line *l = &c->line[i];
    char name[16];
    snprintf(name, sizeof name, "dev-%.11s", l->member[0].station.device->name);
    const int e = thread_start_ordinary(&l->thread, name, STACK_KB, run, l);
    if (e) return e;
    l->started = true;
  }
  return 0;
}

struct modbus_client *modbus_client_start(const struct modbus_device *device, int devices,
                                          const struct signals *signals, struct port *port,
                                          struct device_view *view, char *error, size_t size)
{
  struct modbus_client *c = calloc(1, sizeof *c);
  bool ok = c && (c->line = calloc((size_t)devices, sizeof *c->line));
  if (c) c->stop = eventfd(0, EFD_CLOEXEC);
  if (c) sem_init(&c->heard, 0, 0);
  for (int i = 0; i < devices && ok; i++)
    ok = add_device(c, &device[i], devices, signals, &port[i], &view[i]);
  const int e = !ok ? ENOMEM : c->stop < 0 ? errno : start_threads(c);
  if (e == 0) return c;
  snprintf(error, size, "devices: cannot start polling: %s", strerror(e));
  modbus_client_stop(c);
  return NULL;
}

static void join(struct modbus_client *c)
{
  const struct timespec until = clock_timespec(clock_now_ns() + PATIENCE_NS);
  int waited = 0;
  for (int i = 0; i < c->lines; i++) waited += c->line[i].started;
  while (waited > 0 && sem_clockwait(&c->heard, CLOCK_MONOTONIC, &until) == 0) waited--;
  for (int i = 0; i < c->lines; i++) {
    struct line *l = &c->line[i];
    if (!l->started) continue;
    if (!l->leaves) bus_interrupt(&l->bus);
    pthread_join(l->thread, NULL);
  }
}

void modbus_client_stop(struct modbus_client *c)
{
  if (!c) return;
  while (c->stop >= 0 && write(c->stop, &(uint64_t){1}, sizeof(uint64_t)) < 0 && errno == EINTR) continue;
  join(c);
  for (int i = 0; i < c->lines; i++) free_line(&c->line[i]);
  if (c->stop >= 0) close(c->stop);
  sem_destroy(&c->heard);
  free(c->line);
  free(c);
}
