/* SPDX-License-Identifier: MIT
 * Recordings of ali3-record as programs read them. One thread; not real-time. */
#ifndef RECORDING_H
#define RECORDING_H

#include "frames/layout.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

struct recording {
  hid_t file;
  const char *path;
  /* Attributes; "" and 0 where the file has none. */
  char *instance, *model, *version, *isa, *hash, *label, *config;
  double period; /* s */
  uint64_t start_utc, start_ns, divisor, lost, closed;
  /* The signals with their rows. */
  uint32_t signals;
  char **name, **unit; /* (signals) */
  bool single;         /* f32 */
  hsize_t rows;
  uint64_t *cycle; /* (rows) */
  /* The actions of the loop in each cycle, from a state on. */
  uint32_t channels, tuning;
  char **channel, **channel_unit;     /* (channels) */
  hsize_t acts;                       /* cycles */
  uint64_t *act_cycle;                /* (acts) */
  uint32_t *act, *state, *parameters; /* (acts) actions; enum run_state; version of the parameters */
  double *inputs;                     /* (acts, channels) */
  hsize_t tunings;
  uint64_t *tuned;  /* (tunings) cycles from which on these parameters of the platform hold */
  double *tuned_to; /* (tunings, tuning) */
  hsize_t states;
  uint64_t *state_cycle; /* (states) */
  size_t model_bytes, platform_bytes;
  hsize_t events;
  struct frames_event *event; /* (events) */
};

/* Reads a recording, whether it was closed or not; except for the rows of the signals and the states. False: the reason in
 * error[size]. */
bool recording_open(struct recording *r, const char *path, char *error, size_t size);
void recording_close(struct recording *r);

/* Index of a signal; -1: there is none of this name. */
int recording_find(const struct recording *r, const char *name);
/* Rows first .. first + count - 1 of all signals, to[count, signals]. False: a checksum is wrong, or there are no such rows. */
bool recording_rows(const struct recording *r, hsize_t first, hsize_t count, double *to);
/* Whole numbers of a row-by-row dataset such as "/frames/flags", to[rows]. */
bool recording_heads(const struct recording *r, const char *path, uint32_t *to);
/* CLOCK_MONOTONIC of the wake-ups, ns, to[rows]. */
bool recording_times(const struct recording *r, uint64_t *to);
/* State n: model_bytes, then platform_bytes. */
bool recording_state(const struct recording *r, hsize_t n, void *to);
/* "/model/flat" or "/model/yaml": bytes to be freed, with a 0 behind them; NULL: there are none. */
char *recording_bytes(const struct recording *r, const char *path, size_t *size);

/* struct frames_event in memory; files have the same members without gaps. To be closed. */
hid_t recording_event_type(void);

/* HDF5 prints nothing on standard error. */
void recording_quiet(void);

/* Copies what is whole of a file that was not closed. Returns the exit status 0 or 1; `program` begins the messages. */
int recording_recover(const char *program, const char *from, const char *to);

#endif
