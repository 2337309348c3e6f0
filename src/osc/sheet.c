/* SPDX-License-Identifier: MIT */
#include "osc/sheet.h"

#include "osc/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What has an address of its own, and carries no signals. */
static const struct fixed {
  const char *tail, *types;
  bool in, out;
  const char *unit, *text;
} FIXED[] = {
    {"cmd/init", "|i", true, false, "", "command; answered with ack"},
    {"cmd/arm", "|i", true, false, "", "command"},
    {"cmd/run", "|i", true, false, "", "command"},
    {"cmd/pause", "|i", true, false, "", "command"},
    {"cmd/stop", "|i", true, false, "", "command"},
    {"cmd/reset", "|i", true, false, "", "command"},
    {"cmd/park", "|i", true, false, "", "command"},
    {"cmd/estop", "|i", true, false, "", "e-stop: in any state, from whoever may read"},
    {"cmd/clear", "|i", true, false, "", "maxima and distributions begin anew"},
    {"step", "i|ii", true, false, "", "cycles to run in lockstep; request number"},
    {"ack", "sii", false, true, "", "command, request number, result"},
    {"sync", "i", true, false, "", "barrier: answered with synced after all earlier commands"},
    {"synced", "i", false, true, "", "the number of the sync"},
    {"ping", "ih", true, false, "- ns", "number, sender's time; answered with pong"},
    {"pong", "ihhh", false, true, "- ns ns ns", "the two back, time of receipt and of sending"},
    {"status", "", true, false, "", "asks for the status"},
    {"status", "sifffiiii", false, true, "- - ms us us - ms - -",
     "state, code, period, last and longest cycle, misses, input age, fault, clients"},
    {"fault", "iis", false, true, "", "code, channel or -1, text; with the stream status, when it changes"},
    {"sub", "siii", true, false, "", "stream, port, divisor, profile; for 10 s; answered with sub/ack"},
    {"sub/ack", "si", false, true, "", "stream, result"},
    {"unsub", "s|si", true, false, "", "stream, port; answered with unsub/ack"},
    {"unsub/ack", "si", false, true, "", "stream, result"},
    {"heartbeat", "i", true, false, "", "a count that changes: renews the sender's subscriptions"},
    {"hdr", "ifiiii|hdiiii", false, true, "- s - - - -", "cycle, simulated time, state, flags, part, parts"},
    {"in/blob", "iib", true, false, "", "number, CRC-32, all channels as packed floats"},
};

static void add(struct sheet *sheet, const char *prefix, const struct fixed *f)
{
  char address[OSC_PREFIX_MAX + 32];
  snprintf(address, sizeof address, "%s/%s", prefix, f->tail);
  sheet_add_osc(sheet, &(struct sheet_osc){address, f->types, f->in, f->out, f->unit, f->text});
}

/* in/frame: its types are as many as there are channels. */
static bool add_frame(struct sheet *sheet, const char *prefix, int channels)
{
  char *types = malloc((size_t)channels + 3);
  if (!types) return false;
  memcpy(types, "ih", 2);
  memset(types + 2, 'f', (size_t)channels);
  types[channels + 2] = '\0';
  add(sheet, prefix,
      &(struct fixed){"in/frame", types, true, false, "", "number, sender's time (ns), all channels"});
  free(types);
  return true;
}

/* "m m m" is "m"; a mixture stands as it is. */
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
      [STREAM_BODY] = "position, orientation, velocity, angular velocity; stream body, or on request",
      [STREAM_SENSOR] = "stream sensor, or on request",
      [STREAM_JOINT] = "stream joint, or on request",
      [STREAM_FORCE] = "stream force, or on request",
      [STREAM_ENERGY] = "stream energy, or on request",
      [STREAM_INPUT] = "input; as it acts: stream input, or on request",
      [STREAM_PLATFORM] = "stream platform, or on request",
      [STREAM_OUT] = "stream out, or on request",
      [STREAM_LOOP] = "figure of the loop: stream loop, or on request",
  };
  if (n->input && n->stream == STREAM_NONE) return "input; as it acts: on request";
  return n->stream < STREAMS_PACKED ? text[n->stream] : "on request";
}

/* "body.A.velocity.x = 2 argument + 1": what scales are there, but the common one. */
static void describe(const struct osc_space *space, const struct osc_node *n, const struct signals *signals,
                     char *text, size_t size)
{
  size_t used = (size_t)snprintf(text, size, "%s%s", stream_text(n),
                                 n->motion && !n->input ? "; withheld until the platform is armed" : "");
  for (int i = 0; i < n->count && used < size; i++) {
    const struct osc_value *v = &space->value[n->first + i];
    if (v->scale == 1.0 && v->offset == 0.0) continue;
    used += (size_t)snprintf(text + used, size - used, "; %s = %g argument %+g",
                             signals->signal[v->signal].name, v->scale, v->offset);
  }
}

static void add_node(struct sheet *sheet, const struct osc_space *space, const struct osc_node *n,
                     const struct signals *signals)
{
  char types[MAPPED_ARGUMENTS_MAX + 1] = "", units[512], text[2048];
  memset(types, 'f', (size_t)(n->count < MAPPED_ARGUMENTS_MAX ? n->count : MAPPED_ARGUMENTS_MAX));
  units_of(space, n, signals, units, sizeof units);
  describe(space, n, signals, text, sizeof text);
  sheet_add_osc(sheet, &(struct sheet_osc){n->address, types, n->input, true, units, text});
}

bool osc_sheet(const struct osc_config *config, const struct signals *signals, struct sheet *sheet)
{
  char error[200];
  for (size_t i = 0; i < sizeof FIXED / sizeof FIXED[0]; i++) add(sheet, config->prefix, &FIXED[i]);
  if (!add_frame(sheet, config->prefix, signals->channels)) return false;
  if (config->injections > 0)
    add(sheet, config->prefix,
        &(struct fixed){"inject", "si|sii", true, false, "",
                        "fault injection, 1 on or 0 off, request number"});
  if (signals->platform_first >= 0)
    add(sheet, config->prefix,
        &(struct fixed){"platform/set", "sf|sfi|sd|sdi|si|sii", true, false, "",
                        "a parameter of the platform, its value, request number; answered with ack"});
  struct osc_space *space = osc_space_new(config, signals, error, sizeof error);
  if (!space) return false;
  for (int input = 1; input >= 0; input--)
    for (int i = 0; i < space->nodes; i++) {
      const struct osc_node *n = &space->node[i];
      if (!n->alias && n->input == (input == 1)) add_node(sheet, space, n, signals);
    }
  osc_space_free(space);
  return sheet_complete(sheet);
}
