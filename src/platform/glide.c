/* SPDX-License-Identifier: MIT */
#include "platform/glide.h"

/* With s = t / T: d(0), d'(0), d''(0) as given; d(1) = d'(1) = d''(1) = 0. */
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
