/* SPDX-License-Identifier: MIT
 * Chosen signals of a daemon, read from its frame ring: the newest value, and the least and the largest value of all cycles since
 * the choice. The ring has every cycle, so a peak between two refreshes counts. Reads only. */
#ifndef ALI3_TOP_VALUES_H
#define ALI3_TOP_VALUES_H

#include "frames/reader.h"

enum { VALUES_SPARK = 20 }; /* columns of a sparkline, which cover the ring */

struct value_row {
  uint32_t signal; /* index in the ring */
  int input;       /* index in the ring; -1: the signal is no channel of an input */
  int channel;     /* index in that input */
  double value;    /* in the newest cycle */
  double min, max; /* all finite values since the choice; min > max: there was none */
  uint64_t broken; /* cycles in which the value was not finite */
  double sum[VALUES_SPARK];
};

struct values {
  char *globs;       /* names with wildcards, separated by commas; NULL: no signal is chosen */
  char problem[300]; /* why there are no values, or which glob matches nothing; "": none */
  struct frames_reader ring;
  bool opened;
  struct frames_slot *slot;    /* the newest cycle; NULL: none was read yet */
  struct frames_slot *copy[2]; /* slot is one of them; the next one is copied to the other */
  struct value_row *row;       /* (rows) */
  uint32_t rows;
  uint64_t next;        /* first slot of the ring that was not read yet */
  uint64_t cleared;     /* last clear of the daemon's maxima */
  uint64_t taken, lost; /* cycles since the choice or the clear: read; gone before they could be read */
  uint64_t span;        /* cycles of a column of the sparkline */
  uint64_t column;      /* newest one; column n is at n % VALUES_SPARK */
  uint64_t count[VALUES_SPARK]; /* cycles read in each column */
};

/* Chooses other signals and forgets what was read. globs: NULL or "" for none; copied. A glob matches names of signals
 * (body.A.position.x) and of quantities (body.A.position). */
void values_choose(struct values *v, const char *globs);
/* Opens the ring of this daemon unless it is open, and reads all its cycles since the last call. Least and largest values begin
 * again when the daemon has cleared its maxima. */
void values_read(struct values *v, const struct telemetry *t);
/* Forgets everything except the choice. */
void values_close(struct values *v);

/* True if one of the globs matches the signal. */
bool values_match(const struct frames_reader *r, const char *globs, uint32_t signal);
const char *value_name(const struct values *v, const struct value_row *row);
const char *value_unit(const struct values *v, const struct value_row *row);
/* An input's age, state and limits in the newest cycle. */
struct frames_input values_input(const struct values *v, int input);
/* The mean value in a column of the sparkline, 0 the oldest. False: no cycle of it was read. */
bool value_spark(const struct values *v, const struct value_row *row, int column, double *mean);

#endif
