/* SPDX-License-Identifier: MIT
 * One walk over everything that has an address. It runs once to count and once to write. */
#include "osc_messages/space.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
  struct osc_space *space;
  const struct osc_config *config;
  const struct signals *signals;
  int nodes, values;
  bool write, ok;
};

static void add_value(struct walk *w, int signal, double scale, double offset)
{
  if (w->write) w->space->value[w->values] = (struct osc_value){signal, scale, offset};
  w->values++;
}

/* Begins a node without values. */
__attribute__((format(printf, 3, 4))) static void begin_node(struct walk *w, struct osc_node node,
                                                             const char *format, ...)
{
  node.first = w->values;
  if (w->write) {
    va_list list;
    va_start(list, format);
    if (vasprintf(&node.address, format, list) < 0) node.address = NULL;
    va_end(list);
    w->ok &= node.address != NULL;
    w->space->node[w->nodes] = node;
  }
  w->nodes++;
}

static void add_signals(struct walk *w, int first, int count)
{
  if (w->write) w->space->node[w->nodes - 1].count = count;
  for (int i = 0; i < count; i++) add_value(w, first + i, 1.0, 0.0);
}

static void walk_bodies(struct walk *w)
{
  for (int b = 0; b < w->signals->bodies; b++) {
    begin_node(w, (struct osc_node){.stream = STREAM_BODY}, "%s/body/%s/state", w->config->prefix,
               w->config->body_name[b]);
    add_signals(w, w->signals->body_first + SIGNALS_BODY * b, SIGNALS_BODY_STATE);
  }
}

static enum stream stream_of(const struct signals *s, const struct signal_group *g)
{
  static const struct {
    const char *begin;
    enum stream stream;
  } known[] = {{"sensor.", STREAM_SENSOR}, {"joint.", STREAM_JOINT},       {"force.", STREAM_FORCE},
               {"energy.", STREAM_ENERGY}, {"constraint.", STREAM_ENERGY}, {"solver.", STREAM_ENERGY}};
  if (g->first >= s->figure_first) return STREAM_LOOP;
  if (s->platform_first >= 0 && g->first >= s->platform_first) return STREAM_PLATFORM;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strncmp(g->name, known[i].begin, strlen(known[i].begin)) == 0) return known[i].stream;
  return STREAM_NONE;
}

static void walk_groups(struct walk *w)
{
  const struct signals *s = w->signals;
  for (int i = 0; i < s->groups; i++) {
    const struct signal_group *g = &s->group[i];
    if (g->first >= s->input_first && g->first < s->input_first + s->channels) continue;
    begin_node(w, (struct osc_node){.stream = stream_of(s, g)}, "%s/%s", w->config->prefix, g->name);
    char *dot = w->write ? w->space->node[w->nodes - 1].address : NULL;
    for (dot = dot ? dot + strlen(w->config->prefix) : NULL; dot && (dot = strchr(dot, '.'));) *dot = '/';
    add_signals(w, g->first, g->count);
  }
}

/* An input under "input" or "in": the whole input, then its parts. */
static void walk_input(struct walk *w, const struct input_spec *input, const char *folder, bool alias)
{
  const int first = w->signals->input_first + input->first;
  begin_node(w, (struct osc_node){.stream = STREAM_NONE, .input = true, .alias = alias}, "%s/%s/%s",
             w->config->prefix, folder, input->name);
  add_signals(w, first, input->count);
  for (const struct input_part *p = input_parts(input->kind); p->name; p++) {
    const enum stream stream = alias ? STREAM_NONE : STREAM_INPUT;
    begin_node(w, (struct osc_node){.stream = stream, .input = true, .alias = alias}, "%s/%s/%s/%s",
               w->config->prefix, folder, input->name, p->name);
    add_signals(w, first + p->first, p->count);
  }
}

