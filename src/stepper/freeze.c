/* SPDX-License-Identifier: MIT
 * Set-up: from a checked model to rows, incidence and assembly tree. */
#include "stepper/stepper.h"

#include <stdlib.h>

static void frozen_free(struct frozen *f)
{
  if (!f) return;
  free(f->link);
  free(f->end_first);
  free(f->end);
  free(f->load_first);
  free(f->load);
  tree_free(f->tree);
  free(f);
}

static int compile_links(ali3_model *m, struct frozen *f)
{
  for (int j = 0; j < m->joints; j++) {
    int status = rows_compile(m, j, &f->link[j]);
    if (status < 0) return status;
  }
  for (int i = 0; i < m->forces; i++) {
    bool on_joint = m->force[i].spec.type == ALI3_FORCE_JOINT_SPRING;
    rows_compile_force(m, i, on_joint ? &f->link[m->force[i].spec.joint] : NULL, &f->link[m->joints + i]);
  }
  for (int i = 0; i < f->links; i++) {
    f->link[i].first = f->rows;
    f->rows += f->link[i].count;
    if (i < m->joints) f->rigid = f->rows;
  }
  return ALI3_OK;
}

static void list_ends(const ali3_model *m, struct frozen *f, int *fill)
{
  for (int j = 0; j < f->links; j++)
    for (int side = 0; side < 2; side++)
      if (f->link[j].body[side] >= 0) f->end_first[f->link[j].body[side] + 1]++;
  for (int b = 0; b < m->bodies; b++) fill[b + 1] = f->end_first[b + 1] += f->end_first[b];
  for (int j = 0; j < f->links; j++)
    for (int side = 0; side < 2; side++)
      if (f->link[j].body[side] >= 0) f->end[fill[f->link[j].body[side]]++] = 2 * j + side;
}

/* No sums ahead of time: any load may get another vector while the model runs. */
static void list_loads(const ali3_model *m, struct frozen *f, int *fill)
{
  for (int i = 0; i < m->loads; i++) f->load_first[m->load[i].body + 1]++;
  fill[0] = 0;
  for (int b = 0; b < m->bodies; b++) fill[b + 1] = f->load_first[b + 1] += f->load_first[b];
  for (int i = 0; i < m->loads; i++) f->load[fill[m->load[i].body]++] = i;
}

static bool build_tree(const ali3_model *m, struct frozen *f)
{
  struct tree_graph g = {.bodies = m->bodies, .joints = f->links};
  int(*ends)[2] = calloc((size_t)f->links + 1, sizeof *ends);
  int *first = calloc((size_t)f->links + 1, sizeof *first);
  if (ends && first) {
    for (int j = 0; j < f->links; j++) {
      ends[j][0] = f->link[j].body[0];
      ends[j][1] = f->link[j].body[1];
      first[j + 1] = first[j] + f->link[j].count;
    }
    g.ends = (const int(*)[2])ends;
    g.first = first;
    f->tree = tree_build(&g);
  }
  free(ends);
  free(first);
  return f->tree != NULL;
}

static int build(ali3_model *m, struct frozen *f)
{
  size_t bodies = (size_t)m->bodies + 1, links = (size_t)m->joints + (size_t)m->forces + 1;
  f->links = m->joints + m->forces;
  f->link = calloc(links, sizeof *f->link);
  f->end_first = calloc(bodies, sizeof *f->end_first);
  f->end = calloc(2 * links, sizeof *f->end);
  f->load_first = calloc(bodies, sizeof *f->load_first);
  f->load = calloc((size_t)m->loads + 1, sizeof *f->load);
  int *fill = calloc(bodies, sizeof *fill);
  int status = ALI3_OK;
  if (!f->link || !f->end_first || !f->end || !f->load_first || !f->load || !fill)
    status = model_refuse(m, ALI3_E_MEMORY, "model", "", "out of memory");
  if (status == ALI3_OK) status = compile_links(m, f);
  if (status == ALI3_OK) {
    list_ends(m, f, fill);
    list_loads(m, f, fill);
    if (!build_tree(m, f))
      status = model_refuse(m, ALI3_E_MEMORY, "model", "", "out of memory for the assembly tree");
  }
  free(fill);
  return status;
}

int ali3_model_freeze(ali3_model *m, const ali3_options *options)
{
  if (m->frozen) return model_refuse(m, ALI3_E_FROZEN, "model", "", "the model is frozen already");
  int status = model_check_options(m, options);
  if (status < 0) return status;
  if (m->bodies == 0) return model_refuse(m, ALI3_E_MODEL, "model", "bodies", "expected at least one body");
  struct frozen *f = calloc(1, sizeof *f);
  if (!f) return model_refuse(m, ALI3_E_MEMORY, "model", "", "out of memory");
  status = build(m, f);
  if (status < 0) {
    frozen_free(f);
    return status;
  }
  m->options = *options;
  m->frozen = f;
  m->frozen_free = frozen_free;
  return ALI3_OK;
}

int ali3_model_rows(const ali3_model *m)
{
  return m->frozen ? m->frozen->rows : 0;
}
