/* SPDX-License-Identifier: MIT
 * This file replaces liblo's server, which listens on every interface, answers unmatched addresses that end in '/',
 * recurses as deep as a packet says, and dispatches the front of a packet whose end is bad. */
#include "osc/in_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct osc_in *osc_in_new(const struct osc_config *config, const struct osc_space *space,
                          const struct signals *signals, struct port *port, struct counters *counters,
                          struct osc_out *out)
{
  struct osc_in *in = calloc(1, sizeof *in);
  if (!in) return NULL;
  in->config = config;
  in->signals = signals;
  in->space = space;
  in->port = port;
  in->counters = counters;
  in->out = out;
  snprintf(in->estop, sizeof in->estop, "%s/cmd/estop", config->prefix);
  snprintf(in->pause, sizeof in->pause, "%s/cmd/pause", config->prefix);
  snprintf(in->step, sizeof in->step, "%s/step", config->prefix);
  /* One sample for each channel, one owner for each input. */
  in->sample = calloc((size_t)signals->channels + 1, sizeof *in->sample);
  in->input_of = calloc((size_t)signals->channels + 1, sizeof *in->input_of);
  in->owner = calloc((size_t)signals->inputs + 1, sizeof *in->owner);
  in->reported = calloc((size_t)signals->inputs + 1, sizeof *in->reported);
  if (!in->sample || !in->input_of || !in->owner || !in->reported) {
    osc_in_free(in);
    return NULL;
  }
  for (int i = 0; i < signals->inputs; i++)
    for (int k = 0; k < signals->input[i].count; k++) in->input_of[signals->input[i].first + k] = i;
  return in;
}

void osc_in_free(struct osc_in *in)
{
  if (!in) return;
  free(in->sample);
  free(in->input_of);
  free(in->owner);
  free(in->reported);
  free(in);
}

static const struct address {
  const char *tail, *types;
  int flags;
  enum verdict (*handle)(struct osc_in *in, const struct request *r);
} ADDRESSES[] = {
#define ADDRESS(tail, types, flags, unit, text, handler) {tail, types, flags, handler},
    OSC_ADDRESS_LIST(ADDRESS, OSC_NO_ROW)
#undef ADDRESS
};

/* The row of an address; NULL if the list has no such row. */
static const struct address *find_address(const struct osc_in *in, const char *tail)
{
  for (size_t i = 0; i < sizeof ADDRESSES / sizeof *ADDRESSES; i++) {
    const struct address *a = &ADDRESSES[i];
    if (strcmp(tail, a->tail) != 0) continue;
    return a->flags & OSC_PLATFORM && in->signals->platform_first < 0 ? NULL : a;
  }
  return NULL;
}

/* The part of the address below the prefix; "" if the address is not below the prefix. */
static const char *tail_of(const struct osc_in *in, const char *address)
{
  const size_t n = strlen(in->config->prefix);
  return strncmp(address, in->config->prefix, n) == 0 && address[n] == '/' ? address + n + 1 : "";
}

static bool all_finite(const struct osc_arguments *a)
{
  for (int i = 0; i < a->count; i++)
    if (osc_is_number(a->types[i]) && !isfinite(osc_number(a, i))) return false;
  return true;
}

static enum verdict dispatch_message(struct osc_in *in, const struct osc_raw *m, struct request *r)
{
  r->address = m->address;
  r->tail = tail_of(in, m->address);
  const struct address *address = find_address(in, r->tail);
  const struct osc_node *node = address ? NULL : osc_space_find(in->space, m->address);
  if (!address && !node) return UNKNOWN;
  /* Control surfaces attach arbitrary arguments to buttons; never refuse a stop for its arguments. */
  const bool stops = address && address->flags & OSC_STOPS;
  if (!m->known && !stops) return WRONG_TYPES;
  if (m->known) {
    osc_arguments(m, &in->arguments);
  } else {
    in->arguments.types = "";
    in->arguments.count = 0;
  }
  r->from.bytes = m->bytes;
  if (!all_finite(&in->arguments) && !stops) return NONFINITE;
  if (node) return osc_on_node(in, r, node);
  if (!(address->flags & OSC_LENIENT) && !osc_types_are(r->a, address->types)) return WRONG_TYPES;
  return address->handle(in, r);
}

