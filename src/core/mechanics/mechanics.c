/* SPDX-License-Identifier: MIT
 * Set-up. The public functions of the analysis (ali3/mechanics.h). */
#include "mechanics/conflicts.h"
#include "mechanics/nearby.h"
#include "mechanics/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The limit lies between rounding, 1e-12 and less, and pivots of geometry, 1e-4 and more. Points and axes with seven digits
 * in a file still count as coincident and parallel. */
static const double PIVOT_LIMIT = 1e-6;
static const double DOUBT = 10.0;         /* a pivot within this factor of the limit */
static const double IN_DEPENDENCY = 1e-6; /* relative share of a row that is in a dependency */

struct ali3_mechanics {
  int bodies, joints, forces;
  struct parts parts;
  ali3_mechanics_part whole;
  int *part_of_joint, *part_of_force;
  bool *redundant_joint, *redundant_force;
  struct conflicts conflicts;
};

/* One run of the analysis. */
struct analysis {
  ali3_mechanics *a;
  const ali3_model *m;
  struct geometry here;
  struct rows_used all, undriven;
  bool *link[2]; /* (links) true for the links of `all` and of `undriven` */
  int *first;
};

static bool use_rows(struct analysis *s)
{
  const struct frozen *f = s->m->frozen;
  size_t links = (size_t)f->rigid_links + 1;
  int rows = 0;
  s->first = calloc(links, sizeof *s->first);
  for (int i = 0; i < 2; i++) s->link[i] = calloc(links, sizeof *s->link[i]);
  if (!s->first || !s->link[0] || !s->link[1]) return false;
  for (int i = 0; i < f->rigid_links; i++) {
    s->first[i] = rows;
    rows += f->link[i].count;
    s->link[0][i] = true;
    s->link[1][i] = f->link[i].drive < 0;
  }
  s->all = (struct rows_used){.link = s->link[0], .first = s->first, .rows = rows};
  s->undriven = (struct rows_used){.link = s->link[1], .first = s->first, .rows = rows};
  return true;
}

/* Writes the rank of each part to `rank`. judge: also updates the pivots of the part, and whether it is doubtful. */
static void add_up(struct analysis *s, const struct factor *f, int *rank, bool judge)
{
  ali3_mechanics *a = s->a;
  for (int p = 0; p < a->parts.count; p++) rank[p] = 0;
  for (int b = 0; b < a->bodies; b++) {
    ali3_mechanics_part *part = &a->parts.part[a->parts.of_body[b]];
    const struct pivots *o = &f->pivots[b];
    rank[a->parts.of_body[b]] += o->rank;
    if (!judge) continue;
    part->smallest_kept = fmin(part->smallest_kept, o->smallest);
    part->largest_dropped = fmax(part->largest_dropped, o->dropped);
    part->doubtful = part->smallest_kept < DOUBT * PIVOT_LIMIT || part->largest_dropped > PIVOT_LIMIT / DOUBT;
  }
}

/* Finds the elements that are in a dependency, by projecting one pseudo-random vector on all dependencies together. */
static bool find_redundant(struct analysis *s, const struct factor *f)
{
  ali3_mechanics *a = s->a;
  double *y = calloc((size_t)s->all.rows + 1, sizeof *y);
  if (!y) return false;
  for (int r = 0; r < s->all.rows; r++) y[r] = geometry_scatter((uint64_t)r);
  factor_residual(f, y);
  for (int i = 0; i < s->m->frozen->rigid_links; i++) {
    bool *seen =
        i < a->joints ? &a->redundant_joint[i] : &a->redundant_force[s->m->frozen->force_of[i - a->joints]];
    if (a->parts.part[a->parts.of_link[i]].redundant == 0) continue;
    for (int k = 0; k < s->m->frozen->link[i].count; k++) *seen |= fabs(y[s->first[i] + k]) > IN_DEPENDENCY;
  }
  free(y);
  return true;
}

