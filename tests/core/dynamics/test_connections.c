/* SPDX-License-Identifier: MIT
 * Rows of forces: coordinates of joints (a gear has two, with up to four bodies) and contacts.
 *
 * The rate of an angle is exact only if the joint is closed. So the test places bodies one after the other through their joints,
 * at known coordinates and rates. */
#include "check.h"
#include "common/states.h"
#include "dynamics/rows.h"
#include "math/euler.h"

#include <stdio.h>
#include <string.h>

enum { SEEDS = 20, MOST = ROWS_SIDES, G = ALI3_GROUND };

/* One body of a pair and its place in `mechanism`; the ground is the last. */
struct part {
  struct body_state x;
  struct body_frame f;
};

struct mechanism {
  ali3_model *m;
  int bodies, joints;
  ali3_joint_spec joint[2];
  double relative[2][4]; /* orientation of b in a at coordinate 0 */
  double at[2], rate[2]; /* coordinates now */
  struct part part[MOST + 1];
  struct joint_rows compiled[2], link;
  char what[160];
};

static struct part *part_of(struct mechanism *s, int body)
{
  return &s->part[body == G ? MOST : body];
}

/* Velocities of a rigid motion: v world, w body axes. */
static void set_motion(struct part *o, const double v[3], const double w[3])
{
  double y[BODY_Y] = {v[0], v[1], v[2], w[0], w[1], w[2], 0.0};
  body_frame_update(&o->f, &o->x);
  body_set_velocity(&o->x, &o->f, y);
}

/* R (a), R (w x a) */
static void arm_of(const struct body_frame *f, const double w[3], const double a[3], double arm[3],
                   double rate[3])
{
  double turn[3];
  v3_cross(turn, w, a);
  m3_mul(arm, f->R, a);
  m3_mul(rate, f->R, turn);
}

/* Places one body of joint k at the wanted coordinate and rate. The other body, on `side`, is in place. */
static void place(struct mechanism *s, int k, int side)
{
  const ali3_joint_spec *j = &s->joint[k];
  struct part *from = part_of(s, side ? j->body_b : j->body_a),
              *to = part_of(s, side ? j->body_a : j->body_b);
  bool turns = j->type == ALI3_JOINT_REVOLUTE;
  double angle = turns ? s->at[k] : 0.0, w_turn = turns ? s->rate[k] : 0.0;
  double slide = turns ? 0.0 : s->at[k], v_slide = turns ? 0.0 : s->rate[k];
  double q[4] = {cos(0.5 * angle)}, relative[4], R[9], y[BODY_Y], w[2][3], seen[3];
  for (int i = 0; i < 3; i++) q[1 + i] = sin(0.5 * angle) * j->axis_a[i];
  p_mul(relative, q, s->relative[k]);
  p_rotation(R, relative);
  body_velocity(&from->x, y);
  v3_copy(w[side], y + 3);
  if (side == 0) {
    p_mul(to->x.p, from->x.p, relative);
    for (int i = 0; i < 3; i++) seen[i] = w[0][i] + w_turn * j->axis_a[i];
    m3_tmul(w[1], R, seen);
  } else {
    const double back[4] = {relative[0], -relative[1], -relative[2], -relative[3]};
    p_mul(to->x.p, from->x.p, back);
    m3_mul(w[0], R, w[1]);
    v3_axpy(w[0], -w_turn, j->axis_a);
  }
  body_frame_update(&to->f, &to->x);
  const struct part *a = side ? to : from, *b = side ? from : to;
  double pa[3], arm[2][3], rate[2][3], along[3], sign = side ? -1.0 : 1.0, v[3];
  for (int i = 0; i < 3; i++) pa[i] = j->point_a[i] + slide * j->axis_a[i];
  arm_of(&a->f, w[0], pa, arm[0], rate[0]);
  arm_of(&b->f, w[1], j->point_b, arm[1], rate[1]);
  m3_mul(along, a->f.R, j->axis_a);
  for (int i = 0; i < 3; i++) {
    to->x.r[i] = from->x.r[i] + sign * (arm[0][i] - arm[1][i]);
    v[i] = from->x.rd[i] + sign * (rate[0][i] + v_slide * along[i] - rate[1][i]);
  }
  set_motion(to, v, w[1 - side]);
}

static void place_free(struct random *random, struct part *o)
{
  double v[3], w[3];
  random_vector(random, v, 3);
  random_vector(random, w, 3);
  for (int i = 0; i < 3; i++) w[i] *= 0.5;
  state_random(random, &o->x, &o->f, 1.0);
  set_motion(o, v, w);
}