static void walk_inputs(struct walk *w)
{
  for (int i = 0; i < w->signals->inputs; i++) {
    const struct input_spec *input = &w->signals->input[i];
    walk_input(w, input, "input", false);
    if (strcmp(input->name, "frame") != 0 && strcmp(input->name, "blob") != 0)
      walk_input(w, input, "in", true);
  }
}

static bool is_first(const struct mapping *map, int i)
{
  for (int k = 0; k < i; k++)
    if (strcmp(map->item[k].address, map->item[i].address) == 0) return false;
  return true;
}

static void walk_mapped(struct walk *w)
{
  const struct mapping *map = &w->config->map;
  for (int i = 0; i < map->count; i++) {
    const struct mapped *m = &map->item[i];
    if (!is_first(map, i)) continue;
    begin_node(w, (struct osc_node){.stream = m->input ? STREAM_NONE : STREAM_OUT, .input = m->input}, "%s",
               m->address);
    int count = 0;
    for (int k = i; k < map->count; k++) {
      const struct mapped *o = &map->item[k];
      if (strcmp(o->address, m->address) != 0) continue;
      add_value(w, o->signal, o->scale, o->offset);
      count++;
    }
    if (w->write) w->space->node[w->nodes - 1].count = count;
  }
}

static void walk_space(struct walk *w)
{
  w->nodes = w->values = 0;
  walk_bodies(w);
  walk_groups(w);
  walk_inputs(w);
  walk_mapped(w);
}

static int by_address(const void *a, const void *b)
{
  const struct osc_node *const *x = a, *const *y = b;
  return strcmp((*x)->address, (*y)->address);
}

static bool tells_motion(const struct osc_space *space, const struct osc_node *n,
                         const struct signals *signals)
{
  for (int i = 0; i < n->count; i++)
    if (signals_is_motion(signals, space->value[n->first + i].signal)) return true;
  return false;
}

static bool build_space(struct walk *w)
{
  struct osc_space *space = w->space;
  /* The first walk counts, the second walk writes. */
  walk_space(w);
  space->nodes = w->nodes;
  space->values = w->values;
  space->node = calloc((size_t)w->nodes + 1, sizeof *space->node);
  space->value = calloc((size_t)w->values + 1, sizeof *space->value);
  space->sorted = calloc((size_t)w->nodes + 1, sizeof *space->sorted);
  if (!space->node || !space->value || !space->sorted) return false;
  w->write = true;
  walk_space(w);
  if (!w->ok) return false;
  /* Derive what depends on the values, and sort for the look-up. */
  for (int i = 0; i < space->nodes; i++) {
    space->node[i].motion = tells_motion(space, &space->node[i], w->signals);
    space->sorted[i] = &space->node[i];
  }
  qsort(space->sorted, (size_t)space->nodes, sizeof *space->sorted, by_address);
  return true;
}

struct osc_space *osc_space_new(const struct osc_config *config, const struct signals *signals, char *error,
                                size_t size)
{
  if (strlen(config->prefix) > OSC_PREFIX_MAX) {
    snprintf(error, size, "OSC prefix: at most %d characters expected, found '%s'", OSC_PREFIX_MAX,
             config->prefix);
    return NULL;
  }
  struct walk w = {.space = calloc(1, sizeof *w.space), .config = config, .signals = signals, .ok = true};
  if (w.space && build_space(&w)) return w.space;
  snprintf(error, size, "out of memory");
  osc_space_free(w.space);
  return NULL;
}

void osc_space_free(struct osc_space *space)
{
  if (!space) return;
  for (int i = 0; i < space->nodes && space->node; i++) free(space->node[i].address);
  free(space->node);
  free(space->value);
  free(space->sorted);
  free(space);
}

const struct osc_node *osc_space_find(const struct osc_space *space, const char *address)
{
  int from = 0, to = space->nodes;
  while (from < to) {
    const int middle = (from + to) / 2;
    const int order = strcmp(address, space->sorted[middle]->address);
    if (order == 0) return space->sorted[middle];
    if (order < 0)
      to = middle;
    else
      from = middle + 1;
  }
  return NULL;
}
