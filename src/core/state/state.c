/* SPDX-License-Identifier: MIT
 * Loop code: saves and loads the state of a run. One visit of its fields counts, writes and reads. The tree keeps bodies and rows
 * in tiles; a state keeps them in the order of the model.
 *
 * A load clears the block and lays it out again. J and the rotations follow from the state, as after a step that failed. */
#include "state/state.h"
#include "base/crc.h"
#include "base/isa.h"
#include "kernels/elements.h"
#include "stepper/explicit.h"
#include "stepper/extrapolate.h"
#include "stepper/inner.h"
#include "stepper/stage.h"

#include <ali3/ali3.h>
#include <string.h>

#if defined(__x86_64__)
#define PROCESSOR "x86_64 "
#elif defined(__aarch64__)
#define PROCESSOR "aarch64 "
#else
#define PROCESSOR "other "
#endif

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the numbers of a state are copied as they are");

enum { WORD = 8, CRC_FROM = 12 };

/* Bytes that pass by: `to` NULL and `from` NULL count them. */
struct passage {
  unsigned char *to;
  const unsigned char *from;
  size_t at;
  bool out_of_range; /* an integer is not within the limits of its field */
};

static void pass_numbers(struct passage *p, double *x, size_t n)
{
  if (p->to) memcpy(p->to + p->at, x, n * WORD);
  if (p->from) memcpy(x, p->from + p->at, n * WORD);
  p->at += n * WORD;
}

static int64_t pass_integer(struct passage *p, int64_t x, int64_t least, int64_t most)
{
  if (p->to) memcpy(p->to + p->at, &x, WORD);
  if (p->from) memcpy(&x, p->from + p->at, WORD);
  p->at += WORD;
  if (x >= least && x <= most) return x;
  p->out_of_range = true;
  return least;
}

static bool pass_flag(struct passage *p, bool x)
{
  return pass_integer(p, x, 0, 1) == 1;
}

/* Index of one of `count` elements, or -1. */
static int pass_index(struct passage *p, int x, int count)
{
  return (int)pass_integer(p, x, -1, count - 1);
}

/* A drive or a gear, or -1. */
static int pass_drive(struct passage *p, const ali3_model *m, int x)
{
  x = pass_index(p, x, m->forces);
  if (x < 0 || m->force[x].spec.type == ALI3_FORCE_DRIVE || m->force[x].spec.type == ALI3_FORCE_GEAR)
    return x;
  p->out_of_range = true;
  return -1;
}

/* --- the figures: what a load checks before it changes anything --- */

struct figures {
  ali3_report report;
  ali3_violation violation;
  ali3_initial initial;
  int stopped;
  bool combines, some_stiff, redundant, changed, fresh[3];
  bool factors; /* of explicit methods, as in ali3_data.states */
  int history;
};

static struct figures figures_of(const ali3_data *d)
{
  struct figures o = {.report = d->report,
                      .violation = d->violation,
                      .initial = d->initial,
                      .stopped = d->stopped,
                      .combines = d->combines,
                      .some_stiff = d->soft.some_stiff,
                      .redundant = d->redundant,
                      .changed = d->outside.changed,
                      .fresh[2] = d->outside.fresh,
                      .factors = d->states.factors,
                      .history = d->states.history};
  for (int i = 0; i < 2 && d->coarse[i]; i++) o.fresh[i] = d->coarse[i]->outside.fresh;
  return o;
}

/* Without free_direction, which only a reset that failed fills. */
static void pass_report(struct passage *p, const ali3_model *m, ali3_report *r)
{
  r->status = (int)pass_integer(p, r->status, ALI3_E_STIFF, ALI3_UNRESOLVED);
  pass_numbers(p, &r->increment, 1);
  pass_numbers(p, &r->position, 1);
  pass_numbers(p, &r->velocity, 1);
  pass_numbers(p, &r->acceleration, 1);
  pass_numbers(p, &r->turn, 1);
  r->retried = pass_flag(p, r->retried);
  r->held = (int)pass_integer(p, r->held, 0, INT32_MAX);
  r->worst_joint = pass_index(p, r->worst_joint, m->joints);
  r->worst_force = pass_index(p, r->worst_force, m->forces);
  r->worst_body = pass_index(p, r->worst_body, m->bodies);
}

