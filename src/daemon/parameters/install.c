/* SPDX-License-Identifier: MIT
 * What goes to the loop, and what comes back: commands, copies of the state, and models with changed parameters. */
#include "base/arena.h"
#include "config/setup.h"
#include "log/log.h"
#include "parameters/param_server_parts.h"
#include "rt/clock.h"

#include <ali3/model.h>
#include <ali3/state.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t ANSWER_LOOK_NS = 200000;        /* between two looks at an answer */
static const uint64_t LOOP_ANSWERS_NS = 2 * NS_PER_S; /* and three periods: then the loop does not answer */

/* Calls come(arg) until it is true. False: the loop did not answer. */
static bool wait_for_loop(struct param_server *l, bool (*come)(struct param_server *l, void *arg), void *arg)
{
  const uint64_t until = clock_now_ns() + LOOP_ANSWERS_NS + 3 * l->config.cycle->config.period_ns;
  struct wakeup *wakeup = l->config.cycle->config.wakeup;
  if (wakeup) wakeup_send(wakeup);
  while (!come(l, arg)) {
    const uint64_t now = clock_now_ns();
    if (now > until || atomic_load(&l->quit)) return false;
    clock_sleep_until_ns(now + ANSWER_LOOK_NS);
  }
  return true;
}

static bool answer_came(struct param_server *l, void *arg)
{
  return ring_pop(&l->config.port->answers, arg);
}

enum command_result param_server_command(struct param_server *l, const struct command *c)
{
  struct answer answer;
  while (ring_pop(&l->config.port->answers, &answer)) continue; /* drop late answers of the loop */
  if (!port_command(l->config.port, c)) return RESULT_BUSY;
  return wait_for_loop(l, answer_came, &answer) ? (enum command_result)answer.result : RESULT_WRONG_STATE;
}

static bool copy_came(struct param_server *l, void *arg)
{
  (void)arg;
  return atomic_load_explicit(&l->config.cycle->handover.phase, memory_order_acquire) == COPY_DONE;
}

void *param_server_copy_state(struct param_server *l, size_t *size, struct platform_params *platform,
                              char *error, size_t error_size)
{
  struct handover *h = &l->config.cycle->handover;
  *size = ali3_state_size(l->model);
  /* A loop that did not answer the last time may still write there. */
  int phase = COPY_IDLE;
  if (!atomic_compare_exchange_strong(&h->phase, &phase, COPY_IDLE) && phase == COPY_WANTED) {
    snprintf(error, error_size, "the loop does not answer");
    return NULL;
  }
  void *bytes = malloc(*size);
  snprintf(error, error_size, "%s", bytes ? "the loop does not answer" : ali3_status_text(ALI3_E_MEMORY));
  if (!bytes) return NULL;
  h->copy = (struct state_copying){.bytes = bytes};
  atomic_store_explicit(&h->phase, COPY_WANTED, memory_order_release);
  if (!wait_for_loop(l, copy_came, NULL)) {
    /* If the loop begins the copy at this moment, it keeps the bytes: they are lost, not freed under its hands. */
    phase = COPY_WANTED;
    if (atomic_compare_exchange_strong(&h->phase, &phase, COPY_IDLE)) free(bytes);
    return NULL;
  }
  atomic_store(&h->phase, COPY_IDLE);
  if (platform) *platform = h->copy.platform;
  if (h->copy.status == ALI3_OK) return bytes;
  snprintf(error, error_size, "%s", ali3_status_text(h->copy.status));
  free(bytes);
  return NULL;
}

void param_server_drop_model(struct param_server *l, const ali3_model *m)
{
  if (m && m != l->config.settings->model) ali3_model_free((ali3_model *)m);
}

static void free_set(struct param_server *l, struct plant_set *s)
{
  param_server_drop_model(l, s->model);
  ali3_data_free(s->data);
  free(s->initial);
}

/* Data of a model after a reset, and its initial state. */
static bool prepare_set(const struct param_server *l, struct plant_set *s, char *error, size_t size)
{
  s->data = ali3_data_new(s->model);
  s->initial = aligned_zalloc(ali3_state_size(s->model));
  snprintf(error, size, "%s", ali3_status_text(ALI3_E_MEMORY));
  if (!s->data || !s->initial) return false;
  const int status = setup_start(l->config.settings, s->model, s->data, error, size);
  return status >= 0 && ali3_state_save(s->model, s->data, s->initial) == ALI3_OK;
}

/* True, with the number, if `name` is the parameter of a change, or a part of it. */
static bool find_number(const struct param_server *l, const struct param_change *change, const char *name,
                        double *number)
{
  const struct param *p = &l->params.param[change->param];
  const size_t length = strlen(p->name);
  int parts;
  const struct param_part *part = param_parts(p, &parts);
  if (strncmp(name, p->name, length) != 0) return false;
  if (parts == 0) *number = change->value[0];
  for (int k = 0; k < parts; k++)
    if (strcmp(name + length, part[k].name) == 0) {
      *number = change->value[part[k].number];
      return true;
    }
  return parts == 0 && name[length] == '\0';
}

