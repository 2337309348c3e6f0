/* SPDX-License-Identifier: MIT
 * Set-up. ali3_equilibrium(): Newton's method on the forces along the freedoms.
 *
 *   each pass    g = -T'F at rest, and K is its derivative. Freedoms are scaled so that size 1 moves the mechanism by its own
 *                size. With K = sum of k_i x_i x_i' the step is the sum of (x_i'g)/|k_i| x_i: it leads downhill, too. With
 *                `nearest` the step is the sum of (x_i'g)/k_i x_i.
 *   no stiffness a motion with a force and (almost) no stiffness takes a bounded step: it may meet a stop or a contact
 *   length       no body moves by more than LONGEST of the extent of the mechanism in a pass. A step that turns the force against
 *                itself is halved.
 *   falls        every FALL_AFTER passes the mechanism falls to a lower place, see fall_down()
 *   end          the forces vanish beside the loads, or are as small as rounding lets them be */
#include "assembly/assembly.h"
#include "base/float_mode.h"
#include "linear/system.h"
#include "math/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LONGEST = 0.1;    /* rad, and relative to the extent of the mechanism: step of a pass */
static const double BALANCED = 1e-13; /* forces relative to the largest load of a body */
static const double FOUND = 1e-9;     /* forces that a search may leave, when rounding ends it */
static const double WITHOUT_STIFFNESS = 1e-9; /* relative to the largest stiffness */
static const double LOOSE_WAY =
    50.0; /* ways, relative to the size of the mechanism, after which a body counts as falling */
enum { SEARCH_PASSES = 500, WALK_HALVINGS = 12 };
/* Falls of fall_down(): passes between them, stops, and steps up to a stop. */
enum { FALL_AFTER = 60, FALL_STOPS = 300, FALL_STEPS = 5000 };
static const double FALLEN = 1e-8; /* kinetic energy of a fall, relative to the largest */

/* One search. */
struct search {
  const ali3_model *m;
  ali3_data *d;
  double time;
  double extent; /* m, of the bodies: their largest distance along an axis, or the size of the mechanism */
  ali3_body_state *body, *start; /* (bodies) poses of the last pass; of the beginning */
  /* the last pass computed these: */
  ali3_freedoms *f;
  struct point p;
  struct system s;
  size_t n;
  double *g, *step, *flat; /* (n) forces and displacements along the freedoms */
  double *size;            /* (n) scales of the freedoms */
  double *K, *X, *k, *room;
  double *F, *way; /* (bodies, 6) */
  double load;     /* largest load on a body, N */
  double residual; /* largest force, relative to that */
  int indifferent, unstable, loose;
  int unstable_body, loose_body;
  bool falls_on; /* a fall had no end */
};

static void free_pass(struct search *w)
{
  system_free(&w->s);
  point_free(&w->p);
  ali3_freedoms_free(w->f);
  free(w->g);
  w->f = NULL;
  w->g = NULL;
}

static void read_poses(const struct search *w, ali3_body_state *to)
{
  for (int b = 0; b < w->m->bodies; b++) {
    ali3_body_get(w->m, w->d, b, &to[b]);
    memset(to[b].velocity, 0, sizeof to[b].velocity);
    memset(to[b].angular_velocity, 0, sizeof to[b].angular_velocity);
  }
}

/* Size of a motion (bodies, 6): displacements relative to the extent of the mechanism, and angles. *body: that moves most. */
static double motion_size(const struct search *w, const double *y, int *body)
{
  double largest = 0.0;
  for (int i = 0; i < TWIST * w->m->bodies; i++) {
    const double x = fabs(y[i]) / (i % TWIST < 3 ? w->extent : 1.0);
    if (x <= largest) continue;
    largest = x;
    *body = i / TWIST;
  }
  return largest;
}

/* o (bodies, 6) := T x */
static void motion_along(const struct search *w, const double *x, double *o)
{
  for (int i = 0; i < TWIST * w->m->bodies; i++) {
    const double *row = w->f->T + (size_t)i * w->n;
    o[i] = 0.0;
    for (size_t k = 0; k < w->n; k++) o[i] += row[k] * x[k];
  }
}

/* The largest load of a body, moments over the size of the mechanism: its weight, or a force on it. */
static double largest_load(const struct search *w)
{
  double largest = 0.0;
  const ali3_model *m = w->m;
  for (int b = 0; b < m->bodies; b++)
    largest = fmax(largest, m->body[b].spec.mass * sqrt(v3_dot(m->gravity, m->gravity)));
  for (int i = 0; i < m->frozen->links; i++) {
    struct link_state s;
    point_link(&w->p, i, &s);
    for (int k = 0; k < s.j->count; k++) {
      double arm2 = 0.0;
      for (int side = 0; side < s.j->sides; side++) {
        const double *J = s.J + BODY_Y * (k * s.j->sides + side);
        arm2 = fmax(arm2, v3_dot(J, J) + v3_dot(J + 3, J + 3) / (m->frozen->length * m->frozen->length));
      }
      largest = fmax(largest, fabs(w->p.lambda[w->p.first[i] + k]) * sqrt(arm2));
    }
  }
  return largest;
}

