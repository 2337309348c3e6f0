/* SPDX-License-Identifier: MIT
 * Symmetric hexapods for the tests. */
#ifndef TESTS_PLATFORM_HEXAPODS_H
#define TESTS_PLATFORM_HEXAPODS_H

#include "hexapod/hexapod.h"

#include <math.h>

static const double DEGREE = 3.14159265358979323846 / 180.0;

/* Pairs of joints on two circles; the pairs of the platform are between the pairs of the base. */
static inline void place_joints(struct platform_geometry *g, double base, double top)
{
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    const int below = (i + 1) / 2 * 120, above = i / 2 * 120;
    const double side = i % 2 ? -1.0 : 1.0;
    const double low = (below + side * 10.0) * DEGREE,
                 high = (above + 60.0 - side * 50.0 + side * 40.0) * DEGREE;
    g->base[i][0] = base * cos(low);
    g->base[i][1] = base * sin(low);
    g->top[i][0] = top * cos(high);
    g->top[i][1] = top * sin(high);
  }
}

/* Legs of 0.70 to 1.00 m, 0.85 m at neutral, 0.5 m/s. */
static inline struct platform_geometry test_legs(void)
{
  struct platform_geometry g = {
      .leg_min = 0.7, .leg_max = 1.0, .leg_rate = 0.5, .joint_max = 45.0 * DEGREE, .margin = 0.2};
  place_joints(&g, 0.6, 0.4);
  const double x = g.base[0][0] - g.top[0][0], y = g.base[0][1] - g.top[0][1];
  g.height = sqrt(0.85 * 0.85 - x * x - y * y);
  return g;
}

/* Cranks of 0.15 m, which point outwards and are level at neutral, with rods of 0.6 m. */
static inline struct platform_geometry test_cranks(void)
{
  struct platform_geometry g = {.crank = true,
                                .crank_length = 0.15,
                                .rod_length = 0.6,
                                .leg_min = -60.0 * DEGREE,
                                .leg_max = 60.0 * DEGREE,
                                .leg_rate = 4.0,
                                .joint_max = 60.0 * DEGREE,
                                .margin = 0.2};
  place_joints(&g, 0.4, 0.45);
  for (int i = 0; i < PLATFORM_LEGS; i++) g.crank_heading[i] = atan2(g.base[i][1], g.base[i][0]);
  const double x = g.base[0][0] + 0.15 * cos(g.crank_heading[0]) - g.top[0][0];
  const double y = g.base[0][1] + 0.15 * sin(g.crank_heading[0]) - g.top[0][1];
  g.height = sqrt(0.36 - x * x - y * y);
  return g;
}

#endif
