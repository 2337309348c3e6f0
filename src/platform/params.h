/* SPDX-License-Identifier: MIT
 * The parameters of the platform block as a table of single numbers: for files, for tools and for tuning
 * while it runs. Pure. Names are those of PLATFORM_PARAM_LIST, of three numbers with .x, .y or .z behind (of
 * angles: roll, pitch, yaw). */
#ifndef PLATFORM_PARAMS_H
#define PLATFORM_PARAMS_H

#include "platform/types.h"

#include <stdbool.h>
#include <stddef.h>

enum { PARAMS = sizeof(struct platform_params) / sizeof(double) };

struct params_scalar {
  const char *name, *unit;
  double least, greatest;
};
/* In the order in which struct platform_params holds them. */
extern const struct params_scalar params_table[PARAMS];

/* Set-up. */
void params_default(struct platform_params *p);

/* Any thread but the loop's. One number, in the unit of the table. False, with p as it was, if there is no
 * such number or it is out of its range: says so. */
bool params_set(struct platform_params *p, const char *name, double value, char *error, size_t size);

/* RT. The low-pass of tilt coordination and a high-pass of translation are so near that what lies between them would not be
 * felt. */
static inline bool params_leave_notch(const struct platform_params *p)
{
  const double x = p->hp_wn[0], y = p->hp_wn[1];
  return p->lp_wn[0] < 2.0 * (x > y ? x : y);
}

/* RT. The same in SI: degrees become radians. o may be p. */
void params_si(const struct platform_params *p, struct platform_params *o);

/* RT. What the envelope keeps to; p in the units of the table. */
void params_limits(const struct platform_params *p, struct platform_limits *o);

/* RT. The way from one set to another: `from` at 0, `to` at 1. o may be either. */
void params_mix(const struct platform_params *from, const struct platform_params *to, double part,
                struct platform_params *o);

#endif
