/* SPDX-License-Identifier: MIT
 * ali3-sim --batch: the values of the parameters in each run, from a SWEEP file. They depend on the number of the run only. */
#ifndef SIM_SWEEP_H
#define SIM_SWEEP_H

#include "yaml/yaml.h"

#include <stdint.h>

enum sweep_kind { SWEEP_VALUES, SWEEP_RANGE, SWEEP_UNIFORM, SWEEP_NORMAL };

struct sweep_parameter {
  const char *key; /* path, as of --set */
  enum sweep_kind kind;
  const struct node *values; /* SWEEP_VALUES: the list */
  double a,
      b; /* from and to, the ends of a uniform, or mean and standard deviation of a normal distribution */
  bool log;
  long count; /* points of the grid; 1 for random numbers */
};

struct sweep {
  struct yaml file;
  uint64_t seed;
  long repeats, runs; /* runs: repeats at each point of the grid */
  struct sweep_parameter *parameter;
  int parameters;
};

/* False after printing each mistake on stderr. The caller calls sweep_free() in both cases. */
bool sweep_open(struct sweep *s, const char *file);
void sweep_free(struct sweep *s);

/* The value of a parameter in run `run`, as text for --set and CSV. */
enum { SWEEP_VALUE = 80 };
void sweep_value(const struct sweep *s, long run, int parameter, char text[SWEEP_VALUE]);

#endif
