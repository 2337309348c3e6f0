/* SPDX-License-Identifier: MIT
 * Joint coordinates and the recursions of paper 2: against the dense twin, and against Hamilton's and Lagrange's
 * equations with derivatives by differences of energies. */
#include "coordinates/joint.h"
#include "coordinates/problem_make.h"
#include "formulations/mechanism.h"
#include "integrators/linear.h"
#include "integrators/state.h"
#include "links/links.h"
#include "math/euler.h"
#include "model/model.h"

#include "check.h"

#include <ali3/stepper.h>
#include <string.h>

enum { UNKNOWNS = MECHANISM_BODIES, ROWS = 12, STATES = 100, ORACLE_STATES = 10 };

/* ---- mechanisms in space: bodies and joints anywhere, so that joints are closed by construction ---- */

static void random_vector(unsigned *seed, double scale, double o[3])
{
  for (int i = 0; i < 3; i++) o[i] = scale * mechanism_random(seed);
}

static void add_body_in_space(struct mechanism *o, const char *name, unsigned *seed)
{
  ali3_body_spec spec = {.name = name,
                         .mass = 1.5 + 0.5 * mechanism_random(seed),
                         .inertia = {0.4, 0.02, 0, 0.02, 0.3, 0.01, 0, 0.01, 0.5}};
  random_vector(seed, 1, spec.position);
  for (int i = 0; i < 4; i++) spec.orientation[i] = mechanism_random(seed);
  p_normalise(spec.orientation);
  assert_true(ali3_model_add_body(o->m, &spec) >= 0);
}

/* A point or a direction of the world in the frame of a body. */
static void see_from_body(const struct mechanism *o, int body, const double world[3], bool point,
                          double seen[3])
{
  double R[9], arm[3];
  memcpy(seen, world, 3 * sizeof *seen);
  if (body == ALI3_GROUND) return;
  p_rotation(R, o->m->body[body].spec.orientation);
  memcpy(arm, world, sizeof arm);
  if (point) v3_axpy(arm, -1, o->m->body[body].spec.position);
  m3_tmul(seen, R, arm);
}

static void add_joint_in_space(struct mechanism *o, const char *name, ali3_joint_type type, int a, int b,
                               unsigned *seed)
{
  ali3_joint_spec spec = {.name = name, .type = type, .body_a = a, .body_b = b};
  double place[3], axis[3], u[3], v[3], size;
  random_vector(seed, 1, place);
  random_vector(seed, 1, axis);
  size = sqrt(v3_dot(axis, axis));
  for (int i = 0; i < 3; i++) axis[i] /= size;
  v3_perpendicular(axis, u, v);
  see_from_body(o, a, place, true, spec.point_a);
  see_from_body(o, b, place, true, spec.point_b);
  if (ali3_joint_type_has_axis_a(type)) see_from_body(o, a, axis, false, spec.axis_a);
  if (ali3_joint_type_has_axis_b(type))
    see_from_body(o, b, type == ALI3_JOINT_UNIVERSAL ? u : axis, false, spec.axis_b);
  /* The sign of an axis does not change the joint. */
  for (int i = 0; type == ALI3_JOINT_REVOLUTE && b % 3 == 1 && i < 3; i++) spec.axis_b[i] = -spec.axis_b[i];
  assert_true(ali3_model_add_joint(o->m, &spec) >= 0);
}

/* A tree of 8 links with revolute and prismatic joints; cut: a joint of this type between two of its branches, and
 * one from a branch to the ground. */
static struct mechanism tree_in_space(bool loops, ali3_joint_type cut)
{
  static const int parent[8] = {ALI3_GROUND, 0, 1, 2, 1, 4, 5, 6};
  struct mechanism o = mechanism_new();
  unsigned seed = 11;
  for (int b = 0; b < 8; b++) add_body_in_space(&o, (char[]){'A', (char)('0' + b), 0}, &seed);
  for (int b = 0; b < 8; b++) {
    const ali3_joint_type type = b == 2 || b == 6 ? ALI3_JOINT_PRISMATIC : ALI3_JOINT_REVOLUTE;
    /* Now and then the outer body is body a of its joint. */
    const bool turned = b % 3 == 2 || b == 6;
    add_joint_in_space(&o, (char[]){'J', (char)('0' + b), 0}, type, turned ? b : parent[b],
                       turned ? parent[b] : b, &seed);
  }
  if (loops) {
    add_joint_in_space(&o, "loop", cut, 3, 7, &seed);
    add_joint_in_space(&o, "guide", ALI3_JOINT_POINT_IN_PLANE, ALI3_GROUND, 5, &seed);
  }
  mechanism_ready(&o);
  return o;
}