static void pass_violation(struct passage *p, const ali3_model *m, ali3_violation *v)
{
  v->rates = pass_flag(p, v->rates);
  pass_numbers(p, &v->relative, 1);
  v->joint = pass_index(p, v->joint, m->joints);
  v->force = pass_index(p, v->force, m->forces);
  pass_numbers(p, &v->length, 1);
  pass_numbers(p, &v->angle, 1);
  v->drive = pass_drive(p, m, v->drive);
  v->other = pass_drive(p, m, v->other);
  pass_numbers(p, &v->aim, 1);
  pass_numbers(p, &v->at, 1);
  pass_numbers(p, &v->limit, 1);
}

static void pass_initial(struct passage *p, const ali3_model *m, ali3_initial *o)
{
  pass_numbers(p, &o->moved_position, 1);
  pass_numbers(p, &o->moved_orientation, 1);
  pass_numbers(p, &o->moved_velocity, 1);
  pass_numbers(p, &o->moved_angular_velocity, 1);
  o->body_position = pass_index(p, o->body_position, m->bodies);
  o->body_orientation = pass_index(p, o->body_orientation, m->bodies);
  o->body_rate = pass_index(p, o->body_rate, m->bodies);
  o->rate_turns = pass_flag(p, o->rate_turns);
  pass_numbers(p, &o->rate_given, 1);
  pass_numbers(p, &o->rate_possible, 1);
  pass_numbers(p, &o->rate_changed, 1);
  o->too_far = pass_flag(p, o->too_far);
}

static void pass_figures(struct passage *p, const ali3_model *m, struct figures *o)
{
  pass_report(p, m, &o->report);
  pass_violation(p, m, &o->violation);
  pass_initial(p, m, &o->initial);
  o->stopped = pass_index(p, o->stopped, m->forces);
  o->combines = pass_flag(p, o->combines);
  o->some_stiff = pass_flag(p, o->some_stiff);
  o->redundant = pass_flag(p, o->redundant);
  o->changed = pass_flag(p, o->changed);
  for (int i = 0; i < 3; i++) o->fresh[i] = pass_flag(p, o->fresh[i]);
  o->factors = pass_flag(p, o->factors);
  o->history = (int)pass_integer(p, o->history, 0, explicit_history(m->options.method));
  /* Data of other methods have no room for what these two announce. */
  p->out_of_range |= !data_is_explicit(m) && (o->factors || o->history > 0);
}

/* --- the mechanism; a passage that only counts goes over data without arrays --- */

static void pass_array(struct passage *p, double *array, size_t at, size_t n)
{
  if (p->to || p->from)
    pass_numbers(p, array + at, n);
  else
    p->at += n * WORD;
}

/* The numbers of a body. */
static void pass_stored(struct passage *p, const ali3_model *m, double *array, int numbers, int body)
{
  double x[X_NUMBERS] = {0};
  if (p->to) stored_get(m, array, numbers, body, x);
  pass_numbers(p, x, (size_t)numbers);
  if (p->from) stored_set(m, array, numbers, body, x);
}

/* The data and their coarse branches: their inner steps have lengths of their own. */
static int branches_of(const ali3_model *m)
{
  return m->options.extrapolate ? 3 : 1;
}

static struct solve *solve_of(ali3_data *d, int branch)
{
  return branch > 0 && d->coarse[branch - 1] ? &d->coarse[branch - 1]->solve : &d->solve;
}

