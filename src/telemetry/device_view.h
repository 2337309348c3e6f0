/* SPDX-License-Identifier: MIT
 * A polled device as it is watched from outside: a part of the telemetry. The thread that polls it writes, a word at a time;
 * anybody reads. */
#ifndef TELEMETRY_DEVICE_VIEW_H
#define TELEMETRY_DEVICE_VIEW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define DEVICE_STATE_LIST(X)                                                                                 \
  X(DEVICE_OFF, "off")               /* nobody polls it */                                                   \
  X(DEVICE_CONNECTING, "connecting") /* there is no connection, or no line */                                \
  X(DEVICE_UP, "up")                 /* the last poll was complete */                                        \
  X(DEVICE_FAILING, "failing")       /* it was not */
enum device_state {
#define DEVICE_ENUM(id, text) id,
  DEVICE_STATE_LIST(DEVICE_ENUM)
#undef DEVICE_ENUM
};
const char *device_state_name(uint64_t state); /* "?" when unknown */

/* What goes wrong: name, meaning. */
#define DEVICE_ERROR_LIST(X)                                                                                 \
  X(unreachable, "connections that could not be made")                                                       \
  X(lost, "connections lost")                                                                                \
  X(timeout, "answers that did not come in time")                                                            \
  X(exception, "requests that the device refused")                                                           \
  X(wrong, "answers that do not belong to the request")                                                      \
  X(nonfinite, "values read that are no number")                                                             \
  X(clamped, "values written that were clamped to the range of their type")                                  \
  X(withheld, "values not written because they are no number")
enum device_error {
#define DEVICE_ENUM(name, text) DEVICE_ERROR_##name,
  DEVICE_ERROR_LIST(DEVICE_ENUM)
#undef DEVICE_ENUM
      DEVICE_ERRORS
};

enum { DEVICE_TEXT = 64 };

struct device_view {
  char name[DEVICE_TEXT];                 /* constant */
  _Atomic uint64_t state;                 /* enum device_state */
  _Atomic uint64_t polled_ns;             /* CLOCK_MONOTONIC: end of the last complete poll; 0: none yet */
  _Atomic uint64_t polls, late;           /* begun; of those longer than the period */
  _Atomic uint64_t reconnects;            /* connections made after the first */
  _Atomic uint64_t errors[DEVICE_ERRORS]; /* by enum device_error */
  _Atomic uint64_t sequence;              /* of the text: odd while it is written */
  _Atomic uint64_t text[DEVICE_TEXT / sizeof(uint64_t)]; /* the last error */
};

static inline uint64_t device_figure(const _Atomic uint64_t *p)
{
  return atomic_load_explicit(p, memory_order_relaxed);
}

/* Since the last complete poll; UINT64_MAX: there was none. */
static inline uint64_t device_age_ns(const struct device_view *v, uint64_t now_ns)
{
  const uint64_t polled_ns = device_figure(&v->polled_ns);
  if (polled_ns == 0) return UINT64_MAX;
  return now_ns > polled_ns ? now_ns - polled_ns : 0;
}

/* All errors but those of values (nonfinite, clamped, withheld), which say nothing against the device. */
uint64_t device_errors(const struct device_view *v);

/* Its thread: what went wrong last. */
void device_tell(struct device_view *v, const char *text);
/* Anybody: "" if nothing has, or it is being written all the time. */
void device_told(const struct device_view *v, char text[DEVICE_TEXT]);

#endif