/* The extent of the poses, and at least the longest lever arm. */
static double extent_of_poses(const struct search *w)
{
  double extent = w->m->frozen->length;
  for (int i = 0; i < 3; i++) {
    double low = INFINITY, high = -INFINITY;
    for (int b = 0; b < w->m->bodies; b++) {
      low = fmin(low, w->body[b].position[i]);
      high = fmax(high, w->body[b].position[i]);
    }
    extent = fmax(extent, high - low);
  }
  return extent;
}

/* Forces and stiffnesses at the state of d. */
static ali3_status begin_pass(struct search *w, ali3_problem *problem)
{
  free_pass(w);
  w->f = freedoms_find(w->m, w->d, NULL, 0, 0, NULL, problem);
  if (!w->f) return problem->status;
  const size_t n = w->n = (size_t)w->f->n, numbers = TWIST * (size_t)w->m->bodies;
  w->g = calloc(6 * n + 2 * n * n + 2 * numbers + 1, sizeof *w->g);
  if (!w->g || !point_new(&w->p, w->m, w->d, w->f, POINT_BALANCED) || !system_new(&w->s, &w->p))
    return linear_refuse(problem, ALI3_E_MEMORY, "model", "out of memory");
  w->step = w->g + n;
  w->flat = w->step + n;
  w->size = w->flat + n;
  w->k = w->size + n;
  w->room = w->k + n;
  w->K = w->room + n;
  w->X = w->K + n * n;
  w->F = w->X + n * n;
  w->way = w->F + numbers;
  /* a motion of size 1 in each freedom */
  point_forces(&w->p, false, w->F);
  w->load = fmax(largest_load(w), 1e-300);
  w->residual = 0.0;
  for (size_t k = 0; k < n; k++) {
    double largest = 0.0;
    for (size_t i = 0; i < numbers; i++) {
      const double T = w->f->T[i * n + k];
      largest = fmax(largest, fabs(T) / (i % TWIST < 3 ? w->m->frozen->length : 1.0));
      w->g[k] -= T * w->F[i];
    }
    w->size[k] = 1.0 / fmax(largest, 1e-300);
    w->g[k] *= w->size[k];
    w->residual = fmax(w->residual, fabs(w->g[k]) / (w->load * w->m->frozen->length));
  }
  for (size_t r = 0; r < n; r++)
    for (size_t c = 0; c < n; c++)
      w->K[r * n + c] = 0.5 * w->size[r] * w->size[c] * (w->s.K[r * n + c] + w->s.K[c * n + r]);
  return ALI3_OK;
}

/* The step of a pass, in the freedoms, and its motion in `way`. */
static bool choose_step(struct search *w, bool nearest)
{
  const int n = (int)w->n;
  if (!spectrum_symmetric(w->K, n, w->X, w->k, w->room)) return false;
  const double weight = w->load * w->m->frozen->length;
  double largest = weight;
  int body = -1;
  w->indifferent = w->unstable = w->loose = 0;
  w->unstable_body = w->loose_body = -1;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(w->k[i]));
  /* motions with a stiffness; `flat` collects the forces along all others */
  for (int i = 0; i < n; i++) {
    const double *x = w->X + i * n, k = w->k[i];
    double force = 0.0;
    for (int c = 0; c < n; c++) force += x[c] * w->g[c];
    const bool stiff = fabs(k) >= WITHOUT_STIFFNESS * largest;
    const double part = stiff ? force / (nearest ? k : fabs(k)) : fabs(force) > FOUND * weight ? force : 0.0;
    for (int c = 0; c < n; c++) (stiff ? w->step : w->flat)[c] += part * x[c] * w->size[c];
    w->indifferent += !stiff;
    w->loose += !stiff && part != 0.0;
    if (!stiff || k > 0.0 || w->unstable++ > 0) continue;
    for (int c = 0; c < n; c++)
      w->room[c] = x[c] * w->size[c]; /* values rise: this is the most unstable motion */
    motion_along(w, w->room, w->way);
    motion_size(w, w->way, &w->unstable_body);
  }
  /* a bounded step along the forces that meet no stiffness */
  if (w->loose > 0) {
    motion_along(w, w->flat, w->way);
    const double size = motion_size(w, w->way, &body);
    for (int c = 0; c < n; c++) w->step[c] += LONGEST / fmax(size, 1e-300) * w->flat[c];
    w->loose_body = body;
  }
  motion_along(w, w->step, w->way);
  return true;
}

