/* SPDX-License-Identifier: MIT
 * Closes loops at the start: moves the joints until the frames of each loop meet, by the method of Levenberg and Marquardt. Where
 * it ends beside, it begins again from other coordinates near those of the file. ali3d closes the last 1e-9 m. */
#include "import.h"
#include "math/dense.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { STEPS_MOST = 100, STARTS_MOST = 60, LOOP_ROWS = 6, VARIABLES_MOST = 1000 };

static const double MEETING = 1e-9, NUDGE = 1e-7; /* m or rad */

struct assembly {
  struct robot *robot;
  double **variable; /* (variables) coordinates of joints */
  int variables, rows;
  double *residual, *moved, *J, *A, *g, *saved, *first; /* J by columns: (variables, rows) */
};

static void find_rotation_vector(double v[3], const double R[9])
{
  double e[4];
  frame_euler(e, R);
  const double s = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  const double k = s > 1e-9 ? 2.0 * atan2(s, e[0]) / s : 2.0;
  for (int i = 0; i < 3; i++) v[i] = k * e[1 + i];
}

/* How far the points of a loop are open along its axes, and the turn or the tilt of its frames. */
static void find_loop_residual(double row[LOOP_ROWS], const struct robot *r, const struct loop *loop)
{
  const struct frame *a = &r->pose[loop->link[0]], *b = &r->pose[loop->link[1]];
  double axis[3], other[3], along = 0.0;
  memset(row, 0, LOOP_ROWS * sizeof *row);
  for (int i = 0; i < 3; i++) row[i] = b->p[i] - a->p[i];
  if (strcmp(loop->type, "spherical") == 0) return;
  if (strcmp(loop->type, "fixed") == 0) {
    double turn[9];
    frame_product_transposed(turn, b->R, a->R);
    find_rotation_vector(row + 3, turn);
    return;
  }
  /* An axis in both frames: parallel, and free along or across itself. */
  frame_turn(axis, a->R, loop->axis);
  frame_turn(other, b->R, loop->axis);
  for (int i = 0; i < 3; i++) {
    row[3 + i] = other[i] - axis[i];
    along += axis[i] * row[i];
  }
  for (int i = 0; i < 3; i++) {
    if (strcmp(loop->type, "cylindrical") == 0) row[i] -= along * axis[i];
    if (strcmp(loop->type, "planar") == 0) row[i] = along * axis[i];
  }
}

static double find_residual(struct assembly *s, double *residual)
{
  struct robot *r = s->robot;
  double sum = 0.0;
  start_follow(r);
  start_place(r);
  for (int k = 0; k < r->loops; k++) find_loop_residual(residual + (ptrdiff_t)LOOP_ROWS * k, r, &r->loop[k]);
  for (int i = 0; i < s->rows; i++) sum += residual[i] * residual[i];
  return sum;
}

/* A = J'J + damping, g = J' residual. */
static void find_normal_equations(struct assembly *s, double damping)
{
  const int n = s->variables;
  for (int i = 0; i < n; i++) {
    const double *x = s->J + (ptrdiff_t)i * s->rows;
    s->g[i] = 0.0;
    for (int k = 0; k < s->rows; k++) s->g[i] += x[k] * s->residual[k];
    for (int j = 0; j <= i; j++) {
      const double *y = s->J + (ptrdiff_t)j * s->rows;
      double sum = i == j ? damping : 0.0;
      for (int k = 0; k < s->rows; k++) sum += x[k] * y[k];
      s->A[(ptrdiff_t)i * n + j] = sum;
    }
  }
}

static void find_slopes(struct assembly *s)
{
  for (int i = 0; i < s->variables; i++) {
    double *column = s->J + (ptrdiff_t)i * s->rows, *q = s->variable[i], before = *q;
    *q = before + NUDGE;
    find_residual(s, column);
    *q = before;
    for (int k = 0; k < s->rows; k++) column[k] = (column[k] - s->residual[k]) / NUDGE;
  }
}

