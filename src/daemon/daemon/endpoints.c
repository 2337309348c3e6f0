/* SPDX-License-Identifier: MIT
 * Telemetry, wake-up event and endpoints of the loop. Set-up only. */
#include "daemon/endpoints.h"

#include "base/arena.h"
#include "modbus_client/devices.h"
#include "modbus_server/server.h"
#include "osc/osc.h"
#include "packets/packets.h"
#include "transport/kernel_stamp.h"

#include <ali3/status.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The only list of the protocols. Its order is the order of ports, starts and texts. */
void endpoints_list(struct endpoints *all, const struct settings *s)
{
  *all = (struct endpoints){.settings = s, .stamps = -1};
  const struct endpoint list[ENDPOINTS] = {
      {.protocol = &osc_protocol, .config = &s->osc, .count = s->osc.enabled},
      {.protocol = &modbus_protocol, .config = &s->modbus, .count = s->modbus.enabled},
      {.protocol = &devices_protocol, .config = s->device, .count = s->devices},
      {.protocol = &packets_protocol, .config = s->packet, .count = s->packets},
  };
  for (int i = 0; i < ENDPOINTS; i++) {
    all->endpoint[i] = list[i];
    all->endpoint[i].signals = s->signals;
  }
}

static bool fail_allocation(char *error, size_t size)
{
  snprintf(error, size, "%s", ali3_status_text(ALI3_E_MEMORY));
  return false;
}

/* The source whose input frames are beats. */
static int beat_source(const struct settings *s)
{
  static const int source[] = {[BEAT_NONE] = -1, [BEAT_OSC] = SOURCE_OSC, [BEAT_MODBUS] = SOURCE_MODBUS};
  return source[s->cycle.beat];
}

static bool select_values(const struct endpoint *e, int i)
{
  if (!e->protocol->select) return true;
  bool *wanted = calloc((size_t)e->signals->count, sizeof *wanted);
  if (wanted) e->protocol->select(e, i, wanted);
  const bool selected = wanted && port_select(&e->port[i], wanted, (uint32_t)e->signals->count);
  free(wanted);
  return selected;
}

static bool open_ports(struct endpoints *all, struct endpoint *e)
{
  const struct signals *s = e->signals;
  e->port = &all->place[all->ports];
  for (int i = 0; i < endpoint_ports(e); i++) {
    struct port *p = &e->port[i];
    if (!port_init(p, endpoint_port_name(e, i), (uint32_t)s->count, (uint32_t)s->channels,
                   e->protocol->event))
      return false;
    all->port[all->ports++] = p;
    if (!select_values(e, i)) return false;
    p->source = e->protocol->source + i;
    p->wakeup = all->wakeup;
    p->paces = p->source == beat_source(all->settings);
  }
  return true;
}

/* Its frames carry no values. The stimuli feed its inputs, and the loop sends them itself. */
static bool open_param_port(struct endpoints *all)
{
  const struct signals *s = all->settings->signals;
  struct port *p = &all->place[all->ports];
  if (!port_init(p, "parameters", (uint32_t)s->count, (uint32_t)s->channels, false)) return false;
  all->param_server = all->port[all->ports++] = p;
  p->source = SOURCE_INNER;
  p->wakeup = all->wakeup;
  bool *none = calloc((size_t)s->count + 1, sizeof *none);
  const bool selected = none && port_select(p, none, (uint32_t)s->count);
  free(none);
  return selected;
}

struct port *endpoints_port_of(const struct endpoints *all, int source)
{
  for (int i = 0; i < all->ports; i++)
    if (all->port[i]->source == source) return all->port[i];
  return NULL;
}

bool endpoints_open(struct endpoints *all, char *error, size_t size)
{
  all->wakeup = aligned_zalloc(sizeof *all->wakeup);
  if (!all->wakeup) return fail_allocation(error, size);
  all->telemetry = telemetry_create(all->settings->instance, &all->left, error, size);
  if (!all->telemetry) return false;
  all->telemetry->devices = (uint64_t)all->settings->devices;
  int ports = 0;
  for (int i = 0; i < ENDPOINTS; i++) ports += endpoint_ports(&all->endpoint[i]);
  all->place = aligned_zalloc(((size_t)ports + 1) * sizeof *all->place);
  if (!all->place) return fail_allocation(error, size);
  for (int i = 0; i < ENDPOINTS; i++) {
    struct endpoint *e = &all->endpoint[i];
    e->counters = &all->telemetry->counters;
    e->view = all->telemetry->device;
    if (!open_ports(all, e)) return fail_allocation(error, size);
  }
  /* The port of the daemon itself; then each port knows the others. */
  if (!open_param_port(all)) return fail_allocation(error, size);
  for (int p = 0; p < all->ports; p++) {
    all->port[p]->all = all->port;
    all->port[p]->ports = all->ports;
  }
  return true;
}

/* Tools read a description beside the telemetry. A missing description is not an error. */
static void describe_endpoint(const struct endpoints *all, const struct endpoint *e)
{
  char *text = e->protocol->describe ? e->protocol->describe(e, all->settings->instance) : NULL;
  if (text) telemetry_describe(all->telemetry, text);
  free(text);
}

bool endpoints_start(struct endpoints *all, char *error, size_t size)
{
  all->stamps = kernel_stamp_hold(); /* -1: arrivals are then bounded by the reads of their sockets */
  for (int i = 0; i < ENDPOINTS; i++) {
    struct endpoint *e = &all->endpoint[i];
    if (e->count == 0) continue;
    if (!endpoint_start(e, error, size)) return false;
    describe_endpoint(all, e);
  }
  return true;
}

void endpoints_close(struct endpoints *all)
{
  for (int i = 0; i < ENDPOINTS; i++) endpoint_stop(&all->endpoint[i]);
  for (int p = 0; p < all->ports; p++) port_free(all->port[p]);
  free(all->place);
  telemetry_destroy(all->telemetry);
  free(all->wakeup);
  if (all->stamps >= 0) close(all->stamps);
  *all = (struct endpoints){.stamps = -1};
}

uint64_t endpoints_commands_dropped(struct endpoints *all)
{
  uint64_t dropped = 0;
  for (int p = 0; p < all->ports; p++) dropped += ring_dropped(&all->port[p]->commands);
  return dropped;
}

void endpoints_text(const struct endpoints *all, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < ENDPOINTS && used < size; i++) {
    char one[512];
    endpoint_text(&all->endpoint[i], one, sizeof one);
    if (one[0]) used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", one);
  }
}
