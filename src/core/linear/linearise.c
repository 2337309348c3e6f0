/* SPDX-License-Identifier: MIT
 * Set-up. ali3_linearise(): x = (xi, u) of linear/system.h, and
 *
 *   xi' = u - drift xi,   M u' = -K xi - C u + T'B in
 *
 * The velocities of drives with an input come first. Their equations are u_i' = in_i in place of the balance along their
 * columns. */
#include "base/float_mode.h"
#include "linear/ports.h"
#include "math/dense.h"

#include <ali3/state.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PIVOT_WITHOUT_MASS = 1e-12; /* a pivot of M below this part of its diagonal is 0 */

/* One linearisation. */
struct linearisation_work {
  const ali3_model *m;
  const ali3_ports *ports;
  int *driven;    /* (forces) index of the prescribed velocity of a drive; -1 */
  int prescribed; /* prescribed velocities, before all others */
  bool *released; /* (forces) */
  int *joint;     /* the joints of those, then of the ports */
  int joints;
  ali3_freedoms *f;
  struct point p;
  struct system s;
  double *L;       /* (n - prescribed, n - prescribed) factor of M */
  double *x, *u;   /* (n) a column of states, then the velocities and accelerations it causes */
  double *load;    /* (bodies, 6) */
  double *value;   /* (outputs) */
  double *balance; /* (bodies, 6), then (used.rows) */
  struct deviation e;
  ali3_data *scratch;
};

/* The drives with inputs, and the joints whose rates are the first velocities. */
static bool choose_velocities(struct linearisation_work *w)
{
  const ali3_model *m = w->m;
  const size_t forces = (size_t)m->forces + 1;
  w->driven = malloc(forces * sizeof *w->driven);
  w->released = calloc(forces, sizeof *w->released);
  w->joint = malloc(((size_t)w->ports->joints + forces) * sizeof *w->joint);
  if (!w->driven || !w->released || !w->joint) return false;
  /* drives with an input */
  for (int i = 0; i < m->forces; i++) w->driven[i] = -1;
  for (int i = 0; i < w->ports->inputs; i++) {
    const ali3_port *port = &w->ports->input[i];
    if (port->kind != ALI3_PORT_COMMAND || m->force[port->element].spec.type != ALI3_FORCE_DRIVE) continue;
    if (w->driven[port->element] >= 0) continue;
    w->driven[port->element] = w->prescribed;
    w->released[port->element] = true;
    w->joint[w->prescribed++] = m->force[port->element].spec.joint;
  }
  /* joints of the ports */
  w->joints = w->prescribed;
  for (int i = 0; i < w->ports->joints; i++) {
    bool known = false;
    for (int k = 0; k < w->prescribed; k++) known |= w->joint[k] == w->ports->joint[i];
    if (!known) w->joint[w->joints++] = w->ports->joint[i];
  }
  return true;
}

static bool allocate_work(struct linearisation_work *w)
{
  const size_t n = (size_t)w->f->n + 1, numbers = (size_t)w->m->bodies * TWIST + 1;
  w->x = calloc(n, sizeof *w->x);
  w->u = calloc(n, sizeof *w->u);
  w->L = calloc(n * n, sizeof *w->L);
  w->load = calloc(numbers, sizeof *w->load);
  w->balance = calloc(numbers + (size_t)w->f->used.rows, sizeof *w->balance);
  w->value = calloc((size_t)w->ports->outputs + 1, sizeof *w->value);
  w->e =
      (struct deviation){.q = calloc(numbers, sizeof *w->e.q),
                         .v = calloc(numbers, sizeof *w->e.v),
                         .a = calloc(numbers, sizeof *w->e.a),
                         .lambda = calloc((size_t)w->p.first[w->m->frozen->links] + 1, sizeof *w->e.lambda),
                         .aim = calloc((size_t)w->m->frozen->drives + 1, sizeof *w->e.aim)};
  return w->x && w->u && w->L && w->load && w->balance && w->value && w->e.q && w->e.v && w->e.a &&
         w->e.lambda && w->e.aim;
}

/* Data in the state of d, to read outputs from. */
static bool copy_data(struct linearisation_work *w, const ali3_data *d)
{
  const size_t size = ali3_state_size(w->m);
  void *state = malloc(size);
  w->scratch = ali3_data_new(w->m);
  const bool ok = state && w->scratch && ali3_state_save(w->m, d, state) == ALI3_OK &&
                  ali3_state_load(w->m, w->scratch, state, size) == ALI3_OK;
  free(state);
  return ok;
}

