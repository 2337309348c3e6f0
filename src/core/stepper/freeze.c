/* SPDX-License-Identifier: MIT
 * Set-up: turns a checked model into rows, loads and the assembly tree. */
#include "actuators/cylinder.h"
#include "actuators/winding.h"
#include "articulated/limbs.h"
#include "base/float_mode.h"
#include "kernels/kernels.h"
#include "layout/layout.h"
#include "layout/storage.h"
#include "math/vec3.h"
#include "stepper/explicit.h"

#include <ali3/flat.h>
#include <ali3/profile.h>
#include <ali3/stepper.h>

#include <math.h>
#include <stdlib.h>

static void frozen_free(struct frozen *f)
{
  if (!f) return;
  for (int i = 0; i < f->drives; i++) free(f->drive[i].motion.curvature);
  free(f->drive);
  free(f->carried);
  free(f->typical);
  free(f->force_link);
  free(f->force_of);
  free(f->stop_beside);
  free(f->link);
  free(f->loads_first);
  free(f->loads);
  free(f->chain);
  layout_free(f);
  limbs_free(f->limbs);
  free(f);
}

static bool is_rigid(const ali3_force_spec *spec)
{
  return spec->type == ALI3_FORCE_DRIVE || spec->type == ALI3_FORCE_GEAR;
}

/* If the factors do not contain the pull of a spring, a Newton iteration multiplies the error by about pull/length dt^2/4
 * (1/m_a + 1/m_b). Returns pull over length at the start if this factor is too large; else 0. */
static double pulled_hard(const ali3_model *m, int force, const struct joint_rows *j, double dt,
                          double length)
{
  static const double HARD = 0.02;
  const ali3_force_type type = m->force[force].spec.type;
  double slope, give = 0.0;
  if (type != ALI3_FORCE_SPRING && type != ALI3_FORCE_CABLE && type != ALI3_FORCE_CYLINDER) return 0.0;
  const double pull = type == ALI3_FORCE_CYLINDER
                          ? cylinder_pull(&m->force[force].spec)
                          : law_force(&j->law[0], NULL, length - j->length, 0.0, 0.0, &slope);
  for (int side = 0; side < 2; side++)
    if (j->body[side] != ALI3_GROUND) give += 1.0 / m->body[j->body[side]].spec.mass;
  return pull > 0.0 && pull * give * 0.25 * dt * dt > HARD * length ? pull / length : 0.0;
}

static bool compile_force(const ali3_model *m, struct frozen *f, int force, int link, double dt)
{
  const ali3_force_spec *spec = &m->force[force].spec;
  struct joint_rows *j = &f->link[link];
  double at_start;
  f->force_link[force] = link;
  f->force_of[link - m->joints] = force;
  rows_compile_force(m, force, f->link, j, &at_start);
  /* terms of the rows that depend on the step */
  const double sway = pulled_hard(m, force, j, dt, at_start);
  if (sway > 0.0) rows_add_sway(j, sway);
  f->values |= ali3_force_type_takes_command(spec->type);
  for (int k = 0; k < j->count && j->soft; k++) {
    f->switches |= law_switches(&j->law[k]);
    f->jumps |= law_jumps(&j->law[k]);
  }
  f->ranges |= rows_turn(j) || (j->soft && j->primitive[0].kind == ROW_LENGTH);
  j->drive = j->rolling = j->own = -1;
  const int own = j->soft ? rows_states(j) : 0;
  if (own > 0) j->own = f->own;
  f->own += own;
  f->asks_stiffness |= own > 0 || j->law[0].asked;
  if (spec->type == ALI3_FORCE_SPHERE_SPHERE && spec->friction > 0.0) j->rolling = f->rolling++;
  if (spec->type != ALI3_FORCE_DRIVE) return true;
  struct drive *drive = &f->drive[f->drives];
  *drive = (struct drive){.link = link, .force = force, .at_start = at_start};
  j->drive = f->drives++;
  return motion_compile(spec, at_start, &drive->motion);
}

static int compile_links(ali3_model *m, struct frozen *f, double dt)
{
  int link = m->joints;
  bool memory = true;
  for (int j = 0; j < m->joints; j++) {
    int status = rows_compile(m, j, &f->link[j]);
    if (status < 0) return status;
  }
  for (int i = 0; i < m->forces; i++)
    if (is_rigid(&m->force[i].spec)) memory &= compile_force(m, f, i, link++, dt);
  f->rigid_links = link;
  for (int i = 0; i < m->forces; i++)
    if (!is_rigid(&m->force[i].spec)) memory &= compile_force(m, f, i, link++, dt);
  return memory ? ALI3_OK : model_refuse(m, ALI3_E_MEMORY, "model", "", "out of memory");
}

