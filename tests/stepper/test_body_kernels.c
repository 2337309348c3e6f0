/* SPDX-License-Identifier: MIT
 * The kernels of bodies of all instruction sets that this machine has, with one lane and with all, against the scalar functions
 * of dynamics/. */
#include "check.h"
#include "dynamics/spin.h"
#include "stepper/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All that a kernel may change of a body, and what it needs. */
struct one {
  struct body_state x, last;
  struct body_frame f;
  struct body_delta delta;
  struct body_load load;
  double constant[BODY_NUMBERS], mu, w[BODY_Y], pull[BODY_Y], response[BODY_Y], increment;
  double push[BODY_Y];                            /* the sum */
  double z[BODY_Y], beta[BODY_Y], z_kept[BODY_Y]; /* of a hub */
  struct body_spin spin;
  double axes[AXES_NUMBERS];
  bool carried, fast; /* fast: its tile has fast bodies; spin.fast: it is one */
};

static void one_take(const struct scene *s, int tile, int lane, struct one *o)
{
  const ali3_data *d = &s->d;
  struct tree_body at = scene_body(s, tile, lane);
  scene_get((double *)&o->x, d->now.x, at, X_NUMBERS);
  scene_get((double *)&o->last, d->last.x, at, X_NUMBERS);
  scene_get((double *)&o->f, d->frame, at, FRAME_NUMBERS);
  scene_get((double *)&o->delta, d->delta, at, DELTA_NUMBERS);
  scene_get((double *)&o->load, s->body_tile[tile].loaded ? d->load : d->external, at, LOAD_NUMBERS);
  scene_get(o->constant, s->f.constant, at, BODY_NUMBERS);
  scene_get(&o->mu, d->now.mu, at, 1);
  scene_get(o->w, d->w, at, BODY_Y);
  scene_get(o->pull, d->pull, at, BODY_Y);
  scene_get(o->response, d->response, at, BODY_Y);
  scene_get(&o->increment, d->increment, at, 1);
  for (int y = 0; y < BODY_Y; y++) {
    int hub = s->tile[tile].at + y * s->lanes + lane;
    o->z[y] = d->z[hub];
    o->beta[y] = d->beta[hub];
    o->z_kept[y] = d->z_kept[hub];
    o->push[y] = 0.0;
    for (int e = 0; e < s->body_tile[tile].ends; e++) {
      const struct lane_at *from = &s->push[tile][e][lane];
      o->push[y] += d->push[from->at + (size_t)y * from->stride];
    }
  }
  scene_get((double *)&o->spin, d->spin, at, SPIN_NUMBERS);
  scene_get(o->axes, s->f.axes, at, AXES_NUMBERS);
  o->carried = s->tile[tile].carried;
  o->fast = s->fast[tile];
}

typedef void scalar(const struct scene *s, struct one *o);

static void corrected(const struct one *o, double y[BODY_Y])
{
  body_apply_delta(&o->delta, o->push, y);
  for (int k = 0; k < BODY_Y; k++) y[k] = o->w[k] + (o->carried ? o->z[k] : -y[k]);
}

static void integrate(const struct rule *r, struct one *o)
{
  double *now = (double *)&o->x;
  const double *last = (const double *)&o->last;
  for (int i = 0; i < 7; i++) {
    double d = now[i] - last[i];
    now[7 + i] = r->v_d * d + r->v_v * last[7 + i] + r->v_a * last[14 + i];
    now[14 + i] = r->a_d * d + r->a_v * last[7 + i] + r->a_a * last[14 + i];
  }
}

static struct spin_rule spin_rule(const struct scene *s, double leap)
{
  const struct rule *r = &s->d.rule;
  const double kept = r->v_d / r->a_d;
  return (struct spin_rule){r->dt, leap, r->v_d, r->v_v, r->v_a, 1.0 / kept, r->dt - kept};
}

