/* SPDX-License-Identifier: MIT
 * libFuzzer: any text as the JSON that a recording or a ring holds for pictures: the geometry of a platform, and shapes. A
 * geometry that was read makes a scene, and is written and read again with equal numbers. */
#include "page/meshes.h"
#include "scene/json.h"

#include <ali3/ali3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void need(bool holds)
{
  if (!holds) abort();
}

static const ali3_model *one_body(void)
{
  static ali3_model *m;
  const ali3_body_spec cab = {
      .name = "cab", .mass = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1}};
  if (m) return m;
  m = ali3_model_new();
  need(m && ali3_model_add_body(m, &cab) == 0);
  const ali3_options o = ali3_options_default();
  need(ali3_model_freeze(m, &o) == ALI3_OK);
  return m;
}

static void draw(const struct platform_geometry *g)
{
  struct platform_geometry again;
  json_t *written = scene_platform_json(g);
  need(written && scene_platform_read(written, &again));
  need(again.crank == g->crank && memcmp(again.base, g->base, sizeof g->base) == 0 &&
       memcmp(again.top, g->top, sizeof g->top) == 0 && again.height == g->height &&
       again.margin == g->margin && again.leg_min == g->leg_min && again.leg_max == g->leg_max);
  json_decref(written);
  /* Legs of any length. */
  struct scene *s = scene_new(one_body(), g);
  need(s != NULL);
  json_t *o = scene_json(s);
  char *text = o ? json_dumps(o, 0) : NULL;
  free(text);
  json_decref(o);
  scene_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  struct platform_geometry g;
  json_t *extras = json_loadb((const char *)bytes, n, 0, NULL);
  if (!json_is_object(extras)) {
    json_decref(extras);
    return 0;
  }
  if (scene_platform_read(json_object_get(extras, "platform"), &g)) draw(&g);
  /* A page asks for the mesh of any shape; a mesh has a folder and a file, or there is none. */
  json_t *visual = json_object_get(extras, "visual");
  const char *folder = NULL, *file = NULL;
  for (size_t i = 0; i <= json_array_size(visual); i++)
    if (meshes_find(visual, i, &folder, &file)) need(folder && file);
  need(!meshes_find(visual, SIZE_MAX, &folder, &file));
  char *text = json_dumps(extras, 0), *moved = text ? meshes_move(text, "/elsewhere") : NULL;
  meshes_number(visual);
  free(moved);
  free(text);
  json_decref(extras);
  return 0;
}
