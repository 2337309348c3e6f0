/* SPDX-License-Identifier: MIT
 * The conversions are loop code, the rest is set-up. */
#include "cueing/params.h"

#include <stdio.h>
#include <string.h>

#define RADIANS 0.017453292519943295 /* per degree */

#define TABLE_1(name, ...) {#name, __VA_ARGS__},
#define TABLE_3(name, ...) {#name ".x", __VA_ARGS__}, {#name ".y", __VA_ARGS__}, {#name ".z", __VA_ARGS__},
const struct params_scalar params_table[PARAMS] = {
#define PARAM(name, count, unit, least, greatest, text) TABLE_##count(name, unit, least, greatest)
    PLATFORM_PARAM_LIST(PARAM)
#undef PARAM
};

int params_find_rows(const char *name, int *rows)
{
  const size_t length = strlen(name);
  for (int i = 0; i < PARAMS; i++) {
    const char *row = params_table[i].name, *end = row + length;
    if (strncmp(row, name, length) != 0 || (*end && strcmp(end, ".x") != 0)) continue;
    *rows = *end ? 3 : 1;
    return i;
  }
  return -1;
}

bool params_set(struct platform_params *p, const char *name, double value, char *error, size_t size)
{
  /* Find the row of one number. */
  int rows = 1;
  const int i = params_find_rows(name, &rows);
  if (i < 0) {
    snprintf(error, size, "%.64s: no such parameter of the platform", name);
    return false;
  }
  if (rows == 3) {
    snprintf(error, size, "%s: has three numbers; set them one by one as %s.x, %s.y, %s.z", name, name, name,
             name);
    return false;
  }
  /* Check the value, and set it. */
  const struct params_scalar *s = &params_table[i];
  if (!(value >= s->least && value <= s->greatest)) {
    snprintf(error, size, "%s: expected a number from %g to %g%s%s, found %g", name, s->least, s->greatest,
             *s->unit ? " " : "", s->unit, value);
    return false;
  }
  ((double *)p)[i] = value;
  return true;
}

void params_si(const struct platform_params *p, struct platform_params *o)
{
  const double *from = (const double *)p;
  double *to = (double *)o;
  for (int i = 0; i < PARAMS; i++)
    to[i] = params_table[i].unit[0] == 'd' ? from[i] * RADIANS : from[i]; /* deg, deg/s, .. */
}

void params_limits(const struct platform_params *p, struct platform_limits *o)
{
  struct platform_params si;
  params_si(p, &si);
  for (int i = 0; i < 3; i++) {
    o->pos[i] = si.pos_max[i];
    o->vel[i] = si.vel_max[i];
    o->acc[i] = si.acc_max[i];
    o->jerk[i] = si.jerk_max[i];
    o->pos[3 + i] = si.ang_max[i];
    o->vel[3 + i] = si.ang_vel_max[i];
    o->acc[3 + i] = si.ang_acc_max[i];
    o->jerk[3 + i] = si.ang_jerk_max[i];
  }
}

void params_mix(const struct platform_params *from, const struct platform_params *to, double part,
                struct platform_params *o)
{
  const double *a = (const double *)from, *b = (const double *)to;
  for (int i = 0; i < PARAMS; i++) ((double *)o)[i] = (1.0 - part) * a[i] + part * b[i];
}