/* A loop whose cut joint has the chain as body a. */
static struct mechanism turned_loop(void)
{
  struct mechanism o = mechanism_new();
  const int a = mechanism_rod(&o, "A", 0, 0, 0, 1), b = mechanism_rod(&o, "B", 0, 1, 2, 1.5),
            c = mechanism_rod(&o, "C", 2, 1.5, 2.5, 0);
  mechanism_pin(&o, "J1", a, ALI3_GROUND, 0, 0);
  mechanism_pin(&o, "J2", a, b, 0, 1);
  mechanism_pin(&o, "J3", c, b, 2, 1.5);
  mechanism_pin(&o, "J4", c, ALI3_GROUND, 2.5, 0);
  mechanism_ready(&o);
  return o;
}

/* ---- the system at a state, from the description's functions alone ---- */

struct oracle {
  const struct problem *p;
  double q[UNKNOWNS], qd[UNKNOWNS], M[UNKNOWNS * UNKNOWNS], Phi[ROWS], Phi_q[ROWS * UNKNOWNS], K[ROWS * ROWS];
};

/* df/dx at 0 by differences of order 8; f(x) has `count` numbers. speed: of the fastest coordinate. */
static void differentiate(void (*f)(void *user, double x, double *o), void *user, double speed, int count,
                          double *o)
{
  static const double weight[4] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
  const double step = 0.02 / speed;
  double side[2][ROWS * UNKNOWNS + UNKNOWNS * UNKNOWNS];
  memset(o, 0, sizeof *o * (size_t)count);
  for (int k = 0; k < 4; k++) {
    f(user, (k + 1) * step, side[0]);
    f(user, -(k + 1) * step, side[1]);
    for (int i = 0; i < count; i++) o[i] += weight[k] * (side[0][i] - side[1][i]) / step;
  }
}

struct moved_state {
  const struct oracle *o;
  int coordinate; /* -1: all, along q' */
};

static void move_state(const struct moved_state *s, double x, double q[UNKNOWNS])
{
  memcpy(q, s->o->q, sizeof s->o->q);
  for (int i = 0; i < s->o->p->n; i++)
    if (s->coordinate < 0)
      q[i] += x * s->o->qd[i];
    else if (s->coordinate == i)
      q[i] += x;
}

/* T - V with q' held, and Phi */
static void moved_energy(void *user, double x, double *o)
{
  const struct moved_state *s = user;
  const struct problem *p = s->o->p;
  double q[UNKNOWNS], kinetic, potential, Phi_q[ROWS * UNKNOWNS];
  move_state(s, x, q);
  p->kind->energy(p, NOW(p), q, s->o->qd, &kinetic, &potential);
  o[0] = kinetic - potential;
  p->kind->rows(p, NOW(p), q, o + 1, Phi_q);
}

/* Phi_q, then M */
static void moved_matrices(void *user, double x, double *o)
{
  const struct moved_state *s = user;
  const struct problem *p = s->o->p;
  double q[UNKNOWNS], Phi[ROWS];
  move_state(s, x, q);
  p->kind->rows(p, NOW(p), q, Phi, o);
  p->kind->inertia(p, q, o + p->m * p->n);
}

static void set_matrices(struct oracle *o)
{
  const struct problem *p = o->p;
  double work[ROWS * ROWS], column[UNKNOWNS];
  p->kind->rows(p, NOW(p), o->q, o->Phi, o->Phi_q);
  p->kind->inertia(p, o->q, o->M);
  assert_true(chol_factor(o->M, p->n, p->n));
  for (int i = 0; i < p->m; i++) {
    memcpy(column, o->Phi_q + p->n * i, sizeof *column * (size_t)p->n);
    chol_solve(o->M, p->n, p->n, column);
    memset(work + p->m * i, 0, sizeof *work * (size_t)p->m);
    add_product(work + p->m * i, 1, o->Phi_q, column, p->m, p->n);
  }
  pseudo_inverse(o->K, work, p->m, 1e-10);
}

