/* SPDX-License-Identifier: MIT
 * Joint coordinates of papers 2 and 4: one number for each revolute or prismatic joint of a spanning tree; joints
 * that close a loop are cut and give rows.
 *
 *   M = sum S_i' M_i S_i,  S_i: twists of body i for unit rates of the coordinates between it and the ground
 *   Phi_q = D'(S_b - S_a),    f = sum S_i' (weight - V x* M V - M (sum s' q')) */
#include "coordinates/joint_parts.h"
#include "math/euler.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* o += sum s_i x_i of the coordinates of link k, or with the rates of s. */
static void add_twists(double o[SPATIAL], const struct joint_pose *pose, int k,
                       void (*twist)(const struct joint_pose *, int, int, double *), const double *x)
{
  const struct joint_link *link = &pose->tree->link[k];
  for (int n = 0; n < link->count; n++) {
    double s[SPATIAL];
    twist(pose, k, n, s);
    for (int i = 0; i < SPATIAL; i++) o[i] += x[link->first + n] * s[i];
  }
}

/* The rows p'p = 1 of links that float. */
static void float_rows(const struct joint_pose *o, int n, double *Phi, double *Phi_q)
{
  int row = o->tree->rows;
  for (int k = 0; k < o->tree->links; k++) {
    if (!link_floats(o->tree, k)) continue;
    Phi[row] = p_dot(o->link[k].p, o->link[k].p) - 1;
    for (int i = 0; i < 4; i++) Phi_q[row * n + o->tree->link[k].first + 3 + i] = 2 * o->link[k].p[i];
    row++;
  }
}

/* Adds x_j = factor k . s_j of all coordinates between a link and the ground. */
static void add_along_path(double *x, const struct joint_pose *o, int link, const double k[SPATIAL],
                           double factor)
{
  for (int j = link; j >= 0; j = o->tree->link[j].parent)
    for (int i = 0; i < o->tree->link[j].count; i++) {
      double s[SPATIAL];
      link_twist(o, j, i, s);
      x[o->tree->link[j].first + i] += factor * spatial_dot(k, s);
    }
}

static void joint_rows(const struct problem *p, const struct instant *now, const double *q, double *Phi,
                       double *Phi_q)
{
  struct joint_pose o;
  joint_pose_set(&o, p, now, q, NULL);
  memset(Phi_q, 0, sizeof *Phi_q * (size_t)(p->m * p->n));
  for (int c = 0; c < o.tree->cuts; c++)
    for (int i = 0; i < o.tree->cut[c].count; i++) {
      const int row = o.tree->cut[c].first + i;
      Phi[row] = o.row[row].Phi;
      for (int side = 0; side < JOINT_CUT_SIDES; side++)
        add_along_path(Phi_q + row * p->n, &o, o.tree->cut[c].link[side],
                       o.row[row].D[joint_side_wrench(&o.row[row], side)], joint_side_sign(side));
    }
  float_rows(&o, p->n, Phi, Phi_q);
}

static void joint_bias(const struct problem *p, const struct instant *now, const double *q, const double *qd,
                       double *bias)
{
  struct joint_pose o;
  joint_pose_set(&o, p, now, q, qd);
  for (int c = 0; c < o.tree->cuts; c++)
    for (int i = 0; i < o.tree->cut[c].count; i++) {
      const int row = o.tree->cut[c].first + i;
      bias[row] = 0;
      for (int side = 0; side < JOINT_CUT_SIDES; side++) {
        const int link = o.tree->cut[c].link[side];
        const double sign = joint_side_sign(side);
        bias[row] +=
            sign * spatial_dot(o.row[row].Dd[joint_side_wrench(&o.row[row], side)], joint_twist(&o, link));
        double rate[SPATIAL] = {0};
        for (int j = link; j >= 0; j = o.tree->link[j].parent) add_twists(rate, &o, j, link_twist_rate, qd);
        bias[row] += sign * spatial_dot(o.row[row].D[joint_side_wrench(&o.row[row], side)], rate);
      }
    }
  /* Motions of drives. */
  for (int i = 0; i < p->driven_rows; i++) {
    double motion[3];
    forces_row_motion(p->model, i, now->time, motion);
    bias[p->driven + i] -= motion[2];
  }
  int row = o.tree->rows;
  for (int k = 0; k < o.tree->links; k++)
    if (link_floats(o.tree, k)) bias[row++] = 2 * p_dot(o.link[k].pd, o.link[k].pd);
}

