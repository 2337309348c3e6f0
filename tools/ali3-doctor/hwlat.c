/* SPDX-License-Identifier: MIT */
#include "hwlat.h"

#include <string.h>

static const char *tracer_path(const struct hwlat *t, const char *name)
{
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", t->folder, name);
  return path;
}

static bool tell_refusal(char *error, size_t size, const char *what, int status)
{
  snprintf(error, size, "%s: %s", what, strerror(-status));
  return false;
}

bool hwlat_start(const struct host *h, struct hwlat *t, char *error, size_t size)
{
  static const char *const folder[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
  /* Find the tracers. A tracer in use stays. */
  char now[64] = "", on[16] = "";
  int status = -1;
  for (int i = 0; i < 2 && status < 0; i++) {
    *t = (struct hwlat){.folder = folder[i]};
    status = host_read(h, now, sizeof now, "%s", tracer_path(t, "current_tracer"));
  }
  if (status < 0) return tell_refusal(error, size, "current_tracer", status);
  if (strcmp(now, "nop") != 0) {
    snprintf(error, size, "the tracer %s is in use", now);
    return false;
  }
  /* Start the tracer, and remember the old settings. */
  status = host_read(h, on, sizeof on, "%s", tracer_path(t, "tracing_on"));
  if (status < 0) return tell_refusal(error, size, "tracing_on", status);
  t->was_off = strcmp(on, "0") == 0;
  status = host_write(h, tracer_path(t, "current_tracer"), "hwlat");
  if (status < 0) return tell_refusal(error, size, "hwlat > current_tracer", status);
  if (t->was_off) status = host_write(h, tracer_path(t, "tracing_on"), "1");
  /* Restore them if it does not start. */
  if (status == 0) return true;
  tell_refusal(error, size, "1 > tracing_on", status);
  host_write(h, tracer_path(t, "current_tracer"), "nop");
  return false;
}

long long hwlat_stop(const struct host *h, const struct hwlat *t, char *error, size_t size)
{
  long long us = -1;
  if (!host_number(h, &us, "%s", tracer_path(t, "tracing_max_latency")))
    snprintf(error, size, "tracing_max_latency is not readable");
  if (t->was_off) host_write(h, tracer_path(t, "tracing_on"), "0");
  const int status = host_write(h, tracer_path(t, "current_tracer"), "nop");
  if (status < 0) {
    tell_refusal(error, size, "nop > current_tracer", status);
    us = -1;
  }
  return us;
}
