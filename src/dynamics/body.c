/* SPDX-License-Identifier: MIT
 * Loop code: no allocation, no branches on data. */
#include "dynamics/body.h"
#include "math/euler.h"

const struct body_state body_ground = {.p = {1.0, 0.0, 0.0, 0.0}};
const struct body_frame body_ground_frame = {.R = {1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0}, .s = 1.0};

void body_frame_update(struct body_frame *f, const struct body_state *x)
{
  f->s = p_rotation(f->R, x->p);
}

void body_velocity(const struct body_state *x, double y[BODY_Y])
{
  v3_copy(y, x->rd);
  p_to_rotation(y + 3, x->p, x->pd);
  y[6] = p_dot(x->p, x->pd);
}

void body_acceleration(const struct body_state *x, double y[BODY_Y])
{
  v3_copy(y, x->rdd);
  p_to_rotation(y + 3, x->p, x->pdd);
  y[6] = p_dot(x->p, x->pdd);
}

void body_set_velocity(struct body_state *x, const struct body_frame *f, const double y[BODY_Y])
{
  v3_copy(x->rd, y);
  p_from_rotation(x->pd, x->p, f->s, y + 3, y[6]);
}

void body_set_acceleration(struct body_state *x, const struct body_frame *f, const double y[BODY_Y])
{
  v3_copy(x->rdd, y);
  p_from_rotation(x->pdd, x->p, f->s, y + 3, y[6]);
}

void body_move(struct body_state *x, const struct body_frame *f, const double y[BODY_Y])
{
  double dp[4];
  v3_axpy(x->r, 1.0, y);
  p_from_rotation(dp, x->p, f->s, y + 3, y[6]);
  for (int i = 0; i < 4; i++) x->p[i] += dp[i];
}

/* From M and Q of paper 1, (7) and (8), with G G' = s I and G Gd' = (p'p') I + w~/2:
 *   g_th = J' 2 G p'' + (w x J'w + 2 (p'pd) J'w)/s - n_b
 *   g_n  = -2 w'J'w / s + 2 (mu + alpha Psi) */
void body_residual(const struct body *b, const struct body_state *x, const struct body_frame *f,
                   const double gravity[3], const struct body_load *load, double mu_total, double g[BODY_Y])
{
  double w[3], wd[3], Jw[3], Jwd[3], gyro[3], torque[3], k = 1.0 / f->s;
  p_to_rotation(w, x->p, x->pd);
  p_to_rotation(wd, x->p, x->pdd);
  m3_mul(Jw, b->inertia, w);
  m3_mul(Jwd, b->inertia, wd);
  v3_cross(gyro, w, Jw);
  m3_tmul(torque, f->R, load->torque);
  double turn = 2.0 * p_dot(x->p, x->pd);
  for (int i = 0; i < 3; i++) {
    g[i] = b->mass * (x->rdd[i] - gravity[i]) - load->force[i];
    g[3 + i] = Jwd[i] + k * (gyro[i] + turn * Jw[i]) - torque[i];
  }
  g[6] = 2.0 * mu_total - 2.0 * k * v3_dot(w, Jw);
}

void body_apply_delta(const struct body_delta *delta, const double g[BODY_Y], double o[BODY_Y])
{
  for (int i = 0; i < 3; i++) o[i] = delta->r * g[i];
  m3_mul(o + 3, delta->th, g + 3);
  o[6] = delta->n * g[6];
}
