/* SPDX-License-Identifier: MIT
 * Set-up of delta of every body and of the compliance of every row. */
#include "assembly/assembly.h"
#include "dynamics/region.h"
#include "kernels/elements.h"
#include "math/vec3.h"
#include "stepper/extrapolate.h"
#include "stepper/soft.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

double penalty_stiffness(const struct law *law, const struct rule *rule, bool spring)
{
  double k = law->stiffness, c = law->damping;
  if (law->kind == LAW_SWAY && spring) return k; /* it holds no body, and its body oscillates */
  if (law->kind == LAW_WINDING) /* a damper behind a spring: the steady back-EMF and that of the inductance */
    return spring ? 0.0
                  : law->actuator->constant * law->actuator->constant /
                        (law->actuator->resistance / rule->v_d + law->actuator->inductance);
  if (law->kind != LAW_LIMITS && law->kind != LAW_LINEAR && law->kind != LAW_TABLE && law->kind != LAW_USER &&
      law->kind != LAW_CYLINDER)
    return 0.0;
  for (int i = 1; law->force && i < law->force->n; i++) {
    const double(*p)[2] = law->force->point + i;
    k = fmax(k, (p[0][1] - p[-1][1]) / (p[0][0] - p[-1][0]));
  }
  for (int i = 1; law->damping_table && i < law->damping_table->n; i++) {
    const double(*p)[2] = law->damping_table->point + i;
    c = fmax(c, (p[0][1] - p[-1][1]) / (p[0][0] - p[-1][0]));
  }
  return spring ? k : k + rule->v_d * c;
}

static void set_bodies(const ali3_model *m, ali3_data *d, double alpha)
{
  double h = d->rule.h;
  for (int b = 0; b < m->bodies; b++) {
    const struct body *body = &m->body[b];
    struct body_delta delta;
    bool carried = body_is_carried(m, b);
    double moment = carried ? m->frozen->typical[b].moment
                            : (body->spec.inertia[0] + body->spec.inertia[4] + body->spec.inertia[8]) / 3.0;
    delta.r = carried ? body->spec.mass / h : h / body->spec.mass;
    for (int i = 0; i < 9; i++)
      delta.th[i] = carried ? body->spec.inertia[i] / h : h * body->inertia_inverse[i];
    delta.alpha = alpha > 0.0 ? alpha : moment / (h * m->options.compliance);
    delta.n = carried ? 4.0 * delta.alpha : 0.25 / delta.alpha;
    stored_set_delta(m, d, b, &delta);
  }
}

/* J h M^-1 J' of a row for a carried body with mass. */
static double own_entry(const struct body *b, const double *J)
{
  double turn[3];
  m3_mul(turn, b->inertia_inverse, J + 3);
  return v3_dot(J, J) / b->spec.mass + v3_dot(turn, J + 3);
}

/* Smallest entry, relative to the entry of a light body. With a smaller entry, some lever arms would leave only rounding of
 * it. */
static const double SOFTEST = 6e-4;

/* J delta J' of a row, over the bodies that have a delta. Between carried bodies only, it is the entry of a typical body. If
 * a carried body has mass it is the geometric mean of this entry and of J h M^-1 J' over all bodies. This entry alone is so
 * stiff that only rounding of the light body's inertia remains in its pivot. J h M^-1 J' alone is so soft beside the heavy
 * bodies that the iterations are slow. */
double penalty_entry(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, int k)
{
  double room[STORED_J] = {0.0}, entry = 0.0, own = 0.0, typical = 0.0;
  const double *J = stored_jacobian(j, d->here.J, room) + BODY_Y * j->sides * k;
  for (int side = 0; side < j->sides; side++, J += BODY_Y) {
    double dJ[BODY_Y];
    const int b = j->body[side];
    if (b == ALI3_GROUND) continue;
    for (int y = 0; y < BODY_Y - 1; y++) typical += J[y] * J[y] / m->frozen->typical[b].mass;
    if (body_is_carried(m, b)) {
      if (!m->body[b].singular) own += own_entry(&m->body[b], J);
      continue;
    }
    const struct body_delta delta = stored_delta(m, d, b);
    body_apply_delta(&delta, J, dJ);
    for (int y = 0; y < BODY_Y; y++) entry += J[y] * dJ[y];
  }
  /* Between carried bodies only; then with a light body. */
  if (!(entry > 0.0)) entry = d->rule.h * typical;
  if (!(own > 0.0)) return entry;
  own *= d->rule.h;
  return fmax(sqrt(entry * (entry + own)), SOFTEST * own);
}

void penalty_set(const ali3_model *m, ali3_data *d, double alpha)
{
  set_bodies(m, d, alpha);
  for (int i = 0; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0, row = j->first; k < j->count; k++, row += j->stride) {
      if (j->soft) continue;
      d->solve.c[row] = alpha > 0.0 ? 1.0 / alpha : m->options.compliance * penalty_entry(m, d, j, k);
    }
  }
  penalty_open(m, d);
}