/* Puts d into the poses of the last pass, moved by part of the way. */
static ali3_status step_along(struct search *w, double part, ali3_body_state *moved)
{
  for (int b = 0; b < w->m->bodies; b++) {
    struct body_state x = {0};
    struct body_frame frame;
    moved[b] = w->body[b];
    v3_copy(x.r, moved[b].position);
    memcpy(x.p, moved[b].orientation, sizeof x.p);
    point_move(&x, &frame, w->way + TWIST * b, part);
    v3_copy(moved[b].position, x.r);
    memcpy(moved[b].orientation, x.p, sizeof x.p);
  }
  return place_bodies(w->m, w->d, moved, w->time);
}

/* The work of the forces at the state of d along the way, per part of it. */
static double work_along(struct search *w, bool *good)
{
  const int numbers = TWIST * w->m->bodies;
  double work = 0.0;
  struct point p;
  double *F = calloc((size_t)numbers + 1, sizeof *F);
  *good = F && point_new(&p, w->m, w->d, w->f, POINT_LOADS);
  if (*good) {
    point_forces(&p, false, F);
    for (int i = 0; i < numbers; i++) work -= F[i] * w->way[i];
    point_free(&p);
  }
  free(F);
  return work;
}

/* Takes the longest part of the step that does not turn the force along it against itself. Returns the size of the motion, or a
 * negative status. */
static double walk_down(struct search *w, ali3_body_state *moved, ali3_status *status)
{
  int body;
  const double size = motion_size(w, w->way, &body);
  double part = size > LONGEST ? LONGEST / size : 1.0, first = 0.0;
  for (int i = 0; i < TWIST * w->m->bodies; i++) first -= w->F[i] * w->way[i];
  for (int i = 0; i < WALK_HALVINGS; i++, part *= 0.5) {
    bool good = true;
    *status = step_along(w, part, moved);
    if (*status < 0) continue;
    const double work = work_along(w, &good);
    if (!good) *status = ALI3_E_MEMORY;
    if (!good || i + 1 == WALK_HALVINGS ||
        fabs(first) * part < BALANCED * w->load * w->m->frozen->length * size)
      break;
    if (work * first > 0.0 || fabs(work) < 0.5 * fabs(first)) break;
  }
  return part * size;
}

/* Where Newton's method wanders, the mechanism falls: it steps until its kinetic energy has a maximum, is stopped there, and
 * falls on. Its potential energy decreases from stop to stop. A fall without an end is taken back, and is the last one. */
static ali3_status fall_down(struct search *w, ali3_body_state *moved)
{
  double highest = 0.0;
  ali3_status status = ALI3_OK;
  for (int stop = 0; stop < FALL_STOPS && status >= 0; stop++) {
    double before = 0.0;
    bool falls = true;
    for (int step = 0; step < FALL_STEPS && falls; step++) {
      ali3_energy energy;
      falls = ali3_step(w->m, w->d) >= 0; /* a step that fails leaves the last good state */
      ali3_energy_get(w->m, w->d, &energy);
      falls = falls && energy.kinetic >= before;
      before = fmax(before, energy.kinetic);
    }
    if (falls) memcpy(moved, w->body, (size_t)w->m->bodies * sizeof *moved);
    if (!falls) read_poses(w, moved);
    status = place_bodies(w->m, w->d, moved, w->time);
    w->falls_on = falls;
    highest = fmax(highest, before);
    if (falls || before <= FALLEN * highest) break;
  }
  return status;
}

