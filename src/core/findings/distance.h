/* SPDX-License-Identifier: MIT
 * The measure of accuracy of all programs: how far a place on a body is from where it should be, m. A rotation counts at the
 * farthest place of the body whose error matters: a connection, a sensor, or its own matter. The angle of a joint counts at the
 * size of its body, because a turn more leaves no trace in the pose. The platform reads sensors. */
#ifndef FINDINGS_DISTANCE_H
#define FINDINGS_DISTANCE_H

#include <ali3/stepper.h>
#include <ali3/types.h>

/* Lengths of the bodies of a frozen model, m. Set-up. */
struct distance_scale {
  double *reach; /* (bodies) from the centre of mass to the farthest connection */
  double *size;  /* (bodies) from the centre of mass to the farthest place whose error counts */
};
/* False: out of memory. */
bool distance_scale_make(struct distance_scale *o, const ali3_model *m);
void distance_scale_free(struct distance_scale *o);

/* Between two poses of a body of this size: positions and Euler parameters. */
double distance_of_poses(double size, const double r[3], const double p[4], const double s[3],
                         const double q[4]);
/* Between two coordinates of a joint; 0 if the poses show it. *body: the body that it moves. */
double distance_of_angles(const ali3_model *m, const struct distance_scale *scale, int joint, double a,
                          double b, int *body);
/* Largest distance between two states, of a frozen model each with the bodies and joints of the scale, and the body. */
double distance_of_states(const struct distance_scale *scale, const ali3_model *m, const ali3_data *a,
                          const ali3_model *n, const ali3_data *b, int *body);

#endif