/* Places all bodies, through the joints. */
static void place_all(struct mechanism *s, struct random *random)
{
  bool known[MOST] = {false};
  s->part[MOST] = (struct part){body_ground, body_ground_frame};
  for (int k = 0; k < s->joints; k++) {
    int a = s->joint[k].body_a, b = s->joint[k].body_b;
    bool has_a = a == G || known[a], has_b = b == G || known[b];
    if (has_a && has_b) continue; /* the pair has a joint on this axis already */
    if (!has_a && !has_b) {
      place_free(random, part_of(s, a));
      has_a = known[a] = true;
    }
    place(s, k, has_a ? 0 : 1);
    if (a != G) known[a] = true;
    if (b != G) known[b] = true;
  }
}

/* The bodies of the two joints. */
struct layout {
  const char *name;
  int joints, a[2], b[2], sides;
};

static const struct layout layouts[] = {
    {"one joint on the ground", 1, {G}, {0}, 2},
    {"one joint to the ground", 1, {0}, {G}, 2},
    {"one joint of two bodies", 1, {0}, {1}, 2},
    {"a pair, there and back", 2, {0, 1}, {1, 0}, 2},
    {"two on the ground", 2, {G, G}, {0, 1}, 3},
    {"two on the ground, from either side", 2, {G, 1}, {0, G}, 3},
    {"a body and its carrier", 2, {G, 0}, {0, 1}, 3},
    {"a shared b and a", 2, {0, 1}, {1, 2}, 3},
    {"a shared a", 2, {0, 0}, {1, 2}, 3},
    {"a shared b", 2, {0, 2}, {1, 1}, 3},
    {"two pairs", 2, {0, 2}, {1, 3}, 4},
    {"a pair and the ground", 2, {0, G}, {1, 2}, 4},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* types: bit k set: joint k is prismatic */
static void mechanism_make(struct mechanism *s, const struct layout *o, int types, int seed)
{
  struct random random = {(uint64_t)(1000 * types + seed)};
  bool again = o->joints == 2 && o->a[0] == o->b[1] && o->a[1] == o->b[0];
  *s = (struct mechanism){.m = ali3_model_new(), .joints = o->joints};
  snprintf(s->what, sizeof s->what, "%s, types %d, seed %d", o->name, types, seed);
  for (int k = 0; k < o->joints; k++) {
    ali3_joint_spec *j = &s->joint[k];
    double R[9];
    *j = (ali3_joint_spec){.name = k ? "J2" : "J1",
                           .type = types >> k & 1 ? ALI3_JOINT_PRISMATIC : ALI3_JOINT_REVOLUTE,
                           .body_a = o->a[k],
                           .body_b = o->b[k]};
    for (int i = 0; i < 2; i++) {
      int body = i ? o->b[k] : o->a[k];
      if (body >= s->bodies) s->bodies = body + 1;
    }
    random_vector(&random, j->point_a, 3);
    random_vector(&random, j->point_b, 3);
    random_unit(&random, j->axis_a, 3);
    random_unit(&random, s->relative[k], 4);
    if (again && k == 1) {
      const double *q = s->relative[0], back[4] = {q[0], -q[1], -q[2], -q[3]};
      memcpy(s->relative[1], back, sizeof back);
      memcpy(j->axis_a, s->joint[0].axis_b, sizeof j->axis_a);
      memcpy(j->point_a, s->joint[0].point_b, sizeof j->point_a);
      memcpy(j->point_b, s->joint[0].point_a, sizeof j->point_b);
    }
    p_rotation(R, s->relative[k]);
    m3_tmul(j->axis_b, R, j->axis_a);
  }
  place_all(s, &random);
  for (int b = 0; b < s->bodies; b++) {
    ali3_body_spec spec = {.name = (const char *[]){"A", "B", "C", "D"}[b], .mass = 1.0};
    random_inertia(&random, spec.inertia);
    memcpy(spec.position, s->part[b].x.r, sizeof spec.position);
    memcpy(spec.orientation, s->part[b].x.p, sizeof spec.orientation);
    assert_int_equal(ali3_model_add_body(s->m, &spec), b);
  }
  for (int k = 0; k < s->joints; k++) {
    assert_int_equal(ali3_model_add_joint(s->m, &s->joint[k]), k);
    assert_int_equal(rows_compile(s->m, k, &s->compiled[k]), ALI3_OK);
    s->at[k] = s->joint[k].type == ALI3_JOINT_REVOLUTE ? random_between(&random, -10, 10)
                                                       : random_between(&random, -1, 1);
    s->rate[k] = random_between(&random, -1, 1);
  }
  if (again) {
    s->at[1] = -s->at[0];
    s->rate[1] = -s->rate[0];
  }
  place_all(s, &random);
}

/* Phi of the link with every side moved along its own straight line. */
static void residual_along(const struct joint_rows *j, const struct joint_view *view,
                           const struct body_state *line, double t, double *Phi)
{
  struct body_state x[MOST];
  struct body_frame f[MOST];
  struct joint_view v = *view;
  double J[ROWS_MAX * MOST * BODY_Y];
  for (int side = 0; side < j->sides; side++) {
    x[side] = state_along(&line[side], t);
    body_frame_update(&f[side], &x[side]);
    v.x[side] = &x[side];
    v.f[side] = &f[side];
  }
  rows_evaluate(j, &v, Phi, J);
}

static void derivatives(const struct joint_rows *j, const struct joint_view *v, const struct body_state *line,
                        double step, double *first, double *second)
{
  enum { POINTS = 5 };
  static const double w1[POINTS] = {1, -8, 0, 8, -1}, w2[POINTS] = {-1, 16, -30, 16, -1};
  double Phi[POINTS][ROWS_MAX];
  for (int p = 0; p < POINTS; p++) residual_along(j, v, line, (p - 2) * step, Phi[p]);
  for (int i = 0; i < j->count; i++) {
    first[i] = second[i] = 0.0;
    for (int p = 0; p < POINTS; p++) {
      first[i] += w1[p] * Phi[p][i] / (12.0 * step);
      second[i] += w2[p] * Phi[p][i] / (12.0 * step * step);
    }
  }
}

/* J, rate and bias of the first `count` rows by differences of Phi. */
static void check_rows(const char *what, const struct joint_rows *j, const struct joint_view *v, int count)
{
  double Phi[ROWS_MAX], J[ROWS_MAX * MOST * BODY_Y], first[ROWS_MAX], second[ROWS_MAX], rate[ROWS_MAX],
      bias[ROWS_MAX];
  struct body_state now[MOST], line[MOST];
  int stride = BODY_Y * j->sides;
  for (int side = 0; side < j->sides; side++) now[side] = *v->x[side];
  rows_evaluate(j, v, Phi, J);
  for (int side = 0; side < j->sides; side++)
    for (int k = 0; k < BODY_Y && j->body[side] != G; k++) {
      double e[BODY_Y] = {0};
      memcpy(line, now, sizeof line);
      for (int s = 0; s < j->sides; s++) body_set_velocity(&line[s], v->f[s], e);
      e[k] = 1.0;
      body_set_velocity(&line[side], v->f[side], e);
      derivatives(j, v, line, 0.002, first, second);
      for (int i = 0; i < count; i++) assert_near_in(what, J[stride * i + BODY_Y * side + k], first[i], 1e-9);
    }
  rows_rate(j, v, J, rate);
  rows_bias(j, v, bias);
  derivatives(j, v, now, 0.002, first, second);
  for (int i = 0; i < count; i++) assert_near_in(what, rate[i], first[i], 1e-9);
  derivatives(j, v, now, 0.01, first, second);
  for (int i = 0; i < count; i++) assert_near_in(what, bias[i], second[i], 1e-6);
}

static struct joint_view view_of(struct mechanism *s, const struct joint_rows *j)
{
  struct joint_view v = {.turn = {0, 0}};
  for (int side = 0; side < j->sides; side++) {
    v.x[side] = &part_of(s, j->body[side])->x;
    v.f[side] = &part_of(s, j->body[side])->f;
  }
  return v;
}

static void compile(struct mechanism *s, const ali3_force_spec *spec)
{
  double at_start;
  if (ali3_model_add_force(s->m, spec) < 0) fail_msg("%s: %s", s->what, ali3_model_problem(s->m)->text);
  rows_compile_force(s->m, ali3_model_forces(s->m) - 1, s->compiled, &s->link, &at_start);
  assert_near_in(s->what, at_start, 0.0, 1e-12);
}

TEST(coordinate_rate_and_bias_of_what_acts_on_a_joint)
{
  const ali3_force_type types[] = {ALI3_FORCE_JOINT_SPRING, ALI3_FORCE_STOP, ALI3_FORCE_FRICTION,
                                   ALI3_FORCE_MOTOR, ALI3_FORCE_DRIVE};
  for (int o = 0; layouts[o].joints == 1; o++)
    for (int slides = 0; slides < 2; slides++)
      for (size_t type = 0; type < sizeof types / sizeof *types; type++)
        for (int seed = 1; seed <= SEEDS; seed++) {
          struct mechanism s;
          mechanism_make(&s, &layouts[o], slides, seed);
          ali3_force_spec spec = ali3_force_spec_default(types[type]);
          bool spring = types[type] == ALI3_FORCE_JOINT_SPRING;
          double rest = spring ? 0.3 : 0.0, rate, Phi, J[MOST * BODY_Y];
          spec.name = "F";
          spec.stiffness[0] = spec.friction = spec.damping[0] = 1.0;
          spec.upper = 1.0;
          if (spring) spec.rest = rest;
          compile(&s, &spec);
          assert_int_equal(s.link.sides, 2);
          assert_int_equal(s.link.count, 1);
          assert_true(s.link.soft == (types[type] != ALI3_FORCE_DRIVE));
          struct joint_view v = view_of(&s, &s.link);
          v.turn[0] = s.at[0] + 2.9; /* anything within half a turn */
          rows_evaluate(&s.link, &v, &Phi, J);
          rows_rate(&s.link, &v, J, &rate);
          assert_near_in(s.what, Phi, s.at[0] - rest, 1e-12);
          assert_near_in(s.what, rate, s.rate[0], 1e-12);
          check_rows(s.what, &s.link, &v, 1);
          ali3_model_free(s.m);
        }
}

TEST(a_gear_joins_two_to_four_bodies)
{
  int seen[MOST + 1] = {0};
  for (int o = 0; o < LAYOUTS; o++)
    for (int types = 0; types < 4 && layouts[o].joints == 2; types++)
      for (int seed = 1; seed <= SEEDS; seed++) {
        struct mechanism s;
        if (layouts[o].sides == 2 && types) continue; /* both joints are on one axis */
        mechanism_make(&s, &layouts[o], types, seed);
        struct random random = {(uint64_t)seed};
        ali3_force_spec spec = ali3_force_spec_default(ALI3_FORCE_GEAR);
        double rate, Phi, J[MOST * BODY_Y];
        spec.name = "F";
        spec.joint_b = 1;
        spec.ratio = random_between(&random, 0.2, 3) * (seed % 2 ? 1 : -1);
        compile(&s, &spec);
        assert_int_equal(s.link.sides, layouts[o].sides);
        assert_false(s.link.soft);
        for (int side = 0; side < s.link.sides; side++)
          for (int other = 0; other < side; other++)
            assert_int_not_equal(s.link.body[side], s.link.body[other]);
        seen[s.link.sides]++;
        struct joint_view v = view_of(&s, &s.link);
        v.turn[0] = s.at[0] - 2.9;
        v.turn[1] = s.at[1] + 2.9;
        rows_evaluate(&s.link, &v, &Phi, J);
        rows_rate(&s.link, &v, J, &rate);
        assert_near_in(s.what, Phi, s.at[0] - spec.ratio * s.at[1], 1e-12);
        assert_near_in(s.what, rate, s.rate[0] - spec.ratio * s.rate[1], 1e-12);
        check_rows(s.what, &s.link, &v, 1);
        ali3_model_free(s.m);
      }
  assert_true(seen[2] && seen[3] && seen[4]);
}

/* If the joint is open, the rate is still J y', but not the derivative of the angle, and the bias is that of the turning axis. On
 * a closed joint the bias of an angle is 0. */
TEST(the_bias_of_an_angle_is_the_change_of_its_rate_off_the_joint_too)
{
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct mechanism s;
    struct random random = {(uint64_t)seed};
    const double e = 1e-5;
    double Phi, J[MOST * BODY_Y], rate[2], bias;
    mechanism_make(&s, &layouts[2], 0, seed);
    ali3_force_spec spec = ali3_force_spec_default(ALI3_FORCE_MOTOR);
    spec.name = "F";
    compile(&s, &spec);
    for (int b = 0; b < 2; b++) place_free(&random, &s.part[b]);
    struct part from[2] = {s.part[0], s.part[1]};
    struct joint_view v = view_of(&s, &s.link);
    rows_bias(&s.link, &v, &bias);
    for (int i = 0; i < 2; i++) {
      for (int b = 0; b < 2; b++) {
        s.part[b].x = state_along(&from[b].x, i ? e : -e);
        body_frame_update(&s.part[b].f, &s.part[b].x);
      }
      rows_evaluate(&s.link, &v, &Phi, J);
      rows_rate(&s.link, &v, J, &rate[i]);
    }
    assert_near_in(s.what, bias, (rate[1] - rate[0]) / (2 * e), 1e-8);
    ali3_model_free(s.m);
  }
}

