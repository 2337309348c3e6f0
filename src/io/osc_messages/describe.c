/* SPDX-License-Identifier: MIT */
#include "osc_messages/describe.h"

#include "osc_messages/addresses.h"
#include "osc_messages/space.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the map --- */

/* A row of the list of addresses. */
static const struct fixed {
  const char *tail, *types;
  int flags;
  bool in;
  const char *unit, *text;
} FIXED[] = {
#define RECEIVED_ROW(tail, types, flags, unit, text, handler) {tail, types, flags, true, unit, text},
#define SENT_ROW(name, tail, types, unit, text)               {tail, types, 0, false, unit, text},
    OSC_ADDRESS_LIST(RECEIVED_ROW, SENT_ROW)
#undef RECEIVED_ROW
#undef SENT_ROW
};

/* Returns false when out of memory. */
static bool add_fixed(struct io_map *map, const struct osc_config *config, const struct signals *signals,
                      const struct fixed *f)
{
  if (f->flags & OSC_INJECTIONS && config->injections == 0) return true;
  if (f->flags & OSC_PLATFORM && signals->platform_first < 0) return true;
  char address[OSC_PREFIX_MAX + 32];
  snprintf(address, sizeof address, "%s/%s", config->prefix, f->tail);
  const size_t n = strlen(f->types), channels = f->flags & OSC_CHANNELS ? (size_t)signals->channels : 0;
  char *types = malloc(n + channels + 1);
  if (!types) return false;
  memcpy(types, f->types, n);
  memset(types + n, 'f', channels);
  types[n + channels] = '\0';
  io_map_add_osc(map, &(struct io_map_osc){address, types, f->in, !f->in, f->unit, f->text, ""});
  free(types);
  return true;
}

/* "m m m" becomes "m"; a mixture stays unchanged. */
static void units_of(const struct osc_space *space, const struct osc_node *n, const struct signals *signals,
                     char *text, size_t size)
{
  bool same = true;
  const char *first = signals->signal[space->value[n->first].signal].unit;
  for (int i = 1; i < n->count; i++)
    same &= strcmp(signals->signal[space->value[n->first + i].signal].unit, first) == 0;
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < (same ? 1 : n->count) && used < size; i++) {
    const char *unit = signals->signal[space->value[n->first + i].signal].unit;
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", *unit || same ? unit : "-");
  }
}

static const char *stream_text(const struct osc_node *n)
{
  static const char *const text[] = {
      [STREAM_BODY] = "position, orientation, velocity, angular velocity; in stream body, or on request",
      [STREAM_SENSOR] = "in stream sensor, or on request",
      [STREAM_JOINT] = "in stream joint, or on request",
      [STREAM_FORCE] = "in stream force, or on request",
      [STREAM_ENERGY] = "in stream energy, or on request",
      [STREAM_INPUT] = "input; the acting value is in stream input, or on request",
      [STREAM_PLATFORM] = "in stream platform, or on request",
      [STREAM_OUT] = "in stream out, or on request",
      [STREAM_LOOP] = "figure of the loop; in stream loop, or on request",
  };
  if (n->input && n->stream == STREAM_NONE) return "input; the acting value on request";
  return n->stream < STREAMS_PACKED ? text[n->stream] : "on request";
}

/* "body.A.velocity.x = 2 argument + 1": lists the scales that differ from the common one. */
static void describe_node(const struct osc_space *space, const struct osc_node *n,
                          const struct signals *signals, char *text, size_t size)
{
  size_t used = (size_t)snprintf(text, size, "%s%s", stream_text(n),
                                 n->motion && !n->input ? "; withheld until the platform is armed" : "");
  for (int i = 0; n->input && i < n->count && used < size; i++) {
    const struct input_range *r = signals_range(signals, space->value[n->first + i].signal);
    const struct input_range *before =
        i ? signals_range(signals, space->value[n->first + i - 1].signal) : NULL;
    if (before && before->lower == r->lower && before->upper == r->upper) continue;
    used += (size_t)snprintf(text + used, size - used, "%s%g to %g", i ? ", then " : "; clamped to ",
                             r->lower, r->upper);
  }
  for (int i = 0; i < n->count && used < size; i++) {
    const struct osc_value *v = &space->value[n->first + i];
    if (v->scale == 1.0 && v->offset == 0.0) continue;
    used += (size_t)snprintf(text + used, size - used, "; %s = %g argument %+g",
                             signals->signal[v->signal].name, v->scale, v->offset);
  }
}