/* M x = b + Phi_q'sigma, Phi_q x = c; x over b. */
static void solve_with_rows(const struct oracle *o, double *b, const double *c, double *sigma)
{
  const struct problem *p = o->p;
  double rest[ROWS] = {0}, x[UNKNOWNS];
  memcpy(x, b, sizeof *x * (size_t)p->n);
  chol_solve(o->M, p->n, p->n, x);
  for (int i = 0; i < p->m; i++) rest[i] = c[i];
  add_product(rest, -1, o->Phi_q, x, p->m, p->n);
  memset(sigma, 0, sizeof *sigma * ROWS);
  add_product(sigma, 1, o->K, rest, p->m, p->m);
  add_transposed(b, 1, o->Phi_q, sigma, p->m, p->n);
  chol_solve(o->M, p->n, p->n, b);
}

/* Phi_q against differences; d(T - V)/dq into slope. */
static void slope_of_energy(const char *name, struct oracle *o, double *slope)
{
  for (int j = 0; j < o->p->n; j++) {
    struct moved_state moved = {o, j};
    double rate[1 + ROWS];
    differentiate(moved_energy, &moved, 1, 1 + o->p->m, rate);
    slope[j] = rate[0];
    for (int i = 0; i < o->p->m; i++) assert_near_in(name, o->Phi_q[o->p->n * i + j], rate[1 + i], 1e-11);
  }
}

/* q' = M^-1 (p + Phi_q'sigma), Phi_q q' = 0;  p' = d(T - V)/dq - d(Phi_q)/dt'sigma */
static void check_hamilton(const char *name, const struct lab_state *s)
{
  struct oracle o = {.p = s->problem};
  const int n = o.p->n, m = o.p->m;
  double none[ROWS] = {0}, sigma[ROWS], pd[UNKNOWNS], rates[ROWS * UNKNOWNS + UNKNOWNS * UNKNOWNS];
  memcpy(o.q, s->q, sizeof *o.q * (size_t)n);
  set_matrices(&o);
  memcpy(o.qd, s->w, sizeof *o.qd * (size_t)n);
  solve_with_rows(&o, o.qd, none, sigma);
  slope_of_energy(name, &o, pd);
  struct moved_state along = {&o, -1};
  differentiate(moved_matrices, &along, 1 + largest_entry(o.qd, n), m * n, rates);
  add_transposed(pd, -1, rates, sigma, m, n);
  const double scale = 1 + largest_entry(pd, n);
  for (int i = 0; i < n; i++) {
    assert_near_in(name, s->qd[i], o.qd[i], 1e-11 * (1 + largest_entry(o.qd, n)));
    assert_near_in(name, s->wd[i], pd[i], 1e-10 * scale);
  }
}

/* M q'' = d(T - V)/dq - M' q' + Phi_q'lambda, Phi_q q'' = -d(Phi_q)/dt q' */
static void check_lagrange(const char *name, const struct lab_state *s)
{
  struct oracle o = {.p = s->problem};
  const int n = o.p->n, m = o.p->m;
  double c[ROWS] = {0}, bias[ROWS], f[UNKNOWNS], lambda[ROWS], b[UNKNOWNS],
         rates[ROWS * UNKNOWNS + UNKNOWNS * UNKNOWNS];
  memcpy(o.q, s->q, sizeof *o.q * (size_t)n);
  memcpy(o.qd, s->w, sizeof *o.qd * (size_t)n);
  set_matrices(&o);
  slope_of_energy(name, &o, b);
  struct moved_state along = {&o, -1};
  differentiate(moved_matrices, &along, 1 + largest_entry(o.qd, n), m * n + n * n, rates);
  add_product(b, -1, rates + m * n, o.qd, n, n);
  add_product(c, -1, rates, o.qd, m, n);
  /* The description's own f and bias. */
  o.p->kind->force(o.p, NOW(o.p), o.q, o.qd, f);
  o.p->kind->bias(o.p, NOW(o.p), o.q, o.qd, bias);
  const double load = 1 + largest_entry(b, n);
  for (int i = 0; i < n; i++) assert_near_in(name, f[i], b[i], 1e-10 * load);
  for (int i = 0; i < m; i++) assert_near_in(name, bias[i], -c[i], 1e-10 * load);
  solve_with_rows(&o, b, c, lambda);
  for (int i = 0; i < n; i++) assert_near_in(name, s->wd[i], b[i], 1e-9 * (1 + largest_entry(b, n)));
}

/* ---- all forms at random states ---- */

struct joint_case {
  const char *name;
  double spread; /* random states: rows of angles lose their sense far from the closed loop */
  struct mechanism o;
};
enum { JOINT_CASES = 10 };