static void pass_body(struct passage *p, const ali3_model *m, ali3_data *d, int body)
{
  pass_stored(p, m, d->now.x, X_NUMBERS, body);
  pass_stored(p, m, d->now.mu, 1, body);
  pass_stored(p, m, d->outside.now.wrench, WRENCH_NUMBERS, body);
  pass_stored(p, m, d->outside.start.wrench, WRENCH_NUMBERS, body);
  for (int i = 0; i < branches_of(m); i++) pass_stored(p, m, solve_of(d, i)->delta, DELTA_NUMBERS, body);
}

static void pass_link(struct passage *p, const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  for (int k = 0; k < j->count; k++) {
    const size_t row = (size_t)stored_row(j, k);
    pass_array(p, d->now.lambda, row, 1);
    pass_array(p, d->now.reaction, row, 1);
    if (data_is_explicit(m)) pass_array(p, d->states.base.lambda, row, 1);
    for (int i = 0; i < branches_of(m); i++) pass_array(p, solve_of(d, i)->c, row, 1);
    if (!j->soft) continue;
    pass_array(p, d->now.mean, row, 1);
    pass_array(p, d->soft.mobility, row, 1);
    const bool stiff = pass_flag(p, p->to && d->soft.stiff[row]);
    if (p->from) d->soft.stiff[row] = stiff;
  }
}

/* Values that were set from outside, and references of the drives. */
static void pass_outside(struct passage *p, const ali3_model *m, ali3_data *d)
{
  struct outside_values *values[2] = {&d->outside.now, &d->outside.start};
  for (int i = 0; i < 2; i++) {
    pass_array(p, values[i]->vector ? *values[i]->vector : NULL, 0, 3 * (size_t)m->loads);
    pass_array(p, values[i]->command, 0, (size_t)m->forces);
  }
  for (int i = 0; i < m->frozen->drives; i++) {
    struct reference none = {0}, *from = d->outside.from ? &d->outside.from[i] : &none;
    pass_numbers(p, &from->position, 1);
    pass_numbers(p, &from->rate, 1);
    pass_numbers(p, &from->acceleration, 1);
  }
}

/* The states of explicit methods that the next step reads. */
static void pass_states(struct passage *p, const ali3_model *m, ali3_data *d)
{
  struct explicit_states *s = &d->states;
  if (!data_is_explicit(m)) return;
  pass_numbers(p, &s->jump, 1);
  if (data_is_jointed(m)) {
    pass_array(p, s->base.x, 0, explicit_numbers(m));
    for (int i = 0; i < explicit_history(m->options.method); i++)
      pass_array(p, i == 0 ? d->joints.last : s->x[i - 1], 0, explicit_numbers(m));
    return;
  }
  for (int b = 0; b < m->bodies; b++) {
    pass_stored(p, m, s->base.x, X_NUMBERS, b);
    for (int i = 0; i < explicit_history(m->options.method); i++)
      pass_stored(p, m, i == 0 ? d->last.x : s->x[i - 1], X_NUMBERS, b);
  }
}

static void pass_mechanism(struct passage *p, const ali3_model *m, ali3_data *d)
{
  for (int i = 0; i < m->bodies; i++) pass_body(p, m, d, i);
  for (int i = 0; i < m->joints; i++) pass_link(p, m, d, i);
  for (int i = 0; i < m->forces; i++) pass_link(p, m, d, m->frozen->force_link[i]);
  for (int i = 0; i < m->frozen->rolling; i++)
    pass_array(p, d->tangent ? *d->tangent : NULL, 3 * (size_t)i, 3);
  pass_array(p, d->turn, 0, (size_t)m->joints);
  pass_array(p, d->measured, 0, m->frozen->measured);
  pass_array(p, d->now.own, 0, (size_t)m->frozen->own);
  pass_outside(p, m, d);
  pass_states(p, m, d);
}

/* Phi by the turns, and J by the directions of sliding, before the last step moved both on: to evaluate them again would round
 * differently. */
