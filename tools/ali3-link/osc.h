/* SPDX-License-Identifier: MIT
 * A daemon in lockstep as a participant: osc_map.c what it sends and takes, osc.c its socket and its steps, osc_start.c how a run
 * begins. */
#ifndef LINK_OSC_H
#define LINK_OSC_H

#include "config/setup.h"
#include "link.h"
#include "osc_messages/encode.h"
#include "osc_messages/parse.h"
#include "osc_messages/space.h"

enum { OSC_SENT_MAX = 4096 }; /* ali3d refuses a longer datagram */

/* Where an output is in a frame. */
struct place_in_frame {
  const struct osc_node *node;
  int argument;
};

struct daemon {
  struct settings *settings; /* of its configuration file */
  struct osc_space *space;
  struct place_in_frame *place; /* (out.count) */
  unsigned streams;             /* bits of those to subscribe to */
  const struct osc_node **sink; /* (sinks) addresses that inputs go to */
  int sinks;
  /* The step under way. */
  int32_t request;
  bool stepped, asked; /* stepped: it told the cycle; asked: a step was asked for */
  uint64_t cycle;      /* cycle after the last step; 0: unknown */
  uint64_t head_cycle; /* cycle of the newest frame, and head_time its time */
  double head_time, first_time;
  uint64_t made; /* communication steps */
  char status[24];
  int32_t head_state; /* enum run_state of the newest frame */
  uint64_t refusals;  /* in real time: messages that an input belongs to another client */
  int32_t result;     /* the last ack that osc_start.c waits for; -1: none came */
  /* Times of answers, for repeats. */
  uint64_t sent_ns, wait_ns, answer_ns;
  size_t size;
  uint8_t bytes[OSC_SENT_MAX];
  struct osc_datagram parsed;
  struct osc_arguments arguments;
};

static inline struct daemon *daemon_of(struct participant *p)
{
  return (struct daemon *)p->state;
}

bool osc_describe(struct participant *p, struct report *r);
int osc_find(struct participant *p, const char *name, bool input, struct slots *to, const char **near);
bool osc_connect(struct participant *p);
bool osc_start(struct participant *p, double patience, bool reset, const volatile int *stop);

/* Begins the datagram of a daemon, adds a message, sends it. */
void osc_bundle_begin(struct daemon *d);
bool osc_bundle_add(struct daemon *d, const struct osc_writer *w);
void osc_bundle_send(const struct participant *p);
/* A message to an address below the prefix. */
void osc_begin_message(const struct daemon *d, struct osc_writer *w, const char *tail, const char *types);
void osc_subscribe(struct participant *p);
/* Sends the messages with due[sink] set, with the values of p->in. */
void osc_send_inputs(struct participant *p, const bool *due);
/* The message that carries an input. */
int osc_sink_of(const struct participant *p, int in);
/* Takes the datagrams that have come. False after a failure. */
bool osc_take(struct participant *p);
const char *osc_result_text(int32_t result);

#endif
