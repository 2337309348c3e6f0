/* SPDX-License-Identifier: MIT
 * What pictures need beside the model. */
#include "config/setup.h"
#include "scene/json.h"

char *setup_picture_extras(const struct settings *s)
{
  if (!s->platform.enabled && s->visuals == 0) return NULL;
  json_t *o = json_object();
  if (s->platform.enabled)
    json_object_set_new(o, "platform", scene_platform_json(&s->platform.spec.geometry));
  if (s->visuals) json_object_set_new(o, "visual", scene_visual_json(s->visual, s->visuals, s->model));
  char *text = json_dumps(o, JSON_COMPACT);
  json_decref(o);
  return text;
}
