/* SPDX-License-Identifier: MIT
 * The streams of OSC, by name, and signals at addresses that the user maps. Used by the configuration and the sender. */
#ifndef WIRE_STREAMS_H
#define WIRE_STREAMS_H

#include <stdbool.h>

/* First the streams with packets of their own, then the status, which is one message, then combinations of others. */
#define STREAM_LIST(X)                                                                                       \
  X(STREAM_BODY, "body")         /* pose and velocity of every body */                                       \
  X(STREAM_SENSOR, "sensor")     /* quantities of the sensors */                                             \
  X(STREAM_JOINT, "joint")       /* reactions and coordinates of the joints */                               \
  X(STREAM_FORCE, "force")       /* quantities of the force elements */                                      \
  X(STREAM_ENERGY, "energy")     /* energy, constraint and solver */                                         \
  X(STREAM_INPUT, "input")       /* acting values of the inputs */                                           \
  X(STREAM_PLATFORM, "platform") /* motion of the platform */                                                \
  X(STREAM_OUT, "out")           /* signals at addresses that the user maps */                               \
  X(STREAM_LOOP, "loop")         /* figures of the loop */                                                   \
  X(STREAM_STATUS, "status")                                                                                 \
  X(STREAM_ALL, "all") /* body, sensor and status */
enum stream {
#define STREAM_ENUM(id, text) id,
  STREAM_LIST(STREAM_ENUM)
#undef STREAM_ENUM
      STREAM_NONE,
  STREAMS_PACKED = STREAM_STATUS, /* streams with packets */
  STREAMS = STREAM_ALL,           /* streams that a client can subscribe to */
};

/* A signal at an OSC address: value = scale * argument + offset. */
struct mapped {
  char *address; /* "/rig/crank" */
  int signal;
  bool input; /* received; false: sent */
  double scale, offset;
};

/* In the order of the file. Items with one address are consecutive; they are the arguments of one message. */
struct mapping {
  struct mapped *item; /* (count) */
  int count;
};
enum { MAPPED_ADDRESS_MAX = 128, MAPPED_ARGUMENTS_MAX = 128 }; /* always fits in a packet */

#endif
