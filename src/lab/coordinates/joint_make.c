/* SPDX-License-Identifier: MIT
 * From the joints of a model to a spanning tree. Joints are taken in the order of the file: a revolute or prismatic
 * one that joins two parts becomes one of the tree, every other joint is cut. So whoever writes the model says
 * which joints are cut: those that come last in their loop. */
#include "coordinates/joint_parts.h"
#include "math/euler.h"
#include "model/model.h"

#include <ali3/stepper.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tree_maker {
  const ali3_model *model;
  struct joint_tree *tree;
  ali3_body_state *state; /* (bodies) at the start */
  int *part;              /* (bodies + 1) of the part that a body belongs to; the last is the ground's */
  bool *in_tree;          /* (joints) */
};

static int part_of_body(const struct tree_maker *k, int body)
{
  return k->part[body == ALI3_GROUND ? k->model->bodies : body];
}

static bool joint_can_carry(const struct joint *j)
{
  return j->spec.type == ALI3_JOINT_REVOLUTE || j->spec.type == ALI3_JOINT_PRISMATIC;
}

/* in_tree: joints that unite two parts, in the order of the file. */
static void choose_tree_joints(struct tree_maker *k)
{
  for (int b = 0; b <= k->model->bodies; b++) k->part[b] = b;
  for (int i = 0; i < k->model->joints; i++) {
    const struct joint *j = &k->model->joint[i];
    const int a = part_of_body(k, j->body[0]), b = part_of_body(k, j->body[1]);
    k->in_tree[i] = joint_can_carry(j) && a != b;
    for (int n = 0; k->in_tree[i] && n <= k->model->bodies; n++)
      if (k->part[n] == b) k->part[n] = a;
  }
}

/* The rotation of a body at the start. */
static void start_rotation(const struct tree_maker *k, int body, double R[9])
{
  static const double upright[4] = {1, 0, 0, 0};
  p_rotation(R, body == ALI3_GROUND ? upright : k->state[body].orientation);
}

/* Columns u, v and the axis. */
static void frame_of_axis(const double axis[3], double frame[9])
{
  double u[3], v[3];
  v3_perpendicular(axis, u, v);
  for (int i = 0; i < 3; i++) {
    frame[3 * i] = u[i];
    frame[3 * i + 1] = v[i];
    frame[3 * i + 2] = axis[i];
  }
}

