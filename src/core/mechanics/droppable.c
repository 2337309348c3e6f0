/* SPDX-License-Identifier: MIT
 * Set-up. Rows of joints that other joints hold in every position.
 *
 * Joints are taken one after the other: first a spanning tree, whose rows are independent, then the joints that close loops.
 * A joint that closes a loop keeps the smallest set of rows that, with the rows kept so far, holds all of its rows. Joints of
 * types that can drop little are tree joints if possible. A joint of which nothing would be left is taken first instead, with
 * its smallest set.
 *
 * Rows that depend on others here may be independent elsewhere. The mechanism therefore walks along the rows that are
 * kept, to both sides. Everywhere the dropped rows must stay closed, and follow from kept rows with small factors: a
 * factor that grows without limit is a position in which the kept rows no longer hold the mechanism. */
#include "mechanics/basis.h"
#include "mechanics/nearby.h"
#include "mechanics/parts.h"

#include <ali3/mechanics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Norms of rows without the part that other rows hold; rows have norm 1. */
static const double INDEPENDENT = 1e-3, DEPENDENT = 1e-6;
static const double FACTOR_MOST = 50.0, CLEARLY = 4.0;
static const double ROW_OPEN = 1e-7; /* rad, or lengths of the body */
#define STRIDE 0.05                  /* rad, or lengths of the body */
static const double PIVOT_COUNTS = 1e-6;
static const double WORK_MOST = 6e9; /* operations of the tests of one part: about two seconds */
static const double ROOM_MOST = 1e8; /* numbers in the basis of a part */
enum { STRIDES = 40, POSITIONS_LEAST = 6 };

/* One search. */
struct search {
  const ali3_model *m;
  struct parts parts;
  struct geometry here;
  unsigned *dropped;          /* (joints) the result */
  struct joint_rows *reduced; /* (links) */
  int *order;                 /* (joints) joints of the part at hand */
  int joints;
  bool *first;        /* (joints) to be taken first, with the smallest set */
  int *block;         /* (bodies) block in the rows of the part */
  int *passed;        /* (parts) positions in which the dropped rows were tested */
  double *work;       /* (parts) operations of one test */
  double *row;        /* (6 bodies) */
  struct basis basis; /* of the part at hand */
  int *link_first;    /* (links) of rows_used */
  bool *link;         /* (links) of rows_used */
};

/* --- the order of joints --- */

static int tree_root(int *to, int i)
{
  while (to[i] != i) i = to[i] = to[to[i]];
  return i;
}

static bool is_flexible(const struct joint *j)
{
  return j->spec.type == ALI3_JOINT_REVOLUTE || j->spec.type == ALI3_JOINT_UNIVERSAL;
}

/* Lists the joints of a part: those to be taken first, a spanning tree, the others. */
static bool order_joints(struct search *s, int part)
{
  const ali3_model *m = s->m;
  int *to = calloc((size_t)m->bodies + 1, sizeof *to);
  bool *listed = calloc((size_t)m->joints + 1, sizeof *listed);
  s->joints = 0;
  for (int pass = 0; to && listed && pass < 4; pass++) {
    for (int b = 0; b <= m->bodies && pass == 1; b++) to[b] = b; /* the last one is the ground */
    for (int i = 0; i < m->joints; i++) {
      const struct joint *j = &m->joint[i];
      if (s->parts.of_link[i] != part || listed[i]) continue;
      bool now = pass == 0 ? s->first[i] : pass == 3;
      if (pass == 1 || (pass == 2 && is_flexible(j))) {
        if (pass == 1 && is_flexible(j)) continue;
        const int a = tree_root(to, j->body[0] == ALI3_GROUND ? m->bodies : j->body[0]),
                  b = tree_root(to, j->body[1] == ALI3_GROUND ? m->bodies : j->body[1]);
        now = a != b;
        to[a] = b;
      }
      if (!now) continue;
      listed[i] = true;
      s->order[s->joints++] = i;
    }
  }
  const bool ok = to && listed;
  free(to);
  free(listed);
  return ok;
}

/* --- sets of rows --- */

/* Row k as a dense row of the part. */
static double *dense_row(struct search *s, const struct geometry_rows *rows, int k)
{
  memset(s->row, 0, (size_t)s->basis.blocks * GEOMETRY_V * sizeof *s->row);
  for (int side = 0; side < rows->sides; side++)
    memcpy(s->row + GEOMETRY_V * s->block[rows->body[side]], rows->J[k] + GEOMETRY_V * side,
           GEOMETRY_V * sizeof *s->row);
  return s->row;
}

