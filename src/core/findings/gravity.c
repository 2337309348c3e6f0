/* SPDX-License-Identifier: MIT
 * Gravity that is missing, points up, or differs from 9.81 m/s^2. */
#include "findings/findings_parts.h"

#include "math/vec3.h"

#include <math.h>

/* The axis along which a vector lies; -1: none. */
static int axis_of(const double v[3], double size)
{
  for (int i = 0; i < 3; i++)
    if (fabs(fabs(v[i]) - size) <= 1e-9 * size && fabs(v[(i + 1) % 3]) + fabs(v[(i + 2) % 3]) <= 1e-6 * size)
      return i;
  return -1;
}

static void gravity_numbers(struct finding *f, const double g[3])
{
  finding_add_number(f, "x", g[0], "m/s^2");
  finding_add_number(f, "y", g[1], "m/s^2");
  finding_add_number(f, "z", g[2], "m/s^2");
}

static void report_no_gravity(struct inspection *in)
{
  const double none[3] = {0};
  struct finding *f =
      in->given->gravity
          ? finding_add(in, FINDING_INFO, FINDING_GRAVITY, FINDING_OF_MODEL, -1,
                        "gravity is 0, given by the key gravity")
          : finding_add(in, FINDING_WARNING, FINDING_GRAVITY, FINDING_OF_MODEL, -1,
                        "gravity is not given, so it is 0: write model.gravity, such as [0, 0, "
                        "-9.81], or [0, 0, 0] if 0 is intended");
  gravity_numbers(f, none);
}

void inspect_gravity(struct inspection *in)
{
  const double *g = in->m->gravity, LEAST = 1.0, MOST = 30.0, EARTH[2] = {9.7, 9.9};
  const double size = sqrt(v3_dot(g, g));
  if (size == 0.0) {
    report_no_gravity(in);
    return;
  }
  /* Report the first doubt about size and direction. */
  const int axis = axis_of(g, size);
  const bool earth = size >= EARTH[0] && size <= EARTH[1];
  struct finding *f;
  /* A size that suits no planet suggests a wrong unit. */
  if (size < LEAST || size > MOST)
    f = finding_add(in, FINDING_WARNING, FINDING_GRAVITY, FINDING_OF_MODEL, -1,
                    "gravity is %.4g m/s^2, on the earth it is 9.81: %s", size,
                    size > 1000.0 ? "is it in mm/s^2? Give m, m/s^2 and kg" : "correct model.gravity");
  /* The usual axes have z upwards. */
  else if (axis >= 0 && g[axis] > 0.0)
    f = finding_add(in, FINDING_WARNING, FINDING_GRAVITY, FINDING_OF_MODEL, -1,
                    "gravity points along +%c, so bodies fall up unless %c points down in your axes; write "
                    "-%.4g to turn it round",
                    "xyz"[axis], "xyz"[axis], size);
  else if (axis < 0 && !earth)
    f = finding_add(
        in, FINDING_WARNING, FINDING_GRAVITY, FINDING_OF_MODEL, -1,
        "gravity (%.4g, %.4g, %.4g) is along no axis, and its size is %.4g m/s^2: correct model.gravity",
        g[0], g[1], g[2], size);
  else
    f = finding_add(in, FINDING_INFO, FINDING_GRAVITY, FINDING_OF_MODEL, -1, "gravity %.4g m/s^2 along %s%s",
                    size, axis < 0 ? "no axis: " : "",
                    axis == 0   ? "-x"
                    : axis == 1 ? "-y"
                    : axis == 2 ? "-z"
                                : "an inclined bench?");
  gravity_numbers(f, g);
}
