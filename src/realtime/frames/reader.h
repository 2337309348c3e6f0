/* SPDX-License-Identifier: MIT
 * The frame ring as programs read it: copied out of the file, never mapped, since a mapping ends its reader with SIGBUS when
 * somebody cuts the file. The head is checked before anything is believed, so a hostile file cannot lead a reader beyond its
 * own copy. Not real-time. One thread. */
#ifndef FRAMES_READER_H
#define FRAMES_READER_H

#include "frames/layout.h"
#include "telemetry/read.h"

#include <stdbool.h>

struct frames_reader {
  struct telemetry_reader telemetry; /* block of the instance */
  int fd;
  struct frames_head head;    /* as it was when the ring was opened */
  char *texts;                /* (head.texts_bytes + 1) */
  struct frames_name *signal; /* (head.signals) */
  struct frames_name *input;  /* (head.inputs) */
};

/* Opens the ring of a running instance, or of one that was killed. False: the reason in error[size]. */
bool frames_open(struct frames_reader *r, const char *instance, char *error, size_t size);
/* Opens what frames_describe() made for a run of this instance, and takes the descriptor. Nobody writes slots there. */
bool frames_open_described(struct frames_reader *r, int fd, const char *instance, char *error, size_t size);
void frames_close(struct frames_reader *r);
/* The daemon that made the ring still runs. */
bool frames_alive(const struct frames_reader *r);
/* The name still leads to this daemon: one that was started again has a ring of its own. */
bool frames_is_current(const struct frames_reader *r);

/* Texts; never NULL. */
const char *frames_signal_name(const struct frames_reader *r, uint32_t i);
const char *frames_signal_unit(const struct frames_reader *r, uint32_t i);
/* The quantity that the signal is a part of. */
const char *frames_signal_quantity(const struct frames_reader *r, uint32_t i);
const char *frames_input_name(const struct frames_reader *r, uint32_t i);
const char *frames_version(const struct frames_reader *r);
const char *frames_model(const struct frames_reader *r);
const char *frames_config(const struct frames_reader *r);
const char *frames_yaml(const struct frames_reader *r);
const char *frames_extras(const struct frames_reader *r);
const char *frames_record(const struct frames_reader *r);
/* Copies the flat model, head.flat_bytes bytes. False: the file was cut. */
bool frames_flat(const struct frames_reader *r, void *to);

/* Slots and events that were ever written; the newest is the one before. False: the file was cut. */
bool frames_written(const struct frames_reader *r, uint64_t *slots, uint64_t *events);

enum frames_got {
  FRAMES_WHOLE,     /* the copy is slot or event n */
  FRAMES_NOT_YET,   /* n is not written yet */
  FRAMES_OVERTAKEN, /* n is gone: the writer is a ring further */
  FRAMES_CUT        /* the file was cut */
};
/* Copies slot n with its inputs and values: head.slot_bytes bytes. */
enum frames_got frames_take(const struct frames_reader *r, uint64_t n, struct frames_slot *to);
/* Copies the head of slot n only, sizeof *to bytes. */
enum frames_got frames_take_head(const struct frames_reader *r, uint64_t n, struct frames_slot *to);
enum frames_got frames_take_event(const struct frames_reader *r, uint64_t n, struct frames_event *to);
/* The first event from `next` on that may still be in the ring, of `events` written ones. Begin every walk over events there: a
 * stranger's ring may claim any number of them. */
uint64_t frames_oldest_event(const struct frames_reader *r, uint64_t next, uint64_t events);
/* Number of states that were ever written. False: the file was cut. */
bool frames_states_written(const struct frames_reader *r, uint64_t *states);
/* Copies state n with its bytes: head.state_bytes bytes. */
enum frames_got frames_take_state(const struct frames_reader *r, uint64_t n, struct frames_state *to);

static inline const struct frames_input *frames_inputs(const struct frames_reader *r,
                                                       const struct frames_slot *s)
{
  return (const struct frames_input *)(const void *)((const char *)s + r->head.input_at);
}
static inline const double *frames_tuning(const struct frames_reader *r, const struct frames_slot *s)
{
  return (const double *)(const void *)((const char *)s + r->head.tuning_at);
}
static inline const double *frames_values(const struct frames_reader *r, const struct frames_slot *s)
{
  return (const double *)(const void *)((const char *)s + r->head.values_at);
}

#endif
