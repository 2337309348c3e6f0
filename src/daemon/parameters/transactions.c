/* SPDX-License-Identifier: MIT
 * Sets of changes that clients begin, fill and commit; changes that take effect at once; parameters that move over a time. */
#include "log/log.h"
#include "parameters/param_server_parts.h"
#include "rt/clock.h"

#include <ali3/model.h>
#include <ali3/state.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t TRANSACTION_NS = 10 * NS_PER_S; /* a set that is not committed is dropped */
#define PLATFORM "platform."

static struct transaction *transaction_of(struct param_server *l, const char *who)
{
  for (int i = 0; i < PARAM_SERVER_TRANSACTIONS; i++)
    if (strcmp(l->transaction[i].who, who) == 0) return &l->transaction[i];
  return NULL;
}

void param_server_forget_transactions(struct param_server *l, uint64_t now_ns)
{
  for (int i = 0; i < PARAM_SERVER_TRANSACTIONS; i++) {
    struct transaction *d = &l->transaction[i];
    if (!d->who[0] || now_ns - d->since_ns < TRANSACTION_NS) continue;
    param_server_note(l, LOG_LEVEL_INFO, "parameters of %s dropped: no commit for 10 s", d->who);
    d->who[0] = '\0';
  }
}

bool param_server_find_change(const struct param_server *l, const struct desk_request *r,
                              struct param_server_change *c)
{
  *c = (struct param_server_change){.platform = strncmp(r->name, PLATFORM, strlen(PLATFORM)) == 0};
  memcpy(c->of.value, r->number, sizeof c->of.value);
  c->of.param = -1;
  c->numbers = 1;
  if (c->platform) {
    if (l->config.cycle->drive.there) c->of.param = params_find_rows(r->name + strlen(PLATFORM), &c->numbers);
  } else {
    c->of.param = params_find_part(&l->params, r->name, &c->part);
    if (c->of.param >= 0 && !c->part) c->numbers = l->params.param[c->of.param].count;
  }
  return c->of.param >= 0;
}

/* The numbers of a platform's parameter; whether they fit the others is checked with the set. */
static bool check_of_platform(const struct param_server_change *c, int count, char *error, size_t size)
{
  for (int i = 0; i < c->numbers; i++) {
    const struct params_scalar *p = &params_table[c->of.param + i];
    const double value = c->of.value[i];
    if (count == c->numbers && value >= p->least && value <= p->greatest) continue;
    if (count == c->numbers)
      snprintf(error, size, "platform.%s: out of range: expected %g to %g %s, found %g", p->name, p->least,
               p->greatest, p->unit, value);
    else
      snprintf(error, size, "platform.%.*s: expected %s, found %d",
               c->numbers == 3 ? (int)strlen(p->name) - 2 : 60, p->name,
               c->numbers == 3 ? "three numbers" : "one number", count);
    return false;
  }
  return true;
}

/* A part is checked alone: its set may change the other numbers, too. */
static bool check_of_model(const struct param_server *l, int count, struct param_server_change *c,
                           char *error, size_t size)
{
  const struct param *p = &l->params.param[c->of.param];
  double now[PARAM_NUMBERS];
  if (!c->part) return params_check(p, count, c->of.value, error, size);
  if (!params_check_part(p, c->part, count, c->of.value[0], error, size)) return false;
  params_get(p, l->model, now);
  for (int i = 0; i < p->count; i++)
    if (!isfinite(now[i])) {
      snprintf(error, size, "%s%s: the other numbers have no value yet; set %s", p->name, c->part->name,
               p->name);
      return false;
    }
  return true;
}

void param_server_explain_name(const struct param_server *l, const char *name, char *error, size_t size)
{
  if (!params_explain_name(&l->params, name, error, size))
    snprintf(error, size,
             "%.150s: no parameter of this name that may change while the model runs; see param/list", name);
}