/* Adds the rows that are independent of the basis. Returns the smallest norm of a row without what others hold. */
static double add_rows(struct search *s, const struct geometry *g, const struct joint_rows *j, double limit)
{
  struct geometry_rows rows;
  double smallest = 1.0;
  geometry_rows_of(g, j, &rows);
  for (int k = 0; k < rows.count; k++) {
    double *row = dense_row(s, &rows, k);
    const double norm = basis_project(&s->basis, row);
    smallest = fmin(smallest, norm);
    if (norm > limit) basis_add(&s->basis, row, norm);
  }
  return smallest;
}

/* All rows of a joint follow from those of the basis. */
static bool are_held(struct search *s, const struct geometry *g, const struct joint_rows *j)
{
  struct geometry_rows rows;
  bool held = true;
  geometry_rows_of(g, j, &rows);
  for (int k = 0; k < rows.count && held; k++)
    held = basis_project(&s->basis, dense_row(s, &rows, k)) < DEPENDENT &&
           basis_largest_factor(&s->basis) < FACTOR_MOST && fabs(rows.Phi[k]) < ROW_OPEN;
  return held;
}

static int rows_dropped(unsigned set)
{
  int n = 0;
  for (; set; set >>= 1) n += set & 1;
  return n;
}

/* The set of most rows that the joint may drop. Among equal sets, the one with the row along the axis is the best, because
 * directions that are kept hold a body in every position, unless the kept rows of another one are clearly more
 * independent. Adds the kept rows to the basis. */
static unsigned choose_set(struct search *s, const struct geometry *g, int joint)
{
  const struct joint_rows *all = &s->m->frozen->link[joint];
  const unsigned droppable = ali3_joint_type_droppable(s->m->joint[joint].spec.type);
  const int before = s->basis.count;
  unsigned best = 0;
  double best_norm = 0.0;
  /* try all sets */
  for (unsigned set = 1; set <= droppable; set++) {
    if ((set & ~droppable) || rows_dropped(set) < rows_dropped(best)) continue;
    struct joint_rows rest = *all;
    rows_drop(&rest, set);
    const double norm = add_rows(s, g, &rest, INDEPENDENT);
    const bool better = rows_dropped(set) > rows_dropped(best) || norm > CLEARLY * best_norm;
    if (norm > INDEPENDENT && better && are_held(s, g, all)) {
      best = set;
      best_norm = norm;
    }
    s->basis.count = before;
  }
  /* take the best one */
  s->reduced[joint] = *all;
  rows_drop(&s->reduced[joint], best);
  add_rows(s, g, &s->reduced[joint], PIVOT_COUNTS);
  return best;
}

/* Chooses the sets of all joints of a part. Joints of which nothing would be left are to be taken first. Returns whether there
 * are any. */
static bool choose_sets(struct search *s, const struct geometry *g)
{
  bool again = false;
  s->basis.count = 0;
  for (int i = 0; i < s->joints; i++) {
    const int joint = s->order[i], before = s->basis.count;
    const struct joint_rows *all = &s->m->frozen->link[joint];
    const unsigned droppable = ali3_joint_type_droppable(s->m->joint[joint].spec.type);
    s->dropped[joint] = 0;
    s->reduced[joint] = *all;
    if (s->first[joint]) {
      s->dropped[joint] = droppable;
      rows_drop(&s->reduced[joint], droppable);
      add_rows(s, g, &s->reduced[joint], PIVOT_COUNTS);
      continue;
    }
    /* independent rows are all kept */
    const bool independent = add_rows(s, g, all, PIVOT_COUNTS) > PIVOT_COUNTS;
    const int added = s->basis.count - before;
    if (independent) continue;
    s->basis.count = before;
    s->dropped[joint] = choose_set(s, g, joint);
    if (added == 0 && droppable) again = s->first[joint] = true;
  }
  return again;
}

static int number_blocks(struct search *s, int part)
{
  int blocks = 0;
  for (int b = 0; b < s->m->bodies; b++)
    if (s->parts.of_body[b] == part) s->block[b] = blocks++;
  return blocks;
}

static void clear_part(struct search *s, int part)
{
  for (int i = 0; i < s->m->joints; i++)
    if (s->parts.of_link[i] == part) {
      s->dropped[i] = 0;
      s->reduced[i] = s->m->frozen->link[i];
    }
}

/* Prepares the dense work on a part. False: out of memory. */
static bool open_part(struct search *s, int part)
{
  const int blocks = number_blocks(s, part);
  return basis_new(&s->basis, blocks, GEOMETRY_V * blocks) && order_joints(s, part);
}

/* Rows that hold the part in the position g, and the rows that are kept hold all of them. */
static bool part_is_held(struct search *s, const struct geometry *g)
{
  bool held = true;
  s->basis.count = 0;
  for (int i = 0; i < s->joints; i++) add_rows(s, g, &s->reduced[s->order[i]], PIVOT_COUNTS);
  for (int i = 0; i < s->joints && held; i++)
    if (s->dropped[s->order[i]]) held = are_held(s, g, &s->m->frozen->link[s->order[i]]);
  return held;
}