/* The signals of the arguments; "" if their names are too long together. */
static void signals_of(const struct osc_space *space, const struct osc_node *n, const struct signals *signals,
                       char *text, size_t size)
{
  size_t used = 0;
  for (int i = 0; i < n->count && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "",
                             signals->signal[space->value[n->first + i].signal].name);
  if (used >= size) *text = '\0';
}

static void add_node_row(struct io_map *map, const struct osc_space *space, const struct osc_node *n,
                         const struct signals *signals)
{
  char types[MAPPED_ARGUMENTS_MAX + 1] = "", units[512], text[2048], names[8192] = "";
  memset(types, 'f', (size_t)(n->count < MAPPED_ARGUMENTS_MAX ? n->count : MAPPED_ARGUMENTS_MAX));
  units_of(space, n, signals, units, sizeof units);
  describe_node(space, n, signals, text, sizeof text);
  signals_of(space, n, signals, names, sizeof names);
  io_map_add_osc(map, &(struct io_map_osc){n->address, types, n->input, true, units, text, names});
}

#define STREAM_WORD(id, word) [id] = (word),
static const char *const stream_word[] = {STREAM_LIST(STREAM_WORD)};
#undef STREAM_WORD

bool osc_io_map(const struct osc_config *config, const struct signals *signals, struct io_map *map)
{
  /* Add the port and the fixed targets. */
  char error[200], text[80];
  io_map_add_connection(map, &(struct io_map_connection){.listens = true,
                                                         .protocol = "OSC over UDP",
                                                         .host = config->bind,
                                                         .port = config->port,
                                                         .unit = -1});
  for (int i = 0; i < config->targets; i++) {
    const struct osc_target *t = &config->target[i];
    snprintf(text, sizeof text, "stream %s, every %d cycle%s", stream_word[t->stream], t->divisor,
             t->divisor == 1 ? "" : "s");
    io_map_add_connection(
        map, &(struct io_map_connection){
                 .protocol = "OSC over UDP", .host = t->host, .port = t->port, .unit = -1, .text = text});
  }
  /* Add the addresses. */
  for (size_t i = 0; i < sizeof FIXED / sizeof FIXED[0]; i++)
    if (!add_fixed(map, config, signals, &FIXED[i])) return false;
  struct osc_space *space = osc_space_new(config, signals, error, sizeof error);
  if (!space) return false;
  for (int input = 1; input >= 0; input--)
    for (int i = 0; i < space->nodes; i++) {
      const struct osc_node *n = &space->node[i];
      if (!n->alias && n->input == (input == 1)) add_node_row(map, space, n, signals);
    }
  osc_space_free(space);
  return io_map_complete(map);
}

/* --- OSCQuery --- */

enum { READ = 1, WRITE = 2 }; /* values of ACCESS */

/* An endpoint that listens on every interface has the address by which the client reached it. */
static json_t *host_info(const struct osc_config *config, int udp_port, const char *instance)
{
  json_t *o = json_pack("{s:s, s:i, s:s}", "NAME", instance, "OSC_PORT", udp_port, "OSC_TRANSPORT", "UDP");
  if (strcmp(config->bind, "0.0.0.0") != 0 && strcmp(config->bind, "::") != 0)
    json_object_set_new(o, "OSC_IP", json_string(config->bind));
  json_object_set_new(o, "EXTENSIONS",
                      json_pack("{s:b, s:b, s:b, s:b, s:b}", "ACCESS", 1, "DESCRIPTION", 1, "RANGE", 1,
                                "UNIT", 1, "VALUE", 0));
  return o;
}

