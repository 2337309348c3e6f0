/* SPDX-License-Identifier: MIT
 * Recorded states for another configuration. Equal models load a state; others convert it (ali3/state.h). */
#include "replay.h"

#include <ali3/flat.h>
#include <ali3/model.h>
#include <ali3/state.h>
#include <stdlib.h>
#include <string.h>

static bool fail_conversion(const struct recording *r, const char *reason)
{
  char text[700];
  snprintf(text, sizeof text,
           "the recorded state does not fit the other configuration: %s; a recording from the first cycle on "
           "needs no "
           "state",
           reason);
  replay_fail(EXIT_FOREIGN, r->path, text);
  return false;
}

/* The model as it was recorded, before any set of parameters. */
static ali3_model *read_recorded_model(const struct recording *r, char *error, size_t size)
{
  size_t bytes;
  char *flat = recording_bytes(r, "/model/flat", &bytes);
  ali3_model *m = ali3_model_new();
  snprintf(error, size, "the recording holds no model");
  bool good = flat && m;
  if (good && ali3_model_flat_read(m, flat, bytes) != ALI3_OK) {
    snprintf(error, size, "the recorded model is not read: %s", ali3_model_problem(m)->text);
    good = false;
  }
  /* With the recorded options it has the hash of the states. */
  if (good) {
    const ali3_options options = *ali3_model_options(m);
    good = ali3_model_freeze(m, &options) == ALI3_OK;
    if (!good) snprintf(error, size, "the recorded model is refused: %s", ali3_model_problem(m)->text);
  }
  free(flat);
  if (good) return m;
  ali3_model_free(m);
  return NULL;
}

/* The model of states with this version of the parameters. */
static bool find_recorded_model(struct plant_again *p, const struct recording *r, uint32_t version,
                                char *error, size_t size)
{
  if (!p->recorded) p->recorded = read_recorded_model(r, error, size);
  while (p->recorded && p->recorded_version < version) {
    ali3_model *m = tuning_apply(r, p->recorded, p->recorded_version + 1, error, size);
    ali3_model_free(p->recorded);
    p->recorded = m;
    p->recorded_version++;
  }
  return p->recorded != NULL;
}

bool plant_again_convert(struct plant_again *p, const struct recording *r, const void *bytes,
                         uint32_t version)
{
  char text[400] = "";
  if (ali3_state_load(p->model, p->data, bytes, r->model_bytes) == ALI3_OK) return true;
  if (!find_recorded_model(p, r, version, text, sizeof text)) return fail_conversion(r, text);
  const int status = ali3_state_convert(p->model, p->data, p->recorded, bytes, r->model_bytes);
  if (status >= 0) return true;
  if (status == ALI3_E_STATE)
    ali3_state_convert_text(p->model, p->recorded, bytes, r->model_bytes, text, sizeof text);
  else
    ali3_report_text(p->model, p->data, text, sizeof text);
  return fail_conversion(r, text[0] ? text : ali3_status_text(status));
}
