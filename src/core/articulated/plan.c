/* SPDX-License-Identifier: MIT
 * Set-up: the spanning tree of inner joints, and the limbs. Joints with many rows come first, so that few rows are left to
 * closures; among equals the joints nearest to the ground. */
#include "articulated/limbs.h"

#include <stdlib.h>
#include <string.h>

#define MOTION_NUMBERS(name, columns, coordinates) [LIMB_##name] = {columns, coordinates},
static const int numbers_of[LIMB_MOTION_COUNT][2] = {LIMB_MOTIONS(MOTION_NUMBERS)};

enum { ROWS_OF_FIXED = 6, ROWS_LEAST = 3 };

/* LIMB_FREE: joints of this type, or without some of their rows, are closures. */
static enum limb_motion limb_motion_of(const ali3_joint_spec *spec)
{
  if (spec->dropped) return LIMB_FREE;
  /* joints of the other types hold too little */
  switch (spec->type) {
  case ALI3_JOINT_FIXED:
    return LIMB_FIXED;
  case ALI3_JOINT_REVOLUTE:
    return LIMB_REVOLUTE;
  case ALI3_JOINT_PRISMATIC:
    return LIMB_PRISMATIC;
  case ALI3_JOINT_CYLINDRICAL:
    return LIMB_CYLINDRICAL;
  case ALI3_JOINT_UNIVERSAL:
    return LIMB_UNIVERSAL;
  case ALI3_JOINT_PLANAR:
    return LIMB_PLANAR;
  case ALI3_JOINT_SPHERICAL:
    return LIMB_SPHERICAL;
  default:
    return LIMB_FREE;
  }
}

/* Orientation of the limb in the earlier one, in the initial poses. */
static void relative_at_start(const ali3_model *m, int parent, int body, double q[4])
{
  static const double none[4] = {1.0, 0.0, 0.0, 0.0};
  const double *p = parent == ALI3_GROUND ? none : m->body[parent].spec.orientation;
  const double back[4] = {p[0], -p[1], -p[2], -p[3]};
  p_mul(q, back, m->body[body].spec.orientation);
  p_normalise(q);
}

/* Turns q by the smallest rotation that takes unit vector `from` to unit vector `to`. */
static void turn_onto(double q[4], const double from[3], const double to[3])
{
  double by[4] = {1.0 + v3_dot(from, to), 0, 0, 0}, old[4], other[3];
  memcpy(old, q, sizeof old);
  v3_cross(by + 1, from, to);
  if (p_dot(by, by) < 1e-24) { /* half a turn */
    by[0] = 0.0;
    v3_perpendicular(from, by + 1, other);
  }
  p_normalise(by);
  p_mul(q, by, old);
  p_normalise(q);
}

/* The fields that depend on the type of the joint. a: its side in the earlier limb. */
static void set_joint(const ali3_model *m, const struct joint *joint, int a, struct limb *b)
{
  double R[9], seen[3], *outer = b->outer, along;
  const double *given = joint->spec.relative_orientation;
  /* axes, and the orientation that the joint allows nearest to the initial one */
  v3_copy(outer, joint->axis[a]);
  v3_copy(b->axis, joint->axis[1 - a]);
  relative_at_start(m, joint->body[a], b->body, b->rest);
  switch (b->motion) {
  case LIMB_REVOLUTE:
  case LIMB_CYLINDRICAL:
  case LIMB_PLANAR:
    p_rotation(R, b->rest);
    m3_mul(seen, R, b->axis);
    turn_onto(b->rest, seen, outer);
    break;
  case LIMB_UNIVERSAL:
    p_rotation(R, b->rest);
    m3_mul(seen, R, b->axis);
    double across[3], other[3];
    v3_copy(across, seen);
    v3_axpy(across, -v3_dot(seen, outer), outer);
    along = sqrt(v3_dot(across, across));
    if (along < 1e-9)
      v3_perpendicular(outer, across, other);
    else
      for (int i = 0; i < 3; i++) across[i] /= along;
    turn_onto(b->rest, seen, across);
    break;
  case LIMB_FIXED:
  case LIMB_PRISMATIC:
    if (!(p_dot(given, given) > 0.0)) break;
    memcpy(b->rest, given, sizeof b->rest);
    for (int i = 1; i < 4 && a == 1; i++) b->rest[i] = -b->rest[i];
    p_normalise(b->rest);
    break;
  default:
    break;
  }
  if (b->motion == LIMB_PRISMATIC && a == 1) { /* the direction is that of axis_a */
    p_rotation(R, b->rest);
    m3_mul(outer, R, joint->axis[0]);
  }
  v3_copy(b->way[0], outer);
  if (b->motion == LIMB_PLANAR) v3_perpendicular(outer, b->way[0], b->way[1]);
}