/* Chooses the sets of a part in the position g. False: out of memory. */
static bool choose_part(struct search *s, const struct geometry *g, int part)
{
  bool ok = open_part(s, part);
  if (ok && choose_sets(s, g)) {
    ok = order_joints(s, part);
    if (ok) choose_sets(s, g);
  }
  const double before = s->basis.work;
  if (ok && !part_is_held(s, g)) clear_part(s, part);
  s->work[part] = s->basis.work - before;
  if (s->work[part] * POSITIONS_LEAST > WORK_MOST) clear_part(s, part);
  basis_free(&s->basis);
  return ok;
}

/* --- the walk --- */

static bool part_drops(const struct search *s, int part)
{
  bool drops = false;
  for (int i = 0; i < s->m->joints; i++) drops |= s->parts.of_link[i] == part && s->dropped[i];
  return drops;
}

/* The rows of all joints of parts that drop rows, in a vector. */
static struct rows_used walk_rows(struct search *s)
{
  int rows = 0;
  for (int i = 0; i < s->m->frozen->rigid_links; i++) {
    s->link_first[i] = rows;
    s->link[i] = i < s->m->joints && part_drops(s, s->parts.of_link[i]);
    rows += s->reduced[i].count;
  }
  return (struct rows_used){.link = s->link, .first = s->link_first, .rows = rows};
}

static void leave_part(struct search *s, int part)
{
  for (int i = 0; i < s->m->joints; i++) s->link[i] = s->link[i] && s->parts.of_link[i] != part;
}

static bool is_walking(const struct search *s, int part)
{
  bool walks = false;
  for (int i = 0; i < s->m->joints; i++) walks |= s->link[i] && s->parts.of_link[i] == part;
  return walks;
}

/* Tests all parts that walk in a position. stride: number of the position. False: out of memory. */
static bool test_position(struct search *s, const struct geometry *g, const bool *reached, int stride)
{
  bool ok = true;
  for (int p = 0; p < s->parts.count && ok; p++) {
    if (!is_walking(s, p)) continue;
    if (!reached[p]) { /* the end of its way */
      leave_part(s, p);
      continue;
    }
    const int every = (int)ceil(2.0 * STRIDES * s->work[p] / WORK_MOST);
    if (every > 1 && stride % every != 0) continue;
    ok = open_part(s, p);
    s->passed[p]++;
    if (ok && !part_is_held(s, g)) {
      clear_part(s, p);
      leave_part(s, p);
    }
    basis_free(&s->basis);
  }
  return ok;
}

/* Walks from the start to one side. way: (bodies, 6) direction of the first stride. False: out of memory. */
static bool walk_one_way(struct search *s, const struct geometry *start, double *way, bool *reached)
{
  struct geometry g;
  const struct rows_used used = walk_rows(s);
  if (!geometry_copy(&g, start)) return false;
  bool ok = true;
  for (int n = 0; ok && n < STRIDES; n++) {
    struct factor f;
    struct stride stride = {.length = STRIDE, .way = way, .reached = reached};
    ok = factor_new(&f, &g, &used, PIVOT_COUNTS);
    if (!ok) break;
    ok = nearby_stride(&g, &f, &used, s->parts.of_body, s->parts.count, &stride);
    factor_free(&f);
    if (ok) ok = test_position(s, &g, reached, n);
  }
  geometry_free(&g);
  return ok;
}

/* Walks to both sides with the rows that are kept. False: out of memory. */
static bool walk_both_ways(struct search *s, const struct geometry *start)
{
  /* a model with the reduced rows */
  struct frozen frozen = *s->m->frozen;
  ali3_model m = *s->m;
  struct geometry g = *start;
  frozen.link = s->reduced;
  m.frozen = &frozen;
  g.m = &m;
  const size_t numbers = (size_t)m.bodies * GEOMETRY_V + 1;
  double *way = calloc(numbers, sizeof *way);
  bool *reached = calloc((size_t)s->parts.count + 1, sizeof *reached);
  bool ok = way && reached;
  for (int side = 0; ok && side < 2; side++) {
    if (side == 1) {
      /* the first stride of the other side, turned round */
      memset(way, 0, numbers * sizeof *way);
      const struct rows_used used = walk_rows(s);
      struct geometry there;
      struct factor f;
      struct stride stride = {.length = STRIDE, .way = way};
      ok = geometry_copy(&there, &g) && factor_new(&f, &there, &used, PIVOT_COUNTS);
      if (!ok) break;
      ok = nearby_stride(&there, &f, &used, s->parts.of_body, s->parts.count, &stride);
      for (size_t i = 0; i < numbers; i++) way[i] = -way[i];
      factor_free(&f);
      geometry_free(&there);
    }
    if (ok) ok = walk_one_way(s, &g, way, reached);
  }
  free(way);
  free(reached);
  return ok;
}

