/* SPDX-License-Identifier: MIT
 * The wires of a link, checked against its participants: existence, direction, number of values, unit. */
#include "link.h"
#include "settings/keys.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct wire_values {
  const char *from, *to;
  double scale, offset, initial;
};
#define WIRE(field) offsetof(struct wire_values, field)

/* clang-format off */
static const struct key wire_keys[] = {
  TEXT("from", REQUIRED, AT_START, WIRE(from), "PARTICIPANT.SIGNAL that sends."),
  TEXT("to", REQUIRED, AT_START, WIRE(to), "PARTICIPANT.INPUT that receives."),
  NUMBER("scale", "", ANY, "1", AT_START, WIRE(scale), "Factor of each value."),
  NUMBER("offset", "", ANY, "0", AT_START, WIRE(offset), "Added after the factor."),
  NUMBER("initial", "", ANY, "0", AT_START, WIRE(initial), "Value that arrives before from has one."),
};
/* clang-format on */
const struct section wire_section = SECTION("a wire", wire_keys);

/* Splits PARTICIPANT.SIGNAL. NULL after printing the mistake. */
static struct participant *find_participant(struct link *l, const struct node *n, const char **signal)
{
  const char *dot = strchr(n->text, '.');
  const size_t length = dot ? (size_t)(dot - n->text) : 0;
  for (int i = 0; dot && i < l->participants; i++) {
    struct participant *p = &l->participant[i];
    if (strlen(p->name) != length || strncmp(p->name, n->text, length) != 0) continue;
    *signal = dot + 1;
    return p;
  }
  report_error(&l->report, n->at,
               "expected PARTICIPANT.SIGNAL with one of the names in participants, found \"%s\"", n->text);
  return NULL;
}

/* Appends the values of one end. Returns their number, -1 after printing the mistake. */
static int take_end(struct link *l, struct participant *p, const struct node *n, const char *signal,
                    bool input)
{
  struct slots other = {0}, *own = input ? &p->in : &p->out;
  const char *near = NULL, *unused = NULL;
  p->trouble[0] = '\0';
  const int count = p->kind->find(p, signal, input, own, &near);
  if (count > 0) return count;
  /* Why it has no such value. */
  const char *what = input ? "input" : "signal that it sends";
  if (*p->trouble)
    report_error(&l->report, n->at, "%s: %s", p->name, p->trouble);
  else if (input && p->kind->find(p, signal, false, &other, &unused) > 0)
    report_error(&l->report, n->at, "\"%s\" is no input of %s; a wire goes to an input", signal, p->name);
  else if (near)
    report_error(&l->report, n->at, "%s has no %s \"%s\"; did you mean \"%s\"?", p->name, what, signal, near);
  else
    report_error(&l->report, n->at, "%s has no %s \"%s\"", p->name, what, signal);
  free(other.slot);
  return -1;
}

/* Units differ only where the file gives a scale. */
static bool check_units(struct link *l, const struct node *wire, const struct slot *from,
                        const struct slot *to)
{
  const struct measure *a = &from->measure, *b = &to->measure;
  if (!from->unit || !to->unit || strcmp(from->unit, to->unit) == 0 || node_find(wire, "scale")) return true;
  const bool alike = measures_alike(a, b), shifted = a->offset != b->offset;
  if (alike && a->factor == b->factor && !shifted) return true;
  if (alike && !shifted)
    report_error(&l->report, wire->at, "%s is in \"%s\", and %s in \"%s\"; scale: %.9g converts", from->name,
                 from->unit, to->name, to->unit, a->factor / b->factor);
  else
    report_error(&l->report, wire->at, "%s is in \"%s\", and %s in \"%s\"; add the key scale to convert",
                 from->name, from->unit, to->name, to->unit);
  return false;
}

static bool check_alone(struct link *l, const struct node *wire, const struct participant *to, int in)
{
  for (int i = 0; i < l->connections; i++) {
    const struct connection *c = &l->connection[i];
    if (c->to != to || to->in.slot[c->in].signal != to->in.slot[in].signal) continue;
    report_error(&l->report, wire->at, "%s.%s has a wire already, from %s.%s", to->name, to->in.slot[in].name,
                 c->from->name, c->from->out.slot[c->out].name);
    return false;
  }
  return true;
}