/* p' and p'' of a fast body. */
static void spin(const struct scene *s, struct one *o)
{
  const struct spin_rule rule = spin_rule(s, 0.0);
  double R[9], w[3], Jwd[3], wd[3];
  if (!o->fast || o->spin.fast != 1.0) return;
  spin_rate(&o->spin, rule.v_d, o->last.p, o->x.p, w);
  const double inverse = 1.0 / p_rotation(R, o->x.p);
  spin_torque(false, o->constant + BODY_INERTIA, &o->spin, rule.gain, R, w, Jwd);
  m3_mul(wd, o->delta.th, Jwd);
  for (int i = 0; i < 3; i++) wd[i] /= s->d.rule.h;
  p_from_rotation(o->x.pd, o->x.p, inverse, w, 0.0);
  p_from_rotation(o->x.pdd, o->x.p, inverse, wd, -p_dot(o->x.pd, o->x.pd));
}

static void predict(const struct scene *s, struct one *o)
{
  double dt = s->d.rule.dt, leap = s->d.some_stiff ? 0.0 : 0.5 * dt, w[3], wd[3];
  double *now = (double *)&o->x;
  const double *last = (const double *)&o->last;
  const struct spin_rule rule = spin_rule(s, leap);
  for (int i = 0; i < 7; i++) now[i] = last[i] + dt * (last[7 + i] + leap * last[14 + i]);
  p_to_rotation(w, o->last.p, o->last.pd);
  p_to_rotation(wd, o->last.p, o->last.pdd);
  const double w2 = v3_dot(w, w), along = v3_dot(o->axes, w),
               turn = 2.0 * sqrt(p_dot(o->last.pd, o->last.pd)) * s->m.options.dt;
  o->fast = !o->carried && turn > 0.1 && (o->axes[AXES_LOOSE] == 1.0 || along * along > 0.8 * w2);
  if (o->fast) {
    o->spin.fast = 1.0;
    memcpy(o->spin.axis, o->axes, sizeof o->spin.axis);
    spin_start(false, o->constant + BODY_INERTIA, &rule, o->last.p, w, wd, &o->spin, o->x.p);
  }
  integrate(&s->d.rule, o);
  spin(s, o);
  body_frame_update(&o->f, &o->x);
}

static void frame(const struct scene *s, struct one *o)
{
  (void)s;
  body_frame_update(&o->f, &o->x);
}

static void free_increment(const struct scene *s, struct one *o)
{
  struct body b = {.mass = o->constant[BODY_MASS]};
  double g[BODY_Y];
  memcpy(b.inertia, o->constant + BODY_INERTIA, sizeof b.inertia);
  body_residual(&b, &o->x, &o->f, s->m.gravity, &o->load, o->mu + o->delta.alpha * (o->f.s - 1.0), g);
  for (int y = 0; y < BODY_Y; y++) g[y] = -(g[y] + o->push[y]);
  if (o->carried)
    for (int y = 0; y < BODY_Y; y++) {
      o->w[y] = 0.0;
      o->pull[y] = g[y];
    }
  else
    body_apply_delta(&o->delta, g, o->w);
  if (o->carried || !o->fast || o->spin.fast != 1.0 || o->axes[AXES_LOOSE] != 1.0) return;
  double inverse[9];
  for (int i = 0; i < 9; i++) inverse[i] = o->delta.th[i] / s->d.rule.h;
  spin_newton(false, inverse, &o->spin, 1.0 / s->d.rule.v_d, o->f.R, o->w + 3);
}

static void step(const struct scene *s, struct one *o)
{
  double y[BODY_Y];
  corrected(o, y);
  o->increment = 0.0;
  for (int k = 0; k < BODY_Y; k++) o->increment += y[k] * y[k];
  o->mu += o->delta.alpha * (o->f.s - 1.0 + 2.0 * y[6]);
  body_move(&o->x, &o->f, y);
  integrate(&s->d.rule, o);
  spin(s, o);
  body_frame_update(&o->f, &o->x);
}

static void position_free(const struct scene *s, struct one *o)
{
  (void)s;
  for (int y = 0; y < BODY_Y; y++) o->w[y] = y < 6 ? 0.0 : -0.5 * (o->f.s - 1.0);
}