/* A contact between two bodies, or a body and the ground, at random states. */
struct contact {
  ali3_model *m;
  ali3_force_spec spec;
  struct joint_rows link;
  struct part part[2];
  struct joint_view v;
  char what[80];
};

/* unit: rigid motions with unit Euler parameters; otherwise any states. */
static void contact_make(struct contact *c, bool plane, int ground, int seed, bool unit)
{
  struct random random = {(uint64_t)seed};
  *c = (struct contact){.m = ali3_model_new()};
  snprintf(c->what, sizeof c->what, "%s, ground %d, seed %d", plane ? "sphere_plane" : "sphere_sphere",
           ground, seed);
  c->spec = ali3_force_spec_default(plane ? ALI3_FORCE_SPHERE_PLANE : ALI3_FORCE_SPHERE_SPHERE);
  c->spec.name = "C";
  for (int side = 0; side < 2; side++) {
    ali3_body_spec body = {.name = side ? "b" : "a", .mass = 1.0, .orientation = {1.0}};
    int index = G;
    random_inertia(&random, body.inertia);
    if (side != ground) index = ali3_model_add_body(c->m, &body);
    *(side ? &c->spec.body_b : &c->spec.body_a) = index;
    if (unit)
      place_free(&random, &c->part[side]);
    else
      state_random(&random, &c->part[side].x, &c->part[side].f, random_between(&random, 0.9, 1.1));
    if (side == ground) c->part[side] = (struct part){body_ground, body_ground_frame};
    c->v.x[side] = &c->part[side].x;
    c->v.f[side] = &c->part[side].f;
  }
  random_vector(&random, c->spec.point_a, 3);
  random_vector(&random, c->spec.point_b, 3);
  c->spec.point_b[0] += 5.0; /* far apart, where |d| is smooth */
  random_unit(&random, c->spec.normal, 3);
  for (int i = 0; i < 3; i++) c->spec.normal[i] *= 3.0;
  c->spec.radius_a = 0.7;
  c->spec.radius_b = random_between(&random, 0.2, 1);
  c->spec.friction = 0.5;
  c->spec.stiffness[0] = 1.0;
  if (ali3_model_add_force(c->m, &c->spec) < 0) fail_msg("%s", ali3_model_problem(c->m)->text);
  rows_compile_force(c->m, 0, NULL, &c->link, &(double){0});
  assert_int_equal(c->link.count, 3);
}

