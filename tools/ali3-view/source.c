/* SPDX-License-Identifier: MIT */
#include "source.h"

#include "page/meshes.h"
#include "playback.h"
#include "scene/json.h"

#include <ali3/flat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool give_slot(struct source *s, char *error, size_t size)
{
  s->slot = malloc(s->ring.head.slot_bytes);
  if (s->slot) return true;
  snprintf(error, size, "out of memory");
  source_close(s);
  return false;
}

bool source_open_live(struct source *s, const char *name, char *error, size_t size)
{
  char newest[1][64];
  *s = (struct source){.ring.fd = -1};
  if (!*name && telemetry_list(newest, 1) == 0) {
    telemetry_none_text(error, size);
    return false;
  }
  if (!frames_open(&s->ring, *name ? name : newest[0], error, size)) return false;
  if (!source_is_there(s, error, size)) {
    source_close(s);
    return false;
  }
  return give_slot(s, error, size);
}

bool source_open_recording(struct source *s, struct playback *p, char *error, size_t size)
{
  *s = (struct source){.ring = *playback_ring(p), .playback = p};
  return give_slot(s, error, size);
}

void source_close(struct source *s)
{
  free(s->slot);
  if (!s->playback) frames_close(&s->ring);
  *s = (struct source){.ring.fd = -1};
}

bool source_is_there(const struct source *s, char *why, size_t size)
{
  if (s->playback) return true;
  const bool alive = frames_alive(&s->ring);
  if (alive && frames_is_current(&s->ring)) return true;
  snprintf(why, size, "instance \"%s\" %s", s->ring.telemetry.instance,
           alive ? "was started again" : "does not run");
  return false;
}

bool source_written(const struct source *s, uint64_t *slots, uint64_t *events)
{
  if (!s->playback) return frames_written(&s->ring, slots, events);
  *slots = playback_rows(s->playback);
  *events = playback_events(s->playback);
  return true;
}

enum frames_got source_take(struct source *s, uint64_t n, bool head_only)
{
  if (s->playback) return playback_take(s->playback, n, s->slot);
  return head_only ? frames_take_head(&s->ring, n, s->slot) : frames_take(&s->ring, n, s->slot);
}

enum frames_got source_take_event(const struct source *s, uint64_t n, struct frames_event *to)
{
  return s->playback ? playback_take_event(s->playback, n, to) : frames_take_event(&s->ring, n, to);
}

/* The model of the flat bytes; NULL: the reason in error[size]. */
static ali3_model *read_flat_model(const struct source *s, char *error, size_t size)
{
  unsigned char *flat = malloc(s->ring.head.flat_bytes + 1);
  ali3_model *m = ali3_model_new();
  const bool got =
      flat && m && (s->playback ? playback_flat(s->playback, flat) : frames_flat(&s->ring, flat));
  if (!got)
    snprintf(error, size, "the model of \"%s\" cannot be read", s->ring.telemetry.instance);
  else if (ali3_model_flat_read(m, flat, s->ring.head.flat_bytes) < 0)
    snprintf(error, size, "the model of \"%s\": %s", s->ring.telemetry.instance, ali3_model_problem(m)->text);
  else {
    free(flat);
    return m;
  }
  free(flat);
  ali3_model_free(m);
  return NULL;
}

/* The geometry of the platform and the shapes, which the daemon wrote beside its model. */
static json_t *read_extras(const struct source *s)
{
  const char *text = frames_extras(&s->ring);
  json_t *o = *text ? json_loads(text, 0, NULL) : NULL;
  return json_is_object(o) ? o : (json_decref(o), json_object());
}

bool source_mesh(const struct source *s, int shape, char **folder, char **file)
{
  json_t *extras = read_extras(s);
  const char *in, *named;
  const bool found =
      meshes_find(json_object_get(extras, "visual"), shape < 0 ? SIZE_MAX : (size_t)shape, &in, &named);
  *folder = found ? strdup(in) : NULL;
  *file = found ? strdup(named) : NULL;
  json_decref(extras);
  return found;
}

json_t *source_scene(const struct source *s, char *error, size_t size)
{
  ali3_model *m = read_flat_model(s, error, size);
  if (!m) return NULL;
  json_t *extras = read_extras(s);
  struct platform_geometry g;
  const bool rig = scene_platform_read(json_object_get(extras, "platform"), &g);
  struct scene *scene = scene_new(m, rig ? &g : NULL);
  json_t *o = scene ? scene_json(scene) : NULL;
  meshes_number(json_object_get(extras, "visual"));
  if (o) json_object_set(o, "visual", json_object_get(extras, "visual"));
  if (!o) snprintf(error, size, "out of memory");
  scene_free(scene);
  ali3_model_free(m);
  json_decref(extras);
  return o;
}
