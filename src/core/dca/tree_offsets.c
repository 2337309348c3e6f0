/* SPDX-License-Identifier: MIT
 * Set-up only: sets the offsets where each lane of a group finds its bodies and rows, the numbers of its children, and
 * the solution on its boundary. */
#include "dca/tree_parts.h"
#include "math/lanes.h"

/* Collects the offsets of one item that a group refers to, one for each lane. A lane without the item takes the offset
 * beside the first lane's if an unused lane lies there, whose numbers are 0. So the item stays one plain load. */
struct offsets {
  struct lane_at *at;
  int width;
  /* (width) members of the group or tile in whose lane 0 the first lane finds the item; NULL: the first lane finds it
   * in another lane. */
  const int *first;
  bool own; /* each lane there belongs to the same lane here, and its numbers are multiplied by 0 */
  bool used[ISA_LANES_MAX];
};

static bool close_offsets(const struct offsets *p, size_t zero)
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

static struct offsets take_offsets(struct build *b, int width)
{
  struct offsets p = {.at = b->t->offset + b->offsets, .width = width};
  b->offsets += width;
  return p;
}

/* Returns the node in lane l that corresponds to child c of the template; -1: none. */
static int child_of(const struct build *b, int group, int c, int l)
{
  const struct group_plan *p = &b->p.group[group];
  const struct node *a = template_of(b, group);
  int below = b->n.child[a->child_first + c];
  if (p->node[l] < 0) return -1;
  if (p->packed) return b->p.group[b->p.group_of[below]].node[l];
  return b->n.child[b->n.node[p->node[l]].child_first + c];
}

/* Sets the offsets of a child's update in the front. */
static void lay_into(struct build *b, const struct tree_group *o, struct tree_contribution *r)
{
  struct tree *t = b->t;
  r->into = t->to + b->tos;
  for (int i = 0; i < r->boundary; i++)
    for (int k = 0; k <= i; k++) {
      int row = r->to[i] > r->to[k] ? r->to[i] : r->to[k], column = r->to[i] + r->to[k] - row;
      bool there = r->to[i] >= 0 && r->to[k] >= 0;
      t->to[b->tos++] = there ? (int)tree_offset(t, o, row, column) : -1;
    }
}

/* Sets the shifts from the rows of a child to those of a lone boundary. Both ascend. */
static void lay_shifts(struct build *b, const struct tree_group *o, struct tree_contribution *r)
{
  const int vector = b->t->vector;
  r->shift = b->t->shift + b->shifts;
  for (int i = r->inner, next; i < r->boundary; i = next) {
    struct tree_shift *s = &b->t->shift[b->shifts++];
    *s = (struct tree_shift){.to = (r->to[i] - o->pivot) / vector * vector, .from = i};
    for (int l = 0; l < vector; l++) s->lane[l] = vector;
    for (next = i; next < r->boundary && r->to[next] - o->pivot < s->to + vector; next++)
      s->lane[r->to[next] - o->pivot - s->to] = next - i;
    r->shifts++;
  }
}

/* The offset of the boundary in a group's vector, in numbers of lane 0. */
static int boundary_in_vector(const struct tree *t, const struct tree_group *o)
{
  return o->width == 1 ? tree_round_up(o->pivot, t->vector) : o->pivot * o->width;
}

/* Returns true if a lone parent adds up all lanes of a child's group at once. */
static bool adds_whole_group(const struct build *b, int group, int child)
{
  const struct node *a = template_of(b, group);
  const int from = b->p.group_of[child];
  bool whole = b->t->group[group].width == 1 && b->p.group[from].width > 1;
  for (int l = 0; l < b->p.group[from].width && whole; l++) {
    const int node = b->p.group[from].node[l];
    const struct node *o = &b->n.node[node < 0 ? child : node];
    whole = &b->n.node[o->parent] == a && o->boundary_end == o->boundary_first + 1 &&
            b->n.boundary[o->boundary_first].size == a->pivot;
  }
  return whole;
}