static void make_joint_cases(struct joint_case *c)
{
  const struct joint_case made[JOINT_CASES] = {
      {"open chain of 7", 1, mechanism_chain(7, false)},
      {"loop of 4", 1, mechanism_chain(4, true)},
      {"loop of 8", 1, mechanism_chain(8, true)},
      {"turned loop", 1, turned_loop()},
      {"loop on a coupler", 1, mechanism_with_loop()},
      {"slider", 1, mechanism_slider(0.3)},
      {"tree in space", 1, tree_in_space(false, ALI3_JOINT_SPHERICAL)},
      {"spherical cut", 1, tree_in_space(true, ALI3_JOINT_SPHERICAL)},
      {"cylindrical cut", 0.1, tree_in_space(true, ALI3_JOINT_CYLINDRICAL)},
      {"universal cut", 0.3, tree_in_space(true, ALI3_JOINT_UNIVERSAL)}};
  memcpy(c, made, sizeof made);
}

static struct lab_state *state_of(const struct problem *p, struct lab_run *r, struct lab_result *result,
                                  const char *method)
{
  *r = lab_run_default();
  *result = (struct lab_result){0};
  r->formulation = lab_find_formulation(method);
  r->integrator = lab_find_integrator("ode45");
  struct lab_state *s = state_new(p, r, result);
  assert_non_null(s);
  return s;
}

static void evaluate_at(struct lab_state *s, const double *q, const double *w)
{
  memcpy(s->q, q, sizeof *q * (size_t)s->n);
  memcpy(s->w, w, sizeof *w * (size_t)s->n);
  assert_int_equal(s->run->formulation->evaluate(s), LAB_OK);
}

static void assert_same_rates(const char *name, const struct lab_state *a, const struct lab_state *b)
{
  const double scale[2] = {1 + largest_entry(b->qd, b->n), 1 + largest_entry(b->wd, b->n)};
  for (int i = 0; i < a->n; i++) {
    assert_near_in(name, a->qd[i], b->qd[i], 1e-11 * scale[0]);
    assert_near_in(name, a->wd[i], b->wd[i], 1e-11 * scale[1]);
  }
}

static void check_forms(const char *const form[3], void (*check)(const char *name, const struct lab_state *s))
{
  struct joint_case c[JOINT_CASES];
  make_joint_cases(c);
  for (int k = 0; k < JOINT_CASES; k++) {
    struct problem p;
    struct lab_refusal why;
    struct lab_run r[3];
    struct lab_result result[3];
    struct lab_state *s[3] = {NULL};
    unsigned seed = 5;
    assert_true(problem_make(&p, &description_joint, c[k].o.m, c[k].o.d, &why));
    assert_in_range(p.m, 0, ROWS);
    assert_null(assembly_unsuitable(&p));
    for (int f = 0; f < 3; f++) s[f] = state_of(&p, &r[f], &result[f], form[f]);
    for (int state = 0; state < STATES; state++) {
      double q[UNKNOWNS], w[UNKNOWNS];
      for (int i = 0; i < p.n; i++) {
        q[i] = p.q[i] + c[k].spread * mechanism_random(&seed);
        w[i] = 3 * mechanism_random(&seed);
      }
      for (int f = 0; f < 3; f++) evaluate_at(s[f], q, w);
      for (int f = 1; f < 3; f++) assert_same_rates(c[k].name, s[f], s[0]);
      if (state < ORACLE_STATES) check(c[k].name, s[0]);
    }
    for (int f = 0; f < 3; f++) state_free(s[f]);
    problem_free(&p);
    mechanism_free(&c[k].o);
  }
}

TEST(hamiltonian_forms_agree)
{
  check_forms((const char *const[]){"hdca-dense", "hdca", "hdca-handles"}, check_hamilton);
}

TEST(featherstone_forms_agree)
{
  check_forms((const char *const[]){"dca-dense", "dca", "dca-handles"}, check_lagrange);
}