static void pass_rows(struct passage *p, const ali3_model *m, ali3_data *d)
{
  for (int i = 0; i < m->joints + m->forces; i++) {
    const struct joint_rows *j = &m->frozen->link[i < m->joints ? i : m->frozen->force_link[i - m->joints]];
    for (int k = 0; k < j->count; k++) pass_array(p, d->solve.Phi, (size_t)stored_row(j, k), 1);
    for (int n = 0; n < j->count * j->sides * BODY_Y && j->rolling >= 0; n++)
      pass_array(p, d->here.J, j->jacobian + (size_t)(n * j->stride), 1);
  }
}

/* --- save --- */

/* As much of it as fits; the rest of the text stays 0. */
static void append_word(char *text, size_t size, const char *word)
{
  const size_t used = strlen(text), n = strlen(word), room = size - 1 - used;
  memcpy(text + used, word, n < room ? n : room);
}

struct state_head state_head_of(const ali3_model *m)
{
  struct state_head o = {.magic = {'A', 'L', 'I', '3', 'S', 'T', 'A', 'T'},
                         .version = ALI3_STATE_VERSION,
                         .size = ali3_state_size(m),
                         .isa = PROCESSOR};
  memcpy(o.hash, m->hash, sizeof o.hash);
  append_word(o.isa, sizeof o.isa, isa_name(m->frozen->isa));
  append_word(o.release, sizeof o.release, ali3_version());
  return o;
}

size_t ali3_state_size(const ali3_model *m)
{
  struct passage p = {.at = sizeof(struct state_head)};
  struct figures figures = {.report.worst_body = -1};
  ali3_data nowhere = {0};
  if (!m || !m->frozen) return 0;
  pass_figures(&p, m, &figures);
  pass_mechanism(&p, m, &nowhere);
  pass_rows(&p, m, &nowhere);
  return p.at;
}

ali3_status ali3_state_save(const ali3_model *m, const ali3_data *d, void *to)
{
  if (!m || !m->frozen || !d || !d->started || d->prepared || !to) return ALI3_E_ARGUMENT;
  /* A copy of the pointers: the arrays are only read. */
  ali3_data view = *d;
  struct state_head head = state_head_of(m);
  head.step = d->report.step;
  head.time = d->report.time;
  struct figures figures = figures_of(d);
  struct passage p = {.to = to, .at = sizeof head};
  pass_figures(&p, m, &figures);
  pass_mechanism(&p, m, &view);
  pass_rows(&p, m, &view);
  memcpy(to, &head, sizeof head);
  head.crc = crc32_ieee((const uint8_t *)to + CRC_FROM, p.at - CRC_FROM);
  memcpy(to, &head, sizeof head);
  return ALI3_OK;
}

/* --- load --- */

enum state_fault state_examine(const ali3_model *m, const void *from, size_t size, enum state_source source,
                               struct state_head *head)
{
  if (size < sizeof *head) return STATE_SHORT;
  memcpy(head, from, sizeof *head);
  head->isa[sizeof head->isa - 1] = head->release[sizeof head->release - 1] = 0;
  /* Whose it is. */
  const struct state_head own = state_head_of(m);
  if (memcmp(head->magic, own.magic, sizeof own.magic) != 0) return STATE_FOREIGN;
  if (head->version != own.version) return STATE_VERSION;
  if (source == STATE_OF_THIS_BUILD && strcmp(head->release, own.release) != 0) return STATE_LIBRARY;
  if (source == STATE_OF_THIS_BUILD && strcmp(head->isa, own.isa) != 0) return STATE_OTHER_ISA;
  if (memcmp(head->hash, own.hash, sizeof own.hash) != 0) return STATE_OTHER_MODEL;
  /* Whether it is whole. */
  if (size != own.size || head->size != own.size) return STATE_SIZE;
  if (crc32_ieee((const uint8_t *)from + CRC_FROM, size - CRC_FROM) != head->crc) return STATE_DAMAGED;
  struct figures figures = {0};
  struct passage p = {.from = from, .at = sizeof *head};
  pass_figures(&p, m, &figures);
  /* Flags in the mechanism have a place each; a load takes only them. */
  return p.out_of_range ? STATE_RANGE : STATE_GOOD;
}

