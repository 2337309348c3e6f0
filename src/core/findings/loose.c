/* SPDX-License-Identifier: MIT
 * Bodies that hang on one joint, and whose other end probably lacks a joint. A model without that joint is valid, so these
 * findings are guesses, made with care.
 *
 *   ends that meet   the end of a body opposite to its only joint lies at a joint, or at such an end, of another
 *                    body
 *   a loose strut    a slide with a spring, motor or drive, which can turn freely about the joint at its foot
 *   a loose link     in a mechanism with loops, a body that falls about its only joint
 *
 * Bodies with loads, sensors or contacts have a task, and are not reported. A body falls if gravity moves it about its joint. A
 * load that hangs straight down, a wheel and a turntable do not fall. */
#include "findings/findings_parts.h"
#include "kernels/elements.h"
#include "model/spec_fields.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { /* a body; the last one is the ground */
  int degree; /* joints and forces to bodies that are not peeled off yet */
  int joints;
  bool task;           /* loads, sensors, contacts */
  bool peeled;         /* it hangs on the rest */
  double mass, sum[3]; /* kg, kg m: sums over it and the bodies that hang on it */
  int bodies;
  bool strut; /* it and the bodies that hang on it have a slide with an actuator, */
  bool falls; /* a joint about which bodies fall, */
  bool loose; /* a joint about which such a slide turns freely, */
  bool busy;  /* a task */
  int upper;  /* body of the joint it hangs on; model.bodies: the ground */
  int joint;  /* the joint it hangs on */
};

struct edge {
  int body[2];
  int joint;  /* -1: a force */
  bool acted; /* a spring, motor, drive or gear acts on its coordinate */
};

struct graph {
  struct node *node;
  struct edge *edge; /* joints, then forces between bodies that no joint connects */
  int edges;
  int *first, *of; /* edges of each node */
};

static int node_of(const ali3_model *m, int body)
{
  return body == ALI3_GROUND ? m->bodies : body;
}

static bool is_actuator(ali3_force_type type)
{
  return type == ALI3_FORCE_MOTOR || type == ALI3_FORCE_DRIVE || type == ALI3_FORCE_JOINT_SPRING ||
         type == ALI3_FORCE_GEAR;
}

/* The joint between two bodies; -1: none. */
static int joint_between(const struct graph *graph, int a, int b)
{
  for (int i = graph->first[a]; i < graph->first[a + 1]; i++) {
    const struct edge *e = &graph->edge[graph->of[i]];
    if (e->joint >= 0 && (e->body[0] == b || e->body[1] == b)) return graph->of[i];
  }
  return -1;
}

/* Fills `first` and `of` from the edges. */
static void index_edges(const ali3_model *m, struct graph *graph)
{
  memset(graph->first, 0, ((size_t)m->bodies + 2) * sizeof *graph->first);
  for (int i = 0; i < graph->edges; i++)
    for (int s = 0; s < 2; s++) graph->first[graph->edge[i].body[s] + 1]++;
  for (int n = 0; n <= m->bodies; n++) graph->first[n + 1] += graph->first[n];
  for (int i = graph->edges - 1; i >= 0; i--)
    for (int s = 0; s < 2; s++) graph->of[--graph->first[graph->edge[i].body[s] + 1]] = i;
  /* The loop left the beginning of node n in first[n + 1]. */
  memmove(graph->first, graph->first + 1, ((size_t)m->bodies + 1) * sizeof *graph->first);
  graph->first[m->bodies + 1] = 2 * graph->edges;
}

static void add_forces(const ali3_model *m, struct graph *graph)
{
  const int joints = graph->edges;
  for (int i = 0; i < m->forces; i++) {
    const ali3_force_spec *s = &m->force[i].spec;
    if (ali3_force_type_on_joint(s->type)) {
      if (is_actuator(s->type)) graph->edge[s->joint].acted = true;
      if (s->type == ALI3_FORCE_GEAR) graph->edge[s->joint_b].acted = true;
      continue;
    }
    const int a = node_of(m, s->body_a), b = node_of(m, s->body_b);
    if (ali3_force_type_is_contact(s->type)) graph->node[a].task = graph->node[b].task = true;
    const int joint = a < m->bodies ? joint_between(graph, a, b) : joint_between(graph, b, a);
    if (joint >= 0)
      graph->edge[joint].acted |= s->type == ALI3_FORCE_SPRING || s->type == ALI3_FORCE_BUSHING;
    else
      graph->edge[graph->edges++] = (struct edge){.body = {a, b}, .joint = -1};
  }
  if (graph->edges > joints) index_edges(m, graph);
}