/* o = A'B */
static void transposed_product(double o[9], const double A[9], const double B[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) o[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

/* The joint's axes in both bodies; body b sees them turned by the coordinate (revolute) or not at all. */
static void set_link_frames(const struct tree_maker *k, struct joint_link *link, const struct joint *j,
                            int inner)
{
  const int a = j->body[inner], b = j->body[1 - inner];
  double Ra[9], Rb[9], relative[9], seen[3], axis[3], world[3];
  start_rotation(k, a, Ra);
  start_rotation(k, b, Rb);
  v3_copy(axis, j->axis[link->turns ? inner : 0]);
  /* The axis of a prismatic joint is given in its body a only. */
  if (!link->turns && inner == 1) {
    start_rotation(k, j->body[0], relative);
    m3_mul(world, relative, axis);
    m3_tmul(axis, Ra, world);
  }
  frame_of_axis(axis, link->frame[0]);
  if (link->turns) {
    /* The sign of an axis does not change the joint. */
    v3_copy(seen, j->axis[1 - inner]);
    double there[3];
    m3_mul(world, Ra, axis);
    m3_mul(there, Rb, seen);
    if (v3_dot(world, there) < 0)
      for (int i = 0; i < 3; i++) seen[i] = -seen[i];
    frame_of_axis(seen, link->frame[1]);
    return;
  }
  transposed_product(relative, Rb, Ra);
  for (int i = 0; i < 3; i++)
    for (int n = 0; n < 3; n++) {
      double sum = 0;
      for (int l = 0; l < 3; l++) sum += relative[3 * i + l] * link->frame[0][3 * l + n];
      link->frame[1][3 * i + n] = sum;
    }
}

static void add_tree_link(struct tree_maker *k, int joint, int inner)
{
  const struct joint *j = &k->model->joint[joint];
  struct joint_link *link = &k->tree->link[k->tree->links];
  const int a = j->body[inner], b = j->body[1 - inner];
  const struct body *body = &k->model->body[b];
  /* Its place in the tree, its mass, its frames. */
  *link = (struct joint_link){.body = b,
                              .joint = joint,
                              .parent = a == ALI3_GROUND ? -1 : k->tree->link_of[a],
                              .first = k->tree->coordinates++,
                              .count = 1,
                              .turns = j->spec.type == ALI3_JOINT_REVOLUTE,
                              .mass = body->spec.mass};
  memcpy(link->inertia, body->spec.inertia, sizeof link->inertia);
  memcpy(link->inverse, body->inertia_inverse, sizeof link->inverse);
  for (int side = 0; side < 2; side++) v3_copy(link->point[side], j->point[side == 0 ? inner : 1 - inner]);
  set_link_frames(k, link, j, inner);
  k->tree->link_of[b] = k->tree->links++;
}

/* The first body that no link has yet floats. False: there is none. */
static bool add_float(struct tree_maker *k)
{
  int b = 0;
  while (b < k->model->bodies && k->tree->link_of[b] >= 0) b++;
  if (b == k->model->bodies) return false;
  /* Its place in the tree, and its mass. */
  struct joint_link *link = &k->tree->link[k->tree->links];
  const struct body *body = &k->model->body[b];
  *link = (struct joint_link){.body = b,
                              .joint = -1,
                              .parent = -1,
                              .first = k->tree->coordinates,
                              .count = JOINT_MOST,
                              .mass = body->spec.mass};
  memcpy(link->inertia, body->spec.inertia, sizeof link->inertia);
  memcpy(link->inverse, body->inertia_inverse, sizeof link->inverse);
  k->tree->coordinates += JOINT_MOST;
  k->tree->floats++;
  k->tree->link_of[b] = k->tree->links++;
  return true;
}

/* Links from the ground outwards, then from each body that floats; body by body, in the order of the joints. */
static void number_links(struct tree_maker *k)
{
  for (int b = 0; b < k->model->bodies; b++) k->tree->link_of[b] = -1;
  for (int from = -1; from < k->tree->links || add_float(k); from++) {
    const int inner = from < 0 ? ALI3_GROUND : k->tree->link[from].body;
    for (int i = 0; i < k->model->joints; i++)
      for (int side = 0; k->in_tree[i] && side < 2; side++) {
        const int outer = k->model->joint[i].body[1 - side];
        if (k->model->joint[i].body[side] == inner && outer != ALI3_GROUND && k->tree->link_of[outer] < 0)
          add_tree_link(k, i, side);
      }
  }
}

static struct joint_cut_row *add_cut_row(struct tree_maker *k, enum cut_kind kind)
{
  struct joint_cut_row *row = &k->tree->row[k->tree->rows++];
  *row = (struct joint_cut_row){.kind = kind};
  return row;
}

/* Coordinate i of P_b in the axes of a does not change: U . (P_b - P_a) = 0 */
static void hold_along(struct tree_maker *k, const double u[3])
{
  v3_copy(add_cut_row(k, CUT_IN_PLANE)->u, u);
}

static void hold_angle(struct tree_maker *k, const double u[3], const double v[3])
{
  struct joint_cut_row *row = add_cut_row(k, CUT_ANGLE);
  v3_copy(row->u, u);
  v3_copy(row->v, v);
}

/* P_b = P_a in the axes of the world: their multipliers do not turn with a body. */
static void hold_point(struct tree_maker *k)
{
  for (int i = 0; i < 3; i++) v3_copy(add_cut_row(k, CUT_AXIS)->u, (const double[3]){i == 0, i == 1, i == 2});
}

/* e1.f2 = e2.f3 = e3.f1 = 0 with the axes of a, as b sees them at the start. */
static void hold_orientation(struct tree_maker *k, const struct joint *j)
{
  double Ra[9], Rb[9], relative[9];
  start_rotation(k, j->body[0], Ra);
  start_rotation(k, j->body[1], Rb);
  transposed_product(relative, Ra, Rb); /* row i: axis i of a in b */
  for (int i = 0; i < 3; i++)
    hold_angle(k, (const double[3]){i == 0, i == 1, i == 2}, relative + 3 * ((i + 1) % 3));
}

static void hold_distance(struct tree_maker *k, const struct joint *j)
{
  double at[2][3], R[9], d[3];
  for (int side = 0; side < 2; side++) {
    const int body = j->body[side];
    start_rotation(k, body, R);
    m3_mul(at[side], R, j->point[side]);
    if (body != ALI3_GROUND) v3_axpy(at[side], 1, k->state[body].position);
  }
  v3_sub(d, at[1], at[0]);
  add_cut_row(k, CUT_LENGTH)->length = j->spec.length > 0 ? j->spec.length : sqrt(v3_dot(d, d));
}

static void add_cut_rows(struct tree_maker *k, const struct joint *j)
{
  const double *a = j->axis[0], *b = j->axis[1];
  double u[3] = {0}, v[3] = {0};
  if (ali3_joint_type_has_axis_a(j->spec.type)) v3_perpendicular(a, u, v);
  switch (j->spec.type) {
  /* Joints that are complete here. */
  case ALI3_JOINT_FIXED:
    hold_point(k);
    hold_orientation(k, j);
    return;
  case ALI3_JOINT_SPHERICAL:
    hold_point(k);
    return;
  case ALI3_JOINT_UNIVERSAL:
    hold_point(k);
    hold_angle(k, a, b);
    return;
  case ALI3_JOINT_DISTANCE:
    hold_distance(k, j);
    return;
  /* Joints that let b turn about an axis, or not at all. */
  case ALI3_JOINT_REVOLUTE:
    hold_point(k);
    break;
  case ALI3_JOINT_PLANAR:
    hold_along(k, a);
    break;
  case ALI3_JOINT_POINT_IN_PLANE:
    hold_along(k, a);
    return;
  case ALI3_JOINT_POINT_ON_LINE:
  case ALI3_JOINT_PRISMATIC:
  case ALI3_JOINT_CYLINDRICAL:
    hold_along(k, u);
    hold_along(k, v);
    if (j->spec.type == ALI3_JOINT_PRISMATIC) hold_orientation(k, j);
    if (j->spec.type != ALI3_JOINT_CYLINDRICAL) return;
    break;
  case ALI3_JOINT_TYPES: /* no type */
    return;
  }
  hold_angle(k, u, b);
  hold_angle(k, v, b);
}

static bool cut_loops(struct tree_maker *k, struct lab_refusal *why)
{
  for (int i = 0; i < k->model->joints; i++) {
    const struct joint *j = &k->model->joint[i];
    if (k->in_tree[i]) continue;
    /* Its links and points, then its rows. */
    struct joint_cut *cut = &k->tree->cut[k->tree->cuts++];
    *cut = (struct joint_cut){.joint = i, .link = {-1, -1, -1, -1}, .first = k->tree->rows};
    for (int side = 0; side < 2; side++) {
      cut->link[side] = j->body[side] == ALI3_GROUND ? -1 : k->tree->link_of[j->body[side]];
      v3_copy(cut->point[side], j->point[side]);
    }
    add_cut_rows(k, j);
    cut->count = k->tree->rows - cut->first;
    if (k->tree->rows > JOINT_CUT_ROWS)
      return problem_refuse(why, "joint", i, "more than %d rows of cut joints", (int)JOINT_CUT_ROWS);
  }
  return true;
}

/* q and q' that the poses and velocities at the start have. */
static void read_start_coordinates(const struct tree_maker *k, struct problem *p)
{
  const struct instant start = problem_start(p);
  struct joint_pose o;
  for (int n = 0; n < k->tree->links; n++) {
    const struct joint_link *link = &k->tree->link[n];
    const ali3_body_state *x = &k->state[link->body];
    double R[9], w[3], V[SPATIAL], H[SPATIAL], cosine = 0, sine = 0;
    if (link_floats(k->tree, n)) {
      v3_copy(p->q + link->first, x->position);
      v3_copy(p->qd + link->first, x->velocity);
      memcpy(p->q + link->first + 3, x->orientation, sizeof x->orientation);
      p_from_rotation(p->qd + link->first + 3, x->orientation, 1, x->angular_velocity, 0);
      continue;
    }
    joint_pose_set(&o, p, &start, p->q, p->qd);
    start_rotation(k, link->body, R);
    m3_mul(w, R, x->angular_velocity);
    v3_copy(V + 3, w);
    v3_cross(V, x->position, w);
    v3_axpy(V, 1, x->velocity);
    /* u of the outer body, in the axes of the joint; or the way of its point along the axis. */
    if (link->turns) {
      const double u[3] = {link->frame[1][0], link->frame[1][3], link->frame[1][6]};
      double turned[3];
      m3_mul(turned, R, u);
      for (int i = 0; i < 3; i++) {
        cosine += o.link[n].C[3 * i] * turned[i];
        sine += o.link[n].C[3 * i + 1] * turned[i];
      }
      p->q[link->first] = atan2(sine, cosine);
    } else {
      double at[3];
      m3_mul(at, R, link->point[1]);
      v3_axpy(at, 1, x->position);
      for (int i = 0; i < 3; i++) p->q[link->first] += o.link[n].C[3 * i + 2] * (at[i] - o.link[n].point[i]);
    }
    joint_pose_set(&o, p, &start, p->q, p->qd);
    link_along(&o, n, H);
    p->qd[link->first] = spatial_dot(H, V) - spatial_dot(H, joint_twist(&o, link->parent));
  }
}

/* How the coordinate of the model's joint goes with that of its link, wherever that starts. */
static void count_coordinates(const struct tree_maker *k, struct problem *p)
{
  for (int n = 0; n < k->tree->links; n++) {
    const struct joint_link *link = &k->tree->link[n];
    if (link_floats(k->tree, n)) continue;
    const struct joint *j = &k->model->joint[link->joint];
    const bool reversed = j->body[1] != link->body;
    double sign = reversed ? -1 : 1, R[2][9], world[2][3];
    /* A reversed revolute joint turns about its axis in b, which may point the other way. */
    if (reversed && link->turns) {
      for (int side = 0; side < 2; side++) {
        start_rotation(k, j->body[side], R[side]);
        m3_mul(world[side], R[side], j->axis[side]);
      }
      if (v3_dot(world[0], world[1]) < 0) sign = 1;
    }
    k->tree->count[link->joint] =
        (struct joint_count){link->first, sign, p->turn[link->joint] - sign * p->q[link->first]};
  }
}

static bool check_tree(const struct tree_maker *k, struct lab_refusal *why)
{
  if (k->model->bodies > JOINT_LINKS)
    return problem_refuse(why, "model", -1, "joint coordinates take %d bodies at most, found %d",
                          (int)JOINT_LINKS, k->model->bodies);
  return true;
}

static bool give_tree_memory(struct tree_maker *k, struct problem *p)
{
  const size_t bodies = (size_t)k->model->bodies, joints = (size_t)k->model->joints,
               ties = (size_t)forces_rows(k->model);
  struct joint_tree *o = k->tree = p->own = calloc(1, sizeof *o);
  k->state = calloc(bodies, sizeof *k->state);
  k->part = calloc(bodies + 1, sizeof *k->part);
  k->in_tree = calloc(joints + 1, sizeof *k->in_tree);
  p->q = calloc(JOINT_MOST * bodies, sizeof *p->q);
  p->qd = calloc(JOINT_MOST * bodies, sizeof *p->qd);
  if (!o) return false;
  /* The tree itself. */
  o->link = calloc(bodies, sizeof *o->link);
  o->link_of = calloc(bodies, sizeof *o->link_of);
  o->cut = calloc(joints + ties + 1, sizeof *o->cut);
  o->row = calloc(SPATIAL * joints + ties + 1, sizeof *o->row);
  o->tie = calloc(ties + 1, sizeof *o->tie);
  o->count = calloc(joints + 1, sizeof *o->count);
  return k->state && k->part && k->in_tree && p->q && p->qd && o->link && o->link_of && o->cut && o->row &&
         o->tie && o->count;
}

bool joint_make(struct problem *p, const ali3_data *d, struct lab_refusal *why)
{
  const ali3_model *m = p->model;
  struct tree_maker k = {.model = m};
  if (!forces_check_bodies(m, why)) return false;
  bool good = give_tree_memory(&k, p) || problem_refuse(why, "model", -1, "out of memory");
  /* The tree, then the joints that it leaves. */
  if (good) {
    ali3_model_gravity(m, k.tree->gravity);
    for (int b = 0; b < m->bodies; b++) ali3_body_get(m, d, b, &k.state[b]);
    choose_tree_joints(&k);
    good = check_tree(&k, why);
  }
  if (good) {
    number_links(&k);
    good = cut_loops(&k, why);
    p->driven = k.tree->rows;
    p->driven_rows = forces_rows(m);
    p->loaded = forces_load(m);
    good = good && joint_ties_make(p, k.tree, why);
  }
  /* Coordinates at the start. */
  if (good) {
    p->n = k.tree->coordinates;
    p->m = k.tree->rows + k.tree->floats;
    read_start_coordinates(&k, p);
    count_coordinates(&k, p);
    k.tree->joints = m->joints;
  }
  free(k.state);
  free(k.part);
  free(k.in_tree);
  return good;
}
