/* SPDX-License-Identifier: MIT
 * Misses, inputs, devices, clients and counters: one or two rows each. */
#include "panes/panes.h"

#include "signals/exchange.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { AGO = 8, NAME = 24, FIELD = 10, NARROW = 8 };

static double seconds_ago(const struct picture *p, uint64_t t_ns)
{
  return p->now_ns > t_ns ? (double)(p->now_ns - t_ns) * 1e-9 : 0.0;
}

int misses_draw(const struct picture *p, const struct view *v, const struct area *heading,
                const struct area *body, int first)
{
  (void)v;
  const uint64_t lost = counter_get(&p->block.misses.lost);
  /* The heading says why no culprits appear. */
  const int column = area_put(heading, 0, 0, STYLE_TITLE, "misses, newest first");
  if (!p->block.traces)
    area_print(heading, column + 2, 0, STYLE_FAINT, "culprits unknown: %s", p->block.untraced);
  /* A miss may take several rows. */
  int row = 0;
  for (int i = 0; i < p->misses; i++) {
    const struct miss *m = &p->miss[i];
    char text[512];
    miss_text(m, &p->block.histograms, text, sizeof text);
    const enum style style = m->grace || m->state == STATE_INIT ? STYLE_FAINT : STYLE_PLAIN;
    area_print(body, 0, first + row, STYLE_FAINT, "%*s", AGO, words_duration(seconds_ago(p, m->end_ns)).text);
    row += area_wrap(body, AGO + 2, first + row, 0, style, text);
  }
  if (lost)
    area_print(body, AGO + 2, first + row++, STYLE_WARN, "%" PRIu64 " not recorded: too many at a time",
               lost);
  return row;
}

/* A row for each channel: the value as it came, the acting value, and the range. */
static int put_input_channels(const struct area *body, const struct input_view *in, int row)
{
  for (uint32_t k = 0; k < in->channels; k++) {
    const struct input_channel_view *ch = &in->channel[k];
    const double written = atomic_load_explicit(&ch->written, memory_order_relaxed);
    const double acting = atomic_load_explicit(&ch->acting, memory_order_relaxed);
    const bool differs = isfinite(written) && written != acting;
    area_print(body, 2, row + (int)k, differs ? STYLE_WARN : STYLE_FAINT,
               "channel %" PRIu32 "  written %-12.6g acting %-12.6g range %g to %g", k + 1, written, acting,
               atomic_load_explicit(&ch->lower, memory_order_relaxed),
               atomic_load_explicit(&ch->upper, memory_order_relaxed));
  }
  return row + (int)in->channels;
}

int inputs_draw(const struct picture *p, const struct view *v, const struct area *heading,
                const struct area *body, int first)
{
  (void)v;
  const struct telemetry *t = &p->block;
  area_print(heading, 0, 0, STYLE_TITLE, "%-*s%*s%*s%*s", NAME, "input", FIELD, "age", FIELD, "hold", FIELD,
             "then");
  int row = first;
  for (uint32_t i = 0; i < t->inputs; i++) {
    const struct input_view *in = &t->input[i];
    const uint64_t age = counter_get(&in->age_ns);
    const bool stale = input_is_stale(in);
    /* Columns of every input. */
    area_put(body, 0, row, STYLE_PLAIN, in->name);
    area_print(body, NAME, row,
               stale               ? STYLE_BAD
               : age == UINT64_MAX ? STYLE_FAINT
                                   : STYLE_PLAIN,
               "%*s", FIELD, words_age(age).text);
    area_print(body, NAME + FIELD, row, STYLE_PLAIN, "%*s%*s", FIELD, words_age(in->hold_ns).text, FIELD,
               input_policy_name(in->policy));
    /* Remarks, one after the other. */
    int column = NAME + 3 * FIELD + 2;
    const uint32_t limits = atomic_load_explicit(&in->limits, memory_order_relaxed);
    if (stale)
      column = area_put(body, column, row, STYLE_BAD,
                        input_view_state(in) == INPUT_STALE     ? "STALE"
                        : input_view_state(in) == INPUT_TIMEOUT ? "TIMEOUT"
                                                                : "RECOVERING") +
               1;
    if (limits & INPUT_CLAMPED) column = area_put(body, column, row, STYLE_WARN, "clamped") + 1;
    if (limits & INPUT_SLOWED) column = area_put(body, column, row, STYLE_WARN, "slowed") + 1;
    char owner[CLIENT_NAME];
    client_name_read(&in->owner_name, owner);
    if (owner[0]) area_print(body, column, row, STYLE_FAINT, "from %s", owner);
    row = put_input_channels(body, in, row + 1);
  }
  return row - first;
}

int devices_draw(const struct picture *p, const struct view *v, const struct area *heading,
                 const struct area *body, int first)
{
  (void)v;
  const struct telemetry *t = &p->block;
  area_print(heading, 0, 0, STYLE_TITLE, "%-*s%*s%*s%*s%*s  %s", NAME, "device", FIELD, "polled", FIELD,
             "polls", NARROW, "late", NARROW, "errors", "state");
  for (uint64_t i = 0; i < t->devices; i++) {
    const struct device_view *d = &t->device[i];
    const bool up = counter_get(&d->state) == DEVICE_UP;
    const int row = first + (int)i;
    char text[DEVICE_TEXT];
    device_told(d, text);
    area_print(body, 0, row, STYLE_PLAIN, "%-*.*s", NAME, NAME - 1, d->name);
    area_print(body, NAME, row, up ? STYLE_PLAIN : STYLE_BAD, "%*s", FIELD,
               words_age(device_age_ns(d, p->now_ns)).text);
    area_print(body, NAME + FIELD, row, STYLE_PLAIN, "%*s%*s%*s", FIELD,
               words_count((double)counter_get(&d->polls)).text, NARROW,
               words_count((double)counter_get(&d->late)).text, NARROW,
               words_count((double)device_errors(d)).text);
    /* State and last error. */
    area_print(body, NAME + 2 * FIELD + 2 * NARROW + 2, row, up ? STYLE_GOOD : STYLE_BAD, "%s%s%s",
               device_state_name(counter_get(&d->state)), up ? "" : ": ", up ? "" : text);
  }
  return (int)t->devices;
}

int counters_draw(const struct picture *p, const struct view *v, const struct area *heading,
                  const struct area *body, int first)
{
  (void)v;
  const struct counters *c = &p->block.counters;
  int row = 0;
  area_put(heading, 0, 0, STYLE_TITLE, "clients, and counters above 0");
#define COUNTER(name, text)                                                                                  \
  if (counter_get(&c->name) || &c->name == &c->osc_clients || &c->name == &c->modbus_clients)                \
    area_print(body, 0, first + row++, STYLE_PLAIN, "%12" PRIu64 "  %s", counter_get(&c->name), text);
  COUNTER_LIST(COUNTER)
#undef COUNTER
  const struct stray_view *shown[TELEMETRY_STRAYS];
  const int strays = stray_views(&p->block, shown);
  for (int i = 0; i < strays; i++) {
    char text[3 * CLIENT_NAME];
    stray_text(shown[i], text, sizeof text);
    row += area_wrap(body, 14, first + row, 0, STYLE_WARN, text);
  }
  return row;
}
