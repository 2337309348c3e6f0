/* SPDX-License-Identifier: MIT
 * The file of a run, as ali3-record writes it from the frame ring of a daemon and ali3-replay from a run that it computes. Parts:
 * run_file.c the file and its rows, layout.c datasets, acted.c the cycles for a replay, history.c the cycles since the last
 * states. One thread. */
#ifndef RECORDING_RUN_FILE_H
#define RECORDING_RUN_FILE_H

#include "frames/reader.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

enum { RECORD_PATH = 4096, RECORD_ROWS = 100 /* most of a chunk */ };

struct run_file_options {
  const char *program; /* begins the messages */
  const char *folder;  /* files INSTANCE-UTC.h5 go here; with `once`, the folder of that file */
  const char *once;    /* one file of this name; NULL: into the folder */
  const char *label;
  bool single;   /* f32 in place of f64 */
  bool unsynced; /* nothing waits for the disk, because the program can write the file again */
  long divisor;  /* every n-th cycle */
  int compress;  /* 0 .. 9 */
};

/* The signals that are recorded, in the order of the ring. */
struct columns {
  uint32_t count;
  uint32_t *signal; /* (count) */
};

/* A cycle for the replay: the actions of the loop, the values of the inputs, and mode and parameters of the platform. */
struct acted {
  uint64_t cycle;
  uint32_t action, state, parameters, reserved;
  double number[]; /* (head.channels + head.tuning) */
};
static inline size_t acted_bytes(const struct frames_reader *r)
{
  return sizeof(struct acted) + ((size_t)r->head.channels + r->head.tuning) * sizeof(double);
}
void acted_take(struct acted *a, const struct frames_reader *r, const struct frames_slot *slot);

/* The last states of the daemon, and the cycles since the first of them: a file begins with a state ahead of its first row. */
struct history {
  const struct frames_reader *ring;
  uint64_t before; /* cycles for which it goes back */
  char *row;       /* (room, acted_bytes) */
  size_t rows, room, row_bytes;
  uint64_t last_cycle, next_state;
  struct frames_state **state; /* (states) oldest first; the rows begin with the cycle after state[0] */
  int states;
};
bool history_open(struct history *h, const struct frames_reader *r, uint64_t before);
void history_close(struct history *h);
/* Takes the cycle of a slot, unless it has it already, and the states up to it. Returns the state after this cycle, which belongs
 * to the history; NULL: there is none. */
const struct frames_state *history_add(struct history *h, const struct frames_slot *slot);
/* The newest state ahead of a cycle; NULL: there is none. *first, *count: the rows from this state to that cycle. */
const struct frames_state *history_find(const struct history *h, uint64_t cycle, size_t *first,
                                        size_t *count);
static inline const struct acted *history_row(const struct history *h, size_t i)
{
  return (const struct acted *)(const void *)(h->row + i * h->row_bytes);
}

/* The datasets of the replay in a file, and what waits for its flush. */
struct acted_rows {
  hid_t cycle, action, state, parameters, inputs; /* every cycle */
  hid_t state_cycle, state_model, state_platform; /* states; the last is -1 without a platform */
  hid_t tuning_cycle, tuning;    /* parameters of the platform, where they change; -1 without */
  hsize_t rows, states, tunings; /* in the file */
  int chunk_rows, collected, tunings_collected;
  char *row;                    /* (chunk_rows, acted_bytes) */
  uint64_t *tuned;              /* (chunk_rows) cycles of the numbers */
  double *numbers;              /* (chunk_rows + 1, head.tuning); the last is the newest in the file */
  struct frames_state *waiting; /* a state for the next flush */
  bool state_waits, tuned_once;
  uint64_t state_at; /* cycle of the newest state in the file */
};

/* One file. Rows are collected, and written and synchronised together. */
struct run_file {
  hid_t file, values, cycle, t_ns, time, state, flags, fault, action, status, parameters, loop, input_age,
      input_state, events;
  struct acted_rows acted;
  const struct history *history;
  int descriptor; /* of the file, HDF5's own */
  char part[RECORD_PATH], final[RECORD_PATH];
  const struct run_file_options *options;
  const struct frames_reader *ring;
  const struct columns *columns;
  hsize_t rows, event_rows; /* in the file */
  int chunk_rows;           /* rows that are written together */
  int collected;            /* rows in `row` that are not in the file yet */
  uint64_t waits_ns;        /* since when the first of them waits */
  char *row;                /* (RECORD_ROWS, head.slot_bytes) */
  struct frames_event *event;
  int events_collected;
  uint64_t first_cycle, last_cycle, lost; /* lost: cycles that the ring no longer had */
  uint64_t flush_ns;                      /* longest time of a synchronisation */
  bool gap;                               /* cycles were lost since the last state */
  bool failed;                            /* a write failed: the file holds what was synchronised before */
};

enum { RECORD_EVENTS = 64 };

/* rows.c. Rows without limit, in chunks of `rows`, with a checksum for each chunk. width 0: one number in a row. */
hid_t rows_create(const struct run_file *f, const char *path, hid_t type, uint32_t width, hsize_t rows);
/* Appends rows to a dataset that has `at` rows. */
bool rows_append(hid_t dataset, hid_t memory, hsize_t at, hsize_t rows, hsize_t width, const void *data);
/* A whole dataset of n rows. False: it could not be written. */
bool rows_write_whole(const struct run_file *f, const char *path, hid_t type, hid_t memory, hsize_t n,
                      uint32_t width, const void *data);
/* An attribute: a text of fixed length, or a list of them. */
void rows_write_texts(hid_t object, const char *name, const char *const *text, size_t count);

/* layout.c. Creates all datasets and attributes of an open file, whose first row is of `first_cycle`. */
bool layout_create(struct run_file *f, uint64_t first_cycle);

/* acted.c. Each returns false where HDF5 fails. create: datasets, and the rows of the history ahead of `first_cycle`. */
bool acted_create(struct run_file *f, uint64_t first_cycle);
bool acted_allocate(struct run_file *f);
void acted_free(struct run_file *f);
void acted_add(struct run_file *f, const struct frames_slot *slot);
/* Takes a state for the next flush. */
void acted_keep(struct run_file *f, const struct frames_state *state);
/* A flush: first the data, then, once they are on the disk, the numbers of their cycles. */
bool acted_write(struct run_file *f);
bool acted_flush(const struct run_file *f);
bool acted_write_cycles(struct run_file *f);

/* run_file.c. Call before any other HDF5 function. Silences HDF5's error stack and disables its exit handler, which would flush a
 * failed file. */
void run_file_quiet(void);
/* Each returns false after saying on stderr what failed; a file that failed takes nothing more.
 * first: the first cycle; the name of the file comes from its time. */
bool run_file_open(struct run_file *f, const struct run_file_options *o, const struct history *h,
                   const struct columns *c, const struct frames_slot *first);
/* Every cycle; those that the divisor leaves out have no row of signals. `state`: of model and platform after it; NULL: none. */
bool run_file_add(struct run_file *f, const struct frames_slot *slot, const struct frames_state *state);
bool run_file_add_event(struct run_file *f, const struct frames_event *event);
/* Writes and synchronises what is collected. */
bool run_file_flush(struct run_file *f);
/* Bytes of the file. */
uint64_t run_file_size(const struct run_file *f);
/* How long the first collected row has waited, ns; 0: none waits. */
uint64_t run_file_age(const struct run_file *f, uint64_t now);
/* Closes the file, writes how it ended, and gives it its name. */
bool run_file_close(struct run_file *f, const char *reason);

#endif