static void lay_contribution(struct build *b, int group, int c)
{
  struct tree *t = b->t;
  struct tree_group *o = &t->group[group];
  const struct node *a = template_of(b, group);
  int child = b->n.child[a->child_first + c];
  const struct node *layout = template_of(b, b->p.group_of[child]);
  const bool whole = adds_whole_group(b, group, child);
  if (whole && b->p.lane_of[child] > 0) return; /* lane 0 stands for all */
  struct tree_contribution *r = &t->contribution[b->contributions++];
  *r = (struct tree_contribution){.leaf = layout->kind == TREE_LEAF,
                                  .whole = whole,
                                  .group = b->p.group_of[child],
                                  .boundary = layout->front - layout->pivot};
  /* Rows in the parent's front, row by row of the child's boundary. */
  r->to = t->to + b->tos;
  for (int i = layout->boundary_first; i < layout->boundary_end; i++) {
    int row = plan_front_row(&b->n, a, &b->n.node[child], i - layout->boundary_first);
    for (int k = 0; k < b->n.boundary[i].size; k++) t->to[b->tos++] = row < 0 ? -1 : row + k;
  }
  for (int i = 0; i < r->boundary; i++) r->inner += r->to[i] >= 0 && r->to[i] < o->pivot;
  if (o->width == 1 && t->group[r->group].width == 1 && !t->group[r->group].packs)
    lay_shifts(b, o, r);
  else
    lay_into(b, o, r);
  /* Offsets of each lane's child update and vector. */
  struct offsets update = take_offsets(b, o->width), vector = take_offsets(b, o->width);
  for (int l = 0; l < o->width; l++) {
    int node = child_of(b, group, c, l);
    if (node < 0) continue;
    const struct tree_group *from = &t->group[b->p.group_of[node]];
    size_t lane = (size_t)b->p.lane_of[node], width = (size_t)from->width;
    /* the maximum over all lanes, not of the first alone */
    if (o->level <= from->level) o->level = from->level + 1;
    update.at[l] = (struct lane_at){from->update + lane, width};
    vector.at[l] = (struct lane_at){from->vector + lane + (size_t)boundary_in_vector(t, from), width};
    update.used[l] = vector.used[l] = true;
    if (l == 0 && lane == 0 && from->width == o->width)
      update.first = vector.first = t->member + from->member_first;
  }
  r->aligned = close_offsets(&update, t->front_size) || o->width == 1;
  close_offsets(&vector, t->vector_size);
  r->update = update.at;
  r->vector = vector.at;
}

/* Returns the block of lane l's boundary at `position` of the template's; NULL: none. */
static const struct edge *edge_of(const struct build *b, int group, int position, int l)
{
  int node = b->p.group[group].node[l];
  if (node < 0) return NULL;
  const struct node *a = &b->n.node[node];
  for (int i = a->boundary_first; i < a->boundary_end; i++)
    if (b->n.boundary[i].position == position) return &b->n.boundary[i];
  return NULL;
}

/* Returns the position of vertex v in the boundary of a node's template; -1: the node eliminates v. */
static int position_of(const struct build *b, int node, int v)
{
  const struct node *a = &b->n.node[node];
  for (int i = a->boundary_first; i < a->boundary_end; i++)
    if (b->n.boundary[i].vertex == v) return b->n.boundary[i].position;
  return -1;
}

/* Returns the offset, in a vector, where a node finds the solution of vertex v, which it eliminates or has in its boundary.
 * *from: the group that has this vector. */
static struct lane_at solution_of(const struct build *b, int node, int v, const struct tree_group **from)
{
  const struct tree *t = b->t;
  const int group = b->p.group_of[node], lane = b->p.lane_of[node], position = position_of(b, node, v);
  const struct tree_group *o = &t->group[group];
  int at;
  *from = o;
  if (position >= 0) {
    const struct tree_gather *gather = &t->gather[o->gather_first + position];
    if (gather->aligned) {
      *from = &t->group[b->found_in[o->gather_first + position]];
      return gather->vector[lane];
    }
    at = b->n.boundary[template_of(b, group)->boundary_first + position].at;
  } else {
    at = nodes_front_row(&b->n, &b->n.node[node], v);
  }
  return (struct lane_at){o->vector + (size_t)(at * o->width + lane), (size_t)o->width};
}

/* Finds the offset of a vertex's unknowns in the vector of unknowns. Returns false for a bundle of several joints,
 * whose unknowns have several offsets. */
