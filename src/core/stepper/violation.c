/* SPDX-License-Identifier: MIT
 * Loop code: rigid rows that do not close. Joints, drives and gears that contradict each other leave residuals that
 * iterations cannot remove: a combination n of the rows with J'n = 0, each weighted by its compliance,
 *
 *   Phi = c n       so a row takes part in the contradiction if Phi/c is not 0.
 *
 * The rows are examined one by one only if the norms of the step, which exist anyway, are suspicious. */
#include "stepper/violation.h"
#include "kernels/elements.h"
#include "math/vec3.h"
#include "stepper/project.h"
#include "stepper/soft.h"
#include "stepper/stage.h"

#include <math.h>

static const double CONTRADICTION = 1e-6, /* at the start: relative to the largest rate of a drive */
    AT_REST = 1e-9,                       /* per second, relative to the size of the mechanism */
    TAKES_PART = 1e-3;                    /* Phi/c of a drive, relative to the largest row */

/* Limits of the test whether the joints let the drives move on. */
enum { TRIES = 12 };                /* Gauss-Newton steps */
static const double DAMPING = 0.01, /* relative compliance */
    STANDS = 0.95, /* ratio of successive residuals above which the iterations have stalled */
    UNMET = 0.05;  /* part of the requested motion that must be out of reach */

/* Residuals of the rows of a link, or their rates. */
typedef void link_rows(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, double *o);

static void row_positions(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, double *o)
{
  (void)m;
  for (int k = 0; k < j->count; k++) o[k] = d->solve.Phi[stored_row(j, k)];
}

static void row_velocities(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, double *o)
{
  struct link_view view;
  double Phi[ROWS_MAX], J[STORED_J]; /* some links have no stored J */
  link_view_fill(m, d, j, &view);
  rows_evaluate(j, &view.v, Phi, J);
  rows_rate(j, &view.v, J, o);
  if (j->drive >= 0) o[0] -= d->outside.aim[j->drive].rate;
}

/* Flags the rows of a link that are a length in m. The others are an angle in rad, or the cosine of a right angle. */
static void flag_length_rows(const struct joint_rows *j, bool length[ROWS_MAX])
{
  for (int i = 0, k = 0; i < j->primitives; i++) {
    enum primitive_kind kind = j->primitive[i].kind;
    bool angle = kind == ROW_DOT || (kind == ROW_COORDINATE && j->coordinate[0].kind == COORDINATE_ANGLE);
    for (int n = kind == ROW_COINCIDE ? 3 : 1; n > 0; n--) length[k++] = !angle;
  }
}

/* The contribution of one link. */
struct opening {
  double length, angle; /* largest row, m and rad */
  double load;          /* largest |row/c|, of forces times the size of the mechanism */
};

static struct opening opening_of(const ali3_model *m, const ali3_data *d, int link, link_rows *rows)
{
  const struct joint_rows *j = &m->frozen->link[link];
  struct opening o = {0};
  double row[ROWS_MAX];
  bool length[ROWS_MAX];
  rows(m, d, j, row);
  flag_length_rows(j, length);
  for (int k = 0; k < j->count; k++) {
    double *largest = length[k] ? &o.length : &o.angle;
    double scale = length[k] ? m->frozen->length : 1.0;
    *largest = fmax(*largest, fabs(row[k]));
    o.load = fmax(o.load, scale * fabs(row[k]) / d->solve.c[stored_row(j, k)]);
  }
  return o;
}

/* The links of drives and gears follow those of the joints. */
static void find_drives(const ali3_model *m, const ali3_data *d, link_rows *rows, double largest,
                        ali3_violation *v)
{
  double most = TAKES_PART * largest, second = most;
  v->drive = v->other = -1;
  for (int i = m->joints; i < m->frozen->rigid_links; i++) {
    double load = opening_of(m, d, i, rows).load;
    int force = m->frozen->force_of[i - m->joints];
    if (!(load > second)) continue;
    if (load > most) {
      second = most;
      v->other = v->drive;
      most = load;
      v->drive = force;
    } else {
      second = load;
      v->other = force;
    }
  }
}

/* Target coordinate of v->drive's joint, and the actual coordinate. */
static void find_aim(const ali3_model *m, const ali3_data *d, link_rows *rows, ali3_violation *v)
{
  if (v->drive < 0) return;
  const struct joint_rows *j = &m->frozen->link[m->frozen->force_link[v->drive]];
  double row[ROWS_MAX];
  rows(m, d, j, row);
  if (j->drive >= 0) v->aim = v->rates ? d->outside.aim[j->drive].rate : d->outside.aim[j->drive].position;
  v->at = v->aim + row[0];
}