/* The state at the start: bodies where the model has them, energy, and a momentum that gives the velocities back. */
TEST(the_start_is_that_of_the_model)
{
  struct joint_case c[JOINT_CASES];
  make_joint_cases(c);
  for (int k = 0; k < JOINT_CASES; k++) {
    struct problem p;
    struct lab_refusal why;
    struct lab_run r;
    struct lab_result result;
    double kinetic, potential;
    ali3_energy energy;
    for (int step = 0; step < 40; step++) assert_int_equal(ali3_step(c[k].o.m, c[k].o.d), ALI3_OK);
    assert_true(problem_make(&p, &description_joint, c[k].o.m, c[k].o.d, &why));
    p.kind->energy(&p, NOW(&p), p.q, p.qd, &kinetic, &potential);
    ali3_energy_get(c[k].o.m, c[k].o.d, &energy);
    assert_near_in(c[k].name, kinetic, energy.kinetic, 1e-7);
    assert_near_in(c[k].name, potential, energy.potential, 1e-7);
    for (int b = 0; b < p.bodies; b++) {
      ali3_body_state expected;
      struct lab_body body;
      double product = 0;
      ali3_body_get(c[k].o.m, c[k].o.d, b, &expected);
      p.kind->body(&p, p.q, p.qd, b, &body);
      for (int i = 0; i < 3; i++) {
        assert_near_in(c[k].name, body.position[i], expected.position[i], 1e-7);
        assert_near_in(c[k].name, body.velocity[i], expected.velocity[i], 1e-7);
        assert_near_in(c[k].name, body.angular_velocity[i], expected.angular_velocity[i], 1e-7);
      }
      for (int i = 0; i < 4; i++) product += body.orientation[i] * expected.orientation[i];
      assert_near_in(c[k].name, fabs(product), 1, 1e-10);
    }
    struct lab_state *s = state_of(&p, &r, &result, "hdca");
    memcpy(s->q, p.q, sizeof *s->q * (size_t)p.n);
    memcpy(s->qd, p.qd, sizeof *s->qd * (size_t)p.n);
    assert_int_equal(r.formulation->start(s), LAB_OK);
    assert_int_equal(r.formulation->evaluate(s), LAB_OK);
    for (int i = 0; i < p.n; i++) assert_near_in(c[k].name, s->qd[i], p.qd[i], 1e-6);
    state_free(s);
    problem_free(&p);
    mechanism_free(&c[k].o);
  }
}

static void assert_refused(struct mechanism *o, const char *element, const char *text)
{
  struct problem p;
  struct lab_refusal why;
  mechanism_ready(o);
  assert_false(problem_make(&p, &description_joint, o->m, o->d, &why));
  assert_string_equal(why.element, element);
  assert_non_null(strstr(why.text, text));
  mechanism_free(o);
}

TEST(a_model_without_joint_coordinates_is_refused)
{
  /* Each rod that floats is held by two spherical joints: six rows. */
  struct mechanism o = mechanism_new();
  for (int b = 0; b < 9; b++) {
    char name[3][16];
    snprintf(name[0], sizeof name[0], "B%d", b);
    const int body = mechanism_rod(&o, name[0], b, 0, b + 0.5, 0);
    for (int end = 0; end < 2; end++) {
      snprintf(name[1 + end], sizeof name[1 + end], "J%d_%d", b, end);
      const ali3_joint_spec ball = {.name = name[1 + end],
                                    .type = ALI3_JOINT_SPHERICAL,
                                    .body_a = ALI3_GROUND,
                                    .body_b = body,
                                    .point_a = {b + 0.5 * end, 0, 0},
                                    .point_b = {0.5 * end - 0.25, 0, 0}};
      assert_true(ali3_model_add_joint(o.m, &ball) >= 0);
    }
  }
  assert_refused(&o, "joint", "more than 48 rows of cut joints");
}

TEST(redundant_rows_share)
{
  /* diag(4, 1, 0) turned: the inverse of what is not 0. */
  const double c = 0.6, s = 0.8;
  const double K[9] = {4 * c * c, 4 * c * s, 0, 4 * c * s, 4 * s * s + 0, 0, 0, 0, 1};
  double work[9], o[9];
  memcpy(work, K, sizeof work);
  pseudo_inverse(o, work, 3, 1e-10);
  const double expected[9] = {c * c / 4, c * s / 4, 0, c * s / 4, s * s / 4, 0, 0, 0, 1};
  for (int i = 0; i < 9; i++) assert_near_in("pseudo-inverse", o[i], expected[i], 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hamiltonian_forms_agree), cmocka_unit_test(featherstone_forms_agree),
      cmocka_unit_test(the_start_is_that_of_the_model),
      cmocka_unit_test(a_model_without_joint_coordinates_is_refused), cmocka_unit_test(redundant_rows_share)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
