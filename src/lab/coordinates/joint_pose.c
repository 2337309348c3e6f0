/* SPDX-License-Identifier: MIT
 * Kinematics of the spanning tree, link by link outwards, and of the cut joints.
 *
 *   R_b C_b = R_a C_a Rz(q)        V_b = V_a + s q'        s' = V_a x s
 *   Phi' = D . (V_b - V_a)         of a row of a cut joint between a and b
 *
 * A link that floats has twists of r and of the Euler parameters instead of one of a joint. */
#include "coordinates/joint_parts.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double resting_twist[SPATIAL];

const double *joint_twist(const struct joint_pose *o, int link)
{
  return link < 0 ? resting_twist : o->link[link].V;
}

/* O = A B, or A B' */
static void rotation_product(double o[9], const double A[9], const double B[9], bool transposed)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      o[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) o[3 * i + j] += A[3 * i + k] * (transposed ? B[3 * j + k] : B[3 * k + j]);
    }
}

/* Where a point of a body is. */
static void place_of_point(const struct joint_pose *o, int link, const double point[3], double place[3])
{
  if (link < 0) {
    v3_copy(place, point);
    return;
  }
  m3_mul(place, o->link[link].R, point);
  v3_axpy(place, 1, o->link[link].r);
}

/* A direction of a body, in world axes. */
static void direction_of_body(const struct joint_pose *o, int link, const double u[3], double world[3])
{
  if (link < 0)
    v3_copy(world, u);
  else
    m3_mul(world, o->link[link].R, u);
}

/* o = V x s, the rate of a twist that is fixed in a body with twist V */
static void twist_rate(double o[SPATIAL], const double V[SPATIAL], const double s[SPATIAL])
{
  double part[3];
  v3_cross(o, V + 3, s);
  v3_cross(part, V, s + 3);
  v3_axpy(o, 1, part);
  v3_cross(o + 3, V + 3, s + 3);
}

static void pose_of_link(struct joint_pose *o, int k, double q, double qd)
{
  static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const struct joint_link *link = &o->tree->link[k];
  struct link_pose *x = &o->link[k];
  const double angle = link->turns ? q : 0, c = cos(angle), s = sin(angle);
  const double turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1},
               *inner = link->parent < 0 ? unit : o->link[link->parent].R;
  double turned[9], arm[3], zero[3] = {0};
  /* The joint's axes, then the body. */
  rotation_product(x->C, inner, link->frame[0], false);
  rotation_product(turned, x->C, turn, false);
  rotation_product(x->R, turned, link->frame[1], true);
  const double axis[3] = {x->C[2], x->C[5], x->C[8]};
  place_of_point(o, link->parent, link->point[0], x->point);
  if (!link->turns) v3_axpy(x->point, q, axis);
  m3_mul(arm, x->R, link->point[1]);
  v3_sub(x->r, x->point, arm);
  /* s, its rate, and the twist. */
  v3_cross(x->s, x->point, axis);
  v3_copy(link->turns ? x->s + 3 : x->s, axis);
  if (!link->turns) v3_copy(x->s + 3, zero);
  const double *V = joint_twist(o, link->parent);
  twist_rate(x->sd, V, x->s);
  for (int i = 0; i < SPATIAL; i++) x->V[i] = V[i] + qd * x->s[i];
}

/* D = (e, P x e) for a force along e at P, and its rate. */
static void wrench_of_force(double D[SPATIAL], double Dd[SPATIAL], const double P[3], const double Pd[3],
                            const double e[3], const double ed[3])
{
  double part[3];
  v3_copy(D, e);
  v3_cross(D + 3, P, e);
  v3_copy(Dd, ed);
  v3_cross(Dd + 3, Pd, e);
  v3_cross(part, P, ed);
  v3_axpy(Dd + 3, 1, part);
}