static void measure_opening(const ali3_model *m, const ali3_data *d, bool rates, ali3_violation *v)
{
  link_rows *rows = rates ? row_velocities : row_positions;
  double largest = 0.0;
  *v = (ali3_violation){.rates = rates, .joint = -1, .force = -1, .drive = -1, .other = -1};
  for (int i = 0; i < m->frozen->rigid_links; i++) {
    struct opening o = opening_of(m, d, i, rows);
    double relative = fmax(o.length / m->frozen->length, o.angle);
    largest = fmax(largest, o.load);
    if (!(relative > v->relative)) continue;
    v->relative = relative;
    v->length = o.length;
    v->angle = o.angle;
    v->joint = i < m->joints ? i : -1;
    v->force = i < m->joints ? -1 : m->frozen->force_of[i - m->joints];
  }
  find_drives(m, d, rows, largest, v);
  find_aim(m, d, rows, v);
}

void violation_none(ali3_violation *v)
{
  *v = (ali3_violation){.joint = -1, .force = -1, .drive = -1, .other = -1};
}

int violation_judge(const ali3_model *m, ali3_data *d)
{
  const double least = fmin(1.0, m->frozen->length), dt = m->options.dt;
  const ali3_report *r = &d->report;
  ali3_violation *v = &d->violation;
  if (r->position > VIOLATION_POSITION * least) {
    measure_opening(m, d, false, v);
    v->limit = VIOLATION_POSITION;
    if (m->options.violation > 0.0 && v->relative > m->options.violation) {
      v->limit = m->options.violation;
      return ALI3_E_VIOLATED;
    }
    if (v->relative > v->limit) return ALI3_VIOLATED;
  }
  /* the positions close: judge velocities */
  if (r->velocity * dt > VIOLATION_VELOCITY * least) {
    measure_opening(m, d, true, v);
    v->limit = VIOLATION_VELOCITY / dt;
    if (v->relative > v->limit) return ALI3_VIOLATED;
  }
  violation_none(v);
  return ALI3_OK;
}

bool violation_at_start(const ali3_model *m, ali3_data *d)
{
  double largest = 0.0;
  for (int i = 0; i < m->frozen->drives; i++) {
    bool length[ROWS_MAX];
    flag_length_rows(&m->frozen->link[m->frozen->drive[i].link], length);
    largest = fmax(largest, fabs(d->outside.aim[i].rate) / (length[0] ? m->frozen->length : 1.0));
  }
  if (!(largest > AT_REST)) return false; /* the rows are consistent with any motion */
  measure_opening(m, d, true, &d->violation);
  if (d->violation.relative > fmax(CONTRADICTION * largest, AT_REST)) return true;
  violation_none(&d->violation);
  return false;
}

static void soften_rows(const ali3_model *m, ali3_data *d, double factor)
{
  for (int i = 0; i < m->frozen->rigid; i++) d->solve.c[i] *= factor;
}

/* Kinematics only: damped Gauss-Newton steps (Levenberg-Marquardt: the compliance is the damping) from the last good state
 * towards the targets of the drives. Rows that are open when the steps stall are out of reach, for any masses and any
 * period. After a step that diverged for another reason the rows close, or still close slowly. */
void violation_blame(const ali3_model *m, ali3_data *d)
{
  ali3_violation *v = &d->violation, asked, found;
  double before = 0.0;
  double factor = 1.0; /* a power of two, so that its inverse is exact */
  while (m->options.alpha == 0.0 && factor * m->options.compliance < DAMPING) factor *= 2.0;
  stage_rows(m, d);
  measure_opening(m, d, false, &asked);
  found = asked;
  soft_open(m, d);
  soften_rows(m, d, factor);
  bool good = true;
  for (int k = 0; k < TRIES && (good = stage_condense(m, d)); k++) {
    project_position(m, d);
    stage_rows(m, d);
    before = found.relative;
    measure_opening(m, d, false, &found);
  }
  soften_rows(m, d, 1.0 / factor);
  if (!good || !(found.relative > fmax(VIOLATION_POSITION, UNMET * asked.relative))) return;
  if (!(found.relative > STANDS * before)) return;
  v->drive = found.drive;
  v->other = found.other;
  v->aim = found.aim;
}

void violation_locate(const ali3_model *m, ali3_data *d)
{
  ali3_violation *v = &d->violation;
  const double aim = v->aim;
  if (v->rates) return;
  find_aim(m, d, row_positions, v); /* d->outside.aim is that of the last good state again */
  v->aim = aim;
}
