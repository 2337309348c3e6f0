/* SPDX-License-Identifier: MIT
 * Set-up only: where each lane of a group finds its bodies and rows, the numbers of its children, and the solution of its
 * border. */
#include "dca/tree_parts.h"
#include "math/lanes.h"

/* Takes the places of one thing a group refers to, a lane each. Lanes that have none take what lies beside
 * that of the first lane, if it belongs to a lane not in use there, whose numbers are 0; so the whole stays
 * one plain load. */
struct places {
  struct lane_at *at;
  int width;
  /* (width) Whose the lanes are of the group or tile in whose lane 0 the first lane finds it; NULL: it is in
   * another lane. */
  const int *first;
  bool own; /* every lane of it belongs to the same lane here, and its numbers are multiplied by 0 */
  bool used[ISA_LANES_MAX];
};

static bool close_places(const struct places *p, size_t zero)
{
  size_t width = (size_t)p->width;
  if (!p->used[0]) p->at[0] = (struct lane_at){zero, 0};
  bool aligned = p->used[0] && p->at[0].stride == width && p->at[0].at % width == 0;
  for (int l = 1; l < p->width; l++) {
    if (!p->used[l]) {
      bool in_tile = aligned && p->first && (p->own || p->first[l] < 0);
      p->at[l] = in_tile ? (struct lane_at){p->at[0].at + (size_t)l, width} : (struct lane_at){zero, 0};
    }
    aligned &= p->at[l].stride == width && p->at[l].at == p->at[0].at + (size_t)l;
  }
  return aligned;
}

static struct places take_places(struct build *b, int width)
{
  struct places p = {.at = b->t->place + b->places, .width = width};
  b->places += width;
  return p;
}

/* The node that lane l of a tile has as child c of the template; -1: none. */
static int child_of(const struct build *b, int group, int c, int l)
{
  const struct group_plan *p = &b->p.group[group];
  const struct node *a = template_of(b, group);
  int below = b->n.child[a->child_first + c];
  if (p->node[l] < 0) return -1;
  if (p->packed) return b->p.group[b->p.group_of[below]].node[l];
  return b->n.child[b->n.node[p->node[l]].child_first + c];
}

static void lay_branch(struct build *b, int group, int c)
{
  struct tree *t = b->t;
  struct tree_group *o = &t->group[group];
  const struct node *a = template_of(b, group);
  int child = b->n.child[a->child_first + c];
  const struct node *layout = template_of(b, b->p.group_of[child]);
  struct tree_branch *r = &t->branch[b->branches++];
  *r = (struct tree_branch){.leaf = layout->kind == TREE_LEAF,
                            .group = b->p.group_of[child],
                            .pivot = layout->pivot,
                            .border = layout->front - layout->pivot};
  /* Places in the parent's front, row by row of the child's border. */
  r->to = t->to + b->tos;
  for (int i = layout->border_first; i < layout->border_end; i++) {
    int place = plan_place(&b->n, a, &b->n.node[child], i - layout->border_first);
    for (int k = 0; k < b->n.border[i].size; k++) t->to[b->tos++] = place < 0 ? -1 : place + k;
  }
  /* Places of the child's update in the parent's triangle. */
  r->into = t->to + b->tos;
  for (int i = 0; i < r->border; i++)
    for (int k = 0; k <= i; k++) {
      int row = r->to[i] > r->to[k] ? r->to[i] : r->to[k], column = r->to[i] + r->to[k] - row;
      bool there = r->to[i] >= 0 && r->to[k] >= 0;
      t->to[b->tos++] = there ? (int)tree_place(o, row, column) : -1;
    }
  /* Where each lane finds its child's update and vector. */
  struct places update = take_places(b, o->width), vector = take_places(b, o->width);
  for (int l = 0; l < o->width; l++) {
    int node = child_of(b, group, c, l);
    if (node < 0) continue;
    const struct tree_group *from = &t->group[b->p.group_of[node]];
    size_t lane = (size_t)b->p.lane_of[node], width = (size_t)from->width;
    if (o->level <= from->level) o->level = from->level + 1; /* of any lane, not of the first alone */
    update.at[l] = (struct lane_at){from->update + lane, width};
    vector.at[l] = (struct lane_at){from->vector + lane, width};
    update.used[l] = vector.used[l] = true;
    if (l == 0 && lane == 0 && from->width == o->width)
      update.first = vector.first = t->member + from->member_first;
  }
  r->aligned = close_places(&update, t->front_size) || o->width == 1;
  close_places(&vector, t->vector_size);
  r->update = update.at;
  r->vector = vector.at;
}

/* The border of lane l that takes slot `slot` of the template; NULL: none. */
static const struct edge *edge_of(const struct build *b, int group, int slot, int l)
{
  int node = b->p.group[group].node[l];
  if (node < 0) return NULL;
  const struct node *a = &b->n.node[node];
  for (int i = a->border_first; i < a->border_end; i++)
    if (b->n.border[i].slot == slot) return &b->n.border[i];
  return NULL;
}