bool param_server_read_change(const struct param_server *l, const struct desk_request *r,
                              struct param_server_change *c, char *error, size_t size)
{
  const bool found = param_server_find_change(l, r, c);
  if (!found) param_server_explain_name(l, r->name, error, size);
  return found && (c->platform ? check_of_platform(c, r->count, error, size)
                               : check_of_model(l, r->count, c, error, size));
}

static bool is_moving(const struct param_server *l, int param)
{
  for (int i = 0; i < PARAM_SERVER_RAMPS; i++)
    if (l->ramp[i].active && l->ramp[i].param == param) return true;
  return false;
}

/* A part changes the value that the set so far, or the model, has. */
static struct param_change whole_change(const struct param_server *l, const struct param_server_change *c,
                                        const struct param_change *before, int count)
{
  if (!c->part) return c->of;
  struct param_change whole = {.param = c->of.param};
  params_get(&l->params.param[whole.param], l->model, whole.value);
  for (int i = 0; i < count; i++)
    if (before[i].param == whole.param) whole = before[i];
  param_put_part(c->part, c->of.value[0], whole.value);
  return whole;
}

/* Divides a set into changes of the model and of the platform. Returns the number of the former; *platform: of the latter. */
static int divide_changes(const struct param_server *l, const struct param_server_change *change, int changes,
                          struct param_change *of_model, struct platform_change *of_platform, int *platform)
{
  int model = 0;
  *platform = 0;
  for (int i = 0; i < changes; i++) {
    const struct param_server_change *c = &change[i];
    for (int k = 0; c->platform && k < c->numbers; k++)
      of_platform[(*platform)++] = (struct platform_change){(uint32_t)(c->of.param + k), c->of.value[k]};
    if (!c->platform) {
      of_model[model] = whole_change(l, c, of_model, model);
      model++;
    }
  }
  return model;
}

enum command_result param_server_commit_changes(struct param_server *l,
                                                const struct param_server_change *change, int changes,
                                                char *error, size_t size)
{
  enum command_result result = RESULT_OK;
  struct param_change *of_model = calloc((size_t)changes + 1, sizeof *of_model);
  struct platform_change *of_platform = calloc(3 * (size_t)changes + 1, sizeof *of_platform);
  int platforms = 0;
  snprintf(error, size, "out of memory");
  if (!of_model || !of_platform) result = RESULT_BUSY;
  /* A parameter that moves takes no other value. */
  const int n =
      result == RESULT_OK ? divide_changes(l, change, changes, of_model, of_platform, &platforms) : 0;
  for (int i = 0; i < n && result == RESULT_OK; i++)
    if (is_moving(l, of_model[i].param)) {
      snprintf(error, size, "%s moves: try again when it has arrived",
               l->params.param[of_model[i].param].name);
      result = RESULT_BUSY;
    }
  if (result == RESULT_OK)
    result =
        param_server_install(l, &(struct param_server_set){of_model, n, of_platform, platforms}, error, size);
  free(of_model);
  free(of_platform);
  return result;
}

/* Numbers of the value, and the time of a ramp. */
static void begin_ramp(struct param_server *l, const struct asked *a, uint64_t now_ns)
{
  struct desk_request r = *a->request;
  struct param_server_change c;
  char error[DESK_TEXT] = "";
  const double over = r.number[--r.count];
  int free = -1;
  for (int i = 0; i < PARAM_SERVER_RAMPS; i++)
    if (!l->ramp[i].active) free = i;
  if (!param_server_read_change(l, &r, &c, error, sizeof error)) {
    param_server_done(l, a, RESULT_BAD_ARGUMENT, error);
  } else if (c.platform || !(over > 0.0) || over > 1e6 || param_is_whole(&l->params.param[c.of.param])) {
    param_server_done(
        l, a, RESULT_BAD_ARGUMENT,
        "over: expected a parameter of the model that is no whole number, and a time of up to 1e6 s");
  } else if (free < 0 || is_moving(l, c.of.param)) {
    param_server_done(l, a, RESULT_BUSY, "eight parameters move already, or this one does");
  } else {
    c.of = whole_change(l, &c, NULL, 0);
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
    param_server_done(l, a, good ? RESULT_OK : RESULT_BAD_ARGUMENT, error);
  }
}