/* Whether a rigid link joins bodies that others join already. root: room for the bodies and the ground. */
static bool has_loops(const ali3_model *m, const struct frozen *f, int *root)
{
  bool found = false;
  for (int b = 0; b <= m->bodies; b++) root[b] = b;
  for (int i = 0; i < f->rigid_links; i++) {
    int end[ROWS_SIDES], sides = f->link[i].sides;
    for (int side = 0; side < sides; side++) {
      const int body = f->link[i].body[side];
      for (end[side] = body == ALI3_GROUND ? m->bodies : body; root[end[side]] != end[side];)
        end[side] = root[end[side]];
      found |= side > 0 && end[side] == end[0];
      if (side > 0) root[end[side]] = end[0];
    }
  }
  return found;
}

/* Finds the first stop of each joint; further stops of a joint are ignored. stop: room for the number of joints. */
static void find_stops(const ali3_model *m, struct frozen *f, int *stop)
{
  for (int j = 0; j < m->joints; j++) stop[j] = -1;
  for (int i = m->forces - 1; i >= 0; i--)
    if (m->force[i].spec.type == ALI3_FORCE_STOP) stop[m->force[i].spec.joint] = f->force_link[i];
  for (int i = 0; i < f->links; i++) f->stop_beside[i] = -1;
  for (int i = 0; i < m->forces; i++)
    if (m->force[i].spec.type == ALI3_FORCE_FRICTION)
      f->stop_beside[f->force_link[i]] = stop[m->force[i].spec.joint];
}

/* Loads are not summed at set-up, because any load may get another vector while the model runs. */
static void list_loads(const ali3_model *m, struct frozen *f, int *fill)
{
  for (int i = 0; i < m->loads; i++) f->loads_first[m->load[i].spec.body + 1]++;
  fill[0] = 0;
  for (int b = 0; b < m->bodies; b++) fill[b + 1] = f->loads_first[b + 1] += f->loads_first[b];
  for (int i = 0; i < m->loads; i++) f->loads[fill[m->load[i].spec.body]++] = i;
}

static int make_chains(ali3_model *m, struct frozen *f, double dt)
{
  for (int i = 0; i < m->sensors; i++) {
    struct chain *c = &f->chain[i];
    if (!chain_make(c, m->sensor[i].name, &m->sensor[i].spec, dt))
      return model_refuse(m, ALI3_E_MODEL, "sensor", "delay",
                          "sensor '%.60s': expected a delay of at most %d steps of %g s, found %g s",
                          m->sensor[i].name, CHAIN_SAMPLES_MAX, dt, m->sensor[i].spec.delay);
    c->first = f->measured;
    f->measured += c->each * (size_t)c->channels;
  }
  return ALI3_OK;
}

/* The longest lever arm from a centre of mass to a connection. It depends neither on the unit of length nor on the world's
 * origin. Without lever arms it is the extent of the centres of mass, and 1 m if the extent is 0, too. */
static double find_length(const ali3_model *m, const struct frozen *f)
{
  double length = 0.0;
  for (int i = 0; i < f->links; i++) {
    const struct joint_rows *j = &f->link[i];
    for (int side = 0; side < 2 && side < j->sides; side++)
      if (j->body[side] != ALI3_GROUND) length = fmax(length, sqrt(v3_dot(j->point[side], j->point[side])));
  }
  const double arms = length;
  for (int i = 0; arms == 0.0 && i < 3; i++)
    for (int b = 0; b < m->bodies; b++)
      length = fmax(length, fabs(m->body[b].spec.position[i] - m->body[0].spec.position[i]));
  return length > 0.0 && isfinite(length) ? length : 1.0;
}

/* Far from the world's origin, coordinates have larger rounding errors than lever arms. */
static double find_rounding(const ali3_model *m, double length)
{
  double largest = 0.0;
  for (int b = 0; b < m->bodies; b++)
    for (int i = 0; i < 3; i++) largest = fmax(largest, fabs(m->body[b].spec.position[i]));
  return fmax(length, 0.01 * largest);
}

/* Sets the options that the user leaves to the library. */
static void set_assembly(ali3_options *o, double length)
{
  static const double POSITION = 0.005, PART = 0.05, ANGLE = 2.0 * 3.14159265358979323846 / 180.0;
  if (o->assembly_position == 0.0) o->assembly_position = fmin(POSITION, PART * length);
  if (o->assembly_angle == 0.0) o->assembly_angle = ANGLE;
}

