/* SPDX-License-Identifier: MIT
 * Set-up only: frees a tree, complete or partly built. */
#include "dca/tree.h"

#include <stdlib.h>

static void order_free(struct tree_order *o)
{
  free(o->tile);
  free(o->run_end);
}

void tree_free(struct tree *t)
{
  if (!t) return;
  /* Tiles and groups. */
  free(t->tile);
  free(t->item);
  free(t->group);
  free(t->member);
  free(t->group_body);
  free(t->contribution);
  free(t->gather);
  free(t->couple);
  free(t->offset);
  free(t->own);
  free(t->shuffle);
  free(t->shift);
  free(t->to);
  free(t->list);
  /* Bodies and joints. */
  free(t->body);
  free(t->joint);
  free(t->tile_of_joint);
  free(t->after);
  free(t->hub_at);
  free(t->carried_at);
  order_free(&t->stored_bodies);
  order_free(&t->stored_joints);
  order_free(&t->shared_bodies);
  order_free(&t->shared_joints);
  free(t->run);
  free(t->band);
  free(t);
}
