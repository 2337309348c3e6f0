/* SPDX-License-Identifier: MIT
 * Loop code: brings the motion of one model into the data of a model with other numbers, such as masses or stiffnesses. Delta and
 * the compliances stay those of the other model: its own reset has computed them. */
#include "base/bits.h"
#include "kernels/elements.h"
#include "state/state.h"
#include "stepper/inner.h"
#include "stepper/stage.h"

#include <ali3/ali3.h>
#include <string.h>

/* One side of a carry. */
struct carried_end {
  const ali3_model *m;
  ali3_data *d;
};

static const struct joint_rows *link_in_order(const ali3_model *m, int i)
{
  return &m->frozen->link[i < m->joints ? i : m->frozen->force_link[i - m->joints]];
}

/* A spring or cable has rows against sway only while its pull matters in a step. Their multipliers are small. */
static bool has_sway(const struct joint_rows *j)
{
  for (int k = 0; k < j->count; k++)
    if (j->law[k].kind == LAW_SWAY) return true;
  return false;
}

static bool links_match(const struct joint_rows *a, const struct joint_rows *b)
{
  const bool rows = a->count == b->count || has_sway(a) || has_sway(b);
  return rows && a->soft == b->soft && a->sides == b->sides && a->rolling == b->rolling &&
         a->drive == b->drive && memcmp(a->body, b->body, (size_t)a->sides * sizeof *a->body) == 0;
}

bool ali3_model_takes_state(const ali3_model *m, const ali3_model *from)
{
  if (!m || !from || !m->frozen || !from->frozen) return false;
  if (m->bodies != from->bodies || m->joints != from->joints || m->loads != from->loads ||
      m->forces != from->forces || m->frozen->drives != from->frozen->drives ||
      m->frozen->rolling != from->frozen->rolling)
    return false;
  if (m->options.dt != from->options.dt || m->options.substeps != from->options.substeps ||
      m->options.interpolate != from->options.interpolate ||
      m->options.extrapolate != from->options.extrapolate)
    return false;
  for (int i = 0; i < m->joints + m->forces; i++)
    if (!links_match(link_in_order(m, i), link_in_order(from, i))) return false;
  if (m->frozen->own != from->frozen->own) return false;
  /* The memory of the measuring chains. */
  if (m->sensors != from->sensors) return false;
  for (int i = 0; i < m->sensors; i++)
    if (m->frozen->chain[i].channels != from->frozen->chain[i].channels ||
        m->frozen->chain[i].each != from->frozen->chain[i].each)
      return false;
  return true;
}

static void carry_numbers(const struct carried_end *from, const struct carried_end *to, const double *a,
                          double *b, int numbers, int body)
{
  double x[X_NUMBERS];
  stored_get(from->m, a, numbers, body, x);
  stored_set(to->m, b, numbers, body, x);
}

static void carry_bodies(const struct carried_end *from, const struct carried_end *to)
{
  const ali3_data *a = from->d;
  ali3_data *b = to->d;
  for (int i = 0; i < to->m->bodies; i++) {
    carry_numbers(from, to, a->now.x, b->now.x, X_NUMBERS, i);
    carry_numbers(from, to, a->now.mu, b->now.mu, 1, i);
    carry_numbers(from, to, a->outside.now.wrench, b->outside.now.wrench, WRENCH_NUMBERS, i);
    carry_numbers(from, to, a->outside.start.wrench, b->outside.start.wrench, WRENCH_NUMBERS, i);
  }
  state_note_acted(to->m, b);
}

static void carry_links(const struct carried_end *from, const struct carried_end *to)
{
  for (int i = 0; i < to->m->joints + to->m->forces; i++) {
    const struct joint_rows *a = link_in_order(from->m, i), *b = link_in_order(to->m, i);
    for (int k = 0; k < b->count; k++) {
      const int row = stored_row(b, k), was = k < a->count ? stored_row(a, k) : -1;
      to->d->now.lambda[row] = was < 0 ? 0.0 : from->d->now.lambda[was];
      to->d->now.reaction[row] = was < 0 ? 0.0 : from->d->now.reaction[was];
      if (b->soft) to->d->now.mean[row] = was < 0 || !a->soft ? 0.0 : from->d->now.mean[was];
    }
  }
}

/* A load that the other model has with another vector gets that vector; the others keep what was set from outside. */
static void carry_outside(const struct carried_end *from, const struct carried_end *to)
{
  const struct outside *a = &from->d->outside;
  struct outside *b = &to->d->outside;
  for (int i = 0; i < to->m->loads; i++) {
    const double *own = to->m->load[i].spec.vector;
    const bool same = same_bits(own, from->m->load[i].spec.vector, 3);
    memcpy(b->now.vector[i], same ? a->now.vector[i] : own, sizeof b->now.vector[i]);
    memcpy(b->start.vector[i], same ? a->start.vector[i] : own, sizeof b->start.vector[i]);
  }
  memcpy(b->now.command, a->now.command, (size_t)to->m->forces * sizeof *b->now.command);
  memcpy(b->start.command, a->start.command, (size_t)to->m->forces * sizeof *b->start.command);
  for (int i = 0; i < to->m->frozen->drives; i++) b->from[i] = b->aim[i] = a->from[i];
}

ali3_status state_carry(const ali3_model *m, ali3_data *d, const ali3_model *from, const ali3_data *source)
{
  if (!m || !m->frozen || !d || !d->started || !from || !source || !source->started || source->prepared)
    return ALI3_E_ARGUMENT;
  if (!ali3_model_takes_state(m, from)) return ALI3_E_STATE;
  ali3_data view = *source; /* a copy of the pointers: the arrays are only read */
  const struct carried_end a = {from, &view}, b = {m, d};
  ali3_unprepare(m, d);
  carry_bodies(&a, &b);
  carry_links(&a, &b);
  carry_outside(&a, &b);
  memcpy(d->turn, source->turn, (size_t)m->joints * sizeof *d->turn);
  if (m->frozen->rolling > 0)
    memcpy(d->tangent, source->tangent, (size_t)m->frozen->rolling * sizeof *d->tangent);
  memcpy(d->measured, source->measured, m->frozen->measured * sizeof *d->measured);
  if (m->frozen->own > 0) memcpy(d->now.own, source->now.own, (size_t)m->frozen->own * sizeof *d->now.own);
  d->report = source->report;
  d->violation = source->violation;
  d->initial = source->initial;
  data_refresh(d);
  stage_bodies(m, d, KERNEL_body_frame);
  stage_rows(m, d);
  return ALI3_OK;
}
