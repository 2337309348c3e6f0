/* SPDX-License-Identifier: MIT
 * What the checks of the elements share. */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include "model/model.h"

#include <math.h>

static inline bool model_all_finite(const double *x, int n)
{
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

#define REQUIRE_FINITE(element, field, array)                                                                \
  if (!model_all_finite(array, (int)(sizeof(array) / sizeof(double))))                                       \
  return model_refuse(m, ALI3_E_MODEL, element, field, "expected finite numbers, found NaN or infinity")

int model_check_name(ali3_model *m, const char *element, const struct names *names, const char *name);
int model_check_body_index(ali3_model *m, const char *element, const char *field, int body, bool ground);

#endif
