/* SPDX-License-Identifier: MIT
 * The list "visual" of a model: shapes for pictures. */
#ifndef CONFIG_VISUAL_H
#define CONFIG_VISUAL_H

#include "config/settings.h"
#include "config/values.h"

struct visual_values {
  struct scene_visual shape; /* without body, shape and color */
  int kind;
  const char *body, *color;
};

/* Reads the list into s->visual, after the mechanism was built. Reports every mistake. */
void visual_read(const struct node *model, const struct names *bodies, struct settings *s, struct report *r);

#endif
