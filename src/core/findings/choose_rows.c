/* SPDX-License-Identifier: MIT
 * Set-up. See choose_rows.h.
 *
 * Fewer rows make smaller fronts. But joints with different numbers of rows cannot share a tile, and each further tile costs
 * more than the rows save in a small mechanism. */
#include "findings/choose_rows.h"
#include "findings/findings_parts.h"

#include <ali3/mechanics.h>
#include <ali3/model.h>
#include <stdio.h>
#include <stdlib.h>

/* Work beside the fronts, in operations of a vector: a tile of links, each of its rows, a tile of bodies, a group of the
 * tree. Fitted to the times of twelve mechanisms, each with and without its redundant rows (tests/README.md). */
static const double LINK_TILE = 1200.0, LINK_ROW = 490.0, BODY_TILE = 2700.0, GROUP = 830.0;
static const double SOLVES = 6.0; /* of a step of three iterations */
static const double LESS = 0.9;   /* a smaller difference is within the error of the estimate */

/* Operations of a step in vectors: a group with one lane in use costs as much as a full one. */
static double vector_work(const ali3_model *m)
{
  const struct tree *t = m->frozen->tree;
  double sum = BODY_TILE * t->body_tiles;
  for (int i = 0; i < t->groups; i++) {
    const struct tree_group *g = &t->group[i];
    const double p = g->pivot, boundary = g->boundary;
    sum += GROUP + g->flops / g->used + SOLVES * (2.0 * p * p + 4.0 * p * boundary);
  }
  for (int i = 0; i < t->joint_tiles; i++)
    sum += LINK_TILE + LINK_ROW * t->tile[t->stored_joints.tile[i]].rows;
  return sum;
}

static int count_bits(unsigned set)
{
  int n = 0;
  for (; set; set >>= 1) n += set & 1;
  return n;
}

/* Estimated work of a step with the model's present rows; 0: it is refused. */
static double work_of_copy(const ali3_model *m, const ali3_options *options)
{
  struct model_copy t;
  if (!model_copy_make(&t, m, options, NULL)) return 0.0;
  const double work = vector_work(&t.model);
  model_copy_free(&t);
  return work;
}

/* Sets the rows that each joint leaves out; NULL: none. */
static void set_rows(ali3_model *m, const unsigned *dropped)
{
  for (int i = 0; i < m->joints; i++) m->joint[i].spec.dropped = dropped ? dropped[i] : 0;
}

void choose_rows(ali3_model *m, const ali3_options *options, enum redundant how, struct rows_choice *o)
{
  struct model_copy t;
  *o = (struct rows_choice){.ratio = 1.0};
  unsigned *dropped = calloc((size_t)m->joints + 1, sizeof *dropped);
  if (!dropped || how == REDUNDANT_KEEP || !model_copy_make(&t, m, options, NULL)) {
    free(dropped);
    return;
  }
  /* find the rows in the assembled start */
  if (ali3_reset(&t.model, t.data) >= 0) ali3_mechanics_droppable(&t.model, t.data, dropped);
  for (int i = 0; i < m->joints; i++) {
    o->rows += count_bits(dropped[i]);
    o->joints += dropped[i] != 0;
  }
  /* leave them out, if that pays */
  if (o->rows > 0) {
    const double with = vector_work(&t.model);
    set_rows(m, dropped);
    o->ratio = work_of_copy(m, options) / with;
    o->dropped = how == REDUNDANT_DROP || (o->ratio > 0.0 && o->ratio < LESS);
    if (!o->dropped) set_rows(m, NULL);
  }
  model_copy_free(&t);
  free(dropped);
}

void choose_rows_text(const struct rows_choice *o, enum redundant how, char *text, size_t size)
{
  /* the numbers */
  const char *word = how == REDUNDANT_DROP ? "drop" : "auto";
  char rows[60];
  snprintf(rows, sizeof rows, "%d row%s of %d joint%s", o->rows, o->rows == 1 ? "" : "s", o->joints,
           o->joints == 1 ? "" : "s");
  /* the sentence */
  if (o->rows == 0)
    snprintf(text, size,
             "solver.redundant: %s finds no row that other joints hold in every position, in a mechanism "
             "that moves "
             "and has up to some 200 bodies",
             word);
  else if (o->dropped)
    snprintf(text, size,
             "solver.redundant: %s leaves out %s, which other joints hold in every position: "
             "their reactions are 0, and the work of a step is %.2f of that with them",
             word, rows, o->ratio);
  else
    snprintf(text, size,
             "solver.redundant: %s keeps %s, which other joints hold in every position: "
             "without them the work of a step would be %.2f of that with them",
             word, rows, o->ratio);
}
