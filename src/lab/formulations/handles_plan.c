/* SPDX-License-Identifier: MIT
 * How a mechanism is assembled from compounds with two handles. Each of these is a path of bodies. A
 * mechanism that is no path is reduced to one: a path that hangs on a single body by one joint or two is absorbed
 * by that body (section 4.3 of paper 5). */
#include "formulations/handles.h"

#include <stdlib.h>
#include <string.h>

struct path_finder {
  const struct absolute *absolute;
  int bodies;
  bool *left;   /* (bodies) not yet absorbed */
  bool *member; /* (bodies) of the component that is looked at */
  int *path, length;
  struct handle_plan *plan;
};

static bool joins_bodies(const struct absolute_joint *j, int a, int b)
{
  return (j->body[0] == a && j->body[1] == b) || (j->body[0] == b && j->body[1] == a);
}

/* The joint between two bodies; -1: none. */
static int joint_of_pair(const struct path_finder *k, int a, int b)
{
  for (int i = 0; i < k->absolute->joints; i++)
    if (joins_bodies(&k->absolute->joint[i], a, b)) return i;
  return -1;
}

static int joints_of_pair(const struct path_finder *k, int a, int b)
{
  int count = 0;
  for (int i = 0; i < k->absolute->joints; i++) count += joins_bodies(&k->absolute->joint[i], a, b);
  return count;
}

/* Marks the bodies that are connected with `start` otherwise than through `base` and the ground; how many. */
static int mark_component(struct path_finder *k, int start, int base)
{
  int count = 1;
  memset(k->member, 0, sizeof *k->member * (size_t)k->bodies);
  k->member[start] = true;
  for (bool grown = true; grown;) {
    grown = false;
    for (int a = 0; a < k->bodies; a++)
      for (int b = 0; k->member[a] && b < k->bodies; b++)
        if (k->left[b] && b != base && !k->member[b] && joint_of_pair(k, a, b) >= 0) {
          k->member[b] = grown = true;
          count++;
        }
  }
  return count;
}

static int neighbours_in_component(const struct path_finder *k, int body)
{
  int count = 0;
  for (int b = 0; b < k->bodies; b++)
    if (k->member[b] && b != body) count += joints_of_pair(k, body, b);
  return count;
}

/* Walks the component from end to end; false where it is no path. */
static bool walk_path(struct path_finder *k, int count)
{
  int at = -1;
  k->length = 0;
  for (int b = 0; b < k->bodies; b++) {
    if (!k->member[b]) continue;
    const int neighbours = neighbours_in_component(k, b);
    if (neighbours > 2) return false;
    if (neighbours <= 1 && at < 0) at = b;
  }
  for (int last = -1; at >= 0;) {
    int next = -1;
    k->path[k->length++] = at;
    for (int b = 0; b < k->bodies; b++)
      if (k->member[b] && b != at && b != last && joint_of_pair(k, at, b) >= 0) next = b;
    last = at;
    at = next;
  }
  return k->length == count;
}

/* The joints from the path to `base` (or ALI3_GROUND): at most two, at its ends, one at each unless the path is
 * one body. */
static bool find_holds(const struct path_finder *k, int base, struct compound *c)
{
  c->joints = 0;
  for (int i = 0; i < k->absolute->joints; i++)
    for (int n = 0; n < k->length; n++) {
      if (!joins_bodies(&k->absolute->joint[i], base, k->path[n])) continue;
      const int handle = n == 0 ? 0 : 1;
      if ((n > 0 && n < k->length - 1) || c->joints == HANDLE_JOINTS) return false;
      if (k->length > 1 && c->joints > 0 && c->handle[0] == handle) return false;
      c->hold[c->joints] = i;
      c->handle[c->joints++] = handle;
    }
  return true;
}

static bool component_meets_ground(const struct path_finder *k)
{
  for (int b = 0; b < k->bodies; b++)
    if (k->member[b] && joint_of_pair(k, ALI3_GROUND, b) >= 0) return true;
  return false;
}

static int add_compound(struct path_finder *k, const struct compound *c)
{
  k->plan->compound[k->plan->count] = *c;
  return k->plan->count++;
}

