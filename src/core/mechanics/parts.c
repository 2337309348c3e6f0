/* SPDX-License-Identifier: MIT
 * Set-up. See parts.h. */
#include "mechanics/parts.h"

#include <stdlib.h>

/* The root of the set of a body, with path halving. */
static int part_root(int *to, int body)
{
  while (to[body] != body) body = to[body] = to[to[body]];
  return body;
}

/* The root of a set is its smallest index. */
static void join_parts(int *to, int a, int b)
{
  a = part_root(to, a);
  b = part_root(to, b);
  if (a < b)
    to[b] = a;
  else
    to[a] = b;
}

static int first_body(const struct joint_rows *j)
{
  int side = 0;
  while (side < j->sides && j->body[side] == ALI3_GROUND) side++;
  return side < j->sides ? j->body[side] : ALI3_GROUND;
}

static void number_parts(struct parts *p, const ali3_model *m, int *to)
{
  for (int i = 0; i < m->frozen->rigid_links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    int first = first_body(j);
    for (int side = 0; side < j->sides; side++)
      if (j->body[side] != ALI3_GROUND) join_parts(to, first, j->body[side]);
  }
  for (int b = 0; b < m->bodies; b++) {
    int r = part_root(to, b);
    p->of_body[b] = r == b ? p->count++ : p->of_body[r];
  }
}

static void count_part(struct parts *p, const ali3_model *m)
{
  const struct frozen *f = m->frozen;
  for (int b = 0; b < m->bodies; b++) p->part[p->of_body[b]].bodies++;
  /* Links belong to the part of their first body; soft links add no rows. */
  for (int i = 0; i < f->links; i++) {
    const struct joint_rows *j = &f->link[i];
    p->of_link[i] = p->of_body[first_body(j)];
    ali3_mechanics_part *own = &p->part[p->of_link[i]];
    if (!j->soft) {
      own->rows += j->count;
      own->joints += i < m->joints;
      own->forces += i >= m->joints;
    }
    /* Mark parts that are connected to the ground, or by springs to another part. */
    for (int side = 0; side < j->sides; side++) {
      int b = j->body[side];
      if (b == ALI3_GROUND && !j->soft) own->grounded = true;
      if (!j->soft || (b != ALI3_GROUND && p->of_body[b] == p->of_link[i])) continue;
      own->sprung = true;
      if (b != ALI3_GROUND) p->part[p->of_body[b]].sprung = true;
    }
  }
}

bool parts_new(struct parts *p, const ali3_model *m)
{
  size_t bodies = (size_t)m->bodies + 1;
  int *to = calloc(bodies, sizeof *to);
  *p = (struct parts){.of_body = calloc(bodies, sizeof *p->of_body),
                      .of_link = calloc((size_t)m->frozen->links + 1, sizeof *p->of_link)};
  bool ok = to && p->of_body && p->of_link;
  for (int b = 0; ok && b < m->bodies; b++) to[b] = b;
  if (ok) number_parts(p, m, to);
  p->part = calloc((size_t)p->count + 1, sizeof *p->part);
  ok = ok && p->part;
  if (ok) count_part(p, m);
  free(to);
  if (!ok) parts_free(p);
  return ok;
}

void parts_free(struct parts *p)
{
  free(p->of_body);
  free(p->of_link);
  free(p->part);
  *p = (struct parts){0};
}
