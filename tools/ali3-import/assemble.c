/* SPDX-License-Identifier: MIT
 * Closes loops at the start: moves the joints until the frames of each loop meet, by the method of Levenberg and Marquardt. Where
 * the frames stay apart, it begins again from random coordinates near the pose of the file. */
#include "import.h"
#include "math/dense.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { STEPS_MOST = 100, STARTS_MOST = 60, LOOP_ROWS = 6, VARIABLES_MOST = 1000 };

static const double MEETING = 1e-9, NUDGE = 1e-7; /* m or rad */
static const double LOOP_CLOSED = 1e-13;          /* where the passes end */

struct assembly {
  struct robot *robot;
  double **variable; /* (variables) coordinates of joints */
  bool *turns;       /* (variables) full turns do not count */
  int variables, rows;
  int only;                                             /* the loop that counts; NONE: all of them */
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
  for (int k = 0; k < r->loops; k++) {
    double *row = residual + (ptrdiff_t)LOOP_ROWS * k;
    find_loop_residual(row, r, &r->loop[k]);
    if (s->only != NONE && k != s->only) memset(row, 0, LOOP_ROWS * sizeof *row);
  }
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
  for (int step = 0; step < STEPS_MOST && sum > LOOP_CLOSED * LOOP_CLOSED; step++) {
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

/* Marks the joints of the loops: those above one of both links, and the joints that they follow. */
static void find_joints_of_loops(const struct robot *r, bool *in_loop, bool *above)
{
  for (int k = 0; k < r->loops; k++) {
    memset(above, 0, (size_t)r->joints * sizeof *above);
    for (int side = 0; side < 2; side++)
      for (int at = r->link[r->loop[k].link[side]].parent; at != NONE;
           at = r->link[r->joint[at].parent].parent)
        above[at] = !above[at];
    for (int i = 0; i < r->joints; i++) {
      int lead = i;
      while (r->joint[lead].leader != NONE) lead = r->joint[lead].leader;
      in_loop[lead] |= above[i];
    }
  }
}

static bool list_variables(struct assembly *s, struct notes *n)
{
  struct robot *r = s->robot;
  bool *in_loop = robot_take(r, (size_t)r->joints + 1, sizeof *in_loop),
       *above = robot_take(r, (size_t)r->joints + 1, sizeof *above);
  s->variable = robot_take(r, 3 * (size_t)r->joints, sizeof *s->variable);
  s->turns = robot_take(r, 3 * (size_t)r->joints, sizeof *s->turns);
  if (!s->variable || !s->turns || !in_loop || !above) return note_error(n, 0, "out of memory");
  /* List the coordinates that may move. */
  find_joints_of_loops(r, in_loop, above);
  for (int i = 0; i < r->joints; i++) {
    struct joint *j = &r->joint[i];
    if (!in_loop[i] || j->leader != NONE || j->held || j->dropped) continue;
    s->turns[s->variables] =
        j->type == JOINT_CONTINUOUS || (j->type == JOINT_REVOLUTE && !joint_has_limits(j));
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

/* Begins at the start of the file, then ever further from it. */
static bool close_from_anywhere(struct assembly *s)
{
  uint64_t state = 1;
  for (int i = 0; i < s->variables; i++) *s->variable[i] = s->first[i];
  bool closed = close_from_here(s);
  for (int start = 1; start < STARTS_MOST && !closed; start++) {
    const double reach = fmin(0.06 * start, M_PI);
    for (int i = 0; i < s->variables; i++) *s->variable[i] = s->first[i] + reach * shuffle_number(&state);
    closed = close_from_here(s);
  }
  return closed;
}

/* Size of the opening of a loop: m and rad. */
static double find_opening(const struct assembly *s, int loop, double *turn)
{
  const double *row = s->residual + (ptrdiff_t)LOOP_ROWS * loop;
  *turn = hypot(hypot(row[3], row[4]), row[5]);
  return hypot(hypot(row[0], row[1]), row[2]);
}

/* Names the first loop that stays open if all others may open, or the loop that is open most. */
static bool say_open(struct assembly *s, const struct import *o, struct notes *n)
{
  /* The loop that is open most. */
  int worst = 0;
  double place = -1.0, turn = 0.0, other;
  for (int k = 0; k < s->robot->loops; k++) {
    const double open = find_opening(s, k, &other);
    if (!(open + other > place + turn)) continue;
    place = open;
    turn = other;
    worst = k;
  }
  /* Close each loop on its own. */
  for (int k = 0; k < s->robot->loops && s->robot->loops > 1; k++) {
    s->only = k;
    if (!close_from_anywhere(s)) {
      place = find_opening(s, k, &turn);
      worst = k;
      break;
    }
    s->only = NONE;
  }
  const struct loop *loop = &s->robot->loop[worst];
  return note_error(
      n, 0,
      "%s:%d: no motion of the joints closes the loop of '%.60s' and '%.60s'%s: it stays open by %.3g m and "
      "%.3g rad; %s",
      o->loops, loop->line, s->robot->link[loop->link[0]].name, s->robot->link[loop->link[1]].name,
      s->only == NONE ? "" : ", not even if all other loops are open", place, turn,
      s->only == NONE ? "give a start near to a closed one with --pose" : "correct its frames or its type");
}

/* Takes full turns out of the way of a joint that turns without limits. */
static void take_out_turns(struct assembly *s)
{
  for (int i = 0; i < s->variables; i++)
    if (s->turns[i]) *s->variable[i] -= 2.0 * M_PI * round((*s->variable[i] - s->first[i]) / (2.0 * M_PI));
}

static void note_limits(const struct robot *r, struct notes *n)
{
  for (int i = 0; i < r->joints; i++) {
    const struct joint *j = &r->joint[i];
    if (!joint_has_limits(j) || (j->lower - MEETING <= j->position && j->position <= j->upper + MEETING))
      continue;
    note(n, j->limit_line, "joint '%.100s': the loops close at %g, outside its limits %g to %g", j->name,
         j->position, j->lower, j->upper);
  }
}

bool loops_close(struct robot *r, const struct import *o, struct notes *n)
{
  struct assembly s = {.robot = r, .rows = LOOP_ROWS * r->loops, .only = NONE};
  if (r->loops == 0) return true;
  if (!list_variables(&s, n)) return false;
  for (int i = 0; i < s.variables; i++) s.first[i] = *s.variable[i];
  if (!close_from_anywhere(&s)) return say_open(&s, o, n);
  take_out_turns(&s);
  find_residual(&s, s.residual);
  double most = 0.0;
  for (int i = 0; i < s.variables; i++) most = fmax(most, fabs(*s.variable[i] - s.first[i]));
  if (most > MEETING)
    note(n, r->link[r->root].line,
         "joints moved by up to %.3g rad or m from the start, so that the loops close", most);
  note_limits(r, n);
  return true;
}