static void free_work(struct linearisation_work *w)
{
  /* in the order in which they were made */
  free(w->driven);
  free(w->released);
  free(w->joint);
  system_free(&w->s);
  point_free(&w->p);
  ali3_freedoms_free(w->f);
  free(w->L);
  free(w->x);
  free(w->u);
  free(w->load);
  free(w->balance);
  free(w->value);
  free(w->e.q);
  free(w->e.v);
  free(w->e.a);
  free(w->e.lambda);
  free(w->e.aim);
  ali3_data_free(w->scratch);
}

/* The body that moves most in column k. */
static int body_of_column(const struct linearisation_work *w, int k)
{
  double largest = -1.0;
  int body = 0;
  for (int b = 0; b < w->m->bodies; b++)
    for (int i = 0; i < TWIST; i++) {
      const double x = fabs(freedoms_row(w->f, b, i)[k]) * (i < 3 ? 1.0 : w->m->frozen->length);
      if (x <= largest) continue;
      largest = x;
      body = b;
    }
  return body;
}

/* Factorises the mass matrix without the prescribed velocities. */
static ali3_status factorise_mass(struct linearisation_work *w, ali3_problem *problem)
{
  const int n = w->f->n, free_n = n - w->prescribed;
  for (int r = 0; r < free_n; r++)
    for (int c = 0; c < free_n; c++)
      w->L[r * free_n + c] = w->s.M[(r + w->prescribed) * n + c + w->prescribed];
  const bool positive = chol_factor(w->L, free_n, free_n);
  for (int i = 0; i < free_n; i++) {
    const double inverse = w->L[i * free_n + i], mass = w->s.M[(i + w->prescribed) * (n + 1)];
    const bool good = mass > 0.0 && inverse > 0.0 && inverse * inverse * mass * PIVOT_WITHOUT_MASS < 1.0;
    if (good && (positive || i + 1 < free_n)) continue;
    return linear_refuse(
        problem, ALI3_E_SINGULAR, "body",
        "body \"%s\" can move without moving any mass; give it mass, or hold it with a joint",
        w->m->body[body_of_column(w, i + w->prescribed)].name);
  }
  return ALI3_OK;
}

/* u := accelerations of the free velocities for the generalised forces in u; the prescribed ones are given. */
static void accelerate_freedoms(const struct linearisation_work *w, double *u)
{
  const int n = w->f->n, p = w->prescribed;
  for (int r = p; r < n; r++)
    for (int i = 0; i < p; i++) u[r] -= w->s.M[r * n + i] * u[i];
  chol_solve(w->L, n - p, n - p, u + p);
}

/* o (bodies, 6) += motion (bodies, 6, n) x */
static void combine_columns(const struct linearisation_work *w, const double *motion, const double *x,
                            double *o)
{
  const int n = w->f->n;
  for (int i = 0; i < TWIST * w->m->bodies; i++)
    for (int k = 0; k < n; k++) o[i] += motion[(size_t)i * (size_t)n + (size_t)k] * x[k];
}

/* Multipliers of all rows for the poses, velocities and accelerations of the deviation. load: of the inputs; overwritten.
 * command: of a motor, and 0 for others. */
