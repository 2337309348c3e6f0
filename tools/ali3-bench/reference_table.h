/* SPDX-License-Identifier: MIT
 * Motions over time that others are compared with: positions of the centres of mass from a CSV file as ali3-sim writes it, or
 * poses and angles of joints from a run. */
#ifndef REFERENCE_TABLE_H
#define REFERENCE_TABLE_H

#include "findings/distance.h"

struct reference_table {
  int rows, bodies, joints;
  double *time;   /* (rows) s */
  double (*r)[3]; /* (rows, bodies) m */
  /* From a run; NULL: the table is from a file. */
  double (*p)[4]; /* (rows, bodies) Euler parameters */
  double *angle;  /* (rows, joints) coordinates */
  struct distance_scale scale;
};

/* Reads the columns time and body.NAME.position.x .. z of the bodies that the file has, up to the time `until`. False: the
 * file cannot be read, or lacks these columns; *missing says whether there is no such file. */
bool reference_read(struct reference_table *t, const ali3_model *m, const char *file, double until,
                    bool *missing);
/* Room for rows of a run of a frozen model. False: out of memory. */
bool reference_make(struct reference_table *t, int rows, const ali3_model *m);
void reference_free(struct reference_table *t);

/* The state of `d` becomes row `row`. */
void reference_set(struct reference_table *t, int row, const ali3_model *m, const ali3_data *d, double time);
/* Largest distance, m, from row `row`: of a centre of mass, and from a run of every place of findings/distance.h. */
double reference_distance(const struct reference_table *t, int row, const ali3_model *m, const ali3_data *d);

#endif
