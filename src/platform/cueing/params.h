/* SPDX-License-Identifier: MIT
 * The parameters of the platform block as a table of single numbers, for files, tools and changes at run time. Pure. Names are
 * those of PLATFORM_PARAM_LIST. A parameter of three numbers has the suffixes .x, .y, .z, also for roll, pitch, yaw. */
#ifndef CUEING_PARAMS_H
#define CUEING_PARAMS_H

#include "hexapod/types.h"

#include <stdbool.h>
#include <stddef.h>

enum { PARAMS = sizeof(struct platform_params) / sizeof(double) };

struct params_scalar {
  const char *name, *unit;
  double least, greatest;
};
/* In the order in which struct platform_params holds them. */
extern const struct params_scalar params_table[PARAMS];

/* Not RT. Finds the rows of a name, which is one number, or the whole of a parameter of three: NAME of NAME.x, NAME.y
 * and NAME.z. Returns the first row and the number of rows in *rows, or -1. */
int params_find_rows(const char *name, int *rows);

/* Not RT. Sets one number, in the unit of the table. False, with p unchanged and the reason in error, if the name is unknown or
 * the value is out of its range. */
bool params_set(struct platform_params *p, const char *name, double value, char *error, size_t size);

/* RT. True for a limit of the envelope, pos_max to ang_jerk_max. */
static inline bool params_is_limit(size_t parameter)
{
  const size_t at = parameter * sizeof(double);
  return at >= offsetof(struct platform_params, pos_max) &&
         at < offsetof(struct platform_params, engage_time);
}

/* RT. True if the low-pass of tilt coordination is so close to a high-pass of translation that frequencies between them are not
 * felt. */
static inline bool params_leave_notch(const struct platform_params *p)
{
  const double x = p->hp_wn[0], y = p->hp_wn[1];
  return p->lp_wn[0] < 2.0 * (x > y ? x : y);
}

/* RT. Converts to SI: degrees become radians. o may be p. */
void params_si(const struct platform_params *p, struct platform_params *o);

/* RT. Limits of the envelope, from p in the units of the table. */
void params_limits(const struct platform_params *p, struct platform_limits *o);

/* RT. Linear interpolation: `from` at part 0, `to` at part 1. o may be either. */
void params_mix(const struct platform_params *from, const struct platform_params *to, double part,
                struct platform_params *o);

#endif