/* The registers of Modbus show the values in use, whoever changed them. */
static void show_changes(struct param_server *l, const struct param_change *change, int changes)
{
  const struct modbus_config *modbus = &l->config.settings->modbus;
  for (int d = 0; d < PARAM_SERVER_DESKS; d++) {
    if (!l->config.served[d] || l->config.served[d]->source != SOURCE_MODBUS) continue;
    for (int k = 0; k < modbus->parameters; k++) {
      double number;
      for (int i = 0; i < changes; i++)
        if (find_number(l, &change[i], modbus->parameter[k].name, &number)) l->desk[d].shown[k] = number;
    }
    desk_show(&l->desk[d]);
  }
}

static bool set_came(struct param_server *l, void *arg)
{
  (void)arg;
  return atomic_load_explicit(&l->config.cycle->handover.set, memory_order_acquire) == NULL;
}

/* Waits until the loop has exchanged the set. */
static bool hand_set(struct param_server *l, struct plant_set *s)
{
  struct handover *h = &l->config.cycle->handover;
  struct plant_set *mine = s;
  atomic_store_explicit(&h->set, s, memory_order_release);
  if (wait_for_loop(l, set_came, NULL)) return true;
  if (atomic_compare_exchange_strong(&h->set, &mine, NULL)) {
    s->status = ALI3_E_ARGUMENT;
    return false;
  }
  return true; /* the loop took it at the last moment */
}

/* Numbers that have an event of their own. */
static int numbers_of_param(const struct param *p)
{
  int parts;
  (void)param_parts(p, &parts);
  return parts ? parts : 1;
}

/* One event for each number that has changed. */
static void tell_changes(struct param_server *l, const struct plant_set *s, const struct param_change *change,
                         int changes)
{
  int left = 0;
  for (int i = 0; i < changes; i++) left += numbers_of_param(&l->params.param[change[i].param]);
  for (int i = 0; i < changes; i++) {
    const struct param *p = &l->params.param[change[i].param];
    char value[400];
    int parts;
    const struct param_part *part = param_parts(p, &parts);
    /* The frame ring gets exact numbers, one by one; the log gets a line. */
    for (int k = 0; k < (parts ? parts : 1); k++) {
      struct param_server_note note = {.level = -1,
                                       .event = {.cycle = s->cycle,
                                                 .kind = FRAMES_EVENT_PARAMETER,
                                                 .code = l->version,
                                                 .a = change[i].value[parts ? part[k].number : 0],
                                                 .b = --left}};
      snprintf(note.text, sizeof note.text, "%s%s", p->name, parts ? part[k].name : "");
      param_server_add_note(l, &note);
    }
    params_value_text(p, change[i].value, value, sizeof value);
    if (changes <= 4)
      param_server_note(l, LOG_LEVEL_INFO, "cycle %llu: parameter %s: %s (version %u)",
                        (unsigned long long)s->cycle, p->name, value, l->version);
  }
  if (changes > 4)
    param_server_note(l, LOG_LEVEL_INFO, "cycle %llu: %d parameters changed (version %u)",
                      (unsigned long long)s->cycle, changes, l->version);
}

/* The reason why the loop refused a change of the platform. */
static void explain_refusal(const struct plant_set *s, char *error, size_t size)
{
  if (s->refused == s->changes) {
    snprintf(error, size,
             "platform.lp_wn: expected at least twice the larger one of hp_wn.x and hp_wn.y: in between, "
             "nothing is felt");
    return;
  }
  const struct platform_change *c = &s->change[s->refused];
  const struct params_scalar *p = &params_table[c->parameter];
  snprintf(
      error, size,
      "platform.%s: %g is above %g %s, its limit in the file, which a command may only lower; raise it in "
      "the file, and reload",
      p->name, c->value, s->ceiling, p->unit);
}

/* The model of a set, and all that the loop needs of it, after the checks and the set-up of a start. */
static enum command_result build_set(struct param_server *l, const struct param_server_set *set,
                                     struct plant_set *s, char *error, size_t size)
{
  s->model = params_apply(&l->params, l->model, set->model, set->models, error, size);
  if (!s->model) return RESULT_BAD_ARGUMENT;
  if (ali3_model_takes_state(s->model, l->model))
    return prepare_set(l, s, error, size) ? RESULT_OK : RESULT_BAD_ARGUMENT;
  snprintf(error, size, "it adds or removes rows of the mechanism, which needs a restart");
  return RESULT_BAD_ARGUMENT;
}

enum command_result param_server_install(struct param_server *l, const struct param_server_set *set,
                                         char *error, size_t size)
{
  struct plant_set s = {.version = l->version + 1,
                        .status = ALI3_E_ARGUMENT,
                        .refused = -1,
                        .change = set->platform,
                        .changes = set->platforms};
  enum command_result result = set->models > 0 ? build_set(l, set, &s, error, size) : RESULT_OK;
  if (result == RESULT_OK) {
    /* The loop takes the whole set, or none of it. */
    const ali3_model *fresh = s.model;
    hand_set(l, &s);
    if (s.status == ALI3_OK && fresh) {
      l->model = fresh;
      l->version++;
      tell_changes(l, &s, set->model, set->models);
      show_changes(l, set->model, set->models);
    } else if (s.status != ALI3_OK && s.refused >= 0) {
      explain_refusal(&s, error, size);
      result = RESULT_BAD_ARGUMENT;
    } else if (s.status != ALI3_OK) {
      snprintf(error, size, "the loop takes no parameters now: it warms up, ends or is stuck");
      result = RESULT_WRONG_STATE;
    }
  }
  free_set(l, &s);
  return result;
}
