/* SPDX-License-Identifier: MIT
 * Bounds and helpers of the checks of elements. */
#ifndef MODEL_MODEL_PARTS_H
#define MODEL_MODEL_PARTS_H

#include "model/model.h"

#include <math.h>

static inline bool model_all_finite(const double *x, int n)
{
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* Bounds of the numbers of a model, so that no product or square in a step overflows. They are far beyond any machine. */
#define BOUND_LENGTH    1e9   /* m; rad for coordinates */
#define BOUND_RATE      1e9   /* m/s, rad/s, and per s^2 */
#define BOUND_MASS      1e15  /* kg */
#define BOUND_MASS_LOW  1e-20 /* kg, above 0 */
#define BOUND_INERTIA   1e30  /* kg m^2 */
#define BOUND_STIFFNESS 1e20  /* N/m, N m/rad; N s/m, N m s/rad for damping */
#define BOUND_LOAD      1e20  /* N, N m */
#define BOUND_PRESSURE  1e15  /* Pa */
#define BOUND_STEP      1e6   /* s */
#define BOUND_STEP_LOW  1e-9  /* s */
#define BOUND_SLIP_LOW  1e-12 /* m/s, rad/s */

/* The n numbers of a field are finite, and none is larger than `bound` in size. */
int model_check_within(ali3_model *m, const char *element, const char *name, const char *field,
                       const double *x, int n, double bound, const char *unit);
#define REQUIRE_WITHIN(element, name, field, array, bound, unit)                                             \
  do {                                                                                                       \
    const int within_ = model_check_within(m, element, name, field, array,                                   \
                                           (int)(sizeof(array) / sizeof(double)), bound, unit);              \
    if (within_ < 0) return within_;                                                                         \
  } while (0)
#define REQUIRE_NUMBER(element, name, field, number, bound, unit)                                            \
  do {                                                                                                       \
    const double number_ = number;                                                                           \
    const int within_ = model_check_within(m, element, name, field, &number_, 1, bound, unit);               \
    if (within_ < 0) return within_;                                                                         \
  } while (0)

#define REQUIRE_FINITE(element, field, array)                                                                \
  if (!model_all_finite(array, (int)(sizeof(array) / sizeof(double))))                                       \
  return model_refuse(m, ALI3_E_MODEL, element, field, "expected finite numbers, found NaN or infinity")

/* Length of a vector that becomes a unit vector; 1 if it is normalised already, so that its bits do not change. A model that is
 * written and read again is then equal to the first one. */
double model_divisor(const double *x, int n);
int model_check_name(ali3_model *m, const char *element, const struct names *names, const char *name);
int model_check_body_index(ali3_model *m, const char *element, const char *field, int body, bool ground);

#endif
