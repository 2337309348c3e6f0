/* SPDX-License-Identifier: MIT
 * Forces, loads, drives and gears over a step from one pose to another, for the energy-momentum step: the mean loads of
 * dynamics/mean.h, whose work in the step is the change of the energy that a spring stores. */
#ifndef COORDINATES_FORCES_MEAN_H
#define COORDINATES_FORCES_MEAN_H

#include "coordinates/forces.h"

enum { FORCES_MEAN_BODY = 6 }; /* numbers of a body: along and about world axes */

struct forces_span {
  const struct mover *start, *end; /* p of norm 1; load is not used */
  const double *turn;              /* (joints) angles at the start */
  double length;                   /* s */
};

/* The rows of all drives and gears, (forces_rows(), 6 bodies); their Jacobian where start and end are one pose. */
void forces_mean_rows(const ali3_model *m, const struct forces_span *span, double *J);
/* Soft force elements, each a link with up to six rows; the rows of one, and its bodies, ALI3_GROUND where it has fewer. */
int forces_soft_links(const ali3_model *m);
int forces_soft_link(const ali3_model *m, int link, int body[4]);
/* The rows of all. */
int forces_soft_rows(const ali3_model *m);
/* Their mean forces, and the derivatives of these by the coordinates at the end, 0 or more, (forces_soft_rows()) both. */
void forces_mean_laws(const ali3_model *m, const struct forces_span *span, double *force, double *slope);
/* Their rows, (forces_soft_rows(), 6 bodies), as of forces_mean_rows(). */
void forces_mean_soft(const ali3_model *m, const struct forces_span *span, double *J);
/* R (6 bodies) -= the mean loads on the bodies, the weight apart. force: of soft rows (forces_soft_rows()). */
void forces_mean_take(const ali3_model *m, const struct forces_span *span, const double *force, double *R);

#endif