#define EACH_CONTACT(c, unit)                                                                                \
  for (int plane_ = 0; plane_ < 2; plane_++)                                                                 \
    for (int ground_ = -1; ground_ < 2; ground_++)                                                           \
      for (int seed_ = 1; seed_ <= SEEDS; seed_++)                                                           \
        for (struct contact c, *once_ = (contact_make(&c, plane_, ground_, seed_, unit), &c); once_;         \
             ali3_model_free(c.m), once_ = NULL)

TEST(the_gap_of_a_contact_has_its_derivatives)
{
  EACH_CONTACT(c, false) check_rows(c.what, &c.link, &c.v, 1);
}

/* Direction out of a, centre of the sphere b, point of contact, in world axes. */
static void geometry(const struct contact *c, double n[3], double centre[3], double P[3])
{
  double a[3], d[3];
  m3_mul(centre, c->part[1].f.R, c->spec.point_b);
  v3_axpy(centre, 1.0, c->part[1].x.r);
  m3_mul(a, c->part[0].f.R, c->spec.point_a);
  v3_axpy(a, 1.0, c->part[0].x.r);
  v3_sub(d, centre, a);
  if (c->spec.type == ALI3_FORCE_SPHERE_PLANE) m3_mul(d, c->part[0].f.R, c->spec.normal);
  double norm = sqrt(v3_dot(d, d));
  for (int i = 0; i < 3; i++) {
    n[i] = d[i] / norm;
    P[i] = centre[i] - c->spec.radius_b * n[i];
  }
}