/* Where lane `lane` of a group has, in a vector, the border that takes slot `slot` of its template, or its own
 * unknowns (-1); *from: the group it is in the vector of. */
static struct lane_at solution_of(const struct build *b, int group, int slot, int lane,
                                  const struct tree_group **from)
{
  const struct tree *t = b->t;
  const struct tree_group *o = &t->group[group];
  int at = 0;
  *from = o;
  if (slot >= 0) {
    const struct tree_pull *pull = &t->pull[o->pull_first + slot];
    if (pull->aligned) {
      *from = &t->group[b->origin[o->pull_first + slot]];
      return pull->vector[lane];
    }
    at = b->n.border[template_of(b, group)->border_first + slot].at;
  }
  return (struct lane_at){o->vector + (size_t)(at * o->width + lane), (size_t)o->width};
}

/* The slot of a node's border that is vertex v; -1: it is the node's own. */
static int slot_of(const struct build *b, int node, int v)
{
  const struct node *a = &b->n.node[node];
  for (int i = a->border_first; i < a->border_end; i++)
    if (b->n.border[i].vertex == v) return b->n.border[i].slot;
  return -1;
}

/* Where the unknowns of a vertex are in their vector. */
static struct lane_at unknowns_of(const struct build *b, int vertex)
{
  const struct tree *t = b->t;
  if (vertex < t->joints)
    return (struct lane_at){(size_t)t->joint[vertex].row, (size_t)t->joint[vertex].width};
  int body = vertex - t->joints;
  return (struct lane_at){(size_t)t->hub_at[body], (size_t)t->body[body].width};
}

/* Lanes that have no such border take what the first one takes, times 0. */
static const struct lane_mix *mix_of(struct build *b, int group, int slot)
{
  int width = b->t->group[group].width;
  struct lane_at from[ISA_LANES_MAX];
  for (int l = 0; l < width; l++) {
    const struct edge *e = edge_of(b, group, slot, l);
    from[l] = e ? unknowns_of(b, e->vertex) : from[0];
  }
  const struct lane_mix *mix = lane_mix_find(from, width, &b->t->mix[b->mixes]);
  b->mixes += mix != NULL;
  return mix;
}

static void lay_pull(struct build *b, int group, int slot)
{
  struct tree *t = b->t;
  const struct tree_group *o = &t->group[group];
  struct tree_pull *r = &t->pull[b->pulls];
  r->size = b->n.border[template_of(b, group)->border_first + slot].size;
  /* Where each lane finds the solution of the part. */
  struct places p = take_places(b, o->width);
  for (int l = 0; l < o->width; l++) {
    const struct edge *e = edge_of(b, group, slot, l);
    if (!e) continue;
    const struct tree_group *from;
    int parent = b->n.node[b->p.group[group].node[l]].parent;
    p.at[l] =
        solution_of(b, b->p.group_of[parent], slot_of(b, parent, e->vertex), b->p.lane_of[parent], &from);
    p.used[l] = true;
    if (l > 0) continue;
    b->origin[b->pulls] = (int)(from - t->group);
    if (p.at[0].stride == (size_t)o->width && p.at[0].at % (size_t)o->width == 0) {
      p.first = t->member + from->member_first;
      p.own = b->p.group[from - t->group].packed;
    }
  }
  /* Aligned: one load for all lanes. Otherwise lanes are shuffled or picked. */
  r->aligned = close_places(&p, t->vector_size) || o->width == 1;
  r->vector = p.at;
  if (!r->aligned) r->mix = mix_of(b, group, slot);
  b->pulls++;
}

void tree_lay_pulls(struct build *b)
{
  struct tree *t = b->t;
  for (int i = t->groups - 1; i >= 0; i--) {
    struct tree_group *o = &t->group[i];
    const struct node *a = template_of(b, i);
    o->pull_first = b->pulls;
    for (int k = 0; k < a->border_end - a->border_first && o->kind != TREE_LEAF; k++) lay_pull(b, i, k);
    o->pull_end = b->pulls;
    o->near = true;
    for (int r = o->pull_first; r < o->pull_end; r++) o->near &= t->pull[r].aligned;
  }
}

/* What lies in the lanes of a tile, if item `first` is in the first of `width`; else NULL. */
static const int *tile_members(const struct tree *t, const struct tree_tile *tile, int first, int width)
{
  const int *item = t->item + tile->item_first;
  return item[0] == first && tile->width == width ? item : NULL;
}

/* Lanes not in use take what lies beside the first one, if that is not in use either; else they read what the
 * first one reads, and write nothing. */