static int refuse_excess(ali3_model *m, const struct frozen *f, const struct tree_excess *e)
{
  const bool body = e->body >= 0, joint = !body && e->joint < m->joints;
  const char *kind = body ? "body" : joint ? "joint" : "force";
  const char *name = body    ? m->body[e->body].name
                     : joint ? m->joint[e->joint].name
                             : m->force[f->force_of[e->joint - m->joints]].name;
  return model_refuse(
      m, ALI3_E_MODEL, "model", "joints",
      "%s '%.60s' is coupled to %d joints and forces: a step would need %.3g GB or more, expected "
      "at most %.3g GB; remove joints that repeat others, or make welded bodies one body",
      kind, name, e->joints, e->bytes / (1 << 30), TREE_FRONTS_MB / 1024.0);
}

/* The flows of an oil chamber are far faster than the motion, so an explicit method would need steps of microseconds. The stages
 * of an explicit method have no room for states of forces. */
static int refuse_states(ali3_model *m, const struct frozen *f, ali3_method method)
{
  for (int i = 0; i < m->forces && f->own > 0 && ali3_method_is_explicit(method); i++)
    if (f->link[f->force_link[i]].own >= 0)
      return model_refuse(
          m, ALI3_E_MODEL, "options", "method",
          "the method %s cannot follow the oil of cylinders, the current of motors and the tread of tyres, "
          "and force '%.60s' is of type %s; choose the method ali3 or energy",
          ali3_method_name(method), m->force[i].name, ali3_force_type_name(m->force[i].spec.type));
  return ALI3_OK;
}

/* Accelerations of a body without mass do not follow from its position and velocity. */
static int refuse_carried(ali3_model *m, const struct frozen *f, ali3_method method)
{
  for (int b = 0; b < m->bodies && ali3_method_is_explicit(method); b++)
    if (f->carried[b])
      return model_refuse(m, ALI3_E_MODEL, "options", "method",
                          "the method %s needs mass and inertia in every body, and body '%.60s' has none or "
                          "less than 1e-5 of the heaviest body beside it; choose the method ali3",
                          ali3_method_name(method), m->body[b].name);
  return ALI3_OK;
}

static int lay_out_tree(ali3_model *m, struct frozen *f)
{
  struct tree_excess excess = {0};
  f->kernels[0] = step_kernels(f->isa, 1);
  f->kernels[1] = step_kernels(f->isa, isa_lanes(f->isa));
  if (layout_build(m, f, &excess)) return ALI3_OK;
  if (excess.found) return refuse_excess(m, f, &excess);
  return model_refuse(m, ALI3_E_MEMORY, "model", "", "out of memory for the assembly tree");
}

/* --- the unknowns of an explicit method ---
 *
 * In coordinates of the bodies, an evaluation of accelerations takes rows and factors of all joints, in lanes: a group or tile
 * with one lane in use costs as much as a full one. In coordinates of joints it takes the limbs one after the other, and a dense
 * system of the rows that close loops. */

/* ns on a processor with lanes of eight, fitted to the times of thirteen mechanisms by both (tests/README.md). */
static const double GROUP = 50.0, FLOP = 0.134, LINK_TILE = 161.0, LINK_ROW = 38.0; /* in body coordinates */
static const double LIMB = 108.0, COLUMN = 19.0, CLOSURE_ROW = 104.0, PRODUCT = 1.02, CUBE = 0.011,
                    SOFT_LINK = 41.0; /* in joint coordinates */
static const double PAYS = 0.7;       /* the error of the estimate, and a shorter step for an equal error */

static double body_work(const struct frozen *f)
{
  const struct tree *t = f->tree;
  double sum = GROUP * t->groups + LINK_TILE * t->joint_tiles;
  for (int i = 0; i < t->groups; i++) {
    const struct tree_group *g = &t->group[i];
    const double p = g->pivot, boundary = g->boundary;
    sum += FLOP * (g->flops / g->used + 2.0 * p * p + 4.0 * p * boundary);
  }
  for (int i = 0; i < t->joint_tiles; i++) sum += LINK_ROW * t->tile[t->stored_joints.tile[i]].rows;
  return sum;
}

