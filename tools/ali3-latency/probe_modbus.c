/* SPDX-License-Identifier: MIT
 * The probe for Modbus TCP. It writes the channel at its address, and reads the entry of modbus.map that shows the
 * channel as fast as the daemon answers. */
#include "latency.h"

#include "modbus_server/table.h"
#include "rt/clock.h"

#include <errno.h>
#include <math.h>
#include <modbus/modbus.h>
#include <stdlib.h>
#include <string.h>

/* Addresses of the default map. */
enum { INPUTS = 100, INPUTS_MAX = 32, SEQUENCE = 164 };

struct modbus {
  const struct toggle *toggle;
  modbus_t *context;
  const struct wired *shown, *set; /* set NULL: the default map has it */
  uint16_t sequence;
};

static const struct wired *find_entry(const struct toggle *t, bool input)
{
  const struct wiring *map = &t->settings->modbus.map;
  for (int i = 0; i < map->count; i++)
    if (map->item[i].signal == t->signal && map->item[i].input == input) return &map->item[i];
  return NULL;
}

/* The first address from FIRST_FREE on with two registers that no entry of the served map has. */
static int free_address(const struct settings *s, enum wire_table table)
{
  enum { FIRST_FREE = 200, REGISTERS = 2 };
  struct modbus_table served;
  int address = FIRST_FREE;
  if (!modbus_table_init(&served, &s->modbus, s->signals)) return address;
  for (int i = served.first[table]; i < served.first[table + 1]; i++) {
    const struct entry *e = &served.entry[i];
    const int end = e->address + wire_registers(e->wire.type);
    if (e->address < address + REGISTERS && end > address) address = end;
  }
  modbus_table_free(&served);
  return address;
}

static bool write_channel(struct modbus *m, double value)
{
  static const struct wire f32 = {WIRE_F32, WIRE_ABCD, 1.0, 0.0};
  uint16_t word[4];
  if (m->set && m->set->table == TABLE_COIL)
    return modbus_write_bit(m->context, m->set->address, value != 0.0) == 1;
  struct wire wire = m->set ? m->set->wire : f32;
  if (!m->set) wire.order = (enum wire_order)m->toggle->settings->modbus.order;
  const int n = wire_registers(wire.type),
            address = m->set ? m->set->address : INPUTS + 2 * m->toggle->channel;
  wire_put(&wire, value, word);
  if (modbus_write_registers(m->context, address, n, word) != n) return false;
  /* In the default map written values act when the sequence changes. */
  return m->set || modbus_write_register(m->context, SEQUENCE, ++m->sequence) == 1;
}

/* *shown: the entry shows the value, as far as its type can; *found is what it shows. Returns false on a failed read. */
static bool is_shown(struct modbus *m, double value, bool *shown, double *found)
{
  const int n = wire_registers(m->shown->wire.type);
  uint16_t expected[4] = {0}, word[4] = {0};
  uint8_t bit = 0;
  wire_put(&m->shown->wire, value, expected);
  bool ok;
  if (m->shown->table == TABLE_DISCRETE) {
    ok = modbus_read_input_bits(m->context, m->shown->address, 1, &bit) == 1;
    word[0] = bit;
  } else {
    ok = modbus_read_input_registers(m->context, m->shown->address, n, word) == n;
  }
  *shown = memcmp(expected, word, sizeof *word * (size_t)n) == 0;
  *found = m->shown->table == TABLE_DISCRETE ? bit : wire_get(&m->shown->wire, word);
  return ok;
}

static uint64_t ask_modbus(void *probe, double value, char *error, size_t size)
{
  struct modbus *m = probe;
  const uint64_t start_ns = clock_now_ns();
  double found = (double)NAN;
  bool ok = write_channel(m, value), shown = false;
  while (ok && clock_now_ns() - start_ns < m->toggle->wait_ns) {
    ok = is_shown(m, value, &shown, &found);
    if (ok && shown) return clock_now_ns() - start_ns;
  }
  if (ok) snprintf(error, size, "the register shows %.9g instead of %.9g", found, value);
  if (ok) return 0;
  snprintf(error, size, "Modbus: %s", modbus_strerror(errno));
  return UINT64_MAX;
}

static void close_modbus(void *probe)
{
  struct modbus *m = probe;
  if (!m) return;
  if (m->context) modbus_close(m->context);
  modbus_free(m->context);
  free(m);
}

/* An answer to one request may take as long as a measurement, and at least as long as libmodbus allows by default. */
static void wait_for_answers(modbus_t *context, uint64_t wait_ns)
{
  const uint64_t least_ns = NS_PER_S / 2, ns = wait_ns > least_ns ? wait_ns : least_ns;
  modbus_set_response_timeout(context, (uint32_t)(ns / NS_PER_S), (uint32_t)(ns % NS_PER_S / 1000));
}

static void *open_modbus(const struct toggle *t, char *error, size_t size)
{
  const struct settings *s = t->settings;
  struct modbus *m = calloc(1, sizeof *m);
  char service[12];
  snprintf(service, sizeof service, "%d", s->modbus.port);
  snprintf(error, size, "out of memory");
  if (!m) return NULL;
  /* Find the registers that show and set the channel. */
  m->toggle = t;
  m->shown = find_entry(t, false);
  m->set = find_entry(t, true);
  /* Connect, if both exist. */
  const char *name = s->signals->signal[t->signal].name;
  if (!m->shown) {
    snprintf(error, size,
             "Modbus: no register shows %s: add {signal: %s, table: input, address: %d} to modbus.map", name,
             name, free_address(s, TABLE_INPUT));
  } else if (!m->set && (!s->modbus.default_map || t->channel >= INPUTS_MAX)) {
    snprintf(error, size,
             "Modbus: no register sets %s: add {signal: %s, table: holding, address: %d} to modbus.map", name,
             name, free_address(s, TABLE_HOLDING));
  } else if ((m->context = modbus_new_tcp_pi(s->modbus.bind, service))) {
    wait_for_answers(m->context, t->wait_ns);
    if (modbus_connect(m->context) == 0) return m;
    snprintf(error, size, "Modbus %s port %d: %s", s->modbus.bind, s->modbus.port, modbus_strerror(errno));
  }
  if (m->context) modbus_free(m->context);
  free(m);
  return NULL;
}

const struct probe probe_modbus = {"Modbus", open_modbus, close_modbus, ask_modbus};