static void find_multipliers(struct linearisation_work *w, const ali3_port *input)
{
  const struct frozen *frozen = w->m->frozen;
  struct deviation *e = &w->e;
  const int numbers = TWIST * w->m->bodies;
  double *balance = w->balance;
  memset(balance, 0, (size_t)numbers * sizeof *balance);
  system_apply(&w->s, e->q, e->v, e->a, balance);
  for (int i = 0; i < numbers; i++) balance[i] = w->load[i] - balance[i];
  /* soft rows follow their laws; system_apply() has their forces */
  for (int i = frozen->rigid_links; i < frozen->links; i++) {
    const struct link_slopes *l = &w->s.link[i];
    struct link_state s;
    double way[ROWS_MAX] = {0}, rate[ROWS_MAX] = {0};
    point_link(&w->p, i, &s);
    for (int k = 0; k < s.j->count; k++)
      for (int c = 0; c < TWIST * s.j->sides; c++) {
        const int body = s.j->body[c / TWIST];
        if (body == ALI3_GROUND) continue;
        const double J = s.J[BODY_Y * (k * s.j->sides + c / TWIST) + c % TWIST];
        way[k] += J * e->q[TWIST * body + c % TWIST];
        rate[k] += J * e->v[TWIST * body + c % TWIST] + l->rate[k][c] * e->q[TWIST * body + c % TWIST];
      }
    for (int k = 0; k < s.j->count; k++) {
      double *lambda = &e->lambda[w->p.first[i] + k];
      *lambda = 0.0;
      for (int o = 0; o < s.j->count; o++) *lambda += l->stiff[k][o] * way[o] + l->damp[k][o] * rate[o];
      if (s.j->law[k].kind == LAW_VALUE && input && frozen->force_link[input->element] == i) *lambda = -1.0;
    }
  }
  /* a drive with an input carries the rest along its velocity */
  for (int i = 0; i < w->m->forces; i++) {
    if (w->driven[i] < 0) continue;
    const int link = frozen->force_link[i];
    struct link_state s;
    double force = 0.0;
    for (int r = 0; r < numbers; r++)
      force += w->f->T[(size_t)r * (size_t)w->f->n + (size_t)w->driven[i]] * balance[r];
    point_link(&w->p, link, &s);
    for (int side = 0; side < s.j->sides; side++)
      for (int r = 0; r < TWIST && s.j->body[side] != ALI3_GROUND; r++)
        balance[TWIST * s.j->body[side] + r] -= s.J[BODY_Y * side + r] * force;
    e->lambda[w->p.first[link]] = force;
  }
  /* all other rigid rows */
  double *z = balance + numbers;
  freedoms_multipliers(w->f, balance, z);
  for (int i = 0; i < frozen->rigid_links; i++)
    for (int k = 0; w->f->link[i] && k < frozen->link[i].count; k++)
      e->lambda[w->p.first[i] + k] = z[w->f->first[i] + k];
}

static void clear_deviation(struct linearisation_work *w)
{
  const size_t size = (size_t)w->m->bodies * TWIST * sizeof(double);
  memset(w->e.q, 0, size);
  memset(w->e.v, 0, size);
  memset(w->e.a, 0, size);
  memset(w->load, 0, size);
  for (int i = 0; i < w->m->frozen->drives; i++) w->e.aim[i] = 0.0;
}

/* Column k of A and C. */
static void state_column(struct linearisation_work *w, ali3_linear *o, int k)
{
  const int n = w->f->n, states = 2 * n;
  const struct system *s = &w->s;
  const bool of_q = k < n;
  const int at = of_q ? k : k - n;
  clear_deviation(w);
  /* x' of one unit of the state */
  for (int i = 0; i < n; i++) {
    w->x[i] = i == at;
    w->u[i] = i < w->prescribed ? 0.0 : -(of_q ? s->K : s->C)[i * n + at];
    o->A[i * states + k] = of_q ? (s->drift ? -s->drift[i * n + at] : 0.0) : w->x[i];
  }
  accelerate_freedoms(w, w->u);
  for (int i = 0; i < n; i++) o->A[(n + i) * states + k] = w->u[i];
  if (o->outputs == 0) return;
  /* the deviation of the bodies */
  combine_columns(w, w->f->T, w->x, of_q ? w->e.q : w->e.v);
  combine_columns(w, w->f->T, w->u, w->e.a);
  if (s->N && of_q) combine_columns(w, s->N, w->x, w->e.v);
  if (s->N) combine_columns(w, of_q ? s->N_q : s->N_v, w->x, w->e.a);
  for (int i = 0; i < w->m->forces && of_q; i++)
    if (w->driven[i] == at) w->e.aim[w->m->frozen->link[w->m->frozen->force_link[i]].drive] = 1.0;
  find_multipliers(w, NULL);
  ports_outputs(&w->p, w->scratch, w->ports, &w->e, w->value);
  for (int i = 0; i < o->outputs; i++) o->C[i * states + k] = w->value[i];
}