static bool find_unknowns(const struct build *b, int vertex, struct lane_at *o)
{
  const struct tree *t = b->t;
  if (vertex < b->bundles.g.joints) {
    struct bundle bundle = bundle_of(b, vertex);
    const struct tree_joint *j = &t->joint[bundle.joint[0]];
    *o = (struct lane_at){(size_t)j->row, (size_t)j->width};
    return bundle.count == 1;
  }
  int body = vertex - b->bundles.g.joints;
  *o = (struct lane_at){(size_t)t->hub_at[body], (size_t)t->body[body].width};
  return true;
}

/* A shuffle loads whole tiles. Returns true if no other thread may solve unknowns in the tile of row `at` at that time. */
static bool tile_is_solved(const struct build *b, int group, struct lane_at at, int size)
{
  const int run = b->run_of_group[group];
  const size_t first = at.at - at.at % at.stride;
  for (size_t i = first; i < first + (size_t)size * at.stride; i++) {
    const int from = b->run_of_unknown[i];
    if (from >= 0 && from != run && b->band_of_run[from] == b->band_of_run[run] &&
        b->p.band[b->band_of_run[run]].separate)
      return false;
  }
  return true;
}

/* A lane without this block takes the first lane's offset; its factor is 0. */
static const struct lane_shuffle *shuffle_of(struct build *b, int group, int position)
{
  int width = b->t->group[group].width;
  struct lane_at from[ISA_LANES_MAX];
  for (int l = 0; l < width; l++) {
    const struct edge *e = edge_of(b, group, position, l);
    from[l] = from[0];
    if (e && !find_unknowns(b, e->vertex, &from[l])) return NULL;
    if (!tile_is_solved(b, group, from[l], b->t->gather[b->gathers].size)) return NULL;
  }
  const struct lane_shuffle *shuffle = lane_shuffle_find(from, width, &b->t->shuffle[b->shuffles]);
  b->shuffles += shuffle != NULL;
  return shuffle;
}

static void lay_gather(struct build *b, int group, int position)
{
  struct tree *t = b->t;
  const struct tree_group *o = &t->group[group];
  struct tree_gather *r = &t->gather[b->gathers];
  r->size = b->n.boundary[template_of(b, group)->boundary_first + position].size;
  /* Offset of the block's solution for each lane. */
  struct offsets p = take_offsets(b, o->width);
  for (int l = 0; l < o->width; l++) {
    const struct edge *e = edge_of(b, group, position, l);
    if (!e) continue;
    const struct tree_group *from;
    p.at[l] = solution_of(b, b->n.node[b->p.group[group].node[l]].parent, e->vertex, &from);
    p.used[l] = true;
    if (l > 0) continue;
    b->found_in[b->gathers] = (int)(from - t->group);
    if (p.at[0].stride == (size_t)o->width && p.at[0].at % (size_t)o->width == 0) {
      p.first = t->member + from->member_first;
      p.own = b->p.group[from - t->group].packed;
    }
  }
  /* Aligned: one load for all lanes. Otherwise the kernels shuffle or gather. */
  r->aligned = close_offsets(&p, t->vector_size) || o->width == 1;
  r->vector = p.at;
  if (!r->aligned) r->shuffle = shuffle_of(b, group, position);
  b->gathers++;
}

/* Notes the run that writes each unknown, also in unused lanes. */
static void note_writers(struct build *b)
{
  const struct tree *t = b->t;
  for (int i = 0; i < t->unknowns; i++) b->run_of_unknown[i] = -1;
  for (int i = 0; i < b->p.bands; i++)
    for (int run = b->p.band[i].first; run < b->p.band[i].end; run++) {
      b->band_of_run[run] = i;
      for (int g = b->p.run[run].first; g < b->p.run[run].end; g++) {
        const struct tree_group *o = &t->group[g];
        b->run_of_group[g] = run;
        for (int k = 0; k < o->pivot; k++)
          for (int l = 0; l < o->width; l++)
            b->run_of_unknown[o->aligned ? o->own[k] + l : o->own[k * o->width + l]] = run;
      }
    }
}