/* Finds freedoms with and without drives, redundant rows and conflicts. */
static bool analyse_here(struct analysis *s, const ali3_data *d, struct factor *undriven, int *rank)
{
  ali3_mechanics *a = s->a;
  /* Without drives: freedoms that drives may use. */
  struct factor f;
  if (!factor_new(undriven, &s->here, &s->undriven, PIVOT_LIMIT)) return false;
  add_up(s, undriven, rank, true);
  for (int p = 0; p < a->parts.count; p++)
    a->parts.part[p].freedoms_undriven = GEOMETRY_V * a->parts.part[p].bodies - rank[p];
  /* With all rows: freedoms, redundancy and dependencies. */
  if (!factor_new(&f, &s->here, &s->all, PIVOT_LIMIT)) {
    factor_free(undriven);
    return false;
  }
  add_up(s, &f, rank, true);
  for (int p = 0; p < a->parts.count; p++) {
    ali3_mechanics_part *part = &a->parts.part[p];
    part->freedoms = GEOMETRY_V * part->bodies - rank[p];
    part->redundant = part->rows - rank[p];
  }
  bool ok =
      find_redundant(s, &f) && conflicts_find(&a->conflicts, &s->here, d, &f, &s->all, a->redundant_force);
  factor_free(&f);
  if (!ok) factor_free(undriven);
  return ok;
}

static bool analyse_nearby(struct analysis *s, const struct factor *undriven, const int *rank)
{
  ali3_mechanics *a = s->a;
  struct geometry there;
  struct factor f;
  bool some = false;
  /* Select parts that have redundant rows and can move. Another position of other parts has no information. */
  for (int i = 0; i < s->m->frozen->rigid_links; i++) {
    const ali3_mechanics_part *part = &a->parts.part[a->parts.of_link[i]];
    bool judged = part->redundant > 0 && part->freedoms_undriven > 0;
    s->link[0][i] &= judged;
    s->link[1][i] &= judged;
    some |= judged;
  }
  if (!some) return true;
  /* Compare the rank after a small step with the rank here. */
  int *rank_there = calloc((size_t)a->parts.count + 1, sizeof *rank_there);
  bool ok = rank_there && geometry_copy(&there, &s->here);
  if (ok) {
    ok = nearby_move(&there, undriven, &s->undriven, a->parts.of_body, a->parts.count) &&
         factor_new(&f, &there, &s->all, PIVOT_LIMIT);
    geometry_free(&there);
  }
  if (ok) {
    add_up(s, &f, rank_there, false);
    for (int p = 0; p < a->parts.count; p++) {
      ali3_mechanics_part *part = &a->parts.part[p];
      if (rank_there[p] > rank[p]) part->singular = rank_there[p] - rank[p];
    }
    factor_free(&f);
  }
  free(rank_there);
  return ok;
}

static void sum_parts(ali3_mechanics *a)
{
  ali3_mechanics_part *w = &a->whole;
  /* Add up the counts, and keep the worst pivots of any part. */
  w->smallest_kept = 1.0;
  for (int p = 0; p < a->parts.count; p++) {
    const ali3_mechanics_part *part = &a->parts.part[p];
    w->bodies += part->bodies;
    w->joints += part->joints;
    w->forces += part->forces;
    w->rows += part->rows;
    w->freedoms += part->freedoms;
    w->freedoms_undriven += part->freedoms_undriven;
    w->redundant += part->redundant;
    w->singular += part->singular;
    w->grounded |= part->grounded;
    w->sprung |= part->sprung;
    w->smallest_kept = fmin(w->smallest_kept, part->smallest_kept);
    w->largest_dropped = fmax(w->largest_dropped, part->largest_dropped);
    w->doubtful |= part->doubtful;
  }
}

static bool analyse_rows(struct analysis *s, const ali3_data *d)
{
  ali3_mechanics *a = s->a;
  struct factor undriven;
  int *rank = calloc((size_t)a->parts.count + 1, sizeof *rank);
  bool ok = rank && geometry_new(&s->here, s->m, d, &a->parts) && use_rows(s);
  for (int p = 0; p < a->parts.count; p++) a->parts.part[p].smallest_kept = 1.0;
  if (ok) ok = analyse_here(s, d, &undriven, rank);
  if (ok) {
    ok = analyse_nearby(s, &undriven, rank);
    factor_free(&undriven);
  }
  if (ok) sum_parts(a);
  geometry_free(&s->here);
  free(rank);
  free(s->first);
  for (int i = 0; i < 2; i++) free(s->link[i]);
  return ok;
}