/* A binary tree over bodies first .. first + count - 1 of the path; the index of its compound. */
static int assemble_path(struct path_finder *k, int first, int count)
{
  const int *body = k->path + first;
  struct compound c = {.a = -1, .b = -1, .body = {body[0], body[count - 1]}, .joint = -1};
  /* One body, two, three, or two halves joined in the middle: the balanced binary tree. */
  if (count == 1) {
    c.kind = COMPOUND_SINGLE;
  } else if (count == 2) {
    c.kind = COMPOUND_PAIR;
    c.joint = joint_of_pair(k, body[0], body[1]);
  } else if (count == 3) {
    c.kind = COMPOUND_APPEND;
    c.a = assemble_path(k, first, 2);
    c.joint = joint_of_pair(k, body[1], body[2]);
  } else {
    const int half = count / 2;
    c.kind = COMPOUND_MERGE;
    c.a = assemble_path(k, first, half);
    c.b = assemble_path(k, first + half, count - half);
    c.joint = joint_of_pair(k, body[half - 1], body[half]);
  }
  return add_compound(k, &c);
}

/* All that is left is one path: puts it together. */
static bool finish_with_root(struct path_finder *k)
{
  int start = 0, left = 0;
  struct compound root = {.kind = COMPOUND_ROOT, .b = -1, .joint = -1};
  for (int b = k->bodies - 1; b >= 0; b--) {
    left += k->left[b];
    if (k->left[b]) start = b;
  }
  if (mark_component(k, start, ALI3_GROUND) != left || !walk_path(k, left) ||
      !find_holds(k, ALI3_GROUND, &root))
    return false;
  root.a = assemble_path(k, 0, left);
  root.body[0] = k->path[0];
  root.body[1] = k->path[left - 1];
  add_compound(k, &root);
  return true;
}

/* A path that hangs on a body goes into that body. False: there is none. */
static bool absorb_path(struct path_finder *k)
{
  for (int base = 0; base < k->bodies; base++)
    for (int start = 0; start < k->bodies; start++) {
      struct compound c = {.kind = COMPOUND_ABSORB, .b = -1, .body = {base, base}, .joint = -1};
      if (base == start || !k->left[base] || !k->left[start]) continue;
      const int count = mark_component(k, start, base);
      if (component_meets_ground(k) || !walk_path(k, count) || !find_holds(k, base, &c)) continue;
      c.a = assemble_path(k, 0, count);
      add_compound(k, &c);
      for (int n = 0; n < count; n++) k->left[k->path[n]] = false;
      return true;
    }
  return false;
}

static bool give_compounds_memory(struct handle_plan *plan)
{
  for (int i = 0; i < plan->count; i++) {
    struct compound *c = &plan->compound[i];
    if (c->kind != COMPOUND_ABSORB && c->kind != COMPOUND_ROOT) continue;
    const size_t ends = 2 * HANDLE, rows = 2 * ABSOLUTE_JOINT;
    c->M = calloc(ends * ends + rows * ends + rows * HANDLE + ends * rows, sizeof *c->M);
    if (!c->M) return false;
    c->Phi = c->M + ends * ends;
    c->Psi = c->Phi + rows * ends;
    c->MPhi = c->Psi + rows * HANDLE;
  }
  return true;
}

bool handles_plan(const struct problem *p, struct handle_plan *plan)
{
  const size_t bodies = (size_t)p->bodies;
  struct path_finder k = {.absolute = p->own, .bodies = p->bodies, .plan = plan};
  /* Memory, all or none. */
  *plan = (struct handle_plan){.refusal = "out of memory"};
  plan->compound = calloc(3 * bodies + 1, sizeof *plan->compound);
  k.left = calloc(bodies, sizeof *k.left);
  k.member = calloc(bodies, sizeof *k.member);
  k.path = calloc(bodies, sizeof *k.path);
  if (plan->compound && k.left && k.member && k.path) {
    /* Absorb path by path, until one path with the root is left. */
    for (int b = 0; b < k.bodies; b++) k.left[b] = true;
    plan->refusal = p->driven_rows == 0 ? NULL : "handles are printed for joints; a drive or a gear has none";
    while (!plan->refusal && !finish_with_root(&k))
      if (!absorb_path(&k))
        plan->refusal = "handles need a path of bodies, from ground to ground or free at an end, with paths "
                        "that hang on single bodies";
    if (!plan->refusal && !give_compounds_memory(plan)) plan->refusal = "out of memory";
  }
  free(k.left);
  free(k.member);
  free(k.path);
  if (plan->refusal) handles_plan_free(plan);
  return !plan->refusal;
}

void handles_plan_free(struct handle_plan *plan)
{
  for (int i = 0; plan->compound && i < plan->count; i++) free(plan->compound[i].M);
  free(plan->compound);
  plan->compound = NULL;
}