void state_note_acted(const ali3_model *m, ali3_data *d)
{
  for (int i = 0; i < m->bodies; i++)
    for (int k = 0; k < WRENCH_NUMBERS; k++) {
      const size_t at = stored_at(stored_body(m, i), WRENCH_NUMBERS) + (size_t)(k * stored_body(m, i)->width);
      d->outside.acted[m->frozen->tile_of[i]] |=
          d->outside.now.wrench[at] != 0.0 || d->outside.start.wrench[at] != 0.0;
    }
}

/* Rows and rotations of a state; the block is as ali3_data_place() left it. */
static void fill_mechanism(const ali3_model *m, ali3_data *d, struct passage *p)
{
  pass_mechanism(p, m, d);
  for (int i = 0; i < m->frozen->drives; i++) d->outside.aim[i] = d->outside.from[i];
  state_note_acted(m, d);
  if (d->states.factors) explicit_factorise_again(m, d);
  stage_bodies(m, d, KERNEL_body_frame);
  stage_rows(m, d);
  pass_rows(p, m, d);
}

/* As a reset and the last step leave them. */
static void fill_figures(const ali3_model *m, ali3_data *d, const struct figures *o,
                         const struct state_head *head)
{
  /* Figures of the last step, and flags. */
  const double dt = m->options.dt / m->options.substeps;
  d->report = o->report;
  d->report.step = head->step;
  d->report.time = head->time;
  d->violation = o->violation;
  d->initial = o->initial;
  d->stopped = o->stopped;
  d->combines = o->combines;
  d->soft.some_stiff = o->some_stiff;
  d->redundant = o->redundant;
  d->outside.changed = o->changed;
  d->outside.fresh = o->fresh[2];
  d->states.factors = o->factors;
  d->states.history = o->history;
  /* Lengths of the inner steps. */
  inner_rule(m, d->coarse[0] ? dt / EXTRAPOLATE_FINEST : dt, &d->rule);
  d->rule.mobility_scale = d->coarse[0] ? mobility_scale_of(EXTRAPOLATE_FINEST) : 1.0;
  for (int i = 0; i < 2 && d->coarse[i]; i++) {
    ali3_data *coarse = d->coarse[i];
    coarse->combines = o->combines;
    coarse->soft.some_stiff = o->some_stiff;
    coarse->redundant = o->redundant;
    coarse->outside.fresh = o->fresh[i];
    inner_rule(m, dt / (i + 1), &coarse->rule);
    coarse->rule.mobility_scale = mobility_scale_of(i + 1);
  }
}

void state_fill(const ali3_model *m, ali3_data *d, const void *from, const struct state_head *head)
{
  /* An empty block with the callbacks of the old one. */
  const ali3_exec *exec = d->exec;
  const ali3_probe *probe = d->probe;
  const bool owned = d->owned;
  ali3_data_place(m, d, ali3_data_size(m));
  d->exec = exec;
  d->probe = probe;
  d->owned = owned;
  /* Figures first: the rows are evaluated by them. */
  struct figures figures = {0};
  struct passage p = {.from = from, .at = sizeof *head};
  pass_figures(&p, m, &figures);
  fill_figures(m, d, &figures, head);
  fill_mechanism(m, d, &p);
  d->started = true;
}

ali3_status state_load(const ali3_model *m, ali3_data *d, const void *from, size_t size)
{
  struct state_head head;
  if (!m || !m->frozen || !d || !from) return ALI3_E_ARGUMENT;
  if (state_examine(m, from, size, STATE_OF_THIS_BUILD, &head) != STATE_GOOD) return ALI3_E_STATE;
  state_fill(m, d, from, &head);
  return ALI3_OK;
}