/* Column k of B and D. */
static void input_column(struct linearisation_work *w, ali3_linear *o, int k)
{
  const int n = w->f->n;
  const ali3_port *input = &w->ports->input[k];
  const int driven = input->kind == ALI3_PORT_COMMAND ? w->driven[input->element] : -1;
  clear_deviation(w);
  /* the accelerations of one unit of the input */
  ports_load(&w->p, input, w->load);
  for (int i = 0; i < n; i++) {
    w->u[i] = i < w->prescribed ? i == driven : 0.0;
    for (int r = 0; r < TWIST * w->m->bodies && i >= w->prescribed; r++)
      w->u[i] += w->f->T[(size_t)r * (size_t)n + (size_t)i] * w->load[r];
  }
  accelerate_freedoms(w, w->u);
  for (int i = 0; i < n; i++) o->B[(n + i) * o->inputs + k] = w->u[i];
  if (o->outputs == 0) return;
  combine_columns(w, w->f->T, w->u, w->e.a);
  find_multipliers(w, input->kind == ALI3_PORT_COMMAND ? input : NULL);
  ports_outputs(&w->p, w->scratch, w->ports, &w->e, w->value);
  for (int i = 0; i < o->outputs; i++) o->D[i * o->inputs + k] = w->value[i];
}

static bool allocate_result(ali3_linear *o, int n, const ali3_ports *ports, int forces)
{
  const size_t states = 2 * (size_t)n, inputs = (size_t)ports->inputs, outputs = (size_t)ports->outputs;
  *o = (ali3_linear){.states = 2 * n, .inputs = ports->inputs, .outputs = ports->outputs};
  o->A = calloc(states * states + 1, sizeof *o->A);
  o->B = calloc(states * inputs + 1, sizeof *o->B);
  o->C = calloc(outputs * states + 1, sizeof *o->C);
  o->D = calloc(outputs * inputs + 1, sizeof *o->D);
  o->corner = calloc((size_t)forces + 1, sizeof *o->corner);
  return o->A && o->B && o->C && o->D && o->corner;
}

static ali3_status run_linearisation(struct linearisation_work *w, const ali3_data *d, ali3_linear *out,
                                     ali3_problem *problem)
{
  /* The independent velocities, and the equations along them. */
  if (!choose_velocities(w)) return linear_refuse(problem, ALI3_E_MEMORY, "model", "out of memory");
  w->f = freedoms_find(w->m, d, w->joint, w->joints, 0, w->released, problem);
  if (!w->f) return problem->status;
  if (!point_new(&w->p, w->m, d, w->f, POINT_MOVING) || !system_new(&w->s, &w->p) || !allocate_work(w) ||
      !copy_data(w, d) || !allocate_result(out, w->f->n, w->ports, w->m->forces))
    return linear_refuse(problem, ALI3_E_MEMORY, "model", "out of memory");
  const ali3_status status = factorise_mass(w, problem);
  if (status < 0) return status;
  /* The columns. */
  for (int k = 0; k < out->states; k++) state_column(w, out, k);
  for (int k = 0; k < out->inputs; k++) input_column(w, out, k);
  out->error = w->s.error;
  for (int i = 0; i < w->m->forces; i++)
    if (point_at_corner(&w->p, w->m->frozen->force_link[i])) out->corner[out->corners++] = i;
  return ALI3_OK;
}

static FLOAT_MODE_BODY ali3_status linearise_in_mode(const ali3_model *m, const ali3_data *d,
                                                     const ali3_ports *ports, ali3_linear *out,
                                                     ali3_problem *problem)
{
  struct linearisation_work w = {.m = m, .ports = ports};
  ali3_status status = ports_check(m, ports, problem);
  if (status == ALI3_OK) {
    status = run_linearisation(&w, d, out, problem);
    free_work(&w);
  }
  if (status < 0) ali3_linear_free(out);
  return status;
}

ali3_status ali3_linearise(const ali3_model *m, const ali3_data *d, const ali3_ports *ports, ali3_linear *out,
                           ali3_problem *problem)
{
  ali3_problem own;
  if (!problem) problem = &own;
  if (!m || !m->frozen || !d || !d->started || d->prepared || !ports || !out)
    return linear_refuse(
        problem, ALI3_E_ARGUMENT, "model",
        "expected a frozen model, data after a reset or a whole step, ports, and a place for the result");
  *out = (ali3_linear){0};
  const uint64_t mode = float_mode_enter();
  const ali3_status status = linearise_in_mode(m, d, ports, out, problem);
  float_mode_leave(mode);
  return status;
}

void ali3_linear_free(ali3_linear *l)
{
  if (!l) return;
  free(l->A);
  free(l->B);
  free(l->C);
  free(l->D);
  free(l->corner);
  *l = (ali3_linear){0};
}
