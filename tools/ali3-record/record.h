/* SPDX-License-Identifier: MIT
 * ali3-record: copies the frame ring of a daemon into HDF5 files. Parts: main.c and options.c the command line, recorder.c the
 * states of a recording, columns.c the chosen signals, triggers.c conditions, events.c the events of a file, memory.c the time
 * before a start, space.c old files and free space. The files themselves are recording/run_file.h. */
#ifndef RECORD_H
#define RECORD_H

#include "command/command_line.h"
#include "frames/settings.h"
#include "frames/trigger.h"
#include "recording/run_file.h"

#include <stdio.h>

/* Exit codes; part of the interface. */
enum { EXIT_GOOD = 0, EXIT_RUN = 1, EXIT_USAGE = 2 };

struct record_options {
  const char *instance;
  struct run_file_options file;
  const char *signals; /* all, state, inputs, or globs with commas */
  const char *trigger; /* conditions; NULL: none */
  enum record_when when;
  uint64_t given;      /* bit i: the command line has option i */
  int single;          /* 1: f32 in place of f64 */
  double before;       /* s ahead of the start */
  double after;        /* s behind the end of RUNNING or of a condition */
  double split;        /* s of one file; 0: any */
  double keep;         /* GB of finished files of the instance; 0: any */
  double min_free;     /* GB that stay free */
  double duration;     /* s, then end; 0: without end */
  bool anyway;         /* also on file systems without ordered writes */
  const char *recover; /* file to copy; NULL: none */
};

/* False after saying on stderr what was wrong. */
bool columns_choose(struct columns *c, const struct frames_reader *r, const char *words);
void columns_free(struct columns *c);

/* Conditions that start a recording. */
struct triggers {
  int count;
  struct trigger one[TRIGGERS];
  uint32_t signal[TRIGGERS];
  bool holds[TRIGGERS];
  unsigned began; /* bit i: condition i holds since the newest slot */
  bool begun;     /* misses and fault hold what the slot before had */
  uint64_t misses;
  uint32_t fault;
};
/* words NULL: none. False after saying on stderr what was wrong. */
bool triggers_open(struct triggers *t, const struct frames_reader *r, const char *words);
/* Judges the next slot: a condition holds. A miss and a fault hold for one slot. */
bool triggers_judge(struct triggers *t, const struct frames_reader *r, const struct frames_slot *slot);
/* Marks of the conditions that began with the slot that was judged last. Returns how many. */
int triggers_marks(const struct triggers *t, const struct frames_reader *r, const struct frames_slot *slot,
                   struct frames_event mark[TRIGGERS]);

/* The newest slots, where the ring of the daemon is shorter than the time before a start. */
struct memory {
  char *slot;       /* (room, slot_bytes) */
  uint64_t *number; /* (room) of the slot, plus 1; 0: none */
  uint64_t room;    /* 0: the ring is long enough */
  size_t slot_bytes;
};
/* False after saying on stderr that there is not enough memory. */
bool memory_open(struct memory *m, const struct frames_reader *r, uint64_t room);
void memory_close(struct memory *m);
void memory_put(struct memory *m, uint64_t n, const struct frames_slot *slot);
bool memory_take(const struct memory *m, uint64_t n, struct frames_slot *to);

/* events.c. The events of the ring that were taken. */
struct event_feed {
  uint64_t next;       /* event to take next */
  uint32_t parameters; /* newest version whose numbers were all taken */
};
/* Takes the events ahead of cycle `first`, with which a file begins, and gives it the parameters among them. continues: the file
 * before ends there; events that came too late for it are left for this one. */
void event_feed_begin(struct event_feed *feed, const struct frames_reader *r, struct run_file *f,
                      uint64_t first, bool continues);
/* Gives a file the events up to those of a cycle. NULL: no file takes them. */
void event_feed_add(struct event_feed *feed, const struct frames_reader *r, struct run_file *f,
                    uint64_t cycle);
/* Gives a file its last events. Waits for the parameters of its last row until the ring has slot `last`, and says on stderr if
 * they do not come. */
void event_feed_finish(struct event_feed *feed, const struct frames_reader *r, struct run_file *f,
                       uint32_t parameters, uint64_t last);

/* options.c. Reads the command line; -1: go on; otherwise the exit status. */
int options_take(int argc, char **argv, struct record_options *o);
/* Reads the section record of a configuration, lines "KEY VALUE", into options that the command line did not give. The options
 * then point into `lines`, which changes. False after saying on stderr what was wrong. */
bool options_configure(struct record_options *o, char *lines);

/* space.c. Bytes free for the folder; negative: unknown. */
double space_free(const char *folder);
/* Removes the oldest finished files of the instance until no more than `keep` bytes are left. */
void space_prune(const char *folder, const char *instance, double keep);
/* The file system keeps the order of writes: it is not a network share. */
bool space_is_local(const char *folder, char *kind, size_t size);

/* recorder.c. Follows the ring until told to stop or, with `once` or a duration, until the daemon or the time is over. */
int record_follow(const struct record_options *o);
void record_catch_signals(void);

#endif
