/* SPDX-License-Identifier: MIT
 * What stands around the loop. Set-up only. */
#include "daemon/bench.h"

#include "base/arena.h"
#include "osc/describe.h"
#include "rt/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool out_of_memory(char *error, size_t size)
{
  snprintf(error, size, "%s", ali3_status_text(ALI3_E_MEMORY));
  return false;
}

static bool open_port(struct bench *b, struct port *p, const char *name, int source, enum beat beat,
                      bool event)
{
  if (!port_init(p, name, (uint32_t)b->signals->count, (uint32_t)b->signals->channels, event)) return false;
  b->port[b->ports++] = p;
  p->source = source;
  p->bell = b->bell;
  p->paces = beat != BEAT_NONE && b->settings->cycle.beat == (int)beat;
  return true;
}

bool bench_open(struct bench *b, const struct settings *s, char *error, size_t size)
{
  *b = (struct bench){.settings = s, .signals = s->signals};
  b->bell = aligned_zalloc(sizeof *b->bell);
  if (!b->bell) return out_of_memory(error, size);
  b->telemetry = telemetry_create(s->instance, &b->left, error, size);
  if (!b->telemetry) return false;
  /* OSC sends as soon as there is a frame; Modbus reads one when a client asks. */
  if (s->osc.enabled && !open_port(b, &b->osc_port, "osc", SOURCE_OSC, BEAT_OSC, true))
    return out_of_memory(error, size);
  if (s->modbus.enabled && !open_port(b, &b->modbus_port, "modbus", SOURCE_MODBUS, BEAT_MODBUS, false))
    return out_of_memory(error, size);
  for (int i = 0; i < s->devices; i++) {
    const int source = SOURCE_DEVICE + i;
    if (!open_port(b, &b->device_port[i], s->device[i].name, source, BEAT_NONE, false))
      return out_of_memory(error, size);
  }
  /* It gives the loop nothing, so that its source is no matter. */
  if (s->packets > 0 && !open_port(b, &b->packets_port, "packets", SOURCE_OSC, BEAT_NONE, true))
    return out_of_memory(error, size);
  return true;
}

/* Tools that describe the bench read it beside the telemetry. A description that cannot be made stops nothing. */
static void describe_osc(struct bench *b)
{
  char *text = osc_query_text(&b->osc_setup.config, b->signals, osc_port(b->osc), b->settings->instance);
  if (text) telemetry_describe(b->telemetry, text);
  free(text);
}

static bool start_osc(struct bench *b, char *error, size_t size)
{
  if (!osc_setup(&b->osc_setup, b->settings)) return out_of_memory(error, size);
  b->osc = osc_start(&b->osc_setup.config, b->signals, &b->osc_port, &b->telemetry->counters, error, size);
  if (b->osc) describe_osc(b);
  return b->osc;
}

struct modbus_config bench_modbus_config(const struct settings *s)
{
  return (struct modbus_config){.tcp = s->modbus.tcp,
                                .bind = s->modbus.bind,
                                .port = s->modbus.port,
                                .max_clients = s->modbus.max_clients,
                                .peers = &s->modbus.peers,
                                .serial = {.path = s->modbus.serial.path,
                                           .baud = s->modbus.serial.baud,
                                           .parity = SETTINGS_PARITY[s->modbus.serial.parity],
                                           .stop_bits = s->modbus.serial.stop_bits},
                                .unit = s->modbus.unit,
                                .map = &s->modbus.map,
                                .default_map = s->modbus.default_map,
                                .order = (enum wire_order)s->modbus.word_order};
}

static bool start_modbus(struct bench *b, char *error, size_t size)
{
  const struct modbus_config config = bench_modbus_config(b->settings);
  b->modbus = modbus_server_start(&config, b->signals, &b->modbus_port, &b->telemetry->counters, error, size);
  return b->modbus;
}

static uint64_t ns(double seconds)
{
  return (uint64_t)llround(seconds * (double)NS_PER_S);
}