static double joint_work(const struct frozen *f, const struct limbs *l)
{
  const double rows = l->rows;
  double sum = LIMB * (l->count - 1) + COLUMN * l->columns + CLOSURE_ROW * rows + CUBE * rows * rows * rows +
               SOFT_LINK * (f->links - f->rigid_links);
  for (int i = 1; i < l->count; i++)
    if (l->limb[i].loaded) sum += PRODUCT * rows * l->chunks * l->limb[i].columns;
  return sum;
}

/* Trees whose step takes less time by the estimate. At an equal step, some mechanisms with loops are less accurate in joint
 * coordinates: a slider-crank 15 times with abm8, a Stewart platform 27 times with dp5. */
static bool joints_pay(const struct frozen *f, const struct limbs *l)
{
  return l->closures == 0 && joint_work(f, l) < PAYS * body_work(f);
}

static int choose_coordinates(ali3_model *m, struct frozen *f, const ali3_options *o)
{
  if (!ali3_method_is_explicit(o->method) || o->coordinates == ALI3_COORDINATES_BODY) return ALI3_OK;
  f->limbs = limbs_plan(m, f->link, f->rigid_links, f->isa);
  if (!f->limbs) return model_refuse(m, ALI3_E_MEMORY, "model", "", "out of memory for the spanning tree");
  for (int i = 1; i < f->limbs->count; i++) {
    const struct tree_body *b = &f->tree->body[f->limbs->limb[i].body];
    f->limbs->limb[i].steady = f->axes[stored_at(b, AXES_NUMBERS) + (size_t)(AXES_STEADY * b->width)] > 0.5;
  }
  if (o->coordinates == ALI3_COORDINATES_JOINT || joints_pay(f, f->limbs)) return ALI3_OK;
  limbs_free(f->limbs);
  f->limbs = NULL;
  return ALI3_OK;
}

static int build_frozen(ali3_model *m, struct frozen *f, const ali3_options *options)
{
  /* allocate all lists */
  size_t bodies = (size_t)m->bodies + 1;
  f->links = m->joints + m->forces;
  f->link = calloc((size_t)f->links + 1, sizeof *f->link);
  f->carried = calloc(bodies, sizeof *f->carried);
  f->typical = calloc(bodies, sizeof *f->typical);
  f->force_link = calloc((size_t)m->forces + 1, sizeof *f->force_link);
  f->force_of = calloc((size_t)m->forces + 1, sizeof *f->force_of);
  f->stop_beside = calloc((size_t)f->links + 1, sizeof *f->stop_beside);
  f->drive = calloc((size_t)m->forces + 1, sizeof *f->drive);
  f->loads_first = calloc(bodies, sizeof *f->loads_first);
  f->loads = calloc((size_t)m->loads + 1, sizeof *f->loads);
  f->chain = calloc((size_t)m->sensors + 1, sizeof *f->chain);
  int *fill = calloc(bodies, sizeof *fill), *stop = calloc((size_t)m->joints + 1, sizeof *stop);
  int status = ALI3_OK;
  if (!f->link || !f->carried || !f->typical || !f->force_link || !f->force_of || !f->stop_beside ||
      !f->drive || !f->loads_first || !f->loads || !f->chain || !fill || !stop)
    status = model_refuse(m, ALI3_E_MEMORY, "model", "", "out of memory");
  if (status == ALI3_OK) status = make_chains(m, f, options->dt);
  /* build the tree from the links */
  if (status == ALI3_OK) status = compile_links(m, f, options->dt / options->substeps);
  if (status == ALI3_OK) {
    f->loops = has_loops(m, f, fill);
    list_loads(m, f, fill);
    find_stops(m, f, stop);
    f->length = find_length(m, f);
    f->rounding = find_rounding(m, f->length);
    status = layout_find_carried(m, f) ? refuse_carried(m, f, options->method)
                                       : model_refuse(m, ALI3_E_MEMORY, "model", "", "out of memory");
  }
  if (status == ALI3_OK) status = refuse_states(m, f, options->method);
  if (status == ALI3_OK) status = lay_out_tree(m, f);
  if (status == ALI3_OK) status = choose_coordinates(m, f, options);
  free(fill);
  free(stop);
  return status;
}

