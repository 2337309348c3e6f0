/* SPDX-License-Identifier: MIT
 * The list of findings, and the order in which a mechanism is looked at. */
#include "findings/look.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *finding_severity_name(enum finding_severity s)
{
  return s == FINDING_ERROR ? "error" : s == FINDING_WARNING ? "warning" : "info";
}

const char *finding_kind_name(enum finding_kind kind)
{
  static const char *const name[] = {"model", "body", "joint", "force"};
  return name[kind];
}

/* The farthest connection of each body, from its centre of mass. */
static void measure(struct look *l)
{
  const ali3_model *m = l->m;
  for (int i = 0; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (i >= m->joints && ali3_force_type_on_joint(m->force[m->frozen->force_of[i - m->joints]].spec.type))
      continue;
    for (int side = 0; side < 2; side++)
      if (j->body[side] != ALI3_GROUND)
        l->reach[j->body[side]] = fmax(l->reach[j->body[side]], sqrt(v3_dot(j->point[side], j->point[side])));
  }
  for (int b = 0; b < m->bodies; b++) {
    l->mass += m->body[b].mass;
    l->arm = fmax(l->arm, l->reach[b]);
  }
  const double g = sqrt(v3_dot(m->gravity, m->gravity));
  l->weight = l->mass * (g > 0.0 ? g : 9.81);
  l->length = m->frozen->length;
}

static bool has_errors(const struct look *l)
{
  return findings_of(l->to, FINDING_ERROR) > 0;
}

static void tell_skipped(struct look *l)
{
  for (int id = 0; id < FINDING_SKIPPED; id++)
    if (l->found[id] > LOOK_MOST)
      look_found(l, FINDING_INFO, FINDING_SKIPPED, FINDING_OF_MODEL, -1,
                 "%d more findings [%s] are not listed", l->found[id] - LOOK_MOST,
                 finding_name((enum finding_id)id));
}

static void look(struct look *l)
{
  look_at_proportions(l);
  look_at_gravity(l);
  l->to->status = ali3_reset(l->m, l->d);
  ali3_report_text(l->m, l->d, l->to->start, sizeof l->to->start);
  if (l->to->status < 0) {
    const bool assembled = l->to->status != ALI3_E_ASSEMBLE && l->to->status != ALI3_E_SINGULAR;
    if (assembled) look_at_structure(l); /* rates that contradict each other */
    if (!has_errors(l)) look_at_failure(l);
    return;
  }
  look_at_structure(l);
  look_for_loose_ends(l);
  look_at_start(l);
  look_at_soft(l);
  if (!has_errors(l)) look_at_accuracy(l); /* what fights cannot be stepped */
}

/* Stable: qsort() with the place as the last key. */
struct order {
  struct finding item;
  int place;
};

static int before(const void *a, const void *b)
{
  const struct order *x = a, *y = b;
  if (x->item.severity != y->item.severity) return (int)y->item.severity - (int)x->item.severity;
  if (x->item.id != y->item.id) return (int)x->item.id - (int)y->item.id;
  return x->place - y->place;
}

static bool sort(struct findings *f)
{
  struct order *o = malloc(((size_t)f->count + 1) * sizeof *o);
  if (!o) return false;
  for (int i = 0; i < f->count; i++) o[i] = (struct order){f->item[i], i};
  qsort(o, (size_t)f->count, sizeof *o, before);
  for (int i = 0; i < f->count; i++) f->item[i] = o[i].item;
  free(o);
  return true;
}

struct findings *findings_make(const ali3_model *m, const struct findings_given *given)
{
  struct look l = {.m = m, .given = given, .memory = true};
  l.to = calloc(1, sizeof *l.to);
  l.d = ali3_data_new(m);
  l.reach = calloc((size_t)m->bodies + 1, sizeof *l.reach);
  l.memory = l.to && l.d && l.reach;
  if (l.memory) {
    l.to->freedoms = l.to->redundant = -1;
    measure(&l);
    look(&l);
    tell_skipped(&l);
  }
  if (l.memory) l.memory = sort(l.to);
  ali3_data_free(l.d);
  free(l.reach);
  if (l.memory) return l.to;
  findings_free(l.to);
  return NULL;
}

void findings_free(struct findings *f)
{
  if (!f) return;
  free(f->item);
  free(f);
}