/* The bodies of an element have a task. */
static void mark_bodies(const ali3_model *m, struct graph *graph, const struct spec_fields *of,
                        const void *spec)
{
  for (int i = 0; i < of->fields; i++) {
    int body;
    if (of->field[i].kind != SPEC_BODY) continue;
    memcpy(&body, (const char *)spec + of->field[i].at, sizeof body);
    if (body != ALI3_GROUND) graph->node[node_of(m, body)].task = true;
  }
}

static bool build_graph(const ali3_model *m, struct graph *graph)
{
  const size_t nodes = (size_t)m->bodies + 2, edges = (size_t)(m->joints + m->forces) + 1;
  /* Allocate nodes, edges, and room for the index. */
  graph->node = calloc(nodes, sizeof *graph->node);
  graph->edge = calloc(edges, sizeof *graph->edge);
  graph->first = calloc(nodes + 1, sizeof *graph->first);
  graph->of = calloc(2 * edges, sizeof *graph->of);
  if (!graph->node || !graph->edge || !graph->first || !graph->of) return false;
  /* Joints are the first edges; forces between bodies that no joint connects follow. */
  for (int i = 0; i < m->joints; i++) {
    const struct joint *j = &m->joint[i];
    graph->edge[graph->edges++] =
        (struct edge){.body = {node_of(m, j->body[0]), node_of(m, j->body[1])}, .joint = i};
    for (int s = 0; s < 2; s++) graph->node[node_of(m, j->body[s])].joints++;
  }
  index_edges(m, graph);
  add_forces(m, graph);
  /* Count degrees, mark bodies with a task, and let each body stand for itself. */
  for (int i = 0; i < graph->edges; i++)
    for (int s = 0; s < 2; s++) graph->node[graph->edge[i].body[s]].degree++;
  for (int i = 0; i < m->loads; i++) mark_bodies(m, graph, &spec_fields[SPEC_OF_LOAD], &m->load[i].spec);
  for (int i = 0; i < m->sensors; i++)
    mark_bodies(m, graph, &spec_fields[SPEC_OF_SENSOR], &m->sensor[i].spec);
  for (int b = 0; b < m->bodies; b++) {
    struct node *n = &graph->node[b];
    n->mass = m->body[b].spec.mass;
    for (int i = 0; i < 3; i++) n->sum[i] = n->mass * m->body[b].spec.position[i];
    n->bodies = 1;
    n->joint = -1;
  }
  return true;
}

static void free_graph(struct graph *graph)
{
  free(graph->node);
  free(graph->edge);
  free(graph->first);
  free(graph->of);
}

/* Point and axis (of body a) of a joint in world axes, at the start. */
static void joint_point(const struct inspection *in, int joint, int side, double point[3])
{
  const struct joint *j = &in->m->joint[joint];
  if (j->body[side] == ALI3_GROUND) {
    v3_copy(point, j->point[side]);
  } else {
    ali3_point_state s;
    ali3_point_get(in->m, in->d, j->body[side], j->point[side], &s);
    v3_copy(point, s.position);
  }
}

static void joint_axis(const struct inspection *in, int joint, double axis[3])
{
  const struct joint *j = &in->m->joint[joint];
  if (j->body[0] == ALI3_GROUND)
    v3_copy(axis, j->axis[0]);
  else
    m3_mul(axis, stored_frame(in->m, in->d, j->body[0]).R, j->axis[0]);
}