/* o = w - delta J'z of a body, or w + its unknown for a carried body; push has J'z with the Jacobian of the factors. */
void penalty_corrected(const ali3_model *m, const ali3_data *d, int body, double o[BODY_Y])
{
  double w[BODY_Y], f[BODY_Y], df[BODY_Y];
  const struct tree *t = m->frozen->tree;
  const struct body_delta delta = stored_delta(m, d, body);
  stored_get(m, d->solve.w, BODY_Y, body, w);
  body_end_loads(m, d, body, f);
  body_apply_delta(&delta, f, df);
  for (int y = 0; y < BODY_Y; y++)
    o[y] = body_is_carried(m, body) ? w[y] + d->solve.z[t->carried_at[body] + y * t->body[body].width]
                                    : w[y] - df[y];
}

/* Mobility of a row with the rigid rows: J (delta J' - delta J'z) with S z = J delta J'. */
double penalty_mobility(const ali3_model *m, ali3_data *d, const struct joint_rows *j, int k)
{
  static const double none[BODY_Y];
  double room[STORED_J] = {0.0}, sum = 0.0;
  const double *J = stored_jacobian(j, d->here.J, room) + BODY_Y * j->sides * k;
  /* Set w = delta J' of the bodies of the row, and beta = J w. */
  memset(d->solve.w, 0, (size_t)(m->frozen->tree->slots * BODY_Y) * sizeof *d->solve.w);
  for (int side = 0; side < j->sides; side++) {
    int b = j->body[side];
    if (b == ALI3_GROUND) continue;
    if (body_is_carried(m, b)) {
      stored_set(m, d->solve.carried_rhs, BODY_Y, b, J + BODY_Y * side);
      continue;
    }
    const struct body_delta delta = stored_delta(m, d, b);
    double w[BODY_Y];
    body_apply_delta(&delta, J + BODY_Y * side, w);
    stored_set(m, d->solve.w, BODY_Y, b, w);
  }
  for (int i = 0; i < m->frozen->links; i++) {
    const struct joint_rows *other = &m->frozen->link[i];
    for (int n = 0; n < other->count; n++)
      d->solve.beta[stored_row(other, n)] = link_jw(m, d, d->here.J, other, n);
  }
  /* Solve for the motion of the bodies with the rigid rows. */
  stage_solve(m, d);
  stage_links(m, d, KERNEL_link_push_z);
  for (int side = 0; side < j->sides; side++, J += BODY_Y) {
    double y[BODY_Y];
    if (j->body[side] == ALI3_GROUND) continue;
    penalty_corrected(m, d, j->body[side], y);
    for (int i = 0; i < BODY_Y; i++) sum += J[i] * y[i];
    if (body_is_carried(m, j->body[side])) stored_set(m, d->solve.carried_rhs, BODY_Y, j->body[side], none);
  }
  return sum;
}

static const double SOLVE_FLOPS_MOST = 1e9; /* flops of solves; larger models use penalty_entry() instead */

double penalty_row_mobility(const ali3_model *m, ali3_data *d, const struct joint_rows *j, int k,
                            double *work)
{
  const bool cheap = *work < SOLVE_FLOPS_MOST;
  *work += 0.4 * m->frozen->tree->flops + 100.0 * m->frozen->true_rows;
  return cheap ? penalty_mobility(m, d, j, k) : penalty_entry(m, d, j, k);
}

/* The limit by which rows count as stiff. */
struct stiff_search {
  double length; /* inner step over the step of d->rule */
  double limit;  /* limit of dt^2/4 k (J M^-1 J'); 1 is about three steps a period */
  double work;   /* flops of solves so far */
};

/* The part of J h M^-1 J' of a row from the masses of its carried bodies. penalty_mobility() holds these bodies by the
 * springs in question, so it does not show their frequency. */
static double point_entry(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, int k)
{
  double room[STORED_J] = {0.0}, entry = 0.0;
  const double *J = stored_jacobian(j, d->here.J, room) + BODY_Y * j->sides * k;
  for (int side = 0; side < j->sides; side++, J += BODY_Y) {
    const int body = j->body[side];
    if (body == ALI3_GROUND || !body_is_carried(m, body) || m->body[body].spec.mass == 0.0) continue;
    entry += d->rule.h / m->body[body].spec.mass * v3_dot(J, J);
  }
  return entry;
}

/* A row is stiff by its mobility with the joints, which is never larger than the mobility of free bodies. Only rows that are
 * stiff with free bodies need a solve each. */
static bool row_is_stiff(const ali3_model *m, ali3_data *d, const struct joint_rows *j, int k,
                         struct stiff_search *s)
{
  const struct law *law = &j->law[k];
  struct rule rule = d->rule;
  rule.v_d /= s->length;
  const double stiffness = s->length * s->length * penalty_stiffness(law, &rule, false);
  bool stiff = penalty_entry(m, d, j, k) * stiffness > s->limit;
  if (stiff && s->work < SOLVE_FLOPS_MOST) {
    stiff = penalty_mobility(m, d, j, k) * stiffness > s->limit;
    s->work += 0.4 * m->frozen->tree->flops + 100.0 * m->frozen->true_rows;
  }
  return stiff;
}

