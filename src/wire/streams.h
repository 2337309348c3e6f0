/* SPDX-License-Identifier: MIT
 * What OSC sends, by name, and signals at addresses of the user's own. Shared by who reads the configuration and who sends. */
#ifndef WIRE_STREAMS_H
#define WIRE_STREAMS_H

#include <stdbool.h>

/* Streams with packets of their own first; then the status, which is one message; then what is made of others. */
#define STREAM_LIST(X)                                                                                       \
  X(STREAM_BODY, "body")         /* pose and velocity of every body */                                       \
  X(STREAM_SENSOR, "sensor")     /* quantities of the sensors */                                             \
  X(STREAM_JOINT, "joint")       /* reactions and coordinates of the joints */                               \
  X(STREAM_FORCE, "force")       /* quantities of the force elements */                                      \
  X(STREAM_ENERGY, "energy")     /* energy, constraint and solver */                                         \
  X(STREAM_INPUT, "input")       /* the inputs as they act */                                                \
  X(STREAM_PLATFORM, "platform") /* what the motion platform is to do */                                     \
  X(STREAM_OUT, "out")           /* what stands at addresses of the user's own */                            \
  X(STREAM_LOOP, "loop")         /* figures of the loop */                                                   \
  X(STREAM_STATUS, "status")                                                                                 \
  X(STREAM_ALL, "all") /* body, sensor and status */
enum stream {
#define STREAM_ENUM(id, text) id,
  STREAM_LIST(STREAM_ENUM)
#undef STREAM_ENUM
      STREAM_NONE,
  STREAMS_PACKED = STREAM_STATUS, /* those with packets */
  STREAMS = STREAM_ALL,           /* those one can have a lease on */
};

/* A signal at an OSC address: its value is scale * argument + offset. */
struct mapped {
  char *address; /* "/rig/crank" */
  int signal;
  bool input; /* received; else sent */
  double scale, offset;
};

/* In the order of the file: those with one address follow each other as arguments of one message. */
struct mapping {
  struct mapped *item; /* (count) */
  int count;
};
enum { MAPPED_ADDRESS_MAX = 128, MAPPED_ARGUMENTS_MAX = 128 }; /* what fits in a packet in any case */

#endif
