/* SPDX-License-Identifier: MIT
 * Metrics of polled devices. */
#include "lines.h"
#include "prometheus.h"

#include <inttypes.h>
#include <stddef.h>

/* Writes one figure of each device. */
static void write_counter_get(const struct census *c, const char *name, const char *help, size_t offset,
                              FILE *out)
{
  write_heading("counter", name, help, out);
  for (int i = 0; i < c->count; i++) {
    const struct telemetry *t = c->one[i].sample.t;
    for (uint64_t k = 0; t && k < t->devices; k++)
      write_line(name, &c->one[i], "device", t->device[k].name,
                 (double)counter_get((const _Atomic uint64_t *)((const char *)&t->device[k] + offset)), out);
  }
}

static void write_device_errors(const struct census *c, FILE *out)
{
  static const char *const kind[] = {
#define ERROR_KIND(name, text) #name,
      DEVICE_ERROR_LIST(ERROR_KIND)
#undef ERROR_KIND
  };
  static const char name[] = "ali3_device_errors_total";
  write_heading("counter", name, "errors of the device, by kind", out);
  for (int i = 0; i < c->count; i++) {
    const struct telemetry *t = c->one[i].sample.t;
    for (uint64_t k = 0; t && k < t->devices; k++)
      for (int e = 0; e < DEVICE_ERRORS; e++) {
        fprintf(out, "%s{daemon=\"%s\",device=\"", name, c->one[i].name);
        write_label(t->device[k].name, out);
        fprintf(out, "\",kind=\"%s\"} %" PRIu64 "\n", kind[e], counter_get(&t->device[k].errors[e]));
      }
  }
}

void prometheus_devices(const struct census *c, FILE *out)
{
  static const char up[] = "ali3_device_up", age[] = "ali3_device_age_seconds";
  write_heading("gauge", up, "1 if the last poll of the device was complete", out);
  for (int i = 0; i < c->count; i++) {
    const struct telemetry *t = c->one[i].sample.t;
    for (uint64_t k = 0; t && k < t->devices; k++)
      write_line(up, &c->one[i], "device", t->device[k].name, counter_get(&t->device[k].state) == DEVICE_UP,
                 out);
  }
  /* A device without a complete poll has no age, and no line. */
  write_heading("gauge", age, "time since the last complete poll of the device", out);
  for (int i = 0; i < c->count; i++) {
    const struct sample *s = &c->one[i].sample;
    for (uint64_t k = 0; s->t && k < s->t->devices; k++) {
      const uint64_t age_ns = device_age_ns(&s->t->device[k], s->now_ns);
      if (age_ns != UINT64_MAX)
        write_line(age, &c->one[i], "device", s->t->device[k].name, (double)age_ns / 1e9, out);
    }
  }
#define DEVICE_LINES(field, metric, help)                                                                    \
  write_counter_get(c, "ali3_device_" metric, help, offsetof(struct device_view, field), out);
  DEVICE_FIGURE_LIST(DEVICE_LINES)
#undef DEVICE_LINES
  write_device_errors(c, out);
}