static void material_velocity(const struct part *o, const double P[3], double v[3])
{
  double y[BODY_Y], w[3], arm[3], turn[3];
  body_velocity(&o->x, y);
  m3_mul(w, o->f.R, y + 3);
  v3_sub(arm, P, o->x.r);
  v3_cross(turn, w, arm);
  for (int i = 0; i < 3; i++) v[i] = y[i] + turn[i];
}

TEST(sliding_is_the_motion_of_the_material_points_at_the_contact)
{
  EACH_CONTACT(c, true)
  {
    double n[3], centre[3], P[3], v[2][3], slide[3], Phi[3], J[3 * 2 * BODY_Y], rate[3], bias[3];
    geometry(&c, n, centre, P);
    rows_evaluate(&c.link, &c.v, Phi, J);
    rows_rate(&c.link, &c.v, J, rate);
    rows_bias(&c.link, &c.v, bias);
    for (int side = 0; side < 2; side++) material_velocity(&c.part[side], P, v[side]);
    v3_sub(slide, v[1], v[0]);
    const double *t[2] = {J + 3 * BODY_Y, J + 5 * BODY_Y}; /* b moves along them with their sign */
    for (int i = 0; i < 2; i++) {
      assert_near_in(c.what, v3_dot(t[i], n), 0.0, 1e-14);
      assert_near_in(c.what, v3_dot(t[i], t[i]), 1.0, 1e-14);
      assert_near_in(c.what, rate[1 + i], v3_dot(t[i], slide), 1e-13);
      assert_true(Phi[1 + i] == 0.0 && bias[1 + i] == 0.0);
    }
    assert_near_in(c.what, v3_dot(t[0], t[1]), 0.0, 1e-14);
    assert_near_in(c.what, rate[0], v3_dot(n, slide), 1e-13); /* the gap opens as the points separate */
  }
}