static ali3_status search_balance(struct search *w, const ali3_equilibrium_options *options,
                                  ali3_equilibrium_report *r, ali3_problem *problem)
{
  const int most = options->passes > 0 ? options->passes : SEARCH_PASSES;
  const size_t size = (size_t)w->m->bodies * sizeof *w->body;
  double best = INFINITY, fallen = 0.0;
  ali3_body_state *moved = calloc(2 * (size_t)w->m->bodies + 1, sizeof *moved),
                  *balanced = moved + w->m->bodies;
  ali3_status status = moved ? step_along(w, 0.0, moved) : ALI3_E_MEMORY;
  for (r->passes = 0; status >= 0; r->passes++) {
    read_poses(w, w->body);
    status = begin_pass(w, problem);
    if (status >= 0 && !choose_step(w, options->nearest)) status = ALI3_E_DIVERGED;
    if (status < 0 || w->residual <= BALANCED) break;
    /* Rounding ends the search where forces that are as good as balanced grow again. */
    if (best <= FOUND && !(w->residual < best)) {
      status = place_bodies(w->m, w->d, balanced, w->time);
      break;
    }
    best = fmin(best, w->residual);
    if (best == w->residual) memcpy(balanced, w->body, size);
    fallen = w->loose > 0 ? fallen + LONGEST : 0.0;
    if (r->passes == most || fallen > LOOSE_WAY) {
      status = ALI3_E_DIVERGED;
      break;
    }
    if (r->passes % FALL_AFTER == FALL_AFTER - 1 && !options->nearest && !w->falls_on)
      status = fall_down(w, moved);
    else
      walk_down(w, moved, &status);
  }
  r->residual = fmin(best, w->residual);
  free(moved);
  r->indifferent = w->indifferent;
  r->unstable = w->unstable;
  r->unstable_body = w->unstable_body;
  r->loose_body = status == ALI3_E_DIVERGED ? w->loose_body : -1;
  return status;
}

/* How far the bodies have moved since the beginning. */
static void measure_moves(const struct search *w, ali3_equilibrium_report *r)
{
  for (int b = 0; b < w->m->bodies; b++) {
    ali3_body_state now;
    double way[3], q[4];
    ali3_body_get(w->m, w->d, b, &now);
    const double *p = w->start[b].orientation, back[4] = {p[0], -p[1], -p[2], -p[3]};
    v3_sub(way, now.position, w->start[b].position);
    p_mul(q, back, now.orientation);
    r->moved_position = fmax(r->moved_position, sqrt(v3_dot(way, way)));
    r->moved_orientation = fmax(r->moved_orientation, 2.0 * atan2(sqrt(v3_dot(q + 1, q + 1)), fabs(q[0])));
  }
}

static FLOAT_MODE_BODY ali3_status find_equilibrium(const ali3_model *m, ali3_data *d,
                                                    const ali3_equilibrium_options *options,
                                                    ali3_equilibrium_report *r, ali3_problem *problem)
{
  struct search w = {.m = m, .d = d, .time = d->report.time, .unstable_body = -1, .loose_body = -1};
  /* Search. */
  w.body = calloc(2 * (size_t)m->bodies + 1, sizeof *w.body);
  ali3_status status = w.body ? ALI3_OK : linear_refuse(problem, ALI3_E_MEMORY, "model", "out of memory");
  if (w.body) {
    w.start = w.body + m->bodies;
    read_poses(&w, w.start);
    read_poses(&w, w.body);
    w.extent = extent_of_poses(&w);
    w.way = calloc(TWIST * (size_t)m->bodies + 1, sizeof *w.way);
    double *first_way = w.way;
    status = w.way ? search_balance(&w, options, r, problem) : ALI3_E_MEMORY;
    free(first_way);
    measure_moves(&w, r);
  }
  /* Say why there is no equilibrium. */
  if (status == ALI3_E_DIVERGED && r->loose_body >= 0)
    linear_refuse(problem, status, "body", "no equilibrium: nothing holds body \"%s\"",
                  m->body[r->loose_body].name);
  else if (status == ALI3_E_DIVERGED)
    linear_refuse(problem, status, "model",
                  "no equilibrium found in %d passes: forces of %.3g of the largest load are left", r->passes,
                  r->residual);
  else if (status < 0 && problem->status != status)
    linear_refuse(problem, status, "model", "the search came to a place where the mechanism cannot be: %s",
                  ali3_status_text(status));
  free_pass(&w);
  free(w.body);
  if (status < 0) return status;
  return r->moved_position > 1e-9 || r->moved_orientation > 1e-9 ? ALI3_MOVED : ALI3_OK;
}

ali3_status ali3_equilibrium(const ali3_model *m, ali3_data *d, const ali3_equilibrium_options *options,
                             ali3_equilibrium_report *report, ali3_problem *problem)
{
  static const ali3_equilibrium_options none = {0};
  ali3_equilibrium_report own_report;
  ali3_problem own_problem = {0};
  if (!report) report = &own_report;
  if (!problem) problem = &own_problem;
  *report = (ali3_equilibrium_report){.unstable_body = -1, .loose_body = -1};
  if (!m || !m->frozen || !d || !d->started || d->prepared)
    return linear_refuse(problem, ALI3_E_ARGUMENT, "model",
                         "expected a frozen model, and data after a reset or a whole step");
  problem->status = ALI3_OK;
  const uint64_t mode = float_mode_enter();
  const ali3_status status = find_equilibrium(m, d, options ? options : &none, report, problem);
  float_mode_leave(mode);
  return status;
}