/* U . V: a couple f x e. */
static void pose_of_angle(struct cut_pose *o, const struct joint_pose *pose, const struct joint_cut *cut,
                          const struct joint_cut_row *row)
{
  double e[3], ed[3], f[3], fd[3], part[3];
  direction_of_body(pose, cut->link[0], row->u, e);
  direction_of_body(pose, cut->link[1], row->v, f);
  v3_cross(ed, joint_twist(pose, cut->link[0]) + 3, e);
  v3_cross(fd, joint_twist(pose, cut->link[1]) + 3, f);
  o->Phi = v3_dot(e, f);
  v3_cross(o->D[0] + 3, f, e);
  v3_cross(o->Dd[0] + 3, fd, e);
  v3_cross(part, f, ed);
  v3_axpy(o->Dd[0] + 3, 1, part);
  memcpy(o->D[1], o->D[0], sizeof o->D[1]);
  memcpy(o->Dd[1], o->Dd[0], sizeof o->Dd[1]);
}

static void pose_of_row(struct cut_pose *o, const struct joint_pose *pose, const struct joint_cut *cut,
                        const struct joint_cut_row *row)
{
  double e[3], ed[3] = {0}, at[2][3], rate[2][3], gap[3];
  memset(o, 0, sizeof *o);
  if (row->kind == CUT_ANGLE) {
    pose_of_angle(o, pose, cut, row);
    return;
  }
  for (int side = 0; side < 2; side++) {
    const double *V = joint_twist(pose, cut->link[side]);
    place_of_point(pose, cut->link[side], cut->point[side], at[side]);
    v3_cross(rate[side], V + 3, at[side]);
    v3_axpy(rate[side], 1, V);
  }
  v3_sub(gap, at[1], at[0]);
  if (row->kind == CUT_LENGTH) {
    /* The force is along d / L, whose rate is d' / L. */
    for (int i = 0; i < 3; i++) {
      e[i] = gap[i] / row->length;
      ed[i] = (rate[1][i] - rate[0][i]) / row->length;
    }
    o->Phi = 0.5 * (v3_dot(e, gap) - row->length);
    for (int side = 0; side < 2; side++)
      wrench_of_force(o->D[side], o->Dd[side], at[side], rate[side], e, ed);
    return;
  }
  /* The force along a U that turns with a acts at P_b on both bodies; along a fixed axis it acts at P_a and P_b. */
  const bool turns = row->kind == CUT_IN_PLANE;
  direction_of_body(pose, turns ? cut->link[0] : -1, row->u, e);
  if (turns) v3_cross(ed, joint_twist(pose, cut->link[0]) + 3, e);
  o->Phi = v3_dot(e, gap);
  for (int side = 0; side < 2; side++)
    wrench_of_force(o->D[side], o->Dd[side], at[turns ? 1 : side], rate[turns ? 1 : side], e, ed);
}

/* A couple about the axis of a joint, or a force along it at the joint's point of b; both turn with a. */
static void pose_of_tie(struct cut_pose *o, const struct joint_pose *pose, const struct joint_cut *cut,
                        const struct joint_tie *tie)
{
  memset(o, 0, sizeof *o);
  o->tied = true;
  for (int k = 0; k < tie->terms; k++) {
    const struct tie_term *term = &tie->term[k];
    const int *link = cut->link + 2 * k;
    double e[3], ed[3], at[3], rate[3], *D = o->D[k], *Dd = o->Dd[k];
    direction_of_body(pose, link[0], term->axis, e);
    v3_cross(ed, joint_twist(pose, link[0]) + 3, e);
    /* The wrench of a unit, and its rate. */
    if (term->turns) {
      v3_copy(D + 3, e);
      v3_copy(Dd + 3, ed);
    } else {
      const double *V = joint_twist(pose, link[1]);
      place_of_point(pose, link[1], term->point, at);
      v3_cross(rate, V + 3, at);
      v3_axpy(rate, 1, V);
      wrench_of_force(D, Dd, at, rate, e, ed);
    }
    for (int i = 0; i < SPATIAL; i++) {
      D[i] *= term->ratio;
      Dd[i] *= term->ratio;
    }
  }
}