static void joint_inertia(const struct problem *p, const double *q, double *M)
{
  struct joint_pose o;
  const struct instant start = problem_start(p);
  joint_pose_set(&o, p, &start, q, NULL);
  memset(M, 0, sizeof *M * (size_t)(p->n * p->n));
  for (int i = 0; i < o.tree->links; i++)
    for (int j = i; j >= 0; j = o.tree->link[j].parent)
      for (int c = 0; c < o.tree->link[j].count; c++) {
        double s[SPATIAL], P[SPATIAL];
        link_twist(&o, j, c, s);
        link_momentum(&o, i, s, P);
        add_along_path(M + (o.tree->link[j].first + c) * p->n, &o, i, P, 1);
      }
}

static void joint_force(const struct problem *p, const struct instant *now, const double *q, const double *qd,
                        double *f)
{
  struct joint_pose o;
  double rate[JOINT_LINKS][SPATIAL]; /* V' of each link with q'' = 0 */
  joint_pose_set(&o, p, now, q, qd);
  memset(f, 0, sizeof *f * (size_t)p->n);
  for (int k = 0; k < o.tree->links; k++) {
    double P[SPATIAL], h[SPATIAL];
    const int parent = o.tree->link[k].parent;
    for (int i = 0; i < SPATIAL; i++) rate[k][i] = parent < 0 ? 0 : rate[parent][i];
    add_twists(rate[k], &o, k, link_twist_rate, qd);
    link_force(&o, k, P);
    link_momentum(&o, k, rate[k], h);
    for (int i = 0; i < SPATIAL; i++) P[i] -= h[i];
    add_along_path(f, &o, k, P, 1);
  }
  const struct instant counted = {now->time, o.coordinate, now->own};
  const struct mover at = joint_force_mover(&o);
  if (p->loaded) forces_add(p->model, &counted, &at, f);
}

static void joint_slopes(const struct problem *p, const struct instant *now, const double *q,
                         const double *qd, double k, double c, double *gradient, double *A)
{
  struct joint_pose o;
  joint_pose_set(&o, p, now, q, qd);
  const struct instant counted = {now->time, o.coordinate, now->own};
  const struct mover at = joint_force_mover(&o);
  forces_add_slopes(p->model, &counted, &at, k, c, p->n, gradient, A);
}

static void joint_own_rates(const struct problem *p, const struct instant *now, const double *q,
                            const double *qd, double *rate)
{
  struct joint_pose o;
  joint_pose_set(&o, p, now, q, qd);
  const struct instant counted = {now->time, o.coordinate, now->own};
  const struct mover at = joint_force_mover(&o);
  forces_own_rates(p->model, &counted, &at, rate);
}

static void joint_follow(const struct problem *p, const double *q, double *turn)
{
  const struct instant now = {.turn = turn};
  struct joint_pose o;
  joint_pose_set(&o, p, &now, q, NULL);
  memcpy(turn, o.coordinate, sizeof *turn * (size_t)o.tree->joints);
  const struct mover at = joint_force_mover(&o);
  forces_follow_turns(p->model, &at, turn);
}

static void joint_energy(const struct problem *p, const struct instant *now, const double *q,
                         const double *qd, double *kinetic, double *potential)
{
  struct joint_pose o;
  joint_pose_set(&o, p, now, q, qd);
  *kinetic = *potential = 0;
  for (int k = 0; k < o.tree->links; k++) {
    double P[SPATIAL];
    link_momentum(&o, k, o.link[k].V, P);
    *kinetic += 0.5 * spatial_dot(P, o.link[k].V);
    *potential -= o.tree->link[k].mass * v3_dot(o.tree->gravity, o.link[k].r);
  }
  const struct instant counted = {now->time, o.coordinate, now->own};
  const struct mover at = joint_force_mover(&o);
  if (p->loaded) *potential += forces_energy(p->model, &counted, &at);
}

static void joint_body(const struct problem *p, const double *q, const double *qd, int body,
                       struct lab_body *o)
{
  struct joint_pose pose;
  const struct instant start = problem_start(p);
  joint_pose_set(&pose, p, &start, q, qd);
  const struct link_pose *x = &pose.link[pose.tree->link_of[body]];
  struct body_state state;
  joint_body_state(x, &state);
  memcpy(o->position, state.r, sizeof o->position);
  memcpy(o->orientation, state.p, sizeof o->orientation);
  memcpy(o->velocity, state.rd, sizeof o->velocity);
  m3_tmul(o->angular_velocity, x->R, x->V + 3);
}

/* The load of joint k on what hangs on it, about the origin of the world, (links, 6): momentum rates of all that hangs on it,
 * less loads, and less the wrenches of cut joints. */