static FLOAT_MODE_BODY ali3_status freeze_model(ali3_model *m, const ali3_options *options)
{
  /* refuse what the model cannot have */
  const ali3_options by_default = ali3_options_default();
  if (!m) return ALI3_E_ARGUMENT;
  if (!options) options = &by_default;
  if (m->frozen) return model_refuse(m, ALI3_E_FROZEN, "model", "", "the model is frozen already");
  int status = model_check_options(m, options);
  if (status < 0) return status;
  if (m->bodies == 0) return model_refuse(m, ALI3_E_MODEL, "model", "bodies", "expected at least one body");
  struct frozen *f = calloc(1, sizeof *f);
  if (!f) return model_refuse(m, ALI3_E_MEMORY, "model", "", "out of memory");
  f->isa = isa_best();
  if (options->isa[0]) isa_from_name(options->isa, &f->isa);
  status = build_frozen(m, f, options);
  if (status < 0) {
    frozen_free(f);
    return status;
  }
  const ali3_options as_given = m->options;
  m->options = *options;
  set_assembly(&m->options, f->length);
  /* A state of runs side by side is never saved. */
  if (m->copies == 0 && ali3_model_hash(m, m->hash) < 0) {
    m->options = as_given;
    frozen_free(f);
    return model_refuse(m, ALI3_E_MEMORY, "model", "", "out of memory for the hash of the model");
  }
  m->frozen = f;
  m->frozen_free = frozen_free;
  return ALI3_OK;
}

ali3_status ali3_model_freeze(ali3_model *m, const ali3_options *options)
{
  const uint64_t mode = float_mode_enter();
  const ali3_status status = freeze_model(m, options);
  float_mode_leave(mode);
  return status;
}

int ali3_model_rows(const ali3_model *m)
{
  return m && m->frozen ? m->frozen->true_rows : 0;
}

ali3_coordinates ali3_model_coordinates(const ali3_model *m)
{
  return m && m->frozen && m->frozen->limbs ? ALI3_COORDINATES_JOINT : ALI3_COORDINATES_BODY;
}

const char *ali3_model_isa(const ali3_model *m)
{
  return m && m->frozen ? isa_name(m->frozen->isa) : "";
}

/* Flops of one solve: P and twice K of each node; an ill-conditioned tree solves twice. */
static double solve_flops(const struct tree *t)
{
  double sum = 0.0;
  for (int i = 0; i < t->groups; i++) {
    double p = t->group[i].pivot, boundary = t->group[i].boundary;
    sum += t->group[i].used * (2.0 * p * p + 4.0 * p * boundary);
  }
  return t->ill_conditioned ? 2.0 * sum : sum;
}

double ali3_model_flops(const ali3_model *m)
{
  if (!m || !m->frozen) return 0.0;
  const struct frozen *f = m->frozen;
  const ali3_options *o = &m->options;
  double factors = f->switches ? o->iterations : 1,
         solves = o->iterations + 3; /* two of velocities, one of accelerations */
  if (o->extrapolate) {
    factors = 6.0 * factors + (f->jumps ? 1.0 : 0.0);
    solves = 6.0 * (o->iterations + 2.0);
  }
  if (data_is_explicit(
          m)) { /* each with a solve; then one for positions, one for velocities, one after inputs */
    factors = explicit_factorisations(o->method);
    solves = explicit_evaluations(o->method) + 3.0;
  }
  return o->substeps * (factors * f->tree->flops + solves * solve_flops(f->tree));
}

/* --- the stages of the tree, for callers --- */

int ali3_model_stages(const ali3_model *m)
{
  return m->frozen->tree->runs;
}

int ali3_model_bands(const ali3_model *m)
{
  return m->frozen->tree->bands;
}

ali3_band ali3_model_band(const ali3_model *m, int i)
{
  const struct tree_band *band = &m->frozen->tree->band[i];
  return (ali3_band){.first = band->first,
                     .end = band->end,
                     .separate = band->separate,
                     .condense = band->cost.condense,
                     .sweep = band->cost.sweep};
}

int ali3_model_stage_share(const ali3_model *m, int i, int shares)
{
  const struct tree *t = m->frozen->tree;
  const struct tree_band *band = t->band;
  double before = 0.0;
  while (band->end <= i) band++;
  if (!band->separate) return 0;
  for (int k = band->first; k < i; k++) before += tree_work_of(t->run[k].cost);
  return tree_share_of(before, tree_work_of(t->run[i].cost), tree_work_of(band->cost), shares);
}

ali3_stage ali3_model_stage(const ali3_model *m, int i)
{
  const struct tree *t = m->frozen->tree;
  const struct tree_run *run = &t->run[i];
  ali3_stage s = {.level = t->group[run->first].level,
                  .groups = run->end - run->first,
                  .flops = run->flops,
                  .condense = run->cost.condense,
                  .sweep = run->cost.sweep};
  for (int g = run->first; g < run->end; g++) {
    s.nodes += t->group[g].used;
    s.lanes += t->group[g].width;
  }
  return s;
}