/* Gravity moves the bodies that hang on a joint. */
static bool falls_about_joint(const struct inspection *in, const struct node *n, int joint)
{
  const ali3_joint_type type = in->m->joint[joint].spec.type;
  const double *g = in->m->gravity, size = sqrt(v3_dot(g, g)), LITTLE = 1e-3;
  double point[3], axis[3] = {0}, arm[3], moment[3];
  if (size == 0.0 || n->mass <= 0.0 || type == ALI3_JOINT_FIXED) return false;
  /* Compute the moment of gravity about the joint. */
  joint_point(in, joint, 0, point);
  for (int i = 0; i < 3; i++) arm[i] = n->sum[i] / n->mass - point[i];
  v3_cross(moment, arm, g);
  const double far = size * fmax(sqrt(v3_dot(arm, arm)), 0.01 * in->length);
  if (ali3_joint_type_has_axis_a(type)) joint_axis(in, joint, axis);
  /* They move if the moment or the force has a component that the joint leaves free. */
  switch (type) {
  case ALI3_JOINT_REVOLUTE:
    return fabs(v3_dot(moment, axis)) > LITTLE * far;
  case ALI3_JOINT_PRISMATIC:
    return fabs(v3_dot(g, axis)) > LITTLE * size;
  case ALI3_JOINT_CYLINDRICAL:
    return fabs(v3_dot(g, axis)) > LITTLE * size || fabs(v3_dot(moment, axis)) > LITTLE * far;
  case ALI3_JOINT_UNIVERSAL:
  case ALI3_JOINT_SPHERICAL:
    return sqrt(v3_dot(moment, moment)) > LITTLE * far;
  default:
    return false; /* no body hangs on a line or a plane alone */
  }
}

static bool is_turning_joint(ali3_joint_type type)
{
  return type == ALI3_JOINT_REVOLUTE || type == ALI3_JOINT_UNIVERSAL || type == ALI3_JOINT_SPHERICAL;
}

/* Peels off body b, which has one edge. Returns the body it hangs on if that has one edge now, otherwise -1. */
static int peel_end(const struct inspection *in, struct graph *graph, int b)
{
  struct node *n = &graph->node[b];
  n->peeled = true;
  n->busy |= n->task;
  /* Find the only remaining edge. */
  for (int i = graph->first[b]; i < graph->first[b + 1]; i++) {
    const struct edge *e = &graph->edge[graph->of[i]];
    const int other = e->body[0] == b ? e->body[1] : e->body[0];
    if (graph->node[other].peeled) continue;
    struct node *up = &graph->node[other];
    const ali3_joint_type type = e->joint >= 0 ? in->m->joint[e->joint].spec.type : ALI3_JOINT_FIXED;
    /* Keep the joint of the end, and whether the end falls or swings there. */
    n->upper = other;
    n->joint = e->joint;
    n->busy |= e->joint < 0;
    const bool drops = e->joint >= 0 && !e->acted && falls_about_joint(in, n, e->joint);
    n->falls |= drops;
    n->loose |= n->strut && e->joint >= 0 && !e->acted && is_turning_joint(type);
    n->strut |= e->acted && (type == ALI3_JOINT_PRISMATIC || type == ALI3_JOINT_CYLINDRICAL);
    /* Peel it off, and add its mass and its marks to the body it hangs on. */
    n->degree--;
    up->degree--;
    if (other == in->m->bodies) return -1;
    up->mass += n->mass;
    up->bodies += n->bodies;
    for (int k = 0; k < 3; k++) up->sum[k] += n->sum[k];
    up->strut |= n->strut;
    up->falls |= n->falls;
    up->loose |= n->loose;
    up->busy |= n->busy;
    return up->degree == 1 ? other : -1;
  }
  return -1;
}

/* The end of a body with one joint, opposite to it. */
static bool free_end(const struct inspection *in, const struct graph *graph, int b, double end[3])
{
  const struct node *n = &graph->node[b];
  ali3_body_state s;
  double point[3], arm[3];
  if (!n->peeled || n->joint < 0 || n->joints != 1 || n->task) return false;
  joint_point(in, n->joint, in->m->joint[n->joint].body[1] == b, point);
  ali3_body_get(in->m, in->d, b, &s);
  v3_sub(arm, s.position, point);
  for (int i = 0; i < 3; i++) end[i] = s.position[i] + arm[i];
  return sqrt(v3_dot(arm, arm)) > 1e-2 * in->length;
}

static bool points_meet(const struct inspection *in, const double a[3], const double b[3])
{
  double d[3];
  v3_sub(d, a, b);
  return sqrt(v3_dot(d, d)) < 1e-3 * in->length;
}

