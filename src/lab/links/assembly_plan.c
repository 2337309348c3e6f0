/* SPDX-License-Identifier: MIT
 * The binary tree of compounds for assembly.c: links depth first, halves of them again and again, and over all of them the root,
 * whose joints are those to the ground. */
#include "links/assembly.h"

#include <stdlib.h>

/* ---- joints ---- */

static int joints_of_tree(const struct joint_tree *tree)
{
  return tree->links + tree->cuts;
}

/* -1: the ground; a link that floats has no joint. */
static int link_of_side(const struct joint_tree *tree, int joint, int side)
{
  if (joint >= tree->links) return tree->cut[joint - tree->links].link[side];
  return side == 0 ? tree->link[joint].parent : joint;
}

int assembly_rows(const struct joint_tree *tree, int joint)
{
  if (joint >= tree->links) return tree->cut[joint - tree->links].count;
  return link_floats(tree, joint) ? 0 : JOINT_HELD;
}

/* The first row of a joint in `a`. */
int assembly_first_row(const struct joint_tree *tree, int joint)
{
  return joint < tree->links ? JOINT_HELD * joint
                             : JOINT_HELD * tree->links + tree->cut[joint - tree->links].first;
}

/* ---- compounds ---- */

static void walk_depth_first(struct assembly *o, int link)
{
  o->order[o->links++] = link;
  for (int k = link + 1; k < o->tree->links; k++)
    if (o->tree->link[k].parent == link) walk_depth_first(o, k);
}

/* The compound has the link. */
static bool compound_has(const struct assembly *o, const struct handle_compound *c, int link)
{
  for (int i = c->first; i < c->first + c->count; i++)
    if (o->order[i] == link) return true;
  return false;
}

static int find_handle(const struct handle_compound *c, int joint, int side)
{
  for (int h = 0; h < c->handles; h++)
    if (c->handle[h].joint == joint && c->handle[h].side == side) return h;
  return -1;
}

/* Handles: sides of joints on links of the compound whose other side is elsewhere. */
static bool list_handles(const struct assembly *o, struct handle_compound *c)
{
  const int joints = joints_of_tree(o->tree);
  c->handle = calloc(2 * (size_t)joints + 1, sizeof *c->handle);
  for (int j = 0; c->handle && j < joints; j++)
    for (int side = 0; assembly_rows(o->tree, j) > 0 && side < 2; side++) {
      const int link = link_of_side(o->tree, j, side), other = link_of_side(o->tree, j, 1 - side);
      if (link >= 0 && compound_has(o, c, link) && !(other >= 0 && compound_has(o, c, other)))
        c->handle[c->handles++] = (struct handle_place){j, side, link};
    }
  return c->handle;
}

/* The joints between a and b; of the root, whose a is all links, those to the ground. */
static bool list_inner_joints(const struct assembly *o, struct handle_compound *c)
{
  const struct handle_compound *A = &o->compound[c->a], *B = c->b < 0 ? NULL : &o->compound[c->b];
  const int joints = joints_of_tree(o->tree);
  c->joint = calloc((size_t)joints + 1, sizeof *c->joint);
  for (int j = 0; c->joint && j < joints; j++) {
    struct inner_joint k = {.joint = j, .row = c->rows};
    int ends = 0;
    for (int side = 0; side < 2; side++) {
      const int in_a = find_handle(A, j, side), in_b = B ? find_handle(B, j, side) : -1;
      k.handle[side] = in_b >= 0 ? in_b : in_a;
      k.in_b[side] = in_b >= 0;
      ends += k.handle[side] >= 0;
    }
    if (ends == 0 || (B && (ends < 2 || k.in_b[0] == k.in_b[1]))) continue;
    c->joint[c->inner++] = k;
    c->rows += assembly_rows(o->tree, j);
  }
  return c->joint;
}

/* Which handle of a or b goes on as each handle. */
static bool list_outer_handles(const struct assembly *o, struct handle_compound *c)
{
  const struct handle_compound *A = &o->compound[c->a];
  c->outer = calloc((size_t)c->handles + 1, sizeof *c->outer);
  for (int h = 0; c->outer && h < c->handles; h++) {
    const int in_a = find_handle(A, c->handle[h].joint, c->handle[h].side);
    c->outer[h] = in_a >= 0
                      ? in_a
                      : A->handles + find_handle(&o->compound[c->b], c->handle[h].joint, c->handle[h].side);
  }
  return c->outer;
}

/* Memory for numbers, when handles and rows are known. */
static bool give_numbers(struct handle_compound *c)
{
  const size_t ends = SPATIAL * (size_t)c->handles, rows = (size_t)c->rows;
  double *at = c->xi =
      calloc(ends * ends + rows * ends + 2 * rows * rows + 2 * ends + 2 * rows + 1, sizeof *at);
  if (!at) return false;
  c->E = c->xi + ends * ends;
  c->G = c->E + rows * ends;
  c->work = c->G + rows * rows;
  c->xi0 = c->work + rows * rows;
  c->T = c->xi0 + ends;
  c->step = c->T + ends;
  c->sigma = c->step + rows;
  return true;
}

/* Adds a compound over links first .. first + count - 1 of the order; -1: out of memory. */
static int add_handle_compound(struct assembly *o, int first, int count, int a, int b, bool root)
{
  struct handle_compound *c = &o->compound[o->count];
  *c = (struct handle_compound){.first = first, .count = count, .a = a, .b = b};
  const int made = o->count++; /* so that assembly_release() frees it, whole or not */
  bool good = root || list_handles(o, c);
  if (good && a >= 0) good = list_inner_joints(o, c) && (root || list_outer_handles(o, c));
  return good && give_numbers(c) ? made : -1;
}

/* A binary tree over consecutive links; the index of its compound. */
static int assemble_links(struct assembly *o, int first, int count)
{
  int a = -1, b = -1;
  if (count > 1) {
    a = assemble_links(o, first, count / 2);
    b = a < 0 ? -1 : assemble_links(o, first + count / 2, count - count / 2);
    if (b < 0) return -1;
  }
  return add_handle_compound(o, first, count, a, b, false);
}

void assembly_release(void *own)
{
  struct assembly *o = own;
  for (int i = 0; o->compound && i < o->count; i++) {
    free(o->compound[i].handle);
    free(o->compound[i].joint);
    free(o->compound[i].outer);
    free(o->compound[i].xi);
  }
  free(o->compound);
  free(o->order);
  free(o);
}

void *assembly_make(const struct problem *p)
{
  struct assembly *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  const struct joint_tree *tree = o->tree = p->own;
  o->order = calloc((size_t)tree->links, sizeof *o->order);
  o->compound = calloc(2 * (size_t)tree->links, sizeof *o->compound);
  if (o->order && o->compound) {
    for (int k = 0; k < tree->links; k++)
      if (tree->link[k].parent < 0) walk_depth_first(o, k);
    const int all = assemble_links(o, 0, tree->links);
    if (all >= 0 && add_handle_compound(o, 0, tree->links, all, -1, true) >= 0) return o;
  }
  assembly_release(o);
  return NULL;
}

const char *assembly_unsuitable(const struct problem *p)
{
  const struct joint_tree *tree = p->own;
  if (tree->ties > 0) return "handles belong to joints; a drive or a gear has none";
  struct assembly *o = assembly_make(p);
  int most = 0;
  for (int i = 0; o && i < o->count; i++)
    if (o->compound[i].rows > most) most = o->compound[i].rows;
  if (!o) return "out of memory";
  assembly_release(o);
  return most > PSEUDO_ROWS ? "the joints between two compounds have too many rows for a pseudo-inverse"
                            : NULL;
}