static void carried_loads(const struct joint_pose *o, const struct problem *p, const struct instant *now,
                          const struct lab_motion *x, double (*T)[SPATIAL])
{
  const struct joint_tree *tree = o->tree;
  double A[JOINT_LINKS][SPATIAL];
  memset(T, 0, (size_t)tree->links * sizeof *T);
  joint_add_wrenches(o, p, now, *T);
  for (int k = 0; k < tree->links; k++) {
    double force[SPATIAL], rate[SPATIAL];
    const int parent = tree->link[k].parent;
    for (int i = 0; i < SPATIAL; i++) A[k][i] = parent < 0 ? 0 : A[parent][i];
    add_twists(A[k], o, k, link_twist_rate, x->qd);
    add_twists(A[k], o, k, link_twist, x->qdd);
    link_force(o, k, force);
    link_momentum(o, k, A[k], rate);
    for (int i = 0; i < SPATIAL; i++) T[k][i] = rate[i] - force[i] - T[k][i];
  }
  /* Cut joints; then all that hangs on each joint. */
  for (int c = 0; c < tree->cuts; c++)
    for (int row = tree->cut[c].first; row < tree->cut[c].first + tree->cut[c].count; row++)
      for (int side = 0; side < JOINT_CUT_SIDES; side++) {
        const double *D = o->row[row].D[joint_side_wrench(&o->row[row], side)];
        for (int i = 0; tree->cut[c].link[side] >= 0 && i < SPATIAL; i++)
          T[tree->cut[c].link[side]][i] += joint_side_sign(side) * x->lambda[row] * D[i];
      }
  for (int k = tree->links - 1; k >= 0; k--)
    for (int i = 0; tree->link[k].parent >= 0 && i < SPATIAL; i++) T[tree->link[k].parent][i] += T[k][i];
}

/* o: a wrench about the origin, times a sign, at the point of b of a joint. */
static void reaction_at_point(const struct joint_pose *o, const struct joint *j, const double T[SPATIAL],
                              double sign, struct lab_reaction *reaction)
{
  double at[3], moment[3];
  v3_copy(at, j->point[1]);
  if (j->body[1] != ALI3_GROUND) {
    const struct link_pose *b = &o->link[o->tree->link_of[j->body[1]]];
    m3_mul(at, b->R, j->point[1]);
    v3_axpy(at, 1, b->r);
  }
  v3_cross(moment, at, T);
  for (int i = 0; i < 3; i++) {
    reaction->force[i] = sign * T[i];
    reaction->torque[i] = sign * (T[3 + i] - moment[i]);
  }
}

static bool joint_reactions(const struct problem *p, const struct instant *now, const struct lab_motion *x,
                            struct lab_reaction *o)
{
  struct joint_pose pose;
  double T[JOINT_LINKS][SPATIAL];
  joint_pose_set(&pose, p, now, x->q, x->qd);
  const struct joint_tree *tree = pose.tree;
  carried_loads(&pose, p, now, x, T);
  for (int k = 0; k < tree->links; k++) {
    if (link_floats(tree, k)) continue;
    const struct joint *j = &p->model->joint[tree->link[k].joint];
    reaction_at_point(&pose, j, T[k], j->body[1] == tree->link[k].body ? 1 : -1, &o[tree->link[k].joint]);
  }
  /* Cut joints load b by less D lambda. */
  for (int c = 0; c < tree->cuts - tree->ties; c++) {
    double sum[SPATIAL] = {0};
    for (int row = tree->cut[c].first; row < tree->cut[c].first + tree->cut[c].count; row++)
      for (int i = 0; i < SPATIAL; i++) sum[i] -= x->lambda[row] * pose.row[row].D[1][i];
    reaction_at_point(&pose, &p->model->joint[tree->cut[c].joint], sum, 1, &o[tree->cut[c].joint]);
  }
  return true;
}

static void joint_release(struct problem *p)
{
  struct joint_tree *o = p->own;
  if (!o) return;
  free(o->link);
  free(o->cut);
  free(o->row);
  free(o->link_of);
  free(o->tie);
  free(o->count);
  free(o);
}

const struct description description_joint = {.name = "joint",
                                              .title = "coordinates of the joints of a spanning tree",
                                              .make = joint_make,
                                              .release = joint_release,
                                              .rows = joint_rows,
                                              .bias = joint_bias,
                                              .inertia = joint_inertia,
                                              .force = joint_force,
                                              .slopes = joint_slopes,
                                              .own_rates = joint_own_rates,
                                              .follow = joint_follow,
                                              .energy = joint_energy,
                                              .body = joint_body,
                                              .reactions = joint_reactions};