/* A body other than b with a joint or an end at the place; model.bodies: the ground; -2: none. */
static int body_at(const struct inspection *in, const struct graph *graph, int b, const double place[3])
{
  const ali3_model *m = in->m;
  double other[3];
  for (int c = 0; c < m->bodies; c++)
    if (c != b && graph->node[c].upper != b && graph->node[b].upper != c && free_end(in, graph, c, other) &&
        points_meet(in, place, other))
      return c;
  for (int i = 0; i < m->joints; i++) {
    const struct joint *j = &m->joint[i];
    if (j->body[0] == b || j->body[1] == b) continue;
    joint_point(in, i, 0, other);
    if (points_meet(in, place, other)) return j->body[1] == ALI3_GROUND ? node_of(m, j->body[0]) : j->body[1];
  }
  return -2;
}

enum { ENDS_TRIED = 100 };

static int find_meetings(struct inspection *in, const struct graph *graph)
{
  int tried = 0, found = 0;
  for (int b = 0; b < in->m->bodies && tried < ENDS_TRIED; b++) {
    /* Select ends that meet something, each pair once. */
    double end[3];
    if (!free_end(in, graph, b, end)) continue;
    tried++;
    const int other = body_at(in, graph, b, end);
    if (other < 0 || (other < b && free_end(in, graph, other, (double[3]){0})))
      continue; /* the other end reports the pair */
    /* Report the pair and the place. */
    const char *name = other == in->m->bodies ? "ground" : in->m->body[other].name;
    struct finding *f = finding_add(in, FINDING_WARNING, FINDING_LOOSE_END, FINDING_OF_BODY, b,
                                    "body \"%s\" is held by joint \"%s\" alone, and its other end meets body "
                                    "\"%s\" at (%.4g, %.4g, %.4g): "
                                    "is a joint between \"%s\" and \"%s\" forgotten?",
                                    in->m->body[b].name, in->m->joint[graph->node[b].joint].name, name,
                                    end[0], end[1], end[2], in->m->body[b].name, name);
    for (int i = 0; i < 3; i++) finding_add_number(f, (const char *[]){"x", "y", "z"}[i], end[i], "m");
    found++;
  }
  return found;
}

/* Reports bodies that hang, at the body next to the rest of the mechanism. */
static void find_hanging(struct inspection *in, const struct graph *graph)
{
  for (int b = 0; b < in->m->bodies; b++) {
    const struct node *n = &graph->node[b];
    if (!n->peeled || n->joint < 0 || n->busy) continue;
    /* Select a body that hangs directly on the rest of the mechanism, and moves there. */
    const bool outermost = n->upper == in->m->bodies || !graph->node[n->upper].peeled;
    const bool in_loop = n->upper != in->m->bodies && graph->node[n->upper].degree >= 2;
    if (!outermost || !(n->loose || (n->falls && in_loop))) continue;
    /* List all bodies that hang on it. */
    struct name_list names = {.all = 0};
    for (int c = 0; c < in->m->bodies; c++) {
      int up = c;
      while (up != b && up < in->m->bodies && graph->node[up].peeled && graph->node[up].joint >= 0)
        up = graph->node[up].upper;
      if (up == b) name_list_add(&names, in->m->body[c].name);
    }
    /* Report the list. */
    char held[200];
    snprintf(held, sizeof held, "%s %s", name_list_text(&names), n->bodies > 1 ? "are" : "is");
    finding_add(in, FINDING_WARNING, FINDING_LOOSE_END, FINDING_OF_BODY, b,
                "%s %s held by joint \"%s\" alone: is a joint at the other end forgotten?",
                n->bodies > 1 ? "bodies" : "body", held, in->m->joint[n->joint].name);
  }
}

void inspect_loose_ends(struct inspection *in)
{
  struct graph graph = {.edges = 0};
  if (build_graph(in->m, &graph)) {
    for (int b = 0; b < in->m->bodies; b++)
      for (int end = b; end >= 0 && graph.node[end].degree == 1 && !graph.node[end].peeled;)
        end = peel_end(in, &graph, end);
    if (find_meetings(in, &graph) == 0) find_hanging(in, &graph);
  } else {
    in->memory = false;
  }
  free_graph(&graph);
}