void joint_pose_set(struct joint_pose *o, const struct problem *p, const struct instant *now, const double *q,
                    const double *qd)
{
  const struct joint_tree *tree = o->tree = p->own;
  /* Links, coordinates of joints, rows. */
  for (int k = 0; k < tree->links; k++) {
    const int first = tree->link[k].first;
    if (link_floats(tree, k))
      joint_float_pose(o, k, q + first, qd ? qd + first : NULL);
    else
      pose_of_link(o, k, q[first], qd ? qd[first] : 0);
  }
  for (int i = 0; i < tree->joints; i++) {
    const struct joint_count *count = &tree->count[i];
    o->coordinate[i] = count->sign != 0 ? count->sign * q[count->at] + count->offset : now->turn[i];
  }
  for (int c = 0; c < tree->cuts; c++)
    for (int i = 0; i < tree->cut[c].count; i++) {
      const int row = tree->cut[c].first + i;
      if (tree->row[row].kind != CUT_TIE) {
        pose_of_row(&o->row[row], o, &tree->cut[c], &tree->row[row]);
      } else {
        const int tie = c - (tree->cuts - tree->ties);
        pose_of_tie(&o->row[row], o, &tree->cut[c], &tree->tie[tie]);
        o->row[row].Phi = joint_tie_value(o, p, now, tie);
      }
    }
}

/* o = R J R' x, or with the inverse of J */
static void turn_inertia(const double R[9], const double J[9], const double x[3], double o[3])
{
  double inside[3], turned[3];
  m3_tmul(inside, R, x);
  m3_mul(turned, J, inside);
  m3_mul(o, R, turned);
}

void link_momentum(const struct joint_pose *o, int link, const double V[SPATIAL], double P[SPATIAL])
{
  const struct link_pose *x = &o->link[link];
  double across[3];
  v3_cross(P, V + 3, x->r);
  for (int i = 0; i < 3; i++) P[i] = o->tree->link[link].mass * (V[i] + P[i]);
  turn_inertia(x->R, o->tree->link[link].inertia, V + 3, P + 3);
  v3_cross(across, x->r, P);
  v3_axpy(P + 3, 1, across);
}

void link_mobility(const struct joint_pose *o, int link, const double P[SPATIAL], double V[SPATIAL])
{
  const struct link_pose *x = &o->link[link];
  double across[3], moment[3];
  v3_cross(across, x->r, P);
  v3_sub(moment, P + 3, across); /* about the centre of mass */
  turn_inertia(x->R, o->tree->link[link].inverse, moment, V + 3);
  v3_cross(across, V + 3, x->r);
  for (int i = 0; i < 3; i++) V[i] = P[i] / o->tree->link[link].mass - across[i];
}

void link_weight(const struct joint_pose *o, int link, double P[SPATIAL])
{
  for (int i = 0; i < 3; i++) P[i] = o->tree->link[link].mass * o->tree->gravity[i];
  v3_cross(P + 3, o->link[link].r, P);
}

void link_force(const struct joint_pose *o, int link, double P[SPATIAL])
{
  const double *V = o->link[link].V;
  double h[SPATIAL], part[3];
  link_weight(o, link, P);
  link_momentum(o, link, V, h);
  v3_cross(part, V + 3, h);
  v3_axpy(P, -1, part);
  v3_cross(part, V + 3, h + 3);
  v3_axpy(P + 3, -1, part);
  v3_cross(part, V, h);
  v3_axpy(P + 3, -1, part);
}

/* A force along column i of the joint's axes, at its point, or a couple about that column. */
static void wrench_of_column(const struct link_pose *x, int i, bool force, double o[SPATIAL])
{
  const double e[3] = {x->C[i], x->C[3 + i], x->C[6 + i]};
  memset(o, 0, SPATIAL * sizeof *o);
  v3_copy(force ? o : o + 3, e);
  if (force) v3_cross(o + 3, x->point, e);
}

void link_held(const struct joint_pose *o, int k, double D[JOINT_HELD][SPATIAL])
{
  const int forces = o->tree->link[k].turns ? 3 : 2;
  memset(D, 0, JOINT_HELD * sizeof *D);
  for (int i = 0; !link_floats(o->tree, k) && i < JOINT_HELD; i++)
    wrench_of_column(&o->link[k], i < forces ? i : i - forces, i < forces, D[i]);
}

void link_along(const struct joint_pose *o, int k, double H[SPATIAL])
{
  wrench_of_column(&o->link[k], 2, !o->tree->link[k].turns, H);
}
