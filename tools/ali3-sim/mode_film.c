/* SPDX-License-Identifier: MIT
 * ali3-sim: a mode as a page: the bodies swing three times along its shape about the static equilibrium. */
#include "film.h"
#include "linear.h"

#include <ali3/linear.h>
#include <math.h>
#include <stdlib.h>

enum { SWINGS = 3, FRAMES = 6 * FILM_RATE };
static const double SHOWN_PART = 0.1,
                    SHOWN_TURN =
                        0.3; /* largest motion that is shown: a part of the extent of the bodies, and rad */

/* The factor of the shape with which no body moves by more than SHOWN_PART of the extent of all bodies, or turns by more than
 * SHOWN_TURN. */
static double choose_amplitude(const ali3_model *m, const ali3_modes *modes, int mode,
                               const ali3_body_state *rest)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, extent = 0.0;
  double way = 0.0, turn = 0.0;
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    double twist[6];
    ali3_modes_shape(modes, mode, b, twist);
    way = fmax(way, sqrt(twist[0] * twist[0] + twist[1] * twist[1] + twist[2] * twist[2]));
    turn = fmax(turn, sqrt(twist[3] * twist[3] + twist[4] * twist[4] + twist[5] * twist[5]));
    for (int i = 0; i < 3; i++) {
      low[i] = fmin(low[i], rest[b].position[i]);
      high[i] = fmax(high[i], rest[b].position[i]);
    }
  }
  for (int i = 0; i < 3; i++) extent = fmax(extent, high[i] - low[i]);
  if (!(extent > 0.0)) extent = 1.0;
  return fmin(SHOWN_PART * extent / fmax(way, 1e-300), SHOWN_TURN / fmax(turn, 1e-300));
}

/* A body moved along its part of the shape; the rotation is about world axes. */
static ali3_body_state swing_body(const ali3_body_state *rest, const double twist[6], double by)
{
  ali3_body_state o = *rest;
  double q[4], angle = 0.0;
  for (int i = 0; i < 3; i++) {
    o.position[i] += by * twist[i];
    o.velocity[i] = o.angular_velocity[i] = 0.0;
    angle += twist[3 + i] * twist[3 + i];
  }
  angle = sqrt(angle);
  q[0] = cos(0.5 * by * angle);
  for (int i = 0; i < 3; i++) q[1 + i] = angle > 0.0 ? sin(0.5 * by * angle) * twist[3 + i] / angle : 0.0;
  const double *p = rest->orientation;
  o.orientation[0] = q[0] * p[0] - q[1] * p[1] - q[2] * p[2] - q[3] * p[3];
  o.orientation[1] = q[0] * p[1] + q[1] * p[0] + q[2] * p[3] - q[3] * p[2];
  o.orientation[2] = q[0] * p[2] + q[2] * p[0] + q[3] * p[1] - q[1] * p[3];
  o.orientation[3] = q[0] * p[3] + q[3] * p[0] + q[1] * p[2] - q[2] * p[1];
  return o;
}

/* Adds all frames. False: a frame has no place in which the joints close. */
static bool add_swings(struct film *f, const ali3_model *m, ali3_data *d, struct ride *ride,
                       const ali3_modes *modes, int mode, const ali3_body_state *rest, ali3_body_state *moved)
{
  const double amplitude = choose_amplitude(m, modes, mode, rest);
  if (!ride_start(ride, m, d)) return false;
  for (int k = 0; k <= FRAMES; k++) {
    const double by = amplitude * sin(2.0 * 3.14159265358979323846 * SWINGS * k / FRAMES);
    for (int b = 0; b < ali3_model_bodies(m); b++) {
      double twist[6];
      ali3_modes_shape(modes, mode, b, twist);
      moved[b] = swing_body(&rest[b], twist, by);
    }
    if (ali3_place(m, d, moved, 0.0) < 0) return false;
    ride_step(ride, m, d);
    ride->values[0] = (double)k / FILM_RATE;
    film_add_frame(f, k, ride->values);
  }
  return true;
}

int mode_film(const struct options *o, const struct settings *s, ali3_data *d, struct ride *ride)
{
  const ali3_model *m = s->model;
  const int bodies = ali3_model_bodies(m), mode = (int)o->mode - 1;
  ali3_problem problem = {.text = "out of memory"};
  ali3_body_state *rest = calloc(2 * (size_t)bodies + 1, sizeof *rest);
  ali3_modes *modes = rest ? ali3_modes_new(m, d, 0, &problem) : NULL;
  int status = EXIT_RUN;
  /* The mode exists, and then it is shown. */
  if (!modes) {
    fprintf(stderr, "ali3-sim: --mode: %s\n", problem.text);
  } else if (mode >= ali3_modes_count(modes)) {
    fprintf(stderr, "ali3-sim: --mode: expected a number up to %d, found %d; ali3d --modes lists them\n",
            ali3_modes_count(modes), mode + 1);
    status = EXIT_USAGE;
  } else {
    struct film *f = film_open(o->view, o->signals, s, ride->signals);
    for (int b = 0; b < bodies; b++) ali3_body_get(m, d, b, &rest[b]);
    const bool swung = f && add_swings(f, m, d, ride, modes, mode, rest, rest + bodies);
    if (f && !swung) fputs("ali3-sim: --mode: the joints cannot follow this mode\n", stderr);
    if (f && film_close(f) && swung) status = EXIT_GOOD;
  }
  ali3_modes_free(modes);
  free(rest);
  return status;
}