static bool append_connection(struct link *l, struct connection c)
{
  if (l->connections == l->room) {
    const int room = l->room ? 2 * l->room : 64;
    struct connection *grown = realloc(l->connection, (size_t)room * sizeof *grown);
    if (!grown) return false;
    l->connection = grown;
    l->room = room;
  }
  l->connection[l->connections++] = c;
  return true;
}

static bool take_wire(struct link *l, const struct node *n)
{
  struct wire_values v = {0};
  const char *from_signal, *to_signal;
  if (!schema_read(&wire_section, n, &v, &l->report)) return false;
  /* Both ends. */
  const struct node *from = node_find(n, "from"), *to = node_find(n, "to");
  struct participant *sender = find_participant(l, from, &from_signal),
                     *receiver = find_participant(l, to, &to_signal);
  if (!sender || !receiver) return false;
  const int out = sender->out.count, in = receiver->in.count;
  const int sent = take_end(l, sender, from, from_signal, false),
            received = take_end(l, receiver, to, to_signal, true);
  if (sent < 0 || received < 0) return false;
  if (sent != received) {
    report_error(&l->report, n->at, "%s has %d values, and %s has %d", v.from, sent, v.to, received);
    return false;
  }
  /* One connection for each value. */
  for (int i = 0; i < sent; i++) {
    const struct connection c = {sender, receiver, out + i, in + i, v.scale, v.offset, v.initial};
    if (!check_units(l, n, &sender->out.slot[c.out], &receiver->in.slot[c.in]) ||
        !check_alone(l, n, receiver, c.in))
      return false;
    if (!append_connection(l, c)) {
      report_error(&l->report, n->at, "out of memory");
      return false;
    }
  }
  return true;
}

bool link_wire(struct link *l, const struct node *wires)
{
  bool good = true;
  for (const struct node *n = wires->first; n; n = n->next) good &= take_wire(l, n);
  for (int i = 0; good && i < l->participants; i++) {
    struct participant *p = &l->participant[i];
    good = p->kind->connect(p);
    if (!good) report_error(&l->report, p->at, "%s: %s", p->name, p->trouble);
  }
  return good;
}

/* --- values --- */

void link_carry(struct link *l, const struct participant *to)
{
  for (int i = 0; i < l->connections; i++) {
    const struct connection *c = &l->connection[i];
    if (to && c->to != to) continue;
    c->to->in.slot[c->in].value =
        c->from->known ? c->scale * c->from->out.slot[c->out].value + c->offset : c->initial;
  }
}

/* --- what --check shows --- */

static json_t *connection_json(const struct connection *c)
{
  const struct slot *from = &c->from->out.slot[c->out], *to = &c->to->in.slot[c->in];
  char sender[400], receiver[400];
  snprintf(sender, sizeof sender, "%s.%s", c->from->name, from->name);
  snprintf(receiver, sizeof receiver, "%s.%s", c->to->name, to->name);
  return json_pack("{s:s, s:s, s:f, s:f, s:f, s:s, s:s}", "from", sender, "to", receiver, "scale", c->scale,
                   "offset", c->offset, "initial", c->initial, "from_unit", from->unit ? from->unit : "?",
                   "to_unit", to->unit ? to->unit : "?");
}

void link_print(const struct link *l, FILE *out, bool json)
{
  if (json) {
    json_t *list = json_array();
    for (int i = 0; i < l->connections; i++) json_array_append_new(list, connection_json(&l->connection[i]));
    json_t *all = json_pack("{s:s, s:f, s:o}", "order", l->order == JACOBI ? "jacobi" : "gauss_seidel",
                            "step", l->step, "wires", list);
    json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    fputc('\n', out);
    json_decref(all);
    return;
  }
  /* As text, a line for each value. */
  for (int i = 0; i < l->connections; i++) {
    const struct connection *c = &l->connection[i];
    const struct slot *from = &c->from->out.slot[c->out], *to = &c->to->in.slot[c->in];
    fprintf(out, "%s.%s -> %s.%s", c->from->name, from->name, c->to->name, to->name);
    if (from->unit && *from->unit) fprintf(out, " (%s)", from->unit);
    if (c->scale != 1.0 || c->offset != 0.0) fprintf(out, ", times %.17g plus %.17g", c->scale, c->offset);
    fputc('\n', out);
  }
  fprintf(out, "%d participants, %d values, %s, communication step %g s\n", l->participants, l->connections,
          l->order == JACOBI ? "jacobi" : "gauss_seidel", l->step);
}
