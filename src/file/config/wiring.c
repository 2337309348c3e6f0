/* SPDX-License-Identifier: MIT
 * The lists of peers, maps of signals to registers, and parameters of the model in registers of the server. Set-up only. */
#include "config/wiring.h"
#include "config/params.h"
#include "signals/exchange.h"
#include "yaml/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool peers_read(const struct node *list, struct peers *out, struct report *r)
{
  if (!list || list->kind != NODE_LIST || list->count == 0) return true;
  out->rule = calloc((size_t)list->count, sizeof *out->rule);
  if (!out->rule) return false;
  for (const struct node *n = list->first; n; n = n->next) {
    struct peer_values v = {0};
    struct peer_rule *rule = &out->rule[out->count];
    if (n->kind != NODE_MAP || !schema_read(&schema_peer, n, &v, r)) continue;
    /* Read the access and the addresses of the peer. */
    if (!peer_rule_parse(v.host, rule)) {
      report_error(r, node_find(n, "host")->at,
                   "host: expected an address such as 10.0.0.7 or fe80::1%%eth0, with an interface of this "
                   "machine, or "
                   "a network such as 10.0.0.0/24, found %.40s",
                   v.host);
      continue;
    }
    rule->access = (enum access)(ACCESS_READ + v.access);
    out->count++;
  }
  return true;
}

void report_no_signal(struct report *r, const struct signals *s, const struct node *n)
{
  struct nearest near = {.word = n->text};
  for (int i = 0; i < s->groups; i++) nearest_try(&near, s->group[i].name);
  for (int i = 0; i < s->count; i++) nearest_try(&near, s->signal[i].name);
  if (near.best)
    report_error(r, n->at, "signal: no signal is named \"%.60s\"; did you mean \"%.60s\"?", n->text,
                 near.best);
  else
    report_error(r, n->at, "signal: no signal is named \"%.60s\"", n->text);
}

bool check_source(struct report *r, const struct signals *s, int signal, int source, const struct node *n)
{
  for (int i = 0; i < s->inputs; i++) {
    const struct input_spec *spec = &s->input[i];
    const int channel = signal - s->input_first - spec->first;
    if (channel < 0 || channel >= spec->count || spec->sources == 0 || (spec->sources >> source & 1))
      continue;
    report_error(r, n->at,
                 "signal: the key \"from\" of input \"%.40s\" excludes this protocol: expected another "
                 "signal, or another \"from\"",
                 spec->name);
    return false;
  }
  return true;
}

/* --- maps --- */

struct map_reader {
  const struct wiring_rules *rules;
  const struct signals *signals;
  struct report *report;
  const struct node **at; /* (used) node of each item */
  struct wired *item;
  int used, room;
};

/* The signal, or the first of a group. */
static bool find_signal(const struct map_reader *m, const struct node *n, int *first, int *count)
{
  const int group = signals_find_group(m->signals, n->text);
  *first = group >= 0 ? m->signals->group[group].first : signals_find(m->signals, n->text);
  *count = group >= 0 ? m->signals->group[group].count : 1;
  if (*first < 0) report_no_signal(m->report, m->signals, n);
  return *first >= 0;
}

static bool is_bits(enum wire_table table)
{
  return table == TABLE_COIL || table == TABLE_DISCRETE;
}

static bool is_written(enum wire_table table) /* by a client */
{
  return table == TABLE_COIL || table == TABLE_HOLDING;
}

/* *input: the signal is received. The direction of a signal limits its tables. */
static bool check_direction(const struct map_reader *m, const struct node *n, bool channel,
                            enum wire_table table, bool *input)
{
  const struct node *at = node_find(n, "table");
  if (m->rules->server) {
    *input = channel && is_written(table);
    if (channel || !is_written(table)) return true;
    report_error(m->report, at->at,
                 "table: clients write to the table %s, and may write signals input.* only: expected %s",
                 wire_table_name(table), is_bits(table) ? "discrete" : "input");
    return false;
  }
  *input = channel;
  if (channel || is_written(table)) return true;
  report_error(m->report, at->at,
               "table: the table %s cannot be written: expected %s, or a signal input.*, which is read",
               wire_table_name(table), is_bits(table) ? "coil" : "holding");
  return false;
}

static bool check_type(const struct map_reader *m, const struct node *n, struct wired_values *v)
{
  const struct node *type = node_find(n, "type"), *scale = node_find(n, "scale");
  const bool bits = is_bits((enum wire_table)v->table);
  if (!type) v->type = bits ? WIRE_BIT : WIRE_F32;
  if (bits != (v->type == WIRE_BIT)) {
    report_error(m->report, type->at, "type: in a table of %s expected %s", bits ? "bits" : "registers",
                 bits ? "bit, or no type" : "a number, found bit");
    return false;
  }
  if (!node_find(n, "word_order")) v->order = (int)m->rules->order;
  if (v->scale != 0.0) return true;
  report_error(m->report, scale->at, "scale: expected a number other than 0");
  return false;
}

