/* SPDX-License-Identifier: MIT */
#include "stream_parts.h"

#include "playback.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool choice_is_pose(const char *name)
{
  return fnmatch("body.*.position.*", name, 0) == 0 || fnmatch("body.*.orientation.*", name, 0) == 0;
}

static bool is_rig(const char *name)
{
  static const char *const globs[] = {"platform.pose.*", "platform.legs.*", "platform.legs_normalised.*",
                                      "platform.state"};
  for (size_t i = 0; i < sizeof globs / sizeof *globs; i++)
    if (fnmatch(globs[i], name, 0) == 0) return true;
  return false;
}

bool choice_make(struct stream *s)
{
  enum { FRAME_BYTES = 48, CYCLE_BYTES = sizeof(struct wire_row) + 4 };
  const struct frames_reader *ring = &s->source.ring;
  const struct query *q = &s->query;
  s->value = calloc((size_t)ring->head.signals + 1, sizeof *s->value);
  if (!s->value) return false;
  for (uint32_t i = 0; i < ring->head.signals; i++) {
    const char *name = frames_signal_name(ring, i);
    if ((q->pose && choice_is_pose(name)) || (q->platform && is_rig(name)) || query_matches(q->signals, name))
      s->value[s->values++] = i;
    if (s->dense_values < QUERY_DENSE_MOST && query_matches(q->dense, name)) s->dense[s->dense_values++] = i;
  }
  /* The rate that the loop and the limit of bytes allow. */
  const double loop_rate = ring->head.period_ns ? 1e9 / (double)ring->head.period_ns : QUERY_RATE_MOST;
  const double dense = s->dense_values ? loop_rate * (CYCLE_BYTES + 4.0 * s->dense_values) : 0;
  const double room = fmax(0.1 * STREAM_BYTES_A_SECOND, STREAM_BYTES_A_SECOND - dense);
  s->rate = fmin(q->rate, room / (FRAME_BYTES + 4.0 * s->values));
  if (!s->source.playback) s->rate = fmin(s->rate, loop_rate);
  return true;
}

static json_t *signals_json(const struct frames_reader *ring, const uint32_t *signal, uint32_t count)
{
  json_t *list = json_array();
  for (uint32_t i = 0; i < count; i++) {
    const char *name = frames_signal_name(ring, signal[i]), *unit = frames_signal_unit(ring, signal[i]);
    json_array_append_new(list, json_pack("[s, s]", name, unit));
  }
  return list;
}

json_t *choice_head(const struct stream *s)
{
  const struct frames_reader *ring = &s->source.ring;
  char hash[2 * FRAMES_HASH + 1];
  for (int i = 0; i < FRAMES_HASH; i++) snprintf(hash + 2 * i, 3, "%02x", ring->head.hash[i]);
  json_t *o =
      json_pack("{s:s, s:s, s:s, s:f, s:f, s:o, s:o, s:b}", "instance", ring->telemetry.instance, "model",
                frames_model(ring), "hash", hash, "period_s", (double)ring->head.period_ns * 1e-9, "rate",
                s->rate, "signals", signals_json(ring, s->value, s->values), "dense",
                signals_json(ring, s->dense, s->dense_values), "recorded", s->source.playback != NULL);
  /* UTC is the time of a cycle plus this. */
  if (o && ring->head.start_utc)
    json_object_set_new(o, "utc_offset_s",
                        json_real(((double)ring->head.start_utc - (double)ring->head.start_ns) * 1e-9));
  if (o && s->source.playback)
    json_object_set_new(o, "length_s", json_real(playback_length(s->source.playback)));
  if (o && s->source.playback) json_object_set_new(o, "speed", json_real(s->query.speed));
  return o;
}