static bool find_parts(ali3_mechanics *a, const ali3_model *m)
{
  const struct frozen *f = m->frozen;
  size_t joints = (size_t)a->joints + 1, forces = (size_t)a->forces + 1;
  a->part_of_joint = calloc(joints, sizeof *a->part_of_joint);
  a->part_of_force = calloc(forces, sizeof *a->part_of_force);
  a->redundant_joint = calloc(joints, sizeof *a->redundant_joint);
  a->redundant_force = calloc(forces, sizeof *a->redundant_force);
  if (!a->part_of_joint || !a->part_of_force || !a->redundant_joint || !a->redundant_force) return false;
  if (!parts_new(&a->parts, m)) return false;
  for (int i = 0; i < a->joints; i++) a->part_of_joint[i] = a->parts.of_link[i];
  for (int i = 0; i < a->forces; i++)
    a->part_of_force[i] = f->force_link[i] < f->rigid_links ? a->parts.of_link[f->force_link[i]] : -1;
  return true;
}

ali3_mechanics *ali3_mechanics_new(const ali3_model *m, const ali3_data *d)
{
  if (!m || !m->frozen || !d) return NULL;
  ali3_mechanics *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->bodies = m->bodies;
  a->joints = m->joints;
  a->forces = m->forces;
  struct analysis s = {.a = a, .m = m};
  if (find_parts(a, m) && analyse_rows(&s, d)) return a;
  ali3_mechanics_free(a);
  return NULL;
}

void ali3_mechanics_free(ali3_mechanics *a)
{
  if (!a) return;
  parts_free(&a->parts);
  conflicts_free(&a->conflicts);
  free(a->part_of_joint);
  free(a->part_of_force);
  free(a->redundant_joint);
  free(a->redundant_force);
  free(a);
}

int ali3_mechanics_parts(const ali3_mechanics *a)
{
  return a->parts.count;
}

ali3_status ali3_mechanics_part_get(const ali3_mechanics *a, int part, ali3_mechanics_part *out)
{
  bool known = part >= -1 && part < a->parts.count;
  *out = !known ? (ali3_mechanics_part){0} : part < 0 ? a->whole : a->parts.part[part];
  return known ? ALI3_OK : ALI3_E_ARGUMENT;
}

static bool is_within_part(int i, int count)
{
  return i >= 0 && i < count;
}

int ali3_mechanics_part_of_body(const ali3_mechanics *a, int body)
{
  return is_within_part(body, a->bodies) ? a->parts.of_body[body] : -1;
}
int ali3_mechanics_part_of_joint(const ali3_mechanics *a, int joint)
{
  return is_within_part(joint, a->joints) ? a->part_of_joint[joint] : -1;
}
int ali3_mechanics_part_of_force(const ali3_mechanics *a, int force)
{
  return is_within_part(force, a->forces) ? a->part_of_force[force] : -1;
}

bool ali3_mechanics_joint_is_redundant(const ali3_mechanics *a, int joint)
{
  return is_within_part(joint, a->joints) && a->redundant_joint[joint];
}
bool ali3_mechanics_force_is_redundant(const ali3_mechanics *a, int force)
{
  return is_within_part(force, a->forces) && a->redundant_force[force];
}

int ali3_mechanics_conflicts(const ali3_mechanics *a)
{
  return a->conflicts.count;
}

ali3_status ali3_mechanics_conflict_get(const ali3_mechanics *a, int i, ali3_mechanics_conflict *out)
{
  bool known = is_within_part(i, a->conflicts.count);
  *out = known ? a->conflicts.list[i] : (ali3_mechanics_conflict){-1, -1, 0.0};
  return known ? ALI3_OK : ALI3_E_ARGUMENT;
}
