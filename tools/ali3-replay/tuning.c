/* SPDX-License-Identifier: MIT
 * Sets of parameters that came in while the loop ran: the events of the recording hold their exact numbers. */
#include "replay.h"

#include "config/params.h"
#include "config/setup.h"

#include <ali3/model.h>
#include <ali3/state.h>
#include <stdlib.h>
#include <string.h>

/* Adds the number of an event, "force.strut.damping" or "model.gravity.z", to the changes. Recordings of earlier builds have
 * "model.gravity[2]". False: no such parameter. */
static bool add_number(const struct params *all, const ali3_model *m, const struct frames_event *e,
                       struct param_change *change, int *changes)
{
  char name[PARAM_NAME];
  const char *bracket = strchr(e->text, '[');
  const long k = bracket ? strtol(bracket + 1, NULL, 10) : 0;
  snprintf(name, sizeof name, "%.*s", (int)(bracket ? bracket - e->text : (ptrdiff_t)strlen(e->text)),
           e->text);
  const struct param_part *part;
  const int param = params_find_part(all, name, &part);
  if (param < 0 || k < 0 || k >= all->param[param].count) return false;
  /* All numbers of one parameter are one change. */
  int i = 0;
  while (i < *changes && change[i].param != param) i++;
  if (i == *changes) {
    change[i].param = param;
    params_get(&all->param[param], m, change[i].value);
    ++*changes;
  }
  if (part)
    param_put_part(part, e->a, change[i].value);
  else
    change[i].value[k] = e->a;
  return true;
}

ali3_model *tuning_apply(const struct recording *r, const ali3_model *m, uint32_t version, char *error,
                         size_t size)
{
  struct params all;
  int changes = 0;
  struct param_change *change = params_list(&all, m) ? calloc((size_t)all.count + 1, sizeof *change) : NULL;
  bool good = change != NULL;
  snprintf(error, size, good ? "its events do not have the parameters of version %u" : "out of memory",
           version);
  for (hsize_t i = 0; good && i < r->events; i++)
    if (r->event[i].kind == FRAMES_EVENT_PARAMETER && r->event[i].code == version)
      good = add_number(&all, m, &r->event[i], change, &changes);
  ali3_model *tuned = good && changes > 0 ? params_apply(&all, m, change, changes, error, size) : NULL;
  free(change);
  params_free(&all);
  return tuned;
}

static void take_model(struct plant_again *p, ali3_model *m, ali3_data *d, void *initial)
{
  ali3_data_free(p->data);
  ali3_model_free(p->tuned);
  free(p->initial);
  p->tuned = m;
  p->model = m;
  p->data = d;
  p->initial = initial;
  if (p->pool) ali3_data_set_exec(d, pool_exec(p->pool));
}

bool plant_again_tune(struct plant_again *p, const struct recording *r, uint32_t version)
{
  char error[400] = "";
  while (p->parameters < version) {
    /* The next model in its initial state, then in the motion of the one before. */
    ali3_model *m = tuning_apply(r, p->model, p->parameters + 1, error, sizeof error);
    ali3_data *d = m ? ali3_data_new(m) : NULL;
    void *initial = m ? malloc(ali3_state_size(m)) : NULL;
    const bool good = d && initial && setup_start(p->settings, m, d, error, sizeof error) >= 0 &&
                      ali3_state_save(m, d, initial) == ALI3_OK &&
                      ali3_state_carry(m, d, p->model, p->data) == ALI3_OK;
    if (!good) {
      ali3_data_free(d);
      ali3_model_free(m);
      free(initial);
      replay_fail(EXIT_FOREIGN, r->path, error);
      return false;
    }
    take_model(p, m, d, initial);
    p->parameters++;
  }
  return true;
}
