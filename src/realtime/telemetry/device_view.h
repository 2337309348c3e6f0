/* SPDX-License-Identifier: MIT
 * The view of a polled device in the telemetry. The thread that polls it writes word by word; any thread or tool reads. */
#ifndef TELEMETRY_DEVICE_VIEW_H
#define TELEMETRY_DEVICE_VIEW_H

#include "signals/counters.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define DEVICE_STATE_LIST(X)                                                                                 \
  X(DEVICE_OFF, "off")               /* not polled */                                                        \
  X(DEVICE_CONNECTING, "connecting") /* no connection, or the serial line has disappeared */                 \
  X(DEVICE_UP, "up")                 /* the last poll was complete */                                        \
  X(DEVICE_FAILING, "failing")       /* the last poll was not complete */
enum device_state {
#define DEVICE_ENUM(id, text) id,
  DEVICE_STATE_LIST(DEVICE_ENUM)
#undef DEVICE_ENUM
};
const char *device_state_name(uint64_t state); /* "?" when unknown */

/* Errors: name, meaning. */
#define DEVICE_ERROR_LIST(X)                                                                                 \
  X(unreachable, "connections that could not be made")                                                       \
  X(lost, "connections lost")                                                                                \
  X(timeout, "answers that came too late or not at all")                                                     \
  X(exception, "requests that the device refused")                                                           \
  X(wrong, "answers that do not belong to the request")                                                      \
  X(nonfinite, "values read that are NaN or infinite")                                                       \
  X(clamped, "values written that were clamped to the range of their type")                                  \
  X(withheld, "values not written because they are NaN or infinite")
enum device_error {
#define DEVICE_ENUM(name, text) DEVICE_ERROR_##name,
  DEVICE_ERROR_LIST(DEVICE_ENUM)
#undef DEVICE_ENUM
      DEVICE_ERRORS
};

/* Counters: name, Prometheus metric without "ali3_device_", meaning. */
#define DEVICE_FIGURE_LIST(X)                                                                                \
  X(polls, "polls_total", "polls of the device")                                                             \
  X(late, "late_polls_total", "polls that took longer than the period")                                      \
  X(reconnects, "reconnects_total", "connections made after the first")

enum { DEVICE_TEXT = 64 };

struct device_view {
  char name[DEVICE_TEXT];     /* constant */
  _Atomic uint64_t state;     /* enum device_state */
  _Atomic uint64_t polled_ns; /* CLOCK_MONOTONIC at the end of the last complete poll; 0: none yet */
#define DEVICE_MEMBER(name, metric, what) _Atomic uint64_t name;
  DEVICE_FIGURE_LIST(DEVICE_MEMBER)
#undef DEVICE_MEMBER
  _Atomic uint64_t errors[DEVICE_ERRORS]; /* by enum device_error */
  _Atomic uint64_t sequence;              /* sequence lock of the text; odd while it is written */
  _Atomic uint64_t text[DEVICE_TEXT / sizeof(uint64_t)]; /* last error */
};

/* Time since the last complete poll; UINT64_MAX: none yet. */
static inline uint64_t device_age_ns(const struct device_view *v, uint64_t now_ns)
{
  const uint64_t polled_ns = counter_get(&v->polled_ns);
  if (polled_ns == 0) return UINT64_MAX;
  return now_ns > polled_ns ? now_ns - polled_ns : 0;
}

/* All errors except those of values (nonfinite, clamped, withheld), for which the device is not to blame. */
uint64_t device_errors(const struct device_view *v);

/* For the polling thread: sets the text of the last error. */
void device_tell(struct device_view *v, const char *text);
/* For any thread: gets the text; "" if there is none or every try was torn. */
void device_told(const struct device_view *v, char text[DEVICE_TEXT]);

#endif