/* Takes the last of several alternatives: it has the most arguments. */
static const char *type_of(const char *types)
{
  const char *bar = strrchr(types, '|');
  return bar ? bar + 1 : types;
}

/* Finds or makes the object at `path`, with all objects above it. */
static json_t *object_at(json_t *root, const char *path)
{
  json_t *o = root;
  for (const char *p = path + 1, *end; *p; p = *end ? end + 1 : end) {
    end = p + strcspn(p, "/");
    char name[256];
    const size_t n = (size_t)(end - p);
    if (n >= sizeof name) return NULL;
    memcpy(name, p, n);
    name[n] = '\0';
    /* Finds or makes the child of that name in the object's folder. */
    json_t *contents = json_object_get(o, "CONTENTS");
    if (!contents) {
      contents = json_object();
      json_object_set_new(o, "CONTENTS", contents);
    }
    json_t *child = json_object_get(contents, name);
    if (!child) {
      child = json_pack("{s:s%, s:i}", "FULL_PATH", path, (size_t)(end - path), "ACCESS", 0);
      json_object_set_new(contents, name, child);
    }
    o = child;
  }
  return o;
}

/* The range of an input, converted to arguments. */
static json_t *range_json(const struct osc_space *space, const struct osc_node *n, const struct signals *s)
{
  json_t *list = json_array();
  for (int i = 0; i < n->count; i++) {
    const struct osc_value *v = &space->value[n->first + i];
    const struct input_range *own = signals_range(s, v->signal);
    const double a = (own->upper - v->offset) / v->scale, b = (own->lower - v->offset) / v->scale;
    json_array_append_new(list, json_pack("{s:f, s:f}", "MIN", a < b ? a : b, "MAX", a < b ? b : a));
  }
  return list;
}

static json_t *units_json(const struct osc_space *space, const struct osc_node *n, const struct signals *s)
{
  json_t *list = json_array();
  for (int i = 0; i < n->count; i++)
    json_array_append_new(list, json_string(s->signal[space->value[n->first + i].signal].unit));
  return list;
}

static void add_row(json_t *root, const struct io_map_osc *row, const struct osc_space *space,
                    const struct signals *s)
{
  json_t *o = object_at(root, row->address);
  const struct osc_node *node = osc_space_find(space, row->address);
  const json_int_t before = json_integer_value(json_object_get(o, "ACCESS"));
  json_object_set_new(o, "ACCESS", json_integer(before | (row->in ? WRITE : 0) | (row->out ? READ : 0)));
  if (*type_of(row->types)) json_object_set_new(o, "TYPE", json_string(type_of(row->types)));
  json_object_set_new(o, "DESCRIPTION", json_string(row->text));
  if (!node) return;
  json_object_set_new(o, "UNIT", units_json(space, node, s));
  if (node->input) json_object_set_new(o, "RANGE", range_json(space, node, s));
}

char *osc_query_text(const struct osc_config *config, const struct signals *signals, int udp_port,
                     const char *instance)
{
  char error[200], *text = NULL;
  struct osc_space *space = osc_space_new(config, signals, error, sizeof error);
  struct io_map *map = io_map_new();
  json_t *root = json_pack("{s:s, s:i, s:s}", "FULL_PATH", "/", "ACCESS", 0, "DESCRIPTION", "root node");
  if (space && map && root && osc_io_map(config, signals, map)) {
    for (int i = 0; i < io_map_osc_rows(map); i++) add_row(root, io_map_osc_row(map, i), space, signals);
    json_t *all = json_object();
    json_object_set_new(all, "HOST_INFO", host_info(config, udp_port, instance));
    json_object_set(all, "ROOT", root);
    text = json_dumps(all, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12));
    json_decref(all);
  }
  json_decref(root);
  io_map_free(map);
  osc_space_free(space);
  return text;
}