/* "6 numbers", or the types of the list of addresses: "nothing or i". */
static void expected_text(const struct osc_in *in, const char *tail, const char *complete, char *text,
                          size_t size)
{
  const struct address *address = find_address(in, tail);
  const struct osc_node *node = address ? NULL : osc_space_find(in->space, complete);
  if (node && node->input)
    snprintf(text, size, "%d number%s", node->count, node->count == 1 ? "" : "s");
  else if (!address)
    snprintf(text, size, "no argument, which asks for the values");
  else if (address->flags & OSC_CHANNELS)
    snprintf(text, size, "%s and %d numbers", address->types, in->signals->channels);
  if (node || !address || address->flags & OSC_CHANNELS) return;
  /* The alternatives of the list, with " or " between them. */
  size_t used = 0;
  text[0] = '\0';
  for (const char *types = address->types;; types++) {
    const int length = (int)strcspn(types, "|");
    if (used < size)
      used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? " or " : "", length ? length : 7,
                               length ? types : "nothing");
    types += length;
    if (!*types) return;
  }
}

static void tell_refused(struct osc_in *in, const struct osc_raw *m, const struct request *r,
                         enum verdict verdict)
{
  static const enum stray_kind KINDS[] = {[UNKNOWN] = STRAY_UNKNOWN,
                                          [WRONG_TYPES] = STRAY_TYPES,
                                          [NONFINITE] = STRAY_NONFINITE,
                                          [DENIED] = STRAY_READER};
  char expected[sizeof((struct stray *)0)->expected] = "";
  if (!KINDS[verdict]) return;
  if (verdict == WRONG_TYPES) expected_text(in, r->tail, m->address, expected, sizeof expected);
  if (verdict == DENIED) /* who may write and is refused wants to jog */
    snprintf(expected, sizeof expected, "access: %s", r->access >= ACCESS_WRITE ? "jog" : "write");
  osc_tell_stray(in, KINDS[verdict], m, expected, &r->from.at);
}

static bool is_stop(const struct osc_in *in, const struct osc_raw *m)
{
  return strcmp(m->address, in->estop) == 0 || strcmp(m->address, in->pause) == 0;
}

/* The loop finds the inputs of a datagram together, and before the commands of that datagram. */
static void hand_over(struct osc_in *in, uint64_t now_ns)
{
  if (in->changed) {
    size_t size = (size_t)in->signals->channels * sizeof *in->sample;
    memcpy(snapshot_begin(&in->port->inputs), in->sample, size);
    snapshot_publish(&in->port->inputs);
    if (in->beat) port_beat(in->port, now_ns);
  }
  in->changed = in->beat = false;
  osc_send_commands(in);
  osc_answer_syncs(in);
}

enum access osc_in_access(struct osc_in *in, const struct inet_address *from)
{
  const enum access access = peers_access(&in->config->peers, &from->name.any);
  if (access == ACCESS_NONE) {
    counter_add(&in->counters->osc_denied, 1);
    port_tell_stranger(in->port, &from->name.any);
  }
  return access;
}

void osc_in_datagram(struct osc_in *in, const uint8_t *bytes, size_t n, const struct inet_address *from,
                     enum access access, uint64_t t_ns)
{
  _Atomic uint64_t *const counter[] = {[ACCEPTED] = &in->counters->osc_received,
                                       [UNKNOWN] = &in->counters->osc_unknown,
                                       [WRONG_TYPES] = &in->counters->osc_type_errors,
                                       [NONFINITE] = &in->counters->osc_nonfinite,
                                       [REPEATED] = &in->counters->osc_repeated,
                                       [LATE] = &in->counters->osc_late,
                                       [BAD_CHECKSUM] = &in->counters->osc_checksum,
                                       [REFUSED] = &in->counters->osc_refused,
                                       [DENIED] = &in->counters->osc_denied};
  struct request r = {.a = &in->arguments,
                      .from = {.at = *from, .now_ns = t_ns, .writes = access >= ACCESS_WRITE},
                      .access = access};
  in->once = (struct once){0};
  /* If the end of a datagram is bad, no message of it is dispatched, except a stop. */
  if (!osc_parse(bytes, n, &in->datagram)) {
    counter_add(&in->counters->osc_malformed, 1);
    osc_tell_malformed(in, bytes, n, osc_stop_of_malformed(in, bytes, n, &r), from);
  }
  /* The inputs of a repeated step are old: they must not act on a step that has come since. */
  const bool again = osc_steps_again(in, &in->datagram, &r.from);
  for (int i = 0; i < in->datagram.messages; i++) {
    const struct osc_raw *m = &in->datagram.message[i];
    const bool acts = !again || strcmp(m->address, in->step) == 0 || is_stop(in, m);
    const enum verdict verdict = acts ? dispatch_message(in, m, &r) : REPEATED;
    in->once.refused |= verdict == REFUSED;
    counter_add(counter[verdict], 1);
    tell_refused(in, &in->datagram.message[i], &r, verdict);
  }
  hand_over(in, t_ns);
  osc_answer_once(in, &r.from);
}
