/* SPDX-License-Identifier: MIT
 * Sets of changes that clients begin, fill and commit; changes that take effect at once; parameters that move over a time. */
#include "journal/log.h"
#include "keeper/parts.h"
#include "rt/clock.h"

#include <ali3/ali3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t DRAFT_NS = 10 * NS_PER_S; /* a set that is not committed is dropped */
#define PLATFORM "platform."

static struct draft *draft_of(struct keeper *l, const char *who)
{
  for (int i = 0; i < KEEPER_DRAFTS; i++)
    if (strcmp(l->draft[i].who, who) == 0) return &l->draft[i];
  return NULL;
}

void keeper_forget_drafts(struct keeper *l, uint64_t now_ns)
{
  for (int i = 0; i < KEEPER_DRAFTS; i++) {
    struct draft *d = &l->draft[i];
    if (!d->who[0] || now_ns - d->since_ns < DRAFT_NS) continue;
    keeper_note(l, LOG_LEVEL_INFO, "parameters of %s dropped: no commit for 10 s", d->who);
    d->who[0] = '\0';
  }
}

bool keeper_find_change(const struct keeper *l, const struct desk_request *r, struct keeper_change *c)
{
  *c = (struct keeper_change){.platform = strncmp(r->name, PLATFORM, strlen(PLATFORM)) == 0};
  memcpy(c->of.value, r->number, sizeof c->of.value);
  c->of.param = -1;
  if (!c->platform) c->of.param = params_find(&l->params, r->name);
  for (int i = 0; c->platform && l->config.cycle->drive.there && i < (int)PARAMS; i++)
    if (strcmp(params_table[i].name, r->name + strlen(PLATFORM)) == 0) c->of.param = i;
  return c->of.param >= 0;
}

bool keeper_read_change(const struct keeper *l, const struct desk_request *r, struct keeper_change *c,
                        char *error, size_t size)
{
  const bool found = keeper_find_change(l, r, c);
  /* A parameter of the platform is one number; whether it fits the others is checked with the set. */
  if (found && c->platform && r->count == 1) {
    const struct params_scalar *p = &params_table[c->of.param];
    const double value = c->of.value[0];
    if (value >= p->least && value <= p->greatest) return true;
    snprintf(error, size, "platform.%s: out of range: expected %g to %g %s, found %g", p->name, p->least,
             p->greatest, p->unit, value);
    return false;
  }
  if (found && !c->platform)
    return params_check(&l->params.param[c->of.param], r->count, c->of.value, error, size);
  snprintf(error, size,
           "%.150s: no parameter of this name that may change while the model runs; see param/list", r->name);
  return false;
}

static bool is_moving(const struct keeper *l, int param)
{
  for (int i = 0; i < KEEPER_RAMPS; i++)
    if (l->ramp[i].active && l->ramp[i].param == param) return true;
  return false;
}

/* Divides a set into changes of the model and of the platform. */
static int divide_changes(const struct keeper_change *change, int changes, struct param_change *of_model,
                          struct platform_change *of_platform)
{
  int model = 0, platform = 0;
  for (int i = 0; i < changes; i++) {
    if (change[i].platform)
      of_platform[platform++] = (struct platform_change){(uint32_t)change[i].of.param, change[i].of.value[0]};
    else
      of_model[model++] = change[i].of;
  }
  return model;
}

enum command_result keeper_commit_changes(struct keeper *l, const struct keeper_change *change, int changes,
                                          char *error, size_t size)
{
  enum command_result result = RESULT_OK;
  struct param_change *of_model = calloc((size_t)changes + 1, sizeof *of_model);
  struct platform_change *of_platform = calloc((size_t)changes + 1, sizeof *of_platform);
  snprintf(error, size, "out of memory");
  if (!of_model || !of_platform) result = RESULT_BUSY;
  /* A parameter that moves takes no other value. */
  const int n = result == RESULT_OK ? divide_changes(change, changes, of_model, of_platform) : 0;
  for (int i = 0; i < n && result == RESULT_OK; i++)
    if (is_moving(l, of_model[i].param)) {
      snprintf(error, size, "%s moves: try again when it has arrived",
               l->params.param[of_model[i].param].name);
      result = RESULT_BUSY;
    }
  if (result == RESULT_OK)
    result = keeper_install(l, &(struct keeper_set){of_model, n, of_platform, changes - n}, error, size);
  free(of_model);
  free(of_platform);
  return result;
}

