/* SPDX-License-Identifier: MIT
 * Positions of the centres of mass over time, from a CSV file as ali3-sim writes it, or from a run. */
#ifndef REFERENCE_TABLE_H
#define REFERENCE_TABLE_H

#include <ali3/ali3.h>

struct reference_table {
  int rows, bodies;
  double *time;   /* (rows) s */
  double (*r)[3]; /* (rows, bodies) m */
};

/* Reads the columns time and body.NAME.position.x .. z of the bodies that the file has, up to the time `until`. False: the
 * file cannot be read, or lacks these columns; *missing says whether there is no such file. */
bool reference_read(struct reference_table *t, const ali3_model *m, const char *file, double until,
                    bool *missing);
/* Room for rows of a run. False: out of memory. */
bool reference_make(struct reference_table *t, int rows, int bodies);
void reference_free(struct reference_table *t);

/* Appends the positions of `d` as row `row`. */
void reference_set(struct reference_table *t, int row, const ali3_model *m, const ali3_data *d, double time);
/* Largest distance, m, of a centre of mass from row `row`. */
double reference_distance(const struct reference_table *t, int row, const ali3_model *m, const ali3_data *d);

#endif
