/* SPDX-License-Identifier: MIT
 * The rows that the solve leaves out, for `solver.redundant`. Set-up only: it allocates and takes up to some seconds. */
#ifndef FINDINGS_CHOOSE_ROWS_H
#define FINDINGS_CHOOSE_ROWS_H

#include <ali3/options.h>
#include <ali3/types.h>
#include <stddef.h>

#include <stdbool.h>

/* Words of solver.redundant. */
#define REDUNDANT_LIST(X) X(REDUNDANT_KEEP, "keep") X(REDUNDANT_DROP, "drop") X(REDUNDANT_AUTO, "auto")
enum redundant {
#define REDUNDANT_ENUM(id, text) id,
  REDUNDANT_LIST(REDUNDANT_ENUM)
#undef REDUNDANT_ENUM
};

struct rows_choice {
  int rows, joints; /* rows that may be left out, and joints that have them */
  double ratio;     /* estimated work of a step without them, relative to that with them */
  bool dropped;
};

/* Finds rows of joints that other joints hold everywhere, and leaves them out of a model that is not frozen yet. auto: only
 * if a step takes clearly less work, by an estimate that does not depend on the machine. A model that is refused or
 * cannot be assembled does not change. */
void choose_rows(ali3_model *m, const ali3_options *options, enum redundant how, struct rows_choice *o);
/* The choice and its reason as one line. */
void choose_rows_text(const struct rows_choice *o, enum redundant how, char *text, size_t size);

#endif
