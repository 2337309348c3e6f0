/* SPDX-License-Identifier: MIT
 * The parameters of a platform whose file sets none. */
#ifndef TEST_PLATFORM_DEFAULTS_H
#define TEST_PLATFORM_DEFAULTS_H

#include "cueing/params.h"

#include <stdlib.h>

/* All defaults in one text, in the order of the struct. */
#define PLATFORM_DEFAULT(name, count, unit, least, greatest, text) text " "
static inline void params_default(struct platform_params *p)
{
  double *value = (double *)p;
  const char *at = PLATFORM_PARAM_LIST(PLATFORM_DEFAULT);
  for (int i = 0; i < PARAMS; i++) {
    char *end;
    value[i] = strtod(at, &end);
    at = end;
  }
}

#endif