/* Forces add up to zero, and so do their moments about the origin. */
TEST(action_is_reaction_at_a_contact)
{
  EACH_CONTACT(c, true)
  {
    double Phi[3], J[3 * 2 * BODY_Y];
    rows_evaluate(&c.link, &c.v, Phi, J);
    for (int k = 0; k < 3; k++) {
      double force[3] = {0}, moment[3] = {0};
      for (int side = 0; side < 2; side++) {
        const double *row = J + BODY_Y * (2 * k + side);
        double turn[3], arm[3];
        m3_mul(turn, c.part[side].f.R, row + 3);
        v3_cross(arm, c.part[side].x.r, row);
        v3_axpy(force, 1.0, row);
        v3_axpy(moment, 1.0, turn);
        v3_axpy(moment, 1.0, arm);
      }
      for (int i = 0; i < 3; i++) {
        assert_near_in(c.what, force[i], 0.0, 1e-14);
        assert_near_in(c.what, moment[i], 0.0, 1e-13);
      }
    }
  }
}

TEST(what_a_contact_reports_acts_at_its_point_b)
{
  EACH_CONTACT(c, true)
  {
    struct random random = {(uint64_t)seed_};
    double n[3], centre[3], P[3], Phi[3], J[3 * 2 * BODY_Y], lambda[3], force[3], torque[3],
        F[3] = {0}, arm[3], moment[3];
    geometry(&c, n, centre, P);
    rows_evaluate(&c.link, &c.v, Phi, J);
    random_vector(&random, lambda, 3);
    rows_reaction(&c.link, &c.v, J, lambda, force, torque);
    v3_axpy(F, -lambda[0], n);
    for (int i = 0; i < 2; i++) v3_axpy(F, -lambda[1 + i], J + (3 + 2 * i) * BODY_Y);
    v3_sub(arm, P, centre);
    v3_cross(moment, arm, F);
    for (int i = 0; i < 3; i++) {
      assert_near_in(c.what, force[i], F[i], 1e-14);
      assert_near_in(c.what, torque[i], moment[i], 1e-13);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coordinate_rate_and_bias_of_what_acts_on_a_joint),
      cmocka_unit_test(a_gear_joins_two_to_four_bodies),
      cmocka_unit_test(the_bias_of_an_angle_is_the_change_of_its_rate_off_the_joint_too),
      cmocka_unit_test(the_gap_of_a_contact_has_its_derivatives),
      cmocka_unit_test(sliding_is_the_motion_of_the_material_points_at_the_contact),
      cmocka_unit_test(action_is_reaction_at_a_contact),
      cmocka_unit_test(what_a_contact_reports_acts_at_its_point_b),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