/* Mass and moments about the point. */
static void set_mass(const ali3_body_spec *spec, struct limb *b)
{
  const double *c = b->centre, square = v3_dot(c, c);
  b->mass = spec->mass;
  for (int i = 0; i < 3; i++) b->first[i] = b->mass * c[i];
  for (int i = 0, k = 0; i < 3; i++)
    for (int j = i; j < 3; j++, k++)
      b->inertia[k] = spec->inertia[3 * i + j] + b->mass * ((i == j) * square - c[i] * c[j]);
}

/* Appends a limb. a: the side of the joint in the earlier limb; joint -1: free. */
static void add_limb(struct limbs *l, const ali3_model *m, int body, int joint, int a)
{
  struct limb *b = &l->limb[l->count];
  *b = (struct limb){
      .body = body, .joint = joint, .motion = LIMB_FREE, .sign = 1.0, .turning = -1, .rest = {1.0}};
  /* the joint, and the mass about its point */
  if (joint >= 0) {
    const struct joint *of = &m->joint[joint];
    const int parent = of->body[a];
    b->motion = limb_motion_of(&of->spec);
    b->sign = a == 0 ? 1.0 : -1.0;
    b->parent = parent == ALI3_GROUND ? 0 : l->limb_of[parent];
    for (int i = 0; i < 3; i++) {
      b->centre[i] = -of->point[1 - a][i];
      b->arm[i] = of->point[a][i] + l->limb[b->parent].centre[i];
    }
    set_joint(m, of, a, b);
  }
  set_mass(&m->body[body].spec, b);
  b->columns = numbers_of[b->motion][0];
  b->coordinates = numbers_of[b->motion][1];
  b->turns = b->motion == LIMB_FREE || b->motion == LIMB_SPHERICAL    ? 3
             : b->motion == LIMB_UNIVERSAL                            ? 2
             : b->motion == LIMB_PRISMATIC || b->motion == LIMB_FIXED ? 0
                                                                      : 1;
  if (b->turns == 1 || b->turns == 2) b->turning = b->turns - 1;
  b->x = l->coordinates;
  b->column = l->columns;
  b->half = l->halves;
  b->row = l->inner_rows;
  if (joint >= 0) l->inner_rows += l->link[joint].count;
  l->coordinates += b->coordinates;
  l->columns += b->columns;
  l->halves += b->turning + 1;
  l->limb_of[body] = l->count++;
}

/* Joints at each body, and joints that wait, by their number of rows. */
struct search {
  int *first, *at;                 /* (bodies + 2), (2 joints); the ground is the last body */
  int *waiting[ROWS_OF_FIXED + 1]; /* (2 joints) */
  int begin[ROWS_OF_FIXED + 1], end[ROWS_OF_FIXED + 1];
  int *block;
};

static int search_index(const ali3_model *m, int body)
{
  return body == ALI3_GROUND ? m->bodies : body;
}

