/* SPDX-License-Identifier: MIT
 * The kernel's tracer of hardware latencies: it stops a CPU for half of every second and looks for gaps in time. */
#ifndef ALI3_DOCTOR_HWLAT_H
#define ALI3_DOCTOR_HWLAT_H

#include "host.h"

struct hwlat {
  const char *folder; /* of the tracers */
  bool was_off;       /* tracing was off before */
};

/* Starts it, unless another tracer is in use. On failure returns false with the reason in error, and leaves the tracers
 * unchanged. */
bool hwlat_start(const struct host *h, struct hwlat *t, char *error, size_t size);
/* Restores the tracers. Returns the longest gap, us; -1 with the reason in error. */
long long hwlat_stop(const struct host *h, const struct hwlat *t, char *error, size_t size);

#endif
