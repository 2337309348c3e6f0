/* SPDX-License-Identifier: MIT
 * Sections are compared by the tables of the schema, the rest by hand. Set-up only. */
#include "config/changes.h"

#include "config/values.h"

#include <stdint.h>
#include <string.h>

struct list {
  char *text;
  size_t size, used;
  int count;
};

static void add(struct list *l, const char *section, const char *name, const char *key)
{
  const size_t room = l->used < l->size ? l->size - l->used : 0;
  const int n = snprintf(l->text + (room ? l->used : 0), room, "%s%s%s%s%s%s", l->count++ ? ", " : "",
                         section, *name ? "." : "", name, *key ? "." : "", key);
  l->used += n > 0 ? (size_t)n : 0;
}

/* Bytes of a value in struct settings; 0: it is a text, or a list, or not there. */
static size_t size_in_settings(const struct key *k)
{
  size_t size = 0;
  if (k->type == KEY_NUMBER)
    size = sizeof(double);
  else if (k->type == KEY_BOOL)
    size = sizeof(bool);
  else if (k->type == KEY_VECTOR)
    size = 3 * sizeof(double);
  else if (k->type == KEY_SIX_POINTS)
    size = sizeof((struct platform_geometry){0}.base);
  else if ((k->type >= KEY_INTEGER && k->type <= KEY_WORKERS) || k->type == KEY_CHOICE)
    size = sizeof(int);
  return k->offset + size <= sizeof(struct settings) ? size : 0;
}

static void compare_section(const struct section *s, const char *name, const struct settings *a,
                            const struct settings *b, bool while_running, struct list *l)
{
  for (int i = 0; i < s->keys; i++) {
    const struct key *k = &s->key[i];
    const size_t size = size_in_settings(k);
    if (size == 0 || (k->change == WHILE_RUNNING) != while_running) continue;
    if (memcmp((const char *)a + k->offset, (const char *)b + k->offset, size) != 0)
      add(l, name, k->name, "");
  }
}

static const char *text_of(const char *text)
{
  return text ? text : "";
}

static bool same_targets(const struct settings *a, const struct settings *b)
{
  if (a->osc.targets != b->osc.targets) return false;
  for (int i = 0; i < a->osc.targets; i++) {
    const struct osc_target *x = &a->osc.target[i], *y = &b->osc.target[i];
    if (strcmp(x->host, y->host) != 0 || x->port != y->port || x->divisor != y->divisor ||
        x->doubles != y->doubles || x->stream != y->stream || x->ttl != y->ttl ||
        strcmp(text_of(x->interface), text_of(y->interface)) != 0)
      return false;
  }
  return true;
}

/* What the file says in other words, or units, than the setup has it. By its bits: -0 for 0 is a change.
 * NOLINTBEGIN(bugprone-suspicious-memory-comparison) */
static void compare_platform(const struct settings *a, const struct settings *b, struct list *l)
{
  const struct platform_setup *x = &a->platform, *y = &b->platform;
  const struct platform_geometry *g = &x->spec.geometry, *h = &y->spec.geometry;
  if (!a->platform.enabled || !b->platform.enabled) return;
  if (x->imu != y->imu) add(l, "platform", "imu", "");
  if (x->pose != y->pose) add(l, "platform", "pose", "");
  if (x->input != y->input) add(l, "platform", "input", "");
  if (g->crank != h->crank) add(l, "platform", "kind", "");
  if (g->joint_max != h->joint_max) add(l, "platform", "joint_max", "");
  if (memcmp(g->crank_heading, h->crank_heading, sizeof g->crank_heading) != 0)
    add(l, "platform", "crank_heading", "");
  if (x->spec.park_given != y->spec.park_given ||
      memcmp(x->spec.park, y->spec.park, sizeof x->spec.park) != 0)
    add(l, "platform", "park_position or park_angles", "");
}
/* NOLINTEND(bugprone-suspicious-memory-comparison) */

static void compare_rest(const struct settings *a, const struct settings *b, struct list *l)
{
  if (strcmp(a->options.isa, b->options.isa) != 0) add(l, "simulation", "isa", "");
  if (strcmp(a->osc.bind, b->osc.bind) != 0) add(l, "osc", "bind", "");
  if (strcmp(a->osc.prefix, b->osc.prefix) != 0) add(l, "osc", "prefix", "");
  if (!same_targets(a, b)) add(l, "osc", "targets", "");
  if (strcmp(a->modbus.bind, b->modbus.bind) != 0) add(l, "modbus", "bind", "");
  if (strcmp(a->instance, b->instance) != 0) add(l, "telemetry", "name", "");
  if (strcmp(text_of(a->modbus.serial.path), text_of(b->modbus.serial.path)) != 0)
    add(l, "modbus", "serial", "");
  if (a->wiring_print != b->wiring_print) add(l, "peers, maps or devices", "", "");
  if (a->packets_print != b->packets_print) add(l, "packets", "", "");
  compare_platform(a, b, l);
  if (a->model_print != b->model_print) add(l, "model", "", "");
  if (!settings_same_inputs(a, b)) add(l, "inputs", "", "");
  if (a->injections_print != b->injections_print) add(l, "injections", "", "");
}

