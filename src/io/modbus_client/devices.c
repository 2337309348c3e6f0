/* SPDX-License-Identifier: MIT
 * Schedules the polls.
 *
 *   due ----> poll: complete, or refused -----> the next time of the grid
 *                 | no answer, first time ---> the next time of the grid
 *                 | again, or unreachable ---> after 0.1 s, 0.2 s ... 5 s
 *
 * A silent device thus takes little time from other devices on its line. */
#include "modbus_client/devices.h"

#include "modbus_client/devices_parts.h"
#include "rt/clock.h"
#include "telemetry/device_view.h"
#include "wire/io_map.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_KB = 128 };
static const uint64_t BACK_OFF_NS = NS_PER_S / 10;
static const uint64_t BACK_OFF_MOST_NS = 5 * NS_PER_S;
static const uint64_t PATIENCE_NS = NS_PER_S / 5; /* wait for an answer over TCP when the daemon stops */

struct member {
  struct station station;
  uint64_t due_ns;
  uint64_t back_off_ns; /* 0: none */
  int silent;           /* consecutive polls without an answer */
};

/* A thread and the devices that it polls. */
struct line {
  struct bus bus;
  struct member *member; /* (members) */
  int members;
  int stop;     /* stop event of the endpoint */
  sem_t *heard; /* semaphore of the endpoint */
};

struct lines {
  struct line *line; /* (lines); thread i of the endpoint serves line i */
  int lines;
  sem_t heard; /* each line posts it when it sees its stop event */
};

/* Returns false if the stop event came first. */
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

static void schedule_poll(struct member *m, enum bus_result result, bool answered)
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

/* When one member finds the line open, the others need not back off any longer. */
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
  schedule_poll(m, result, answered);
  if (!was_open && l->bus.open) wake_others(l, m);
}

static void *run_line(void *arg)
{
  struct line *l = arg;
  const uint64_t start_ns = clock_now_ns();
  for (int i = 0; i < l->members; i++) l->member[i].due_ns = start_ns;
  for (struct member *m = next_due(l); sleep_until(l, m->due_ns); m = next_due(l)) poll_one(l, m);

  bus_leave(&l->bus);
  sem_post(l->heard);
  for (int i = 0; i < l->members; i++) {
    struct member *m = &l->member[i];
    /* A silent device would take time from others on its line; a connection of Modbus TCP has one device only,
     * which may be back. */
    const bool one_device = l->bus.remote.host && !l->bus.remote.rtu;
    if (m->back_off_ns == 0 || one_device) station_leave(&m->station, &l->bus);
    atomic_store_explicit(&m->station.view->state, DEVICE_OFF, memory_order_relaxed);
  }
  return NULL;
}

/* --- the endpoint --- */

/* Devices of one line share its thread, also behind a gateway that passes bytes on. */
static bool is_on_line(const struct remote_config *a, const struct remote_config *b)
{
  if (a->serial.path && b->serial.path) return strcmp(a->serial.path, b->serial.path) == 0;
  return a->rtu && b->rtu && a->port == b->port && strcmp(a->host, b->host) == 0;
}

/* Finds or makes the line of a device. Returns NULL when out of memory. */
static struct line *find_line(struct lines *all, const struct endpoint *e, const struct remote_config *remote)
{
  for (int i = 0; i < all->lines; i++)
    if (is_on_line(&all->line[i].bus.remote, remote)) return &all->line[i];
  struct line *l = &all->line[all->lines++];
  l->stop = e->stop;
  l->heard = &all->heard;
  l->member = calloc((size_t)e->count, sizeof *l->member);
  return bus_init(&l->bus, remote, e->stop) && l->member ? l : NULL;
}

static bool add_device(struct endpoint *e, int i)
{
  const struct modbus_device *d = (const struct modbus_device *)e->config + i;
  struct device_view *view = &e->view[i];
  struct line *l = find_line(e->state, e, &d->remote);
  snprintf(view->name, sizeof view->name, "%s", d->name);
  view->state = DEVICE_CONNECTING;
  return l && station_init(&l->member[l->members++].station, d, e->signals, &e->port[i], view);
}