void tree_lay_gathers(struct build *b)
{
  struct tree *t = b->t;
  note_writers(b);
  for (int i = t->groups - 1; i >= 0; i--) {
    struct tree_group *o = &t->group[i];
    const struct node *a = template_of(b, i);
    o->gather_first = b->gathers;
    for (int k = 0; k < a->boundary_end - a->boundary_first && o->kind != TREE_LEAF; k++) lay_gather(b, i, k);
    o->gather_end = b->gathers;
    o->near = true;
    for (int r = o->gather_first; r < o->gather_end; r++) o->near &= t->gather[r].aligned;
  }
}

/* Returns the members of a tile if item `first` is in the first lane of `width`; otherwise NULL. */
static const int *tile_members(const struct tree *t, const struct tree_tile *tile, int first, int width)
{
  const int *item = t->item + tile->item_first;
  return item[0] == first && tile->width == width ? item : NULL;
}

/* Notes the offset of row i of a node's joint for all lanes. An unused lane takes the offset of an unused lane of the
 * tile. If there is none, it reads the first lane's number and writes nothing. */
static bool lay_joint_row(struct build *b, int group, int member, int i, int *own)
{
  const struct tree *t = b->t;
  const struct group_plan *p = &b->p.group[group];
  int first = joint_of_node(&b->bundles, &b->n, &b->n.node[p->node[0]], member);
  const int *in_tile = tile_members(t, &t->tile[t->tile_of_joint[first]], first, p->width);
  bool aligned = true;
  for (int l = 0; l < p->width; l++) {
    int joint = p->node[l] < 0 ? first : joint_of_node(&b->bundles, &b->n, &b->n.node[p->node[l]], member);
    const struct tree_joint *j = &t->joint[joint];
    own[l] = j->row + i * j->width + (p->node[l] < 0 && in_tile && in_tile[l] < 0 ? l : 0);
    aligned &= own[l] == own[0] + l;
  }
  return aligned && own[0] % p->width == 0;
}

/* An aligned group needs the offsets of lane 0 only. */
static void keep_first_lanes(struct build *b, struct tree_group *o, int *own)
{
  for (int k = 1; k < o->pivot && o->aligned; k++) own[k] = own[k * o->width];
  o->own = own;
  b->owns += o->aligned ? o->pivot : o->pivot * o->width;
}

static void lay_own_joints(struct build *b, int group)
{
  struct tree_group *o = &b->t->group[group];
  int *own = b->t->own + b->owns, row = 0;
  o->aligned = true;
  for (int m = 0, joint; (joint = joint_of_node(&b->bundles, &b->n, template_of(b, group), m)) >= 0; m++)
    for (int i = 0; i < vertex_size(b->g, joint); i++)
      o->aligned &= lay_joint_row(b, group, m, i, own + o->width * row++);
  keep_first_lanes(b, o, own);
}

static void lay_own_bodies(struct build *b, int group)
{
  struct tree *t = b->t;
  struct tree_group *o = &t->group[group];
  const int *member = t->member + o->member_first;
  struct tree_body *body = t->group_body + b->bodies;
  int *own = t->own + b->owns;
  b->bodies += o->width;
  o->aligned = true;
  /* Unused lanes: see lay_joint_row(). */
  for (int l = 0; l < o->width; l++) {
    bool used = member[l] >= 0;
    int item = member[used ? l : 0];
    const struct tree_body *at = &t->body[item];
    bool unused = !used && at->width == o->width && at->lane == 0 && b->unused[at->first + l];
    body[l] = (struct tree_body){at->first, at->width, unused ? l : at->lane};
    o->aligned &= body[l].width == o->width && body[l].first == body[0].first && body[l].lane == l;
    for (int k = 0; k < o->pivot; k++)
      own[k * o->width + l] = t->hub_at[item] + (unused ? l : 0) + k * at->width;
  }
  o->body = body;
  if (o->kind != TREE_LEAF) keep_first_lanes(b, o, own);
}

/* An unused lane takes the first lane's block; the kernels clear its delta. */
static const struct lane_shuffle *shuffle_of_couple(struct build *b, const struct offsets *p)
{
  struct lane_at from[ISA_LANES_MAX];
  for (int l = 0; l < p->width; l++) from[l] = p->at[p->used[l] ? l : 0];
  const struct lane_shuffle *shuffle = lane_shuffle_find(from, p->width, &b->t->shuffle[b->shuffles]);
  b->shuffles += shuffle != NULL;
  return shuffle;
}

