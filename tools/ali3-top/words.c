/* SPDX-License-Identifier: MIT */
#include "words.h"

#include "signals/clocking.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __attribute__((format(printf, 1, 2))) struct words format_words(const char *format, ...)
{
  struct words w;
  va_list list;
  va_start(list, format);
  vsnprintf(w.text, sizeof w.text, format, list);
  va_end(list);
  return w;
}

struct words words_us_of(double us)
{
  if (us < 99999.95) return format_words("%.1f", us);
  if (us < 1e7) return format_words("%.0f", us);
  return format_words("%.0f s", fmin(us * 1e-6, 9999999.0));
}

struct words words_us(uint64_t ns)
{
  return words_us_of((double)ns * 1e-3);
}

struct words words_tick(double ns)
{
  if (ns < 1e6) return format_words("%gus", ns * 1e-3);
  if (ns < 1e9) return format_words("%gms", ns * 1e-6);
  return format_words("%gs", ns * 1e-9);
}

struct words words_duration(double s)
{
  if (s < 120.0) return format_words("%.0f s", s);
  if (s < 7200.0) return format_words("%.0f min", s / 60.0);
  if (s < 172800.0) return format_words("%.0f h", s / 3600.0);
  return format_words("%.0f d", s / 86400.0);
}

struct words words_count(double n)
{
  static const char unit[] = " kMGTPE";
  int i = 0;
  for (; n >= 999.5 && unit[i + 1]; i++) n /= 1000.0;
  return i ? format_words("%.0f%c", n, unit[i]) : format_words("%.0f", n);
}

struct words words_cycle(uint64_t cycle)
{
  return cycle < 1000000000 ? format_words("%" PRIu64, cycle) : format_words("%.2fM", (double)cycle * 1e-6);
}

struct words words_age(uint64_t ns)
{
  if (ns == UINT64_MAX) return format_words("none");
  if (ns < UINT64_C(100000000000)) return format_words("%.0f ms", (double)ns * 1e-6);
  return words_duration((double)ns * 1e-9);
}

struct words words_number(double x)
{
  const struct words w = format_words("%.6g", x);
  return strlen(w.text) <= 12 ? w : format_words("%.5g", x);
}

static const struct input_view *find_input_view(const struct telemetry *t, const char *name)
{
  for (uint32_t i = 0; i < t->inputs; i++)
    if (strncmp(t->input[i].name, name, sizeof t->input[i].name - 1) == 0) return &t->input[i];
  return NULL;
}

struct input_words words_input(const struct picture *p, int input)
{
  struct input_words w;
  const char *name = frames_input_name(&p->values->ring, (uint32_t)input);
  const struct frames_input now = values_input(p->values, input);
  const uint32_t state = now.state & 0xff, limits = now.state >> 8;
  const uint64_t age = now.age_ms == UINT32_MAX ? UINT64_MAX : now.age_ms * UINT64_C(1000000);
  char owner[CLIENT_NAME] = "";
  /* The block knows policy and owner; the ring has the rest, of the cycle of the values. */
  const struct input_view *view = find_input_view(&p->block, name);
  if (view) client_name_read(&view->owner_name, owner);
  w.trouble = limits || input_state_is_stale(state);
  snprintf(w.text, sizeof w.text, "input %s: %s, age %s%s%s%s%s%s%s", name, input_state_name(state),
           words_age(age).text, view ? ", then " : "", view ? input_policy_name(view->policy) : "",
           limits & INPUT_CLAMPED ? ", AT ITS RANGE" : "", limits & INPUT_SLOWED ? ", AT ITS RATE" : "",
           owner[0] ? ", from " : "", owner);
  return w;
}

struct input_words words_channel(const struct picture *p, const struct value_row *row)
{
  struct input_words w = {0};
  if (row->input < 0) return w;
  const uint32_t limits = values_input(p->values, row->input).state >> 8;
  const struct input_view *view =
      find_input_view(&p->block, frames_input_name(&p->values->ring, (uint32_t)row->input));
  w.trouble = limits; /* an input without a view does not tell its channels apart */
  if (!view || (uint32_t)row->channel >= view->channels) return w;
  /* The range acts on a sample beyond it, the rate on a value that has not arrived. */
  const struct input_channel_view *ch = &view->channel[row->channel];
  const double written = atomic_load_explicit(&ch->written, memory_order_relaxed);
  const double lower = atomic_load_explicit(&ch->lower, memory_order_relaxed);
  const double upper = atomic_load_explicit(&ch->upper, memory_order_relaxed);
  const bool beyond = written < lower || written > upper;
  const bool behind = row->value != fmin(fmax(written, lower), upper);
  w.trouble = !isnan(written) && ((limits & INPUT_CLAMPED && beyond) || (limits & INPUT_SLOWED && behind));
  if (!isnan(written))
    snprintf(w.text, sizeof w.text, "written %s, range %s to %s", words_number(written).text,
             words_number(lower).text, words_number(upper).text);
  return w;
}

struct words words_overrun(const struct telemetry *t)
{
  char made_up[24] = "", most[32] = "";
  if (t->overrun == OVERRUN_CATCH_UP) snprintf(made_up, sizeof made_up, " %" PRIu32, t->catch_up);
  if (t->max_misses) snprintf(most, sizeof most, ", SAFE after %" PRIu32, t->max_misses);
  return format_words("%s%s%s", overrun_name(t->overrun), made_up, most);
}

const char *words_platform(uint32_t flags, char text[static WORDS_PLATFORM])
{
  size_t used = 0;
  text[0] = '\0';
#define ADD(id, bit, name)                                                                                   \
  if (flags & (id) && used < WORDS_PLATFORM)                                                                 \
    used += (size_t)snprintf(text + used, WORDS_PLATFORM - used, "%s%s", used ? ", " : "", name);
  PLATFORM_FLAG_LIST(ADD)
#undef ADD
  return text;
}

const char *words_rig(unsigned flags, char text[static WORDS_PLATFORM])
{
  size_t used = 0;
  text[0] = '\0';
#define ADD(id, bit, name)                                                                                   \
  if (flags & (unsigned)(id) && used < WORDS_PLATFORM)                                                       \
    used += (size_t)snprintf(text + used, WORDS_PLATFORM - used, "%s%s", used ? ", " : "", name);
  RIG_FLAG_LIST(ADD)
#undef ADD
  return text;
}

struct words words_coordinate(int coordinate, double value)
{
  return coordinate < 3 ? format_words("%8.1f mm ", value * 1e3)
                        : format_words("%8.2f deg", value * (180.0 / M_PI));
}

const char *words_verdict(enum verdict v)
{
  return v == VERDICT_HEALTHY ? "healthy" : v == VERDICT_DEGRADED ? "DEGRADED" : "GONE";
}
