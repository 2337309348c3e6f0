/* SPDX-License-Identifier: MIT
 * Parameters of a model whose file was read again. The file has the last word: what moves, stops. */
#include "log/log.h"
#include "parameters/param_server_parts.h"

#include <ali3/model.h>
#include <ali3/state.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

/* Changes that are tried one by one if the loop refuses them together. */
enum { TRIED = 64 };
/* Bytes of free memory to keep. All memory is locked, so other processes lose it. */
enum { SPARE = 4 << 20 };

struct offer *offer_new(const char *file)
{
  struct offer *o = calloc(1, sizeof *o);
  if (o) o->file = file;
  return o;
}

bool offer_read(struct offer *o, const ali3_model *m)
{
  return param_values_read(&o->values, m);
}

void offer_free(struct offer *o)
{
  if (o) param_values_free(&o->values);
  free(o);
}

void param_server_offer_values(struct param_server *l, struct offer *o, bool tell_none)
{
  o->tell_none = tell_none;
  offer_free(atomic_exchange(&l->offered, o)); /* the newest file counts */
  const ssize_t written = write(l->event, &(uint64_t){1}, sizeof(uint64_t));
  (void)written;
}

/* Why the model refuses one change alone; "": it takes it. */
static void judge_change(struct param_server *l, const struct param_change *c, char *why, size_t size)
{
  why[0] = '\0';
  ali3_model *m = params_apply(&l->params, l->model, c, 1, why, size);
  if (m)
    snprintf(why, size, "%s",
             ali3_model_takes_state(m, l->model)
                 ? ""
                 : "it adds or removes rows of the mechanism, which needs a restart");
  ali3_model_free(m);
}

/* Names the changes that the model refuses alone, and returns the number of the others, which stay in the list. */
static int drop_refused(struct param_server *l, const char *file, struct param_change *change, int changes)
{
  int rest = 0;
  for (int i = 0; i < changes; i++) {
    char why[DESK_TEXT];
    judge_change(l, &change[i], why, sizeof why);
    if (why[0])
      param_server_note(l, LOG_LEVEL_WARNING, "%s: not applied: %s: %s", file,
                        l->params.param[change[i].param].name, why);
    else
      change[rest++] = change[i];
  }
  return rest;
}

static void take_changes(struct param_server *l, const char *file, struct param_change *change, int changes)
{
  char error[DESK_TEXT] = "";
  if (param_server_install(l, &(struct param_server_set){.model = change, .models = changes}, error,
                           sizeof error) == RESULT_OK)
    return;
  const int rest = changes <= TRIED ? drop_refused(l, file, change, changes) : changes;
  if (rest == 0) return;
  if (rest < changes && param_server_install(l, &(struct param_server_set){.model = change, .models = rest},
                                             error, sizeof error) == RESULT_OK)
    return;
  for (int i = 0; i < rest && i < TRIED; i++)
    param_server_note(l, LOG_LEVEL_WARNING, "%s: not applied: %s: %s", file,
                      l->params.param[change[i].param].name, error);
  if (rest > TRIED)
    param_server_note(l, LOG_LEVEL_WARNING, "%s: %d more parameters of the model not applied", file,
                      rest - TRIED);
}

void param_server_take_offer(struct param_server *l)
{
  struct offer *o = atomic_exchange(&l->offered, NULL);
  if (!o) return;
  for (int i = 0; i < PARAM_SERVER_RAMPS; i++) l->ramp[i].active = false;
  /* Find the parameters that differ. */
  struct param_change *change = calloc((size_t)l->params.count + 1, sizeof *change);
  const int changes = change ? params_difference(&l->params, l->model, &o->values, change) : -1;
  if (changes > 0)
    take_changes(l, o->file, change, changes);
  else if (changes < 0)
    param_server_note(l, LOG_LEVEL_ERROR, "%s: parameters of the model not applied: out of memory", o->file);
  else if (o->tell_none)
    param_server_note(l, LOG_LEVEL_INFO, "%s: reread, nothing changed", o->file);
  free(change);
  offer_free(o);
  malloc_trim(SPARE); /* the offer was the last block above the memory of its model */
}
