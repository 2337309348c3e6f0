/* SPDX-License-Identifier: MIT
 * Parameters of the model in holding registers of the Modbus server. Set-up only. */
#include "config/params.h"
#include "config/wiring.h"
#include "yaml/nearest.h"

#include <stdlib.h>
#include <string.h>

static void report_no_param(struct report *r, const struct params *p, const struct node *n)
{
  struct nearest near = {.word = n->text};
  for (int i = 0; i < p->count; i++) nearest_try(&near, p->param[i].name);
  report_no_name(r, n, "parameter", &near);
}

/* The register is free. */
static bool check_register(const struct settings *s, const struct node *n, const struct modbus_parameter *p,
                           struct report *r)
{
  const int end = p->address + wire_registers(p->wire.type);
  const char *taken = end > UINT16_MAX + 1 ? "beyond 65535" : NULL;
  for (int i = 0; i < s->modbus.map.count && !taken; i++) {
    const struct wired *w = &s->modbus.map.item[i];
    if (w->table == TABLE_HOLDING && w->address < end &&
        p->address < w->address + wire_registers(w->wire.type))
      taken = s->signals->signal[w->signal].name;
  }
  for (int i = 0; i < s->modbus.parameters && !taken; i++) {
    const struct modbus_parameter *o = &s->modbus.parameter[i];
    if (o->address < end && p->address < o->address + wire_registers(o->wire.type)) taken = o->name;
  }
  if (taken)
    report_error(r, node_find(n, "address")->at, "address: holding %d is taken: %s; expected another address",
                 p->address, taken);
  return !taken;
}

static bool check_wire(const struct node *n, const struct registered_values *v, struct report *r)
{
  if (v->type == WIRE_BIT) report_error(r, node_find(n, "type")->at, "type: expected a number, found bit");
  if (v->scale == 0.0) report_error(r, node_find(n, "scale")->at, "scale: expected a number other than 0");
  return v->type != WIRE_BIT && v->scale != 0.0;
}

/* False when out of memory. */
static bool read_registered(const struct node *n, const struct params *params, struct settings *s,
                            struct report *r)
{
  struct registered_values v = {0};
  if (n->kind != NODE_MAP || !schema_read(&schema_registered, n, &v, r) || !check_wire(n, &v, r)) return true;
  /* The parameter, then the place of its number. */
  const int found = params_find(params, v.name);
  if (found < 0 || params->param[found].count != 1) {
    report_no_param(r, params, node_find(n, "name"));
    return true;
  }
  const enum wire_order order = node_find(n, "word_order") ? (enum wire_order)v.order : s->modbus.order;
  struct modbus_parameter p = {.unit = params->param[found].key->unit,
                               .address = v.address,
                               .wire = {(enum wire_type)v.type, order, v.scale, v.offset}};
  double value[PARAM_NUMBERS];
  params_get(&params->param[found], s->model, value);
  p.value = value[0];
  if (!check_register(s, n, &p, r)) return true;
  p.name = strdup(v.name);
  if (p.name) s->modbus.parameter[s->modbus.parameters++] = p;
  return p.name != NULL;
}

bool registers_read(const struct node *list, struct settings *s, struct report *r)
{
  struct params params;
  if (!list || list->kind != NODE_LIST || list->count == 0) return true;
  s->modbus.parameter = calloc((size_t)list->count, sizeof *s->modbus.parameter);
  bool memory = params_list(&params, s->model) && s->modbus.parameter;
  for (const struct node *n = list->first; n && memory; n = n->next)
    memory = read_registered(n, &params, s, r);
  params_free(&params);
  return memory;
}