/* In PLC programs 30001 and 40001 are the first input and holding register. */
static void hint_at_notation(struct report *r, const struct node *n, int address)
{
  const bool input = address < 40000;
  if (address < 30001 || address > 49999) return;
  report_hint(
      r, node_find(n, "address")->at,
      "address: %d is an address on the wire, which begins at 0; if it is PLC notation for %s register %d, "
      "write %d",
      address, input ? "input" : "holding", address - (input ? 30000 : 40000),
      address - (input ? 30001 : 40001));
}

static bool check_reserved(const struct map_reader *m, const struct node *n, const struct wired_values *v,
                           int registers)
{
  enum { BITS = 16, HEAD = 200, BLOCKS = 1000, BLOCKS_END = 8000 };
  const int first = v->address, end = first + registers;
  const struct node *at = node_find(n, "address");
  /* Refuse addresses beyond the last register, of the server, and of bodies and sensors. */
  if (end > UINT16_MAX + 1)
    report_error(m->report, at->at,
                 "address: %d registers from %d end beyond 65535: expected a smaller address", registers,
                 first);
  else if (m->rules->server && first < (is_bits((enum wire_table)v->table) ? BITS : HEAD))
    report_error(m->report, at->at, "address: the server uses 0 to %d: expected a larger address, found %d",
                 (is_bits((enum wire_table)v->table) ? BITS : HEAD) - 1, first);
  else if (m->rules->server && m->rules->default_map && v->table == TABLE_INPUT && first < BLOCKS_END &&
           end > BLOCKS)
    report_error(m->report, at->at,
                 "address: %d to %d hold bodies and sensors: expected another address, or \"default_map: "
                 "false\" in modbus",
                 BLOCKS, BLOCKS_END - 1);
  else
    return true;
  return false;
}

static bool check_overlap(const struct map_reader *m, const struct node *n, const struct wired *w)
{
  const int end = w->address + wire_registers(w->wire.type);
  char place[PLACE_SHOWN];
  /* An input has one address, and an address has one signal. */
  for (int i = 0; i < m->used; i++) {
    const struct wired *o = &m->item[i];
    if (w->input && o->input && w->signal == o->signal) {
      report_error(m->report, node_find(n, "signal")->at,
                   "signal: \"%.60s\" is mapped on %s already: expected one address for each input",
                   m->signals->signal[w->signal].name, report_place(m->report, m->at[i]->at, place));
      return false;
    }
    if (o->table != w->table || o->address >= end || w->address >= o->address + wire_registers(o->wire.type))
      continue;
    report_error(m->report, node_find(n, "address")->at,
                 "address: %s %d holds \"%.60s\" of %s: expected another address", wire_table_name(w->table),
                 w->address > o->address ? w->address : o->address, m->signals->signal[o->signal].name,
                 report_place(m->report, m->at[i]->at, place));
    return false;
  }
  return true;
}

static bool keep_wired(struct map_reader *m, const struct wired *w, const struct node *n)
{
  if (m->used == m->room) {
    const int room = 2 * m->room + 16;
    void *item = realloc(m->item, (size_t)room * sizeof *m->item);
    if (!item) return false;
    m->item = item;
    void *at = realloc(m->at, (size_t)room * sizeof *m->at);
    if (!at) return false;
    m->at = at;
    m->room = room;
  }
  m->at[m->used] = n;
  m->item[m->used++] = *w;
  return true;
}

/* Inputs and signals of the platform take no key "safe": an input has a policy, and a rig would jump to the value at an
 * e-stop. */
static bool check_safe_bits(const struct map_reader *m, const struct node *n, bool input, int signal)
{
  const struct node *safe = node_find(n, "safe");
  if (!safe) return true;
  if (input)
    report_error(m->report, safe->at, "safe: \"%.60s\" is an input, which has a policy; remove safe",
                 node_find(n, "signal")->text);
  else if (signals_is_motion(m->signals, signal))
    report_error(m->report, safe->at,
                 "safe: \"%.60s\" moves the motion platform, which brakes and parks in every state, and "
                 "would jump to this "
                 "value; remove safe",
                 node_find(n, "signal")->text);
  else
    return true;
  return false;
}