/* Numbers of the value, and the time of a ramp. */
static void begin_ramp(struct keeper *l, const struct asked *a, uint64_t now_ns)
{
  struct desk_request r = *a->request;
  struct keeper_change c;
  char error[DESK_TEXT] = "";
  const double over = r.number[--r.count];
  int free = -1;
  for (int i = 0; i < KEEPER_RAMPS; i++)
    if (!l->ramp[i].active) free = i;
  if (!keeper_read_change(l, &r, &c, error, sizeof error)) {
    keeper_done(l, a, RESULT_BAD_ARGUMENT, error);
  } else if (c.platform || !(over > 0.0) || over > 1e6 || param_is_whole(&l->params.param[c.of.param])) {
    keeper_done(l, a, RESULT_BAD_ARGUMENT,
                "over: expected a parameter of the model that is no whole number, and a time of up to 1e6 s");
  } else if (free < 0 || is_moving(l, c.of.param)) {
    keeper_done(l, a, RESULT_BUSY, "eight parameters move already, or this one does");
  } else {
    /* The end is checked now: a model that refuses it must not find out half way. */
    ali3_model *end = params_apply(&l->params, l->model, &c.of, 1, error, sizeof error);
    const bool good = end && ali3_model_takes_state(end, l->model);
    if (end && !good)
      snprintf(error, sizeof error, "it adds or removes rows of the mechanism, which needs a restart");
    ali3_model_free(end);
    if (good) {
      struct ramp *m = &l->ramp[free];
      *m = (struct ramp){.active = true,
                         .param = c.of.param,
                         .begin_ns = now_ns,
                         .end_ns = now_ns + (uint64_t)(over * (double)NS_PER_S)};
      params_get(&l->params.param[m->param], l->model, m->from);
      memcpy(m->to, c.of.value, sizeof m->to);
      for (int i = 0; i < l->params.param[m->param].count; i++)
        if (!isfinite(m->from[i])) memcpy(m->from, m->to, sizeof m->from);
    }
    keeper_done(l, a, good ? RESULT_OK : RESULT_BAD_ARGUMENT, error);
  }
}

static int numbers_of_param(const struct keeper *l, const char *name)
{
  const int i = params_find(&l->params, name);
  return i < 0 ? 1 : l->params.param[i].count;
}

void keeper_set_param(struct keeper *l, const struct asked *a, uint64_t now_ns)
{
  const struct desk_request *r = a->request;
  struct draft *d = draft_of(l, r->who);
  struct keeper_change change;
  char error[DESK_TEXT] = "";
  if (r->count == numbers_of_param(l, r->name) + 1) {
    if (d)
      keeper_done(l, a, RESULT_BAD_ARGUMENT, "a set acts at once: expected no time between begin and commit");
    else
      begin_ramp(l, a, now_ns);
    return;
  }
  /* Add it to the set that the client has begun, or apply it at once. */
  if (!keeper_read_change(l, r, &change, error, sizeof error)) {
    if (d) d->spoilt |= keeper_asks_blindly(l, a);
    keeper_done(l, a, RESULT_BAD_ARGUMENT, error);
  } else if (!d) {
    const enum command_result result = keeper_commit_changes(l, &change, 1, error, sizeof error);
    keeper_done(l, a, result, result == RESULT_OK ? "" : error);
  } else if (d->changes == KEEPER_CHANGES) {
    keeper_done(l, a, RESULT_BUSY, "a set has at most 64 changes");
  } else {
    d->change[d->changes++] = change;
    d->since_ns = now_ns;
    keeper_done(l, a, RESULT_OK, "");
  }
}

void keeper_begin_draft(struct keeper *l, const struct asked *a, uint64_t now_ns)
{
  struct draft *d = draft_of(l, a->request->who);
  if (!d) d = draft_of(l, "");
  if (!d) {
    keeper_done(l, a, RESULT_BUSY, "eight clients have begun a set");
    return;
  }
  *d = (struct draft){.since_ns = now_ns};
  snprintf(d->who, sizeof d->who, "%s", a->request->who);
  keeper_done(l, a, RESULT_OK, "");
}

void keeper_commit_draft(struct keeper *l, const struct asked *a)
{
  struct draft *d = draft_of(l, a->request->who);
  char error[DESK_TEXT] = "";
  if (!d || d->changes == 0) {
    keeper_done(l, a, RESULT_WRONG_STATE, "no set was begun, or it is empty");
    return;
  }
  if (d->spoilt) {
    d->who[0] = '\0';
    keeper_done(l, a, RESULT_BAD_ARGUMENT, "a change of this set was refused");
    return;
  }
  const enum command_result result = keeper_commit_changes(l, d->change, d->changes, error, sizeof error);
  d->who[0] = '\0';
  keeper_done(l, a, result, result == RESULT_OK ? "" : error);
}

void keeper_abort_draft(struct keeper *l, const struct asked *a)
{
  struct draft *d = draft_of(l, a->request->who);
  if (d) d->who[0] = '\0';
  keeper_done(l, a, d ? RESULT_OK : RESULT_WRONG_STATE, d ? "" : "no set was begun");
}

bool keeper_step_ramps(struct keeper *l, uint64_t now_ns)
{
  struct param_change change[KEEPER_RAMPS];
  char error[DESK_TEXT];
  int changes = 0;
  /* The values of this moment act as one set. */
  for (int i = 0; i < KEEPER_RAMPS; i++) {
    struct ramp *m = &l->ramp[i];
    if (!m->active) continue;
    const double part = (double)(now_ns - m->begin_ns) / (double)(m->end_ns - m->begin_ns);
    struct param_change *c = &change[changes++];
    c->param = m->param;
    for (int k = 0; k < PARAM_NUMBERS; k++)
      c->value[k] = part < 1.0 ? m->from[k] + part * (m->to[k] - m->from[k]) : m->to[k];
    m->active = part < 1.0;
  }
  if (changes == 0) return false;
  if (keeper_install(l, &(struct keeper_set){.model = change, .models = changes}, error, sizeof error) !=
      RESULT_OK) {
    keeper_note(l, LOG_LEVEL_WARNING, "parameters stop on their way: %s", error);
    for (int i = 0; i < KEEPER_RAMPS; i++) l->ramp[i].active = false;
  }
  return true;
}