static bool start_devices(struct bench *b, char *error, size_t size)
{
  const struct settings *s = b->settings;
  for (int i = 0; i < s->devices; i++) {
    const struct settings_device *d = &s->device[i];
    b->device[i] = (struct modbus_device){.name = d->name,
                                          .place = {.host = d->host,
                                                    .port = d->port,
                                                    .path = d->serial.path,
                                                    .baud = d->serial.baud,
                                                    .stop_bits = d->serial.stop_bits,
                                                    .parity = SETTINGS_PARITY[d->serial.parity]},
                                          .unit = d->unit,
                                          .period_ns = ns(d->period),
                                          .timeout_ns = ns(d->timeout),
                                          .alive = d->alive,
                                          .map = &d->map,
                                          .port = &b->device_port[i],
                                          .view = &b->telemetry->device[i]};
  }
  b->telemetry->devices = (uint64_t)s->devices;
  b->client = modbus_client_start(b->device, s->devices, s->signals, error, size);
  return b->client;
}

static bool start_packets(struct bench *b, char *error, size_t size)
{
  const struct settings *s = b->settings;
  b->packets = packets_start(s->packet, s->packets, b->signals, &b->packets_port, &b->telemetry->counters,
                             error, size);
  return b->packets;
}

bool bench_start(struct bench *b, char *error, size_t size)
{
  if (b->settings->osc.enabled && !start_osc(b, error, size)) return false;
  if (b->settings->modbus.enabled && !start_modbus(b, error, size)) return false;
  if (b->settings->devices > 0 && !start_devices(b, error, size)) return false;
  return b->settings->packets == 0 || start_packets(b, error, size);
}

void bench_close(struct bench *b)
{
  if (b->osc) osc_stop(b->osc);
  if (b->modbus) modbus_server_stop(b->modbus);
  modbus_client_stop(b->client);
  packets_stop(b->packets);
  for (int p = 0; p < b->ports; p++) port_free(b->port[p]);
  osc_setup_free(&b->osc_setup);
  telemetry_destroy(b->telemetry);
  free(b->bell);
  *b = (struct bench){0};
}

uint64_t bench_commands_dropped(struct bench *b)
{
  uint64_t dropped = 0;
  for (int p = 0; p < b->ports; p++) dropped += ring_dropped(&b->port[p]->commands);
  return dropped;
}

static void modbus_text(const struct bench *b, char *text, size_t size)
{
  const struct settings *s = b->settings;
  char tcp[128] = "", line[160] = "";
  if (s->modbus.tcp) snprintf(tcp, sizeof tcp, " %s:%d", s->modbus.bind, modbus_server_port(b->modbus));
  if (s->modbus.serial.path)
    snprintf(line, sizeof line, " %s %d 8%c%d unit %d", s->modbus.serial.path, s->modbus.serial.baud,
             SETTINGS_PARITY[s->modbus.serial.parity], s->modbus.serial.stop_bits, s->modbus.unit);
  snprintf(text, size, "Modbus%s%s%s", tcp, tcp[0] && line[0] ? "," : "", line);
}

/* ", packet rig on /dev/ttyUSB0 115200 8N1": each of them. */
static void packets_text(const struct bench *b, char *text, size_t size)
{
  size_t used = 0;
  for (int i = 0; i < b->settings->packets && used < size; i++) {
    char place[256];
    packet_place_text(&b->settings->packet[i], place, sizeof place);
    used += (size_t)snprintf(text + used, size - used, ", packet %s", place);
  }
}

void bench_text(const struct bench *b, char *text, size_t size)
{
  char osc[128] = "OSC off", modbus[320] = "Modbus off", devices[32] = "", packets[512] = "";
  if (b->osc) snprintf(osc, sizeof osc, "OSC %s:%d", b->settings->osc.bind, osc_port(b->osc));
  if (b->modbus) modbus_text(b, modbus, sizeof modbus);
  if (b->client)
    snprintf(devices, sizeof devices, ", %d device%s", b->settings->devices,
             b->settings->devices == 1 ? "" : "s");
  if (b->packets) packets_text(b, packets, sizeof packets);
  snprintf(text, size, "%s, %s%s%s", osc, modbus, devices, packets);
}
