/* SPDX-License-Identifier: MIT */
#include "envelope/glide.h"

#include <math.h>

static const double COAST = 0.25; /* s, time in which a fade brings the old motion to rest */

/* With s = t / T: d(0), d'(0), d''(0) are given; d(1) = d'(1) = d''(1) = 0. */
void glide_begin(struct glide *g, const struct platform_motion *from, const struct platform_motion *to,
                 double duration)
{
  g->time = 0.0;
  g->duration = duration;
  for (int k = 0; k < PLATFORM_DOF; k++) {
    const double d = from->p[k] - to->p[k], v = (from->v[k] - to->v[k]) * duration,
                 a = (from->a[k] - to->a[k]) * duration * duration;
    double *c = g->c[k];
    c[0] = d;
    c[1] = v;
    c[2] = 0.5 * a;
    c[3] = -10.0 * d - 6.0 * v - 1.5 * a;
    c[4] = 15.0 * d + 8.0 * v + 1.5 * a;
    c[5] = -6.0 * d - 3.0 * v - 0.5 * a;
  }
}

void glide_advance(struct glide *g, double dt)
{
  if (!glide_over(g)) g->time += dt;
}

bool glide_over(const struct glide *g)
{
  return g->time >= g->duration;
}

void glide_add(const struct glide *g, struct platform_motion *m)
{
  if (glide_over(g)) return;
  const double rate = 1.0 / g->duration, s = g->time * rate;
  for (int k = 0; k < PLATFORM_DOF; k++) {
    const double *c = g->c[k];
    m->p[k] += c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))));
    m->v[k] += rate * (c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5]))));
    m->a[k] += rate * rate * (2.0 * c[2] + s * (6.0 * c[3] + s * (12.0 * c[4] + s * 20.0 * c[5])));
  }
}

/* From v and a, in T, the distance is v T/2 + a T^2/12. */
void glide_coast(struct glide *g, const struct platform_motion *now, double duration,
                 struct platform_motion *rest)
{
  const double T = duration;
  for (int k = 0; k < PLATFORM_DOF; k++) {
    rest->p[k] = now->p[k] + T * (now->v[k] / 2.0 + T * now->a[k] / 12.0);
    rest->v[k] = rest->a[k] = 0.0;
  }
  glide_begin(g, now, rest, T);
}

void fade_begin(struct fade *f, const struct platform_motion *now, double duration)
{
  f->time = 0.0;
  f->duration = duration;
  glide_coast(&f->coast, now, fmin(COAST, duration), &f->rest);
}

void fade_advance(struct fade *f, double dt)
{
  if (fade_over(f)) return;
  f->time += dt;
  glide_advance(&f->coast, dt);
}

bool fade_over(const struct fade *f)
{
  return f->time >= f->duration;
}

void fade_mix(const struct fade *f, struct platform_motion *m)
{
  if (fade_over(f)) return;
  const double rate = 1.0 / f->duration, s = f->time * rate, left = 1.0 - s;
  const double w = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s), w1 = 30.0 * rate * s * s * left * left,
               w2 = 60.0 * rate * rate * s * left * (1.0 - 2.0 * s);
  struct platform_motion from = f->rest;
  glide_add(&f->coast, &from);
  for (int k = 0; k < PLATFORM_DOF; k++) {
    const double p = m->p[k] - from.p[k], v = m->v[k] - from.v[k], a = m->a[k] - from.a[k];
    m->p[k] = from.p[k] + w * p;
    m->v[k] = from.v[k] + w * v + w1 * p;
    m->a[k] = from.a[k] + w * a + 2.0 * w1 * v + w2 * p;
  }
}