/* True if a row is stiff. stiff: (rows) receives the stiff rows. */
static bool find_stiff(const ali3_model *m, ali3_data *d, struct stiff_search *s, bool *stiff)
{
  bool some = false;
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) {
      const bool now = row_is_stiff(m, d, j, k, s);
      stiff[stored_row(j, k)] = now;
      some |= now;
    }
  }
  return some;
}

/* An extrapolated step combines its branches if the combination does not amplify the modes of the soft rows. A row whose mode
 * would grow although it does not oscillate is settled: held in each branch, so that it decays. The branches are not combined
 * where a row, a light body or the pull of a spring oscillates: a step that takes energy out of an oscillation would not be that
 * of the mechanism. */
enum row_order { ROW_FOLLOWED, ROW_SETTLED, ROW_SEPARATE };
static const double FOUR_STEPS = 0.6; /* dt^2/4 k (J M^-1 J') of four steps a period */

static enum row_order order_of_row(const ali3_model *m, ali3_data *d, const struct joint_rows *j, int k,
                                   double *work)
{
  static const double GROWS = 1.0005, MARGIN = 1.4; /* rows on the same bodies are stiffer together */
  const struct law *law = &j->law[k];
  const double h = d->rule.h, spring = penalty_stiffness(law, &d->rule, true),
               both = penalty_stiffness(law, &d->rule, false), damper = (both - spring) / d->rule.v_d;
  if (law->kind != LAW_LIMITS && point_entry(m, d, j, k) * spring > FOUR_STEPS) return ROW_SEPARATE;
  if (!(penalty_entry(m, d, j, k) * fmax(spring, both) > FOUR_STEPS)) return ROW_FOLLOWED;
  const double mobility = penalty_row_mobility(m, d, j, k, work);
  if (!(mobility * fmax(spring, both) > FOUR_STEPS)) return ROW_FOLLOWED;
  if (law->kind == LAW_SWAY) return ROW_SEPARATE;
  if (law->kind == LAW_LIMITS) return ROW_SETTLED;
  const struct mode mode = {spring * mobility / h, damper * mobility / h};
  const struct mode stiffer = {MARGIN * mode.stiffness, MARGIN * mode.damping};
  const double growth =
      fmax(region_extrapolated_growth(mode, d->rule.dt), region_extrapolated_growth(stiffer, d->rule.dt));
  if (!(growth > GROWS)) return ROW_FOLLOWED;
  return mode.damping * mode.damping > 4.0 * mode.stiffness ? ROW_SETTLED : ROW_SEPARATE;
}

/* False: the branches are not combined. */
static bool settle_rows(const ali3_model *m, ali3_data *d)
{
  double work = 0.0;
  d->soft.some_stiff = false;
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) {
      const enum row_order order = order_of_row(m, d, j, k, &work);
      if (order == ROW_SEPARATE) {
        d->stopped = m->frozen->force_of[i - m->joints];
        return false;
      }
      d->soft.stiff[stored_row(j, k)] = order == ROW_SETTLED;
      d->soft.some_stiff |= order == ROW_SETTLED;
    }
  }
  return true;
}

void penalty_find_stiff(const ali3_model *m, ali3_data *d)
{
  struct stiff_search s = {.length = 1.0, .limit = 1.0};
  d->stopped = -1;
  if (data_is_explicit(m)) return; /* soft rows are loads, and never held */
  d->combines = m->options.extrapolate && settle_rows(m, d);
  if (d->combines) return;
  if (m->options.extrapolate) s.length = 1.0 / EXTRAPOLATE_FINEST;
  d->soft.some_stiff = find_stiff(m, d, &s, d->soft.stiff);
}

/* Mobility of friction rows with springs active and friction off. It only speeds up law_drag(); an estimate is
 * enough. Restores the factors of penalty_open(). */
bool penalty_find_mobility(const ali3_model *m, ali3_data *d)
{
  double work = 0.0;
  if (!m->frozen->jumps || data_is_explicit(m)) return true;
  soft_start(m, d);
  soft_laws(m, d, 0);
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) {
      d->soft.rigid_now[stored_row(j, k)] = false;
      if (law_jumps(&j->law[k]) && j->law[k].kind != LAW_LIMITS) d->solve.c[stored_row(j, k)] = LAW_OPEN;
    }
  }
  /* Factorise without friction, then solve row by row. */
  if (!stage_condense(m, d)) return false;
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) {
      if (!law_jumps(&j->law[k]) || j->law[k].kind == LAW_LIMITS) continue;
      d->soft.mobility[stored_row(j, k)] = penalty_row_mobility(m, d, j, k, &work);
    }
  }
  penalty_open(m, d);
  return stage_condense(m, d);
}

void penalty_open(const ali3_model *m, ali3_data *d)
{
  soft_start(m, d); /* a step whose start equals its end */
  soft_laws(m, d, 0);
  for (int row = m->frozen->rigid; row < m->frozen->rows; row++) d->soft.rigid_now[row] = false;
  soft_open(m, d);
}