static bool search_begin(struct search *s, const ali3_model *m)
{
  const size_t joints = (size_t)m->joints;
  s->block = calloc((size_t)m->bodies + 2 + 2 * joints * (ROWS_OF_FIXED + 2) + 1, sizeof *s->block);
  if (!s->block) return false;
  s->first = s->block;
  s->at = s->first + m->bodies + 2;
  for (int i = 0; i <= ROWS_OF_FIXED; i++) s->waiting[i] = s->at + 2 * joints * (size_t)(i + 1);
  for (int j = 0; j < m->joints; j++)
    for (int side = 0; side < 2; side++) s->first[search_index(m, m->joint[j].body[side]) + 1]++;
  for (int b = 0; b <= m->bodies; b++) s->first[b + 1] += s->first[b];
  for (int j = m->joints - 1; j >= 0; j--) /* the starts move back while the lists fill from their ends */
    for (int side = 0; side < 2; side++) s->at[--s->first[search_index(m, m->joint[j].body[side]) + 1]] = j;
  for (int b = 0; b <= m->bodies; b++) s->first[b] = s->first[b + 1];
  s->first[m->bodies + 1] = 2 * m->joints;
  return true;
}

/* The joints of a body that has become a limb. */
static void wait_at(struct search *s, const ali3_model *m, const struct joint_rows *link, int body)
{
  const int index = search_index(m, body);
  for (int i = s->first[index]; i < s->first[index + 1]; i++) {
    const int joint = s->at[i], rows = link[joint].count;
    if (limb_motion_of(&m->joint[joint].spec) == LIMB_FREE) continue;
    s->waiting[rows][s->end[rows]++] = joint;
  }
}

/* The next joint to a body that is no limb yet; -1: none. */
static int next_joint(struct search *s, const struct limbs *l, const ali3_model *m, int *a)
{
  for (int rows = ROWS_OF_FIXED; rows >= ROWS_LEAST; rows--)
    while (s->begin[rows] < s->end[rows]) {
      const int joint = s->waiting[rows][s->begin[rows]++];
      for (int side = 0; side < 2; side++) {
        const int from = m->joint[joint].body[side], to = m->joint[joint].body[1 - side];
        if (to == ALI3_GROUND || l->limb_of[to] >= 0) continue;
        if (from != ALI3_GROUND && l->limb_of[from] < 0) continue;
        *a = side;
        return joint;
      }
    }
  return -1;
}

/* The heaviest body that is no limb yet; -1: none. */
static int next_root(const struct limbs *l, const ali3_model *m)
{
  int found = -1;
  for (int b = 0; b < m->bodies; b++)
    if (l->limb_of[b] < 0 && (found < 0 || m->body[b].spec.mass > m->body[found].spec.mass)) found = b;
  return found;
}

static void find_limbs(struct limbs *l, const ali3_model *m, const struct joint_rows *link, struct search *s)
{
  int root;
  wait_at(s, m, link, ALI3_GROUND);
  do {
    int joint, a = 0;
    while ((joint = next_joint(s, l, m, &a)) >= 0) {
      const int body = m->joint[joint].body[1 - a];
      add_limb(l, m, body, joint, a);
      wait_at(s, m, link, body);
    }
    root = next_root(l, m);
    if (root < 0) break;
    add_limb(l, m, root, -1, 0);
    wait_at(s, m, link, root);
  } while (true);
}

/* Joints of the loop of a link: inner joints from which some of its bodies hang, and others do not. */
static int joints_around(const struct limbs *l, const struct joint_rows *j, bool is_joint)
{
  int reached[ROWS_SIDES], joints = is_joint;
  for (int side = 0; side < j->sides; side++)
    reached[side] = j->body[side] == ALI3_GROUND ? 0 : l->limb_of[j->body[side]];
  do { /* the last limb of those reached goes one joint inward, with all that have reached it */
    int last = 0, there = 0;
    for (int side = 0; side < j->sides; side++) last = reached[side] > last ? reached[side] : last;
    for (int side = 0; side < j->sides; side++) there += reached[side] == last;
    if (there == j->sides) return joints;
    for (int side = 0; side < j->sides; side++)
      if (reached[side] == last) reached[side] = l->limb[last].parent;
    joints++;
  } while (true);
}

