/* SPDX-License-Identifier: MIT
 * Set-up: the model of several runs side by side. */
#include "base/arena.h"
#include "model/copy.h"
#include "together/copies_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 40 };

/* Where the elements of a copy begin in the model of all, and room for their names. */
struct shift {
  const ali3_model *of;
  int copy;
  char name[NAME_ROOM];
};

/* Shifts the references of a spec to those of its copy. */
static void shift_spec(const void *user, enum spec_element element, int index, void *spec)
{
  struct shift *s = (struct shift *)user;
  const int copy = s->copy,
            counts[] = {
                [SPEC_BODY] = s->of->bodies, [SPEC_JOINT] = s->of->joints, [SPEC_FORCE] = s->of->forces};
  for (int i = 0; i < spec_fields[element].fields; i++) {
    const struct spec_field *f = &spec_fields[element].field[i];
    void *at = (char *)spec + f->at;
    const char **name = at;
    int *reference = at;
    if (f->kind == SPEC_NAME && *name) {
      snprintf(s->name, sizeof s->name, "copy%d_%d_%d", copy, (int)element, index);
      *name = s->name;
    }
    if ((f->kind == SPEC_BODY || f->kind == SPEC_JOINT || f->kind == SPEC_FORCE) && *reference >= 0)
      *reference += copy * counts[f->kind];
  }
}

/* Whether two runs have the same options in a step of ALI3. The options of the assembly are not compared: they act in a reset
 * only, and follow from the size of the mechanism. Not memcmp(): the padding between the members may hold anything. */
static bool options_are_equal(const ali3_options *a, const ali3_options *b)
{
  return a->method == b->method && a->dt == b->dt && a->iterations == b->iterations && a->alpha == b->alpha &&
         a->compliance == b->compliance && a->substeps == b->substeps && a->interpolate == b->interpolate &&
         a->extrapolate == b->extrapolate && a->gamma == b->gamma && a->beta == b->beta &&
         a->violation == b->violation && a->retry == b->retry;
}

/* Whether two links have the same rows, laws and bodies. */
static bool links_are_equal(const struct joint_rows *a, const struct joint_rows *b)
{
  bool equal = a->soft == b->soft && a->sides == b->sides && a->count == b->count &&
               a->primitives == b->primitives && a->coordinates == b->coordinates && a->first == b->first &&
               a->stride == b->stride && a->jacobian == b->jacobian && a->own == b->own &&
               a->drive == b->drive && a->rolling == b->rolling;
  for (int i = 0; equal && i < a->sides; i++) equal = a->body[i] == b->body[i];
  for (int i = 0; equal && i < a->primitives; i++) equal = a->primitive[i].kind == b->primitive[i].kind;
  for (int i = 0; equal && i < a->coordinates; i++) equal = a->coordinate[i].kind == b->coordinate[i].kind;
  for (int i = 0; equal && i < a->count && a->soft; i++) equal = a->law[i].kind == b->law[i].kind;
  return equal;
}

static bool is_of_one_structure(const ali3_model *a, const ali3_model *b)
{
  const struct frozen *f = a->frozen, *g = b->frozen;
  bool equal = f->isa == g->isa && a->bodies == b->bodies && a->joints == b->joints && a->loads == b->loads &&
               a->forces == b->forces && f->links == g->links && f->rigid_links == g->rigid_links &&
               f->rows == g->rows && f->own == g->own && f->tree->slots == g->tree->slots &&
               f->tree->groups == g->tree->groups && f->tree->front_size == g->tree->front_size;
  for (int i = 0; equal && i < f->links; i++) equal = links_are_equal(&f->link[i], &g->link[i]);
  for (int i = 0; equal && i < a->bodies; i++)
    equal = f->carried[i] == g->carried[i] &&
            memcmp(&f->tree->body[i], &g->tree->body[i], sizeof *f->tree->body) == 0;
  for (int i = 0; equal && i < 3; i++) equal = a->gravity[i] == b->gravity[i];
  return equal && options_are_equal(&a->options, &b->options);
}