static void lay_own(struct build *b, int group)
{
  struct tree *t = b->t;
  struct tree_group *o = &t->group[group];
  const int *member = t->member + o->member_first;
  struct tree_body *body = t->place_of_body + b->bodies;
  struct places p = take_places(b, o->width);
  bool joint = o->kind == TREE_JOINT;
  const struct tree_tile *tile = joint ? &t->tile[t->tile_of_joint[member[0]]] : NULL;
  const int *tile_member = joint ? tile_members(t, tile, member[0], o->width) : NULL;
  b->bodies += o->width;
  o->aligned = true;
  /* A lane not in use takes the place of an unused lane of the tile, or reads lane 0 with stride 0. */
  for (int l = 0; l < o->width; l++) {
    bool used = member[l] >= 0;
    if (joint) {
      const struct tree_joint *j = &t->joint[member[used ? l : 0]];
      p.at[l] = (struct lane_at){(size_t)j->row, used ? (size_t)j->width : 0};
      if (!used && tile_member && tile_member[l] < 0)
        p.at[l] = (struct lane_at){(size_t)(j->row + l), (size_t)j->width};
      o->aligned &= (int)p.at[l].stride == o->width && p.at[l].at == p.at[0].at + (size_t)l;
      continue;
    }
    const struct tree_body *own = &t->body[member[used ? l : 0]];
    bool unused = !used && own->width == o->width && own->lane == 0 && b->unused[own->first + l];
    body[l] = (struct tree_body){own->first, own->width, unused ? l : own->lane};
    o->aligned &= body[l].width == o->width && body[l].first == body[0].first && body[l].lane == l;
    if (o->kind == TREE_LEAF) continue;
    p.at[l] = (struct lane_at){(size_t)(t->hub_at[member[used ? l : 0]] + (unused ? l : 0)),
                               used || unused ? (size_t)own->width : 0};
  }
  /* Aligned: all lanes side by side in one tile. */
  if (joint) o->aligned = o->width == 1 || (o->aligned && p.at[0].at % (size_t)o->width == 0);
  if (!joint) o->body = body;
  if (o->kind != TREE_LEAF) o->at = p.at;
}

static void lay_couple(struct build *b, int group, int slot)
{
  struct tree *t = b->t;
  const struct tree_group *o = &t->group[group];
  const struct node *a = template_of(b, group);
  const struct edge *f = &b->n.border[a->border_first + slot];
  if (f->couple < 0) return;
  int joint = a->kind == TREE_JOINT ? a->vertex : f->vertex;
  /* Which rows couple, and by which side. */
  struct tree_couple *r = &t->couple[b->couples++];
  *r = (struct tree_couple){
      .rows = vertex_size(b->g, joint), .stride = TREE_Y * joint_sides(b->g, joint), .at = f->at};
  r->unit_columns = b->g->unit_columns && b->g->unit_columns[joint];
  r->side = f->couple;
  /* Where each lane finds its Jacobian. */
  struct places p = take_places(b, o->width);
  for (int l = 0; l < o->width; l++) {
    const struct edge *e = edge_of(b, group, slot, l);
    if (!e || e->couple < 0) continue;
    joint = a->kind == TREE_JOINT ? b->n.node[b->p.group[group].node[l]].vertex : e->vertex;
    const struct tree_joint *j = &t->joint[joint];
    p.at[l] = (struct lane_at){j->jacobian + (size_t)(TREE_Y * e->couple * j->width), (size_t)j->width};
    p.used[l] = true;
    if (l == 0) p.first = tile_members(t, &t->tile[t->tile_of_joint[joint]], joint, o->width);
  }
  /* The lanes share one kernel: unit columns only if all of them have it. */
  for (int l = 0; l < o->width; l++) r->unit_columns &= p.used[l];
  r->aligned = close_places(&p, t->jacobian);
  r->J = p.at;
}

void tree_lay_bodies(struct build *b, int group)
{
  struct tree_group *o = &b->t->group[group];
  const struct node *a = template_of(b, group);
  lay_own(b, group);
  o->couple_first = b->couples;
  for (int i = 0; i < a->border_end - a->border_first; i++) lay_couple(b, group, i);
  o->couple_end = b->couples;
  o->unit_columns = o->kind == TREE_LEAF && o->border <= TREE_SHORT;
  for (int i = o->couple_first; i < o->couple_end; i++) o->unit_columns &= b->t->couple[i].unit_columns;
  if (o->kind == TREE_LEAF) o->even = lists_even_leaf(b->t, o);
}

void tree_lay_children(struct build *b, int group)
{
  struct tree_group *o = &b->t->group[group];
  const struct node *a = template_of(b, group);
  o->child_first = b->branches;
  for (int c = 0; c < a->child_end - a->child_first; c++) lay_branch(b, group, c);
  o->child_end = b->branches;
  o->leaf_children = true;
  for (int r = o->child_first; r < o->child_end; r++) o->leaf_children &= b->t->branch[r].leaf;
  if (b->t->levels <= o->level) b->t->levels = o->level + 1;
}