static bool start_devices(struct endpoint *e, char *error, size_t size)
{
  struct lines *all = e->state;
  sem_init(&all->heard, 0, 0);
  all->line = calloc((size_t)e->count, sizeof *all->line);
  bool ok = all->line;
  for (int i = 0; i < e->count && ok; i++) ok = add_device(e, i);
  if (!ok) return endpoint_fail(e, ENOMEM, error, size);
  for (int i = 0; i < all->lines && ok; i++) {
    struct line *l = &all->line[i];
    char name[16];
    snprintf(name, sizeof name, "dev-%.11s", l->member[0].station.device->name);
    ok = endpoint_run(e, name, STACK_KB, run_line, l, error, size);
  }
  return ok;
}

/* Interrupts threads that still wait for an answer over TCP after PATIENCE_NS. */
static void hurry_devices(struct endpoint *e)
{
  struct lines *all = e->state;
  const struct timespec until = clock_timespec(clock_now_ns() + PATIENCE_NS);
  int waited = e->threads;
  while (waited > 0 && sem_clockwait(&all->heard, CLOCK_MONOTONIC, &until) == 0) waited--;
  for (int i = 0; i < e->threads; i++) bus_interrupt(&all->line[i].bus);
}

static void close_devices(struct endpoint *e)
{
  struct lines *all = e->state;
  for (int i = 0; i < all->lines; i++) {
    struct line *l = &all->line[i];
    for (int k = 0; k < l->members; k++) station_free(&l->member[k].station);
    free(l->member);
    bus_free(&l->bus);
  }
  free(all->line);
  sem_destroy(&all->heard);
}

static const char *device_name(const struct endpoint *e, int i)
{
  return ((const struct modbus_device *)e->config)[i].name;
}

static void select_written(const struct endpoint *e, int i, bool *wanted)
{
  const struct wiring *map = &((const struct modbus_device *)e->config)[i].map;
  for (int k = 0; k < map->count; k++) wanted[map->item[k].signal] |= !map->item[k].input;
}

static void devices_text(const struct endpoint *e, char *text, size_t size)
{
  snprintf(text, size, "%d device%s", e->count, e->count == 1 ? "" : "s");
}

static void map_device(const struct modbus_device *d, const struct signals *signals, struct io_map *map)
{
  char place[400];
  if (d->remote.host)
    snprintf(place, sizeof place, "%s at %s:%d, unit %d", d->name, d->remote.host, d->remote.port, d->unit);
  else
    snprintf(place, sizeof place, "%s on %s, unit %d", d->name, d->remote.serial.path, d->unit);
  io_map_add_remote(map, &d->remote, false, d->remote.rtu ? "Modbus RTU over TCP" : "Modbus TCP",
                    "Modbus RTU", d->unit, d->name);
  /* The map of the device, then its alive register. */
  for (int i = 0; i < d->map.count; i++) {
    const struct wired *w = &d->map.item[i];
    io_map_add_modbus(map, &(struct io_map_modbus){.device = place,
                                                   .table = w->table,
                                                   .address = w->address,
                                                   .wire = w->wire,
                                                   .writable = !w->input,
                                                   .name = signals->signal[w->signal].name,
                                                   .unit = signals->signal[w->signal].unit,
                                                   .text = w->input ? "ali3d reads it" : "ali3d writes it"});
  }
  if (d->alive >= 0)
    io_map_add_modbus(map, &(struct io_map_modbus){.device = place,
                                                   .table = TABLE_HOLDING,
                                                   .address = d->alive,
                                                   .wire = {WIRE_U16, WIRE_ABCD, 1.0, 0.0},
                                                   .name = "alive",
                                                   .text = "ali3d reads it; it must change"});
}

static bool map_devices(const struct endpoint *e, struct io_map *map)
{
  for (int i = 0; i < e->count; i++) map_device((const struct modbus_device *)e->config + i, e->signals, map);
  return io_map_complete(map);
}

const struct protocol devices_protocol = {.name = "devices",
                                          .state = sizeof(struct lines),
                                          .source = SOURCE_DEVICE,
                                          .port_name = device_name,
                                          .select = select_written,
                                          .start = start_devices,
                                          .hurry = hurry_devices,
                                          .close = close_devices,
                                          .text = devices_text,
                                          .map = map_devices};