/* Why a model cannot be a copy; NULL: it can. */
static const char *reason_against(const ali3_model *m)
{
  const struct frozen *f = m->frozen;
  if (isa_lanes(f->isa) == 1) return "the processor has no lanes";
  if (m->options.method != ALI3_METHOD_ALI3) return "lanes need the method ali3";
  if (m->options.extrapolate || m->options.substeps > 1)
    return "lanes need steps without substeps and extrapolation";
  if (m->options.iterations < 2) return "lanes need two or more iterations";
  if (f->rolling > 0) return "spheres that roll have no lanes";
  for (int i = 0; i < m->forces; i++)
    if (m->force[i].law.force) return "forces of a program have no lanes";
  for (int i = 0; i < f->tree->groups; i++)
    if (f->tree->group[i].whole) return "a joint with many equal branches adds them in another order";
  return NULL;
}

static bool add_copies(struct copies *k)
{
  for (int c = 0; c < k->by.copies; c++) {
    struct shift shift = {.of = k->of[c], .copy = c};
    const struct model_edit edit = {shift_spec, &shift};
    if (model_copy_edited(k->model, k->of[c], &edit) < 0) return false;
  }
  k->model->pattern = k->of[0];
  k->model->copies = k->by.copies;
  ali3_model_set_gravity(k->model, k->of[0]->gravity);
  return ali3_model_freeze(k->model, &k->of[0]->options) >= 0;
}

static bool make_copies(struct copies *k)
{
  const ali3_model *one = k->of[0];
  k->model = ali3_model_new();
  k->link_of = calloc((size_t)(k->by.copies * one->frozen->links) + 1, sizeof *k->link_of);
  if (!k->model || !k->link_of || !add_copies(k)) return false;
  k->data = ali3_data_new(k->model);
  k->by.x = aligned_zalloc(X_NUMBERS * (size_t)k->model->frozen->tree->slots * sizeof *k->by.x);
  k->Phi = aligned_zalloc((size_t)k->model->frozen->rows * sizeof *k->Phi);
  k->by.increment = aligned_zalloc((size_t)k->model->frozen->tree->slots * sizeof *k->by.increment);
  if (!k->data || !k->by.x || !k->by.increment || !k->Phi) return false;
  for (int c = 0; c < k->by.copies; c++)
    for (int i = 0; i < one->frozen->links; i++)
      k->link_of[c * one->frozen->links + i] = layout_link_of_copy(k->model, k->model->frozen, c, i);
  /* all that a reset leaves for the steps */
  k->data->copies = &k->by;
  k->data->started = true;
  k->data->rule = k->run[0]->rule;
  k->data->redundant = k->run[0]->redundant;
  k->data->report.step = k->run[0]->report.step;
  k->data->report.time = k->run[0]->report.time;
  for (int c = 0; c < k->by.copies; c++) copies_load(k, c);
  return true;
}

struct copies *copies_new(const ali3_model *const *of, ali3_data *const *data, int count, bool whole,
                          char *why, size_t size)
{
  struct copies *k = calloc(1, sizeof *k);
  const char *reason = reason_against(of[0]);
  if (!reason && (count < 2 || count > isa_lanes(of[0]->frozen->isa))) reason = "there are too few runs";
  /* Compare the runs, then make the model of all. */
  for (int c = 0; c < count && k && !reason; c++) {
    k->of[c] = of[c];
    k->run[c] = data[c];
    const bool equal = is_of_one_structure(of[0], of[c]) && data[c]->started && !data[c]->prepared &&
                       data[c]->redundant == data[0]->redundant &&
                       data[c]->report.step == data[0]->report.step;
    if (!equal) reason = "the runs differ in more than numbers";
  }
  if (!reason && k) {
    k->by.copies = count;
    k->whole = whole || of[0]->sensors > 0;
    if (make_copies(k)) return k;
    reason = "the model of all lanes is refused, or memory is short";
  }
  snprintf(why, size, "%s", reason ? reason : "out of memory");
  copies_free(k);
  return NULL;
}

void copies_free(struct copies *k)
{
  if (!k) return;
  ali3_data_free(k->data);
  ali3_model_free(k->model);
  free(k->by.x);
  free(k->by.increment);
  free(k->Phi);
  free(k->link_of);
  free(k);
}