void param_server_set_param(struct param_server *l, const struct asked *a, uint64_t now_ns)
{
  const struct desk_request *r = a->request;
  struct transaction *d = transaction_of(l, r->who);
  struct param_server_change change;
  char error[DESK_TEXT] = "";
  param_server_find_change(l, r, &change);
  if (r->count == change.numbers + 1) {
    if (d)
      param_server_done(l, a, RESULT_BAD_ARGUMENT,
                        "a set acts at once: expected no time between begin and commit");
    else
      begin_ramp(l, a, now_ns);
    return;
  }
  /* Add it to the set that the client has begun, or apply it at once. */
  if (!param_server_read_change(l, r, &change, error, sizeof error)) {
    if (d) d->spoilt |= param_server_expects_no_reply(l, a);
    param_server_done(l, a, RESULT_BAD_ARGUMENT, error);
  } else if (!d && param_server_expects_no_reply(l, a)) {
    param_server_done(l, a, RESULT_BUSY, "the set was refused, so none of its changes acts");
  } else if (!d) {
    const enum command_result result = param_server_commit_changes(l, &change, 1, error, sizeof error);
    param_server_done(l, a, result, result == RESULT_OK ? "" : error);
  } else if (d->changes == PARAM_SERVER_CHANGES) {
    param_server_done(l, a, RESULT_BUSY, "a set has at most 64 changes");
  } else {
    d->change[d->changes++] = change;
    d->since_ns = now_ns;
    param_server_done(l, a, RESULT_OK, "");
  }
}

void param_server_begin_transaction(struct param_server *l, const struct asked *a, uint64_t now_ns)
{
  struct transaction *d = transaction_of(l, a->request->who);
  if (!d) d = transaction_of(l, "");
  if (!d) {
    param_server_done(l, a, RESULT_BUSY, "eight clients have begun a set");
    return;
  }
  *d = (struct transaction){.since_ns = now_ns};
  snprintf(d->who, sizeof d->who, "%s", a->request->who);
  param_server_done(l, a, RESULT_OK, "");
}

void param_server_commit_transaction(struct param_server *l, const struct asked *a)
{
  struct transaction *d = transaction_of(l, a->request->who);
  char error[DESK_TEXT] = "";
  if (!d || d->changes == 0) {
    param_server_done(l, a, RESULT_WRONG_STATE, "no set was begun, or it is empty");
    return;
  }
  if (d->spoilt) {
    d->who[0] = '\0';
    param_server_done(l, a, RESULT_BAD_ARGUMENT, "a change of this set was refused");
    return;
  }
  const enum command_result result =
      param_server_commit_changes(l, d->change, d->changes, error, sizeof error);
  d->who[0] = '\0';
  param_server_done(l, a, result, result == RESULT_OK ? "" : error);
}

void param_server_abort_transaction(struct param_server *l, const struct asked *a)
{
  struct transaction *d = transaction_of(l, a->request->who);
  if (d) d->who[0] = '\0';
  param_server_done(l, a, d ? RESULT_OK : RESULT_WRONG_STATE, d ? "" : "no set was begun");
}

bool param_server_step_ramps(struct param_server *l, uint64_t now_ns)
{
  struct param_change change[PARAM_SERVER_RAMPS];
  char error[DESK_TEXT];
  int changes = 0;
  /* The values of this moment act as one set. */
  for (int i = 0; i < PARAM_SERVER_RAMPS; i++) {
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
  if (param_server_install(l, &(struct param_server_set){.model = change, .models = changes}, error,
                           sizeof error) != RESULT_OK) {
    param_server_note(l, LOG_LEVEL_WARNING, "parameters stop on their way: %s", error);
    for (int i = 0; i < PARAM_SERVER_RAMPS; i++) l->ramp[i].active = false;
  }
  return true;
}