/* Three channels, whose keys are named alike. */
static void compare_ranges(const struct input_spec *a, const struct input_spec *b, int first,
                           const char *quantity, struct list *l)
{
  char key[32];
  const struct input_range *x = a->range + first, *y = b->range + first;
  const bool same_safe = x[0].safe == y[0].safe && x[1].safe == y[1].safe && x[2].safe == y[2].safe;
  snprintf(key, sizeof key, "limit_%s", quantity);
  if (x->upper != y->upper) add(l, "inputs", a->name, key);
  snprintf(key, sizeof key, "rate_%s", quantity);
  if (x->rate != y->rate) add(l, "inputs", a->name, key);
  snprintf(key, sizeof key, "safe_%s", quantity);
  if (!same_safe) add(l, "inputs", a->name, key);
}

static bool is_symmetric(const struct input_range *r)
{
  return r->lower == -r->upper;
}

/* Of a value. Limits that are the same to both sides may come from either key. */
static void compare_range(const struct input_spec *a, const struct input_spec *b, struct list *l)
{
  const struct input_range *x = a->range, *y = b->range;
  if (is_symmetric(x) && is_symmetric(y)) {
    if (x->upper != y->upper) add(l, "inputs", a->name, "limit");
  } else {
    if (x->lower != y->lower) add(l, "inputs", a->name, "lower");
    if (x->upper != y->upper) add(l, "inputs", a->name, "upper");
  }
  if (x->rate != y->rate) add(l, "inputs", a->name, "rate");
  if (x->safe != y->safe) add(l, "inputs", a->name, "safe");
}

static void compare_inputs(const struct settings *a, const struct settings *b, struct list *l)
{
  for (int i = 0; i < a->inputs; i++) {
    const struct input_spec *x = &a->input[i], *y = &b->input[i];
    if (x->policy != y->policy) add(l, "inputs", x->name, "policy");
    if (x->hold != y->hold) add(l, "inputs", x->name, "hold");
    if (x->ramp != y->ramp) add(l, "inputs", x->name, "ramp");
    if (x->fault != y->fault) add(l, "inputs", x->name, "fault");
    if (x->recover != y->recover) add(l, "inputs", x->name, "recover");
    if (x->blend != y->blend) add(l, "inputs", x->name, "blend");
    if (x->kind == INPUT_WRENCH) {
      compare_ranges(x, y, 0, "force", l);
      compare_ranges(x, y, 3, "torque", l);
    } else {
      compare_range(x, y, l);
    }
  }
}

bool settings_same_platform(const struct settings *a, const struct settings *b)
{
  struct list l = {0};
  if (a->platform.enabled != b->platform.enabled) return false;
  for (int i = 0; i < schema_file.keys; i++)
    if (strcmp(schema_file.key[i].name, "platform") == 0)
      compare_section(schema_file.key[i].section, "platform", a, b, false, &l);
  compare_platform(a, b, &l);
  return l.count == 0; /* of the period the parameters know nothing */
}

bool settings_same_inputs(const struct settings *a, const struct settings *b)
{
  return a->inputs == b->inputs && a->inputs_print == b->inputs_print;
}

/* Parameters of a platform that is another one are no matter. */
static bool compares_platform(const struct settings *a, const struct settings *b, bool while_running)
{
  if (while_running) return a->platform.enabled && settings_same_platform(a, b);
  return a->platform.enabled || b->platform.enabled;
}

int settings_changes(const struct settings *a, const struct settings *b, bool while_running, char *text,
                     size_t size)
{
  struct list l = {.text = text, .size = size};
  if (size) text[0] = '\0';
  for (int i = 0; i < schema_file.keys; i++) {
    const struct key *k = &schema_file.key[i];
    if (strcmp(k->name, "platform") == 0 && !compares_platform(a, b, while_running)) continue;
    /* duration is a matter of ali3-sim; isa is compared below */
    if (k->type == KEY_SECTION && strcmp(k->name, "simulation") != 0)
      compare_section(k->section, k->name, a, b, while_running, &l);
  }
  if (!while_running)
    compare_rest(a, b, &l);
  else if (settings_same_inputs(a, b))
    compare_inputs(a, b, &l);
  return l.count;
}

/* --- prints --- */

static uint64_t mix(uint64_t print, const char *text)
{
  for (const char *p = text ? text : ""; *p; p++)
    print = (print ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
  return (print ^ 0xff) * UINT64_C(0x100000001b3); /* no byte of a text: its end */
}

static bool may_change(const struct section *s, const char *key)
{
  for (int i = 0; s && key && i < s->keys; i++)
    if (strcmp(s->key[i].name, key) == 0) return s->key[i].change == WHILE_RUNNING;
  return false;
}

static uint64_t add_node(uint64_t print, const struct node *n, const struct section *s)
{
  const char kind[] = {(char)('0' + n->kind), '\0'};
  print = mix(mix(mix(print, kind), n->key), n->text);
  for (const struct node *c = n->first; c; c = c->next)
    if (!may_change(n->kind == NODE_MAP ? s : NULL, c->key)) print = add_node(print, c, s);
  return mix(print, "");
}

uint64_t node_print(const struct node *n, const struct section *s)
{
  return n ? add_node(UINT64_C(0xcbf29ce484222325), n, s) : 0;
}