static void find_closures(struct limbs *l, const ali3_model *m, int rigid)
{
  for (int i = 0; i < rigid; i++) {
    const struct joint_rows *j = &l->link[i];
    bool inner = false;
    for (int side = 0; side < 2 && i < m->joints; side++)
      inner |= j->body[side] != ALI3_GROUND && l->limb[l->limb_of[j->body[side]]].joint == i;
    if (inner) continue;
    const double joints = joints_around(l, j, i < m->joints);
    l->give[l->closures] = joints > 1.5 ? 0.5 * joints * joints : 1.0;
    l->closure[l->closures++] = i;
    l->rows += j->count;
    for (int side = 0; side < j->sides; side++)
      for (int k = j->body[side] == ALI3_GROUND ? 0 : l->limb_of[j->body[side]]; k > 0; k = l->limb[k].parent)
        l->limb[k].loaded = true;
  }
}

struct limbs *limbs_plan(const ali3_model *m, const struct joint_rows *link, int rigid, enum isa isa)
{
  struct limbs *l = calloc(1, sizeof *l);
  struct search s = {0};
  if (!l) return NULL;
  l->link = link;
  l->limb = calloc((size_t)m->bodies + 1, sizeof *l->limb);
  l->limb_of = calloc((size_t)m->bodies + 1, sizeof *l->limb_of);
  l->closure = calloc((size_t)rigid + 1, sizeof *l->closure);
  l->give = calloc((size_t)rigid + 1, sizeof *l->give);
  /* the tree, and the joints that are left over */
  const bool room = l->limb && l->limb_of && l->closure && l->give && search_begin(&s, m);
  if (room) {
    for (int b = 0; b < m->bodies; b++) l->limb_of[b] = -1;
    l->limb[0] = (struct limb){.motion = LIMB_FIXED, .body = ALI3_GROUND, .joint = -1, .turning = -1};
    l->count = 1;
    find_limbs(l, m, link, &s);
    find_closures(l, m, rigid);
    l->kernels = limb_kernels(isa);
    l->chunks = (l->rows + l->kernels->lanes - 1) / l->kernels->lanes;
    l->padded = l->chunks * l->kernels->lanes;
  }
  free(s.block);
  if (room) return l;
  limbs_free(l);
  return NULL;
}

void limbs_free(struct limbs *l)
{
  if (!l) return;
  free(l->limb);
  free(l->limb_of);
  free(l->closure);
  free(l->give);
  free(l);
}

void limbs_place(const struct limbs *l, struct limbs_work *w, struct arena *a)
{
  const size_t padded = (size_t)l->padded,
               most = (size_t)(l->rows < LIMB_UNFELT_MOST ? l->rows : LIMB_UNFELT_MOST);
  w->at = arena_take(a, (size_t)l->count, sizeof *w->at);
  w->row = arena_take(a, (size_t)l->rows, sizeof *w->row);
  w->load = arena_take(a, (size_t)l->count * 6 * padded, sizeof *w->load);
  w->V = arena_take(a, (size_t)l->columns * padded, sizeof *w->V);
  w->S = arena_take(a, (size_t)l->rows * padded, sizeof *w->S);
  w->rhs = arena_take(a, padded, sizeof *w->rhs);
  w->lambda = arena_take(a, padded, sizeof *w->lambda);
  w->before = arena_take(a, padded, sizeof *w->before);
  w->c = arena_take(a, padded, sizeof *w->c);
  w->multipliers = arena_take(a, limbs_multiplied(l), sizeof *w->multipliers);
  w->norm = arena_take(a, limbs_multiplied(l), sizeof *w->norm);
  w->unloading = arena_take(a, most * (size_t)l->rows, sizeof *w->unloading);
  w->unfelt = arena_take(a, most * limbs_multiplied(l), sizeof *w->unfelt);
}

/* The ground, and the columns that have axes of the world. */
void limbs_begin(const struct limbs *l, struct limbs_work *w)
{
  static const double R[9] = {1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0};
  w->at[0].p[0] = 1.0;
  memcpy(w->at[0].R, R, sizeof R);
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    for (int k = 0; k < b->columns && (b->motion == LIMB_SPHERICAL || b->motion == LIMB_FREE); k++)
      w->at[i].column[k].s[k % 3] = 1.0;
  }
}