/* --- the whole --- */

/* Moves to a position that is not singular even if the start is: strides that grow, so that each begins where the pivots of the
 * singular direction are above the limit of the stride. False: out of memory. */
static bool move_away(const struct search *s, const struct rows_used *used, struct geometry *g)
{
  static const double length[] = {1e-3, 3e-3, 1e-2, 3e-2, STRIDE};
  double *way = calloc((size_t)s->m->bodies * GEOMETRY_V + 1, sizeof *way);
  bool ok = way;
  for (size_t i = 0; ok && i < sizeof length / sizeof *length; i++) {
    struct factor f;
    struct stride stride = {.length = length[i], .way = way};
    ok = factor_new(&f, g, used, PIVOT_COUNTS);
    if (!ok) break;
    ok = nearby_stride(g, &f, used, s->parts.of_body, s->parts.count, &stride);
    factor_free(&f);
  }
  free(way);
  return ok;
}

static bool search_rows(struct search *s, const ali3_data *d)
{
  const ali3_model *m = s->m;
  struct geometry there;
  struct factor f;
  /* drives and gears do not count */
  for (int i = 0; i < m->frozen->rigid_links; i++) s->reduced[i] = m->frozen->link[i];
  int rows = 0;
  for (int i = 0; i < m->frozen->rigid_links; i++) {
    s->link_first[i] = rows;
    s->link[i] = i < m->joints;
    rows += s->reduced[i].count;
  }
  const struct rows_used used = {.link = s->link, .first = s->link_first, .rows = rows};
  if (!geometry_new(&s->here, m, d, &s->parts) || !geometry_copy(&there, &s->here)) return false;
  bool ok = move_away(s, &used, &there);
  /* parts with more rows than their rank there */
  int *rank = calloc((size_t)s->parts.count + 1, sizeof *rank),
      *joint_rows = calloc((size_t)s->parts.count + 1, sizeof *joint_rows);
  ok = ok && rank && joint_rows && factor_new(&f, &there, &used, PIVOT_COUNTS);
  if (ok) {
    for (int b = 0; b < m->bodies; b++) rank[s->parts.of_body[b]] += f.pivots[b].rank;
    for (int i = 0; i < m->joints; i++) joint_rows[s->parts.of_link[i]] += m->frozen->link[i].count;
    factor_free(&f);
  }
  for (int p = 0; p < s->parts.count && ok; p++)
    if (joint_rows[p] > rank[p] && rank[p] < GEOMETRY_V * s->parts.part[p].bodies &&
        pow(GEOMETRY_V * s->parts.part[p].bodies, 2.0) < ROOM_MOST)
      ok = choose_part(s, &there, p);
  if (ok) ok = walk_both_ways(s, &there);
  /* a part that could not go far enough shows too little */
  for (int p = 0; p < s->parts.count && ok; p++)
    if (s->passed[p] < POSITIONS_LEAST) clear_part(s, p);
  free(rank);
  free(joint_rows);
  geometry_free(&there);
  return ok;
}

ali3_status ali3_mechanics_droppable(const ali3_model *m, const ali3_data *d, unsigned *dropped)
{
  if (!m || !m->frozen || !d || !dropped) return ALI3_E_ARGUMENT;
  const size_t links = (size_t)m->frozen->links + 1, bodies = (size_t)m->bodies + 1;
  struct search s = {.m = m, .dropped = dropped};
  for (int i = 0; i < m->joints; i++) dropped[i] = 0;
  bool ok = parts_new(&s.parts, m);
  s.reduced = calloc(links, sizeof *s.reduced);
  s.order = calloc(links, sizeof *s.order);
  s.first = calloc(links, sizeof *s.first);
  s.link_first = calloc(links, sizeof *s.link_first);
  s.link = calloc(links, sizeof *s.link);
  s.block = calloc(bodies, sizeof *s.block);
  s.work = calloc(bodies, sizeof *s.work);
  s.passed = calloc(bodies, sizeof *s.passed);
  s.row = calloc(GEOMETRY_V * bodies, sizeof *s.row);
  ok = ok && s.reduced && s.order && s.first && s.link_first && s.link && s.block && s.work && s.passed &&
       s.row;
  ok = ok && search_rows(&s, d);
  for (int i = 0; i < m->joints && !ok; i++) dropped[i] = 0;
  /* free all */
  geometry_free(&s.here);
  basis_free(&s.basis);
  parts_free(&s.parts);
  free(s.reduced);
  free(s.order);
  free(s.first);
  free(s.link_first);
  free(s.link);
  free(s.block);
  free(s.work);
  free(s.passed);
  free(s.row);
  return ok ? ALI3_OK : ALI3_E_MEMORY;
}