/* Lays out one joint of a bundle, with its rows from `row` on. */
static void lay_couple(struct build *b, int group, int position, int member, int row)
{
  struct tree *t = b->t;
  const struct tree_group *o = &t->group[group];
  const struct node *a = template_of(b, group);
  const struct edge *f = &b->n.boundary[a->boundary_first + position];
  int joint = bundle_of_edge(b, a, f).joint[member];
  struct tree_couple *r = &t->couple[b->couples++];
  const bool unit = b->g->unit_columns && b->g->unit_columns[joint];
  const int columns = unit ? TREE_Y - TREE_UNIT : TREE_Y;
  *r = (struct tree_couple){.rows = vertex_size(b->g, joint),
                            .stride = columns * joint_sides(b->g, joint),
                            .at = f->at,
                            .unit_columns = unit,
                            .stores_all = !unit};
  *(a->kind == TREE_JOINT ? &r->row : &r->at) += row;
  r->side = f->couple ^ b->bundles.swapped[joint];
  /* Offset of the Jacobian for each lane. */
  struct offsets p = take_offsets(b, o->width);
  for (int l = 0; l < o->width; l++) {
    const struct edge *e = edge_of(b, group, position, l);
    if (!e || e->couple < 0) continue;
    joint = bundle_of_edge(b, &b->n.node[b->p.group[group].node[l]], e).joint[member];
    int side = e->couple ^ b->bundles.swapped[joint];
    const struct tree_joint *j = &t->joint[joint];
    p.at[l] = (struct lane_at){j->jacobian + (size_t)(columns * side * j->width), (size_t)j->width};
    r->unit[l] = (signed char)(!unit ? 0 : side ? 1 : -1);
    p.used[l] = true;
    if (l == 0) p.first = tile_members(t, &t->tile[t->tile_of_joint[joint]], joint, o->width);
  }
  /* The lanes share one kernel: unit columns hold only if all nodes have them. */
  bool all = true;
  for (int l = 0; l < o->width; l++) all &= p.used[l] || b->p.group[group].node[l] < 0;
  r->unit_columns &= all;
  r->aligned = close_offsets(&p, t->jacobian);
  r->J = p.at;
  if (!r->aligned && all && (o->kind == TREE_LEAF || o->used == o->width))
    r->shuffle = shuffle_of_couple(b, &p);
}

static void lay_bundle(struct build *b, int group, int position)
{
  const struct node *a = template_of(b, group);
  const struct edge *f = &b->n.boundary[a->boundary_first + position];
  if (f->couple < 0) return;
  struct bundle bundle = bundle_of_edge(b, a, f);
  for (int m = 0, row = 0; m < bundle.count; row += vertex_size(b->g, bundle.joint[m++]))
    lay_couple(b, group, position, m, row);
}

void tree_lay_bodies(struct build *b, int group)
{
  struct tree_group *o = &b->t->group[group];
  const struct node *a = template_of(b, group);
  if (o->kind == TREE_JOINT)
    lay_own_joints(b, group);
  else
    lay_own_bodies(b, group);
  o->couple_first = b->couples;
  for (int i = 0; i < a->boundary_end - a->boundary_first; i++) lay_bundle(b, group, i);
  o->couple_end = b->couples;
  o->unit_columns = o->kind == TREE_LEAF && o->boundary <= TREE_SHORT;
  for (int i = o->couple_first; i < o->couple_end; i++) o->unit_columns &= b->t->couple[i].unit_columns;
  if (o->kind == TREE_LEAF) o->even = lists_even_leaf(b->t, o);
}

void tree_lay_children(struct build *b, int group)
{
  struct tree_group *o = &b->t->group[group];
  const struct node *a = template_of(b, group);
  o->child_first = b->contributions;
  for (int c = 0; c < a->child_end - a->child_first; c++) lay_contribution(b, group, c);
  o->child_end = b->contributions;
  o->leaf_children = true;
  for (int r = o->child_first; r < o->child_end; r++) o->leaf_children &= b->t->contribution[r].leaf;
  if (b->t->levels <= o->level) b->t->levels = o->level + 1;
}
