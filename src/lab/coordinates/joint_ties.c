/* SPDX-License-Identifier: MIT */
#include "coordinates/joint_parts.h"

#include "layout/frozen.h"
#include "math/euler.h"

#include <math.h>
#include <string.h>

/* ---- set-up ---- */

static int link_of_body(const struct joint_tree *tree, int body)
{
  return body == ALI3_GROUND ? -1 : tree->link_of[body];
}

bool joint_ties_make(const struct problem *p, struct joint_tree *tree, struct lab_refusal *why)
{
  for (int i = 0; i < forces_rows(p->model); i++) {
    const struct joint_rows *j = &p->model->frozen->link[p->model->joints + i];
    struct joint_tie *tie = &tree->tie[tree->ties++];
    struct joint_cut *cut = &tree->cut[tree->cuts++];
    if (tree->rows == JOINT_CUT_ROWS)
      return problem_refuse(why, "force", p->model->frozen->force_of[i],
                            "more than %d rows of cut joints, drives and gears", (int)JOINT_CUT_ROWS);
    *cut = (struct joint_cut){.joint = -1, .link = {-1, -1, -1, -1}, .first = tree->rows, .count = 1};
    tree->row[tree->rows++] = (struct joint_cut_row){.kind = CUT_TIE};
    *tie = (struct joint_tie){.terms = j->coordinates};
    /* A term and two links for each joint. */
    for (int k = 0; k < j->coordinates; k++) {
      struct tie_term *term = &tie->term[k];
      *term = (struct tie_term){.turns = j->coordinate[k].kind == COORDINATE_ANGLE, .ratio = j->ratio[k]};
      v3_copy(term->axis, j->coordinate[k].axis);
      v3_copy(term->point, j->coordinate[k].point[1]);
      for (int side = 0; side < 2; side++)
        cut->link[2 * k + side] = link_of_body(tree, j->body[j->side[k][side]]);
    }
  }
  return true;
}

/* ---- a pose as the core sees it ---- */

/* Euler parameters of a rotation, from the largest of them, so that nothing small is divided by. */
static void parameters_of_rotation(double p[4], const double R[9])
{
  const double squares[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                             1 - R[0] - R[4] + R[8]};
  const double odd[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
  const double even[3] = {R[5] + R[7], R[2] + R[6], R[1] + R[3]}; /* of y z, x z, x y */
  int most = 0;
  for (int i = 1; i < 4; i++)
    if (squares[i] > squares[most]) most = i;
  const double largest = 0.5 * sqrt(squares[most]);
  for (int i = 0; i < 4; i++) {
    if (i == most)
      p[i] = largest;
    else if (most == 0 || i == 0)
      p[i] = odd[most + i - 1] / (4 * largest);
    else
      p[i] = even[5 - most - i] / (4 * largest);
  }
}

void joint_body_state(const struct link_pose *x, struct body_state *o)
{
  double w[3];
  v3_copy(o->r, x->r);
  parameters_of_rotation(o->p, x->R);
  v3_cross(o->rd, x->V + 3, x->r);
  v3_axpy(o->rd, 1, x->V);
  m3_tmul(w, x->R, x->V + 3);
  p_from_rotation(o->pd, o->p, 1, w, 0);
}

static void state_of_link(const void *user, int body, struct body_state *x)
{
  const struct joint_pose *o = user;
  joint_body_state(&o->link[o->tree->link_of[body]], x);
}

/* The wrench about the origin of a force at the centre of mass and a torque in body axes. */
static void wrench_of_load(const struct link_pose *x, const double y[BODY_Y], double P[SPATIAL])
{
  double moment[3];
  v3_copy(P, y);
  m3_mul(P + 3, x->R, y + 3);
  v3_cross(moment, x->r, y);
  v3_axpy(P + 3, 1, moment);
}

static void load_as_wrench(const void *user, int body, const struct body_state *x, const double y[BODY_Y],
                           double *sum)
{
  const struct joint_pose *o = user;
  const int link = o->tree->link_of[body];
  double P[SPATIAL];
  (void)x;
  wrench_of_load(&o->link[link], y, P);
  for (int i = 0; i < SPATIAL; i++) sum[SPATIAL * link + i] += P[i];
}

static void load_as_force(const void *user, int body, const struct body_state *x, const double y[BODY_Y],
                          double *sum)
{
  const struct joint_pose *o = user;
  const int link = o->tree->link_of[body];
  double P[SPATIAL];
  (void)x;
  wrench_of_load(&o->link[link], y, P);
  for (int j = link; j >= 0; j = o->tree->link[j].parent)
    for (int i = 0; i < o->tree->link[j].count; i++) {
      double s[SPATIAL];
      link_twist(o, j, i, s);
      sum[o->tree->link[j].first + i] += spatial_dot(P, s);
    }
}

struct mover joint_wrench_mover(const struct joint_pose *o)
{
  return (struct mover){.user = o, .state = state_of_link, .load = load_as_wrench};
}

struct mover joint_force_mover(const struct joint_pose *o)
{
  return (struct mover){.user = o, .state = state_of_link, .load = load_as_force};
}

void joint_add_wrenches(const struct joint_pose *o, const struct problem *p, const struct instant *now,
                        double *P)
{
  const struct instant counted = {now->time, o->coordinate, now->own};
  const struct mover at = joint_wrench_mover(o);
  if (p->loaded) forces_add(p->model, &counted, &at, P);
}

double joint_tie_value(const struct joint_pose *o, const struct problem *p, const struct instant *now,
                       int tie)
{
  const struct instant counted = {now->time, o->coordinate, now->own};
  const struct mover at = joint_wrench_mover(o);
  double motion[3];
  forces_row_motion(p->model, tie, now->time, motion);
  return forces_row_value(p->model, tie, &counted, &at) - motion[0];
}
