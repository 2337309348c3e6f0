/* SPDX-License-Identifier: MIT
 * Joint coordinates of papers 2 and 4: one number for each revolute or prismatic joint of a spanning tree; joints
 * that close a loop are cut and give rows.
 *
 *   M = sum S_i' M_i S_i,  S_i: twists of body i for unit rates of the joints between it and the ground
 *   Phi_q = D'(S_b - S_a),    f = sum S_i' (weight - V x* M V - M (sum s' q')) */
#include "coordinates/joint.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds x_j = factor k . s_j of all joints between a link and the ground. */
static void add_along_path(double *x, const struct joint_pose *o, int link, const double k[SPATIAL],
                           double factor)
{
  for (int j = link; j >= 0; j = o->tree->link[j].parent) x[j] += factor * spatial_dot(k, o->link[j].s);
}

static void joint_rows(const struct problem *p, const double *q, double *Phi, double *Phi_q)
{
  struct joint_pose o;
  joint_pose_set(&o, p, q, NULL);
  memset(Phi_q, 0, sizeof *Phi_q * (size_t)(p->m * p->n));
  for (int c = 0; c < o.tree->cuts; c++)
    for (int i = 0; i < o.tree->cut[c].count; i++) {
      const int row = o.tree->cut[c].first + i;
      Phi[row] = o.row[row].Phi;
      for (int side = 0; side < 2; side++)
        add_along_path(Phi_q + row * p->n, &o, o.tree->cut[c].link[side], o.row[row].D[side], side ? 1 : -1);
    }
}

static void joint_bias(const struct problem *p, const double *q, const double *qd, double *bias)
{
  struct joint_pose o;
  joint_pose_set(&o, p, q, qd);
  for (int c = 0; c < o.tree->cuts; c++)
    for (int i = 0; i < o.tree->cut[c].count; i++) {
      const int row = o.tree->cut[c].first + i;
      bias[row] = 0;
      for (int side = 0; side < 2; side++) {
        const int link = o.tree->cut[c].link[side];
        const double sign = side ? 1 : -1;
        bias[row] += sign * spatial_dot(o.row[row].Dd[side], joint_twist(&o, link));
        for (int j = link; j >= 0; j = o.tree->link[j].parent)
          bias[row] += sign * qd[j] * spatial_dot(o.row[row].D[side], o.link[j].sd);
      }
    }
}

static void joint_inertia(const struct problem *p, const double *q, double *M)
{
  struct joint_pose o;
  joint_pose_set(&o, p, q, NULL);
  memset(M, 0, sizeof *M * (size_t)(p->n * p->n));
  for (int i = 0; i < o.tree->links; i++)
    for (int j = i; j >= 0; j = o.tree->link[j].parent) {
      double P[SPATIAL];
      link_momentum(&o, i, o.link[j].s, P);
      add_along_path(M + j * p->n, &o, i, P, 1);
    }
}

static void joint_force(const struct problem *p, const double *q, const double *qd, double *f)
{
  struct joint_pose o;
  double rate[JOINT_LINKS][SPATIAL]; /* V' of each link with q'' = 0 */
  joint_pose_set(&o, p, q, qd);
  memset(f, 0, sizeof *f * (size_t)p->n);
  for (int k = 0; k < o.tree->links; k++) {
    double P[SPATIAL], h[SPATIAL];
    const int parent = o.tree->link[k].parent;
    for (int i = 0; i < SPATIAL; i++)
      rate[k][i] = (parent < 0 ? 0 : rate[parent][i]) + qd[k] * o.link[k].sd[i];
    link_force(&o, k, P);
    link_momentum(&o, k, rate[k], h);
    for (int i = 0; i < SPATIAL; i++) P[i] -= h[i];
    add_along_path(f, &o, k, P, 1);
  }
}

static void joint_energy(const struct problem *p, const double *q, const double *qd, double *kinetic,
                         double *potential)
{
  struct joint_pose o;
  joint_pose_set(&o, p, q, qd);
  *kinetic = *potential = 0;
  for (int k = 0; k < o.tree->links; k++) {
    double P[SPATIAL];
    link_momentum(&o, k, o.link[k].V, P);
    *kinetic += 0.5 * spatial_dot(P, o.link[k].V);
    *potential -= o.tree->link[k].mass * v3_dot(o.tree->gravity, o.link[k].r);
  }
}

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

static void joint_body(const struct problem *p, const double *q, const double *qd, int body,
                       struct lab_body *o)
{
  struct joint_pose pose;
  joint_pose_set(&pose, p, q, qd);
  const struct link_pose *x = &pose.link[pose.tree->link_of[body]];
  v3_copy(o->position, x->r);
  parameters_of_rotation(o->orientation, x->R);
  v3_cross(o->velocity, x->V + 3, x->r);
  v3_axpy(o->velocity, 1, x->V);
  m3_tmul(o->angular_velocity, x->R, x->V + 3);
}

static void joint_release(struct problem *p)
{
  struct joint_tree *o = p->own;
  if (!o) return;
  free(o->link);
  free(o->cut);
  free(o->row);
  free(o->link_of);
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
                                              .energy = joint_energy,
                                              .body = joint_body};