/* False when out of memory. */
static bool read_wired(struct map_reader *m, const struct node *n)
{
  struct wired_values v = {.safe = NAN};
  int first, count;
  bool input;
  if (n->kind != NODE_MAP || !schema_read(&schema_wired, n, &v, m->report)) return true;
  if (!find_signal(m, node_find(n, "signal"), &first, &count)) return true;
  /* Check direction, type and addresses. */
  const enum wire_table table = (enum wire_table)v.table;
  const bool channel =
      first >= m->signals->input_first && first < m->signals->input_first + m->signals->channels;
  if (!check_direction(m, n, channel, table, &input) || !check_type(m, n, &v)) return true;
  if (!check_safe_bits(m, n, input, first)) return true;
  if (m->rules->server && input &&
      !check_source(m->report, m->signals, first, SOURCE_MODBUS, node_find(n, "signal")))
    return true;
  const int registers = wire_registers((enum wire_type)v.type);
  if (!check_reserved(m, n, &v, registers * count)) return true;
  if (!is_bits(table)) hint_at_notation(m->report, n, v.address);
  /* The signals of a group have one address after the other. */
  for (int i = 0; i < count; i++) {
    const struct wired w = {
        .signal = first + i,
        .input = input,
        .table = table,
        .address = v.address + i * registers,
        .wire = {(enum wire_type)v.type, (enum wire_order)v.order, v.scale, v.offset},
        .safe = v.safe,
    };
    if (!check_overlap(m, n, &w)) return true;
    if (!keep_wired(m, &w, n)) return false;
  }
  return true;
}

static int compare_places(const void *a, const void *b)
{
  const struct wired *x = a, *y = b;
  if (x->table != y->table) return x->table < y->table ? -1 : 1;
  return x->address < y->address ? -1 : x->address > y->address;
}

bool wiring_read(const struct node *list, const struct wiring_rules *rules, const struct signals *signals,
                 struct wiring *out, struct report *r)
{
  struct map_reader m = {.rules = rules, .signals = signals, .report = r};
  if (!list || list->kind != NODE_LIST) return true;
  bool memory = true;
  for (const struct node *n = list->first; n && memory; n = n->next) memory = read_wired(&m, n);
  free(m.at);
  if (m.used) qsort(m.item, (size_t)m.used, sizeof *m.item, compare_places);
  *out = (struct wiring){m.item, m.used};
  return memory;
}

static void report_no_param(struct report *r, const struct params *p, const struct node *n)
{
  struct nearest near = {.word = n->text};
  char why[400];
  const int whole = params_find(p, n->text);
  int parts = 0;
  const struct param_part *part = whole < 0 ? NULL : param_parts(&p->param[whole], &parts);
  if (parts) {
    report_error(r, n->at, "name: a register has one number: expected a part of %s, such as %s%s", n->text,
                 n->text, part[0].name);
    return;
  }
  if (params_explain_name(p, n->text, why, sizeof why)) {
    report_error(r, n->at, "name: %s", why);
    return;
  }
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
  const struct param_part *part;
  const int found = params_find_part(params, v.name, &part);
  if (found < 0 || (params->param[found].count != 1 && !part)) {
    report_no_param(r, params, node_find(n, "name"));
    return true;
  }
  const enum wire_order order = node_find(n, "word_order") ? (enum wire_order)v.order : s->modbus.order;
  struct modbus_parameter p = {.unit = params->param[found].key->unit,
                               .address = v.address,
                               .wire = {(enum wire_type)v.type, order, v.scale, v.offset}};
  double value[PARAM_NUMBERS];
  params_get(&params->param[found], s->model, value);
  p.value = value[part ? part->number : 0];
  if (!check_register(s, n, &p, r)) return true;
  hint_at_notation(r, n, v.address);
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

/* The number of input registers, or a few more. */
static int input_registers(const struct settings *s)
{
  enum { HEAD = 200, BLOCKS_END = 8000 };
  int end = s->modbus.default_map ? BLOCKS_END : HEAD;
  for (int i = 0; i < s->modbus.map.count; i++) {
    const struct wired *w = &s->modbus.map.item[i];
    const int last = w->address + wire_registers(w->wire.type);
    if (w->table == TABLE_INPUT && last > end) end = last;
  }
  return end;
}

void mirror_check(const struct node *mirror, const struct settings *s, struct report *r)
{
  const int first = s->modbus.mirror, end = first + input_registers(s);
  const char *taken = NULL;
  if (!mirror || first <= 0) return;
  /* Nothing else is in its registers. */
  for (int i = 0; i < s->modbus.map.count; i++) {
    const struct wired *w = &s->modbus.map.item[i];
    if (w->table == TABLE_HOLDING && w->address < end && first < w->address + wire_registers(w->wire.type))
      taken = s->signals->signal[w->signal].name;
  }
  for (int i = 0; i < s->modbus.parameters; i++) {
    const struct modbus_parameter *p = &s->modbus.parameter[i];
    if (p->address < end && first < p->address + wire_registers(p->wire.type)) taken = p->name;
  }
  if (taken)
    report_error(
        r, mirror->at,
        "mirror: the copy takes the holding registers %d to %d, and \"%.60s\" is among them: expected "
        "another register",
        first, end - 1, taken);
  else if (end > UINT16_MAX + 1)
    report_error(r, mirror->at, "mirror: %d input registers from %d on end beyond 65535: expected at most %d",
                 end - first, first, UINT16_MAX + 1 - (end - first));
}
