/* SPDX-License-Identifier: MIT
 * The kernel's tracer of hardware latencies: stops a CPU for half of every second and looks for holes in
 * time. */
#ifndef ALI3_DOCTOR_HWLAT_H
#define ALI3_DOCTOR_HWLAT_H

#include "host.h"

struct hwlat {
  const char *folder; /* of the tracers */
  bool was_off;       /* tracing */
};

/* Starts it, unless another tracer is in use. False, with the tracers as they were, and why in error. */
bool hwlat_start(const struct host *h, struct hwlat *t, char *error, size_t size);
/* Puts the tracers back as they were. The longest hole, us; -1 and why in error. */
long long hwlat_stop(const struct host *h, const struct hwlat *t, char *error, size_t size);

#endif
