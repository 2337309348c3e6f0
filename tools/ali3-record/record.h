/* SPDX-License-Identifier: MIT
 * ali3-record: copies the frame ring of a daemon into HDF5 files. Parts: main.c options and wiring, recorder.c the states of a
 * recording, columns.c the chosen signals, run_file.c the file of a run and its rows, layout.c its datasets, space.c old files
 * and free space. */
#ifndef RECORD_H
#define RECORD_H

#include "frames/reader.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes; part of the interface. */
enum { EXIT_GOOD = 0, EXIT_RUN = 1, EXIT_USAGE = 2 };

enum { RECORD_PATH = 4096, RECORD_LABEL = 80, RECORD_ROWS = 100 /* most of a chunk */ };

enum record_when { RECORD_ALWAYS, RECORD_RUNNING };

struct record_options {
  const char *instance;
  const char *folder;  /* files INSTANCE-UTC.h5 go here; with `once`, the folder of that file */
  const char *once;    /* one file of this name; NULL: into the folder */
  const char *signals; /* all, state, inputs, or globs with commas */
  const char *label;
  enum record_when when;
  bool single;     /* f32 in place of f64 */
  long divisor;    /* every n-th cycle */
  double before;   /* s from the ring, ahead of the start */
  double after;    /* s behind the end */
  double split;    /* s of one file; 0: any */
  double keep;     /* bytes of finished files of the instance; 0: any */
  double min_free; /* bytes that stay free */
  double duration; /* s, then end; 0: without end */
  int compress;    /* 0 .. 9 */
  bool anyway;     /* also on file systems without ordered writes */
};

/* The signals that are recorded, in the order of the ring. */
struct columns {
  uint32_t count;
  uint32_t *signal; /* (count) */
};
/* False after saying on stderr what was wrong. */
bool columns_choose(struct columns *c, const struct frames_reader *r, const char *words);
void columns_free(struct columns *c);

/* One file. Rows are collected, and written and synchronised together. */
struct run_file {
  hid_t file, values, cycle, t_ns, time, state, flags, fault, action, status, loop, input_age, input_state,
      events;
  int descriptor; /* of the file, HDF5's own */
  char part[RECORD_PATH], final[RECORD_PATH];
  const struct record_options *options;
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
  bool failed;                            /* a write failed: the file holds what was synchronised before */
};

enum { RECORD_EVENTS = 64 };

/* layout.c. Creates all datasets and attributes of an open file. */
bool layout_create(struct run_file *f);
/* struct frames_event in memory; the file has the same members without gaps. To be closed. */
hid_t layout_event_type(void);

/* run_file.c. Before anything else of HDF5: its reports stay off standard error, and its exit handler, which would write the rest
 * of a file that failed, stays off, too. */
void run_file_quiet(void);
/* Each returns false after saying on stderr what failed; a file that failed takes nothing more.
 * t_ns: time of the first cycle, CLOCK_MONOTONIC; the name of the file comes from it. */
bool run_file_open(struct run_file *f, const struct record_options *o, const struct frames_reader *r,
                   const struct columns *c, uint64_t t_ns);
bool run_file_add(struct run_file *f, const struct frames_slot *slot);
bool run_file_add_event(struct run_file *f, const struct frames_event *event);
/* Writes and synchronises what is collected. */
bool run_file_flush(struct run_file *f);
/* How long the first collected row has waited, ns; 0: none waits. */
uint64_t run_file_age(const struct run_file *f, uint64_t now);
/* Closes the file, writes how it ended, and gives it its name. */
bool run_file_close(struct run_file *f, const char *reason);

/* space.c. Bytes free for the folder; negative: unknown. */
double space_free(const char *folder);
/* Removes the oldest finished files of the instance until no more than `keep` bytes are left. */
void space_prune(const char *folder, const char *instance, double keep);
/* The file system keeps the order of writes: it is not a network share. */
bool space_is_local(const char *folder, char *kind, size_t size);

/* recover.c. Copies what is whole of a file that was not closed. */
int record_recover(const char *from, const char *to);

/* recorder.c. Follows the ring until told to stop or, with `once` or a duration, until the daemon or the time is over. */
int record_follow(const struct record_options *o);
void record_catch_signals(void);
bool record_stopped(void);

#endif