/* True if the loops are closed. */
static bool close_from_here(struct assembly *s)
{
  double sum = find_residual(s, s->residual), damping = 1e-3;
  for (int step = 0; step < STEPS_MOST && sum > MEETING * MEETING; step++) {
    find_slopes(s);
    for (int i = 0; i < s->variables; i++) s->saved[i] = *s->variable[i];
    /* Raise the damping until the step helps. */
    bool better = false;
    for (int tries = 0; tries < 12 && !better; tries++) {
      find_normal_equations(s, damping);
      if (chol_factor(s->A, s->variables, s->variables)) {
        chol_solve(s->A, s->variables, s->variables, s->g);
        for (int i = 0; i < s->variables; i++) *s->variable[i] = s->saved[i] - s->g[i];
        const double next = find_residual(s, s->moved);
        better = next < sum;
        if (better) {
          sum = next;
          memcpy(s->residual, s->moved, (size_t)s->rows * sizeof *s->residual);
        }
      }
      damping = better ? fmax(damping / 9.0, 1e-14) : damping * 8.0;
    }
    if (better) continue;
    for (int i = 0; i < s->variables; i++) *s->variable[i] = s->saved[i];
    break;
  }
  return find_residual(s, s->residual) <= MEETING * MEETING;
}

/* A number from -1 to 1; equal runs give equal models. */
static double shuffle_number(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int32_t)(*state >> 32) / 2147483648.0;
}

static bool list_variables(struct assembly *s, struct notes *n)
{
  struct robot *r = s->robot;
  s->variable = robot_take(r, 3 * (size_t)r->joints, sizeof *s->variable);
  if (!s->variable) return note_error(n, 0, "out of memory");
  /* List the coordinates that may move. */
  for (int i = 0; i < r->joints; i++) {
    struct joint *j = &r->joint[i];
    if (j->leader != NONE || j->held || j->dropped) continue;
    if (joint_has_coordinate(j)) s->variable[s->variables++] = &j->position;
    const int angles = j->type == JOINT_SPHERICAL ? 3 : j->type == JOINT_UNIVERSAL ? 2 : 0;
    for (int k = 0; k < angles; k++) s->variable[s->variables++] = &j->angle[k];
  }
  const size_t count = (size_t)s->variables, rows = (size_t)s->rows;
  if (count > VARIABLES_MOST || rows > 6 * VARIABLES_MOST)
    return note_error(n, 0, "expected at most %d coordinates for loops, found %zu", VARIABLES_MOST, count);
  s->residual = robot_take(r, rows, sizeof(double));
  s->moved = robot_take(r, rows, sizeof(double));
  s->J = robot_take(r, rows * count, sizeof(double));
  s->A = robot_take(r, count * count, sizeof(double));
  s->g = robot_take(r, count, sizeof(double));
  s->saved = robot_take(r, count, sizeof(double));
  s->first = robot_take(r, count, sizeof(double));
  return (s->residual && s->moved && s->J && s->A && s->g && s->saved && s->first) ||
         note_error(n, 0, "out of memory");
}

/* Names the loop that is open most. */
static bool say_open(const struct assembly *s, const struct import *o, struct notes *n)
{
  int worst = 0;
  double most = -1.0;
  for (int k = 0; k < s->robot->loops; k++) {
    const double *row = s->residual + (ptrdiff_t)LOOP_ROWS * k;
    const double open = hypot(hypot(row[0], row[1]), row[2]) + hypot(hypot(row[3], row[4]), row[5]);
    if (open > most) {
      most = open;
      worst = k;
    }
  }
  const double *row = s->residual + (ptrdiff_t)LOOP_ROWS * worst;
  return note_error(n, 0,
                    "%s:%d: no motion of the joints closes this loop: it stays open by %.3g m and %.3g rad; "
                    "give a start near to a closed one with --pose",
                    o->loops, s->robot->loop[worst].line, hypot(hypot(row[0], row[1]), row[2]),
                    hypot(hypot(row[3], row[4]), row[5]));
}

bool loops_close(struct robot *r, const struct import *o, struct notes *n)
{
  struct assembly s = {.robot = r, .rows = LOOP_ROWS * r->loops};
  if (r->loops == 0) return true;
  if (!list_variables(&s, n)) return false;
  for (int i = 0; i < s.variables; i++) s.first[i] = *s.variable[i];
  /* Begin at the start of the file, then ever further from it. */
  uint64_t state = 1;
  bool closed = close_from_here(&s);
  for (int start = 1; start < STARTS_MOST && !closed; start++) {
    const double reach = fmin(0.05 * start, 1.5);
    for (int i = 0; i < s.variables; i++) *s.variable[i] = s.first[i] + reach * shuffle_number(&state);
    closed = close_from_here(&s);
  }
  if (!closed) return say_open(&s, o, n);
  double most = 0.0;
  for (int i = 0; i < s.variables; i++) most = fmax(most, fabs(*s.variable[i] - s.first[i]));
  if (most > MEETING)
    note(n, r->link[r->root].line,
         "joints moved by up to %.3g rad or m from the start, so that the loops close", most);
  return true;
}
