/* SPDX-License-Identifier: MIT
 * The list "visual" of a model. Set-up only. */
#include "config/mechanism.h"
#include "expand/expand.h"
#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool check_color(const struct node *n, const char *color, struct report *r)
{
  static const char digits[] = "0123456789abcdefABCDEF";
  if (color[0] == '#' && strlen(color) == SCENE_COLOR - 1 && strspn(color + 1, digits) == SCENE_COLOR - 2)
    return true;
  const struct node *at = node_find(n, "color");
  report_error(r, at ? at->at : n->at,
               "color: expected \"#\" and six hexadecimal digits, as in \"#4a90d9\", found %.40s", color);
  return false;
}

/* The folder of the file that names the mesh. To be freed; NULL when out of memory. */
static char *folder_of_file(const char *file)
{
  const char *slash = strrchr(file, '/');
  char *folder = slash ? strndup(file, slash == file ? 1 : (size_t)(slash - file)) : strdup(".");
  char *real = folder ? realpath(folder, NULL) : NULL;
  free(folder);
  return real;
}

/* The file of a mesh: its name, and a look at the file. */
static bool read_mesh_keys(const struct node *n, const struct visual_values *v, struct scene_visual *to,
                           struct report *r)
{
  char error[500];
  const struct node *at = node_find(n, "file");
  /* The folder and the name, then a look at the file. */
  to->folder = folder_of_file(r->source->file);
  to->file = strdup(v->file);
  if (!to->folder || !to->file)
    report_error(r, at->at, "file: the folder of %s cannot be found", r->source->file);
  else if (mesh_file_check(to->folder, to->file, error, sizeof error))
    return true;
  else
    report_error(r, at->at, "file: %s", error);
  free(to->folder);
  free(to->file);
  return false;
}

static void add_visual(const struct node *n, const struct names *bodies, struct settings *s, struct report *r)
{
  struct visual_values v = {0};
  if (!schema_read(&schema_visual, n, &v, r)) return;
  v.shape.shape = (enum scene_shape)v.kind;
  v.shape.mirror = v.mirror - MIRROR_X;
  v.shape.body = mechanism_body(bodies, node_find(n, "body"), r);
  const bool mesh = v.shape.shape == SCENE_MESH;
  if ((v.color && !check_color(n, v.color, r)) || v.shape.body < ALI3_GROUND) return;
  snprintf(v.shape.color, sizeof v.shape.color, "%s", v.color ? v.color : "");
  if (mesh && !read_mesh_keys(n, &v, &v.shape, r)) return;
  s->visual[s->visuals++] = v.shape;
}

void visual_read(const struct node *model, const struct names *bodies, struct settings *s, struct report *r)
{
  const struct node *list = node_find(model, "visual");
  if (!list) return;
  s->visual = calloc((size_t)list->count + 1, sizeof *s->visual);
  if (!s->visual) {
    report_error(r, list->at, "out of memory");
    return;
  }
  for (const struct node *n = node_elements(model, "visual"); n; n = n->next)
    if (n->kind == NODE_MAP) add_visual(n, bodies, s, r);
}
