/* SPDX-License-Identifier: MIT
 * Status of every call that can fail. 0: the result is good. Above 0: the result is usable but degraded. Below 0: do not use the
 * result. Errors count from -100 down, so that none looks like ALI3_GROUND, ALI3_NONE or another index. */
#ifndef ALI3_STATUS_H
#define ALI3_STATUS_H

#include <ali3/export.h>

ALI3_BEGIN_DECLARATIONS

/* name, value, text */
#define ALI3_STATUS_LIST(X)                                                                                  \
  X(ALI3_OK, 0, "ok")                                                                                        \
  X(ALI3_NOT_CONVERGED, 1, "the step ended with a large increment; its best result was kept")                \
  X(ALI3_MOVED, 2, "the initial state was moved onto the constraints")                                       \
  X(ALI3_VIOLATED, 3, "a joint, drive or gear is open by more than the tolerance")                           \
  X(ALI3_UNRESOLVED, 4, "a rotation or an element is beyond its range")                                      \
  X(ALI3_E_ARGUMENT, -100, "an argument is out of range")                                                    \
  X(ALI3_E_MEMORY, -101, "out of memory, or the block given is too small")                                   \
  X(ALI3_E_MODEL, -102, "the model is not valid")                                                            \
  X(ALI3_E_FROZEN, -103, "the model is frozen (or not yet frozen, where it has to be)")                      \
  X(ALI3_E_ASSEMBLE, -104, "the mechanism cannot be assembled")                                              \
  X(ALI3_E_DIVERGED, -105, "the step diverged; the state is the last good one")                              \
  X(ALI3_E_SINGULAR, -106, "a pivot of the condensation is not positive")                                    \
  X(ALI3_E_VIOLATED, -107, "the joints, drives and gears cannot all be met")                                 \
  X(ALI3_E_STATE, -108, "the bytes are no state of this model")                                              \
  X(ALI3_E_STIFF, -109, "a force is too stiff for the explicit method at this step")

typedef enum {
#define ALI3_STATUS_ENUM(name, value, text) name = (value),
  ALI3_STATUS_LIST(ALI3_STATUS_ENUM)
#undef ALI3_STATUS_ENUM
} ali3_status;

/* One line of text for a status; never NULL. Thread-safe, real-time safe. */
const char *ali3_status_text(int status);

ALI3_END_DECLARATIONS
#endif