static void position_set(const struct scene *s, struct one *o)
{
  (void)s;
  double y[BODY_Y];
  corrected(o, y);
  o->increment = 0.0;
  for (int k = 0; k < BODY_Y; k++) o->increment = fmax(o->increment, fabs(y[k]));
  body_move(&o->x, &o->f, y);
  body_frame_update(&o->f, &o->x);
}

static void velocity_free(const struct scene *s, struct one *o)
{
  (void)s;
  body_velocity(&o->x, o->w);
  o->w[6] = 0.0;
}

static void velocity_set(const struct scene *s, struct one *o)
{
  (void)s;
  double y[BODY_Y];
  corrected(o, y);
  body_set_velocity(&o->x, &o->f, y);
  memcpy(o->w, y, sizeof y);
}

static void velocity_refine(const struct scene *s, struct one *o)
{
  double y[BODY_Y];
  corrected(o, y);
  if (s->f.rows > s->f.rigid) body_set_velocity(&o->x, &o->f, y);
  memcpy(o->w, y, sizeof y);
  o->w[6] = 0.0;
}

static void velocity_whole(const struct scene *s, struct one *o)
{
  (void)s;
  body_velocity(&o->x, o->w);
}

static void acceleration_free(const struct scene *s, struct one *o)
{
  (void)s;
  body_acceleration(&o->x, o->w);
  o->w[6] = -p_dot(o->x.pd, o->x.pd);
}

static void acceleration_set(const struct scene *s, struct one *o)
{
  (void)s;
  double y[BODY_Y];
  corrected(o, y);
  body_set_acceleration(&o->x, &o->f, y);
  memcpy(o->w, y, sizeof y);
}

static void acceleration_whole(const struct scene *s, struct one *o)
{
  (void)s;
  body_acceleration(&o->x, o->w);
}

static void response(const struct scene *s, struct one *o)
{
  (void)s;
  double g[BODY_Y];
  body_apply_delta(&o->delta, o->carried ? o->z : o->push, g);
  for (int y = 0; y < BODY_Y; y++) {
    o->response[y] = o->carried ? -o->z[y] : g[y];
    if (!o->carried) continue;
    o->beta[y] = o->pull[y] - (g[y] + o->push[y]);
    o->z_kept[y] = o->z[y];
  }
}

#define BODY_KERNEL(kernel, scalar)                                                                          \
  {                                                                                                          \
#kernel, offsetof(struct step_body_kernels, kernel), scalar                                              \
  }
static const struct {
  const char *name;
  size_t kernel;
  scalar *wanted;
} body_kernel[] = {
    BODY_KERNEL(body_predict, predict),
    BODY_KERNEL(body_frame, frame),
    BODY_KERNEL(body_free, free_increment),
    BODY_KERNEL(body_free_rest, free_increment),
    BODY_KERNEL(body_step, step),
    BODY_KERNEL(body_turn, step),
    BODY_KERNEL(body_position_free, position_free),
    BODY_KERNEL(body_position_set, position_set),
    BODY_KERNEL(body_velocity_free, velocity_free),
    BODY_KERNEL(body_velocity_set, velocity_set),
    BODY_KERNEL(body_velocity_refine, velocity_refine),
    BODY_KERNEL(body_velocity_whole, velocity_whole),
    BODY_KERNEL(body_acceleration_free, acceleration_free),
    BODY_KERNEL(body_acceleration_set, acceleration_set),
    BODY_KERNEL(body_acceleration_whole, acceleration_whole),
    BODY_KERNEL(body_response, response),
};

static void check_bodies(struct scene *s, const struct step_kernels *k, size_t i, int tile)
{
  const char *name = body_kernel[i].name;
  struct one wanted[W], got;
  for (int lane = 0; lane < s->lanes; lane++) {
    one_take(s, tile, lane, &wanted[lane]);
    body_kernel[i].wanted(s, &wanted[lane]);
  }
  (*(step_kernel *const *)((const char *)k->bodies + body_kernel[i].kernel))(&s->m, &s->d, &tile, 1);
  for (int lane = 0; lane < s->lanes; lane++) {
    const double *a = (const double *)&got, *b = (const double *)&wanted[lane];
    one_take(s, tile, lane, &got);
    /* what there is of the spin of others means nothing */
    const bool spins = wanted[lane].fast && wanted[lane].spin.fast == 1.0;
    const size_t end = spins ? offsetof(struct one, carried) : offsetof(struct one, spin);
    for (int n = 0; n < (int)(end / sizeof *a); n++) scene_close(s, name, lane, n, a[n], b[n]);
  }
}

