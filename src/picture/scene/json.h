/* SPDX-License-Identifier: MIT
 * A scene as a JSON object, for pages. */
#ifndef SCENE_JSON_H
#define SCENE_JSON_H

#include "scene/scene.h"
#include "scene/visual.h"

#include <jansson.h>

/* Returns a new reference; NULL: out of memory. ali3-view(1) describes the object. */
json_t *scene_json(const struct scene *s);
/* Shapes of a model file; NULL: out of memory. A mesh has its file, its folder and its scale. */
json_t *scene_visual_json(const struct scene_visual *v, int n, const ali3_model *m);
/* The geometry of a platform alone, as the object holds it, and back. False: a value is missing or of another kind. */
json_t *scene_platform_json(const struct platform_geometry *g);
bool scene_platform_read(json_t *platform, struct platform_geometry *g);

#endif