/* Bodies along their principal axes. */
static void make_diagonal(struct scene *s)
{
  for (int tile = A; tile <= B; tile++) {
    s->body_tile[tile].diagonal = true;
    for (int i = 0; i < 9; i++)
      for (int lane = 0; lane < s->lanes && i % 4; lane++) {
        struct tree_body at = scene_body(s, tile, lane);
        s->d.delta[at.first * DELTA_NUMBERS + (1 + i) * at.width + lane] = 0.0;
        s->f.constant[at.first * BODY_NUMBERS + (BODY_INERTIA + i) * at.width + lane] = 0.0;
      }
  }
}

/* Every second body with a free choice, every third one that spins about an axis, some of them too slowly. */
static void make_fast(struct scene *s)
{
  s->m.options = (ali3_options){.dt = 0.05, .substeps = 1};
  for (int i = 0; i < s->slots * BODY_Y; i++) s->d.w[i] *= 0.1; /* no iteration turns a body right round */
  for (int i = 0; i < s->slots * DELTA_NUMBERS; i++) s->d.delta[i] *= 0.1;
  for (int tile = A; tile <= B; tile++) {
    s->fast[tile] = !s->tile[tile].carried;
    for (int lane = 0; lane < s->lanes; lane++) {
      const struct tree_body at = scene_body(s, tile, lane);
      struct body_state x, now;
      struct body_frame frame_now;
      struct body_spin spin;
      double axes[AXES_NUMBERS], w[3];
      scene_get((double *)&x, s->d.last.x, at, X_NUMBERS);
      scene_get((double *)&now, s->d.now.x, at, X_NUMBERS);
      scene_get((double *)&spin, s->d.spin, at, SPIN_NUMBERS);
      for (int i = 0; i < 4; i++) now.p[i] = x.p[i] + 0.3 * now.p[i];
      p_to_rotation(w, x.p, x.pd);
      const double rate = sqrt(v3_dot(w, w));
      for (int i = 0; i < 3; i++) axes[i] = spin.axis[i] = lane % 3 ? 0.0 : w[i] / rate;
      axes[AXES_LOOSE] = lane % 2;
      spin.fast = random_between(&s->random, 0.0, 1.0) > 0.3;
      body_frame_update(&frame_now, &now);
      scene_put(s->d.now.x, (const double *)&now, at, X_NUMBERS);
      scene_put(s->d.frame, (const double *)&frame_now, at, FRAME_NUMBERS);
      scene_put(s->d.spin, (const double *)&spin, at, SPIN_NUMBERS);
      scene_put(s->f.axes, axes, at, AXES_NUMBERS);
    }
  }
}

static void bodies(const struct step_kernels *k, int lanes, int seed, const char *isa)
{
  for (size_t i = 0; i < sizeof body_kernel / sizeof *body_kernel; i++)
    for (int variant = 0; variant < 32 * (ENDS + 1); variant++) {
      struct scene s;
      scene_make(&s, lanes, 1, 2, seed);
      snprintf(s.what, sizeof s.what, "%s, %d lanes, seed %d, variant %d", isa, lanes, seed, variant);
      scene_place_ends(&s, variant / 32, variant / 4 % 2);
      if (variant / 8 % 2) make_diagonal(&s);
      for (int tile = A; tile <= B; tile++) s.tile[tile].carried = s.body_tile[tile].carried = variant % 2;
      if (variant / 16 % 2) make_fast(&s);
      s.d.some_stiff = variant % 2;
      s.f.rows = seed % 2;
      check_bodies(&s, k, i, variant / 2 % 2);
      scene_free(&s);
    }
}

TEST(bodies_are_as_one_by_one)
{
  scene_everywhere(bodies);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_are_as_one_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
