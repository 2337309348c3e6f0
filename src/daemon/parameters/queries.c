/* SPDX-License-Identifier: MIT
 * Values of parameters, for clients and for files. */
#include "log/log.h"
#include "log/wall_clock.h"
#include "parameters/param_server_parts.h"

#include "settings/values.h"

#include <ali3/model.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void show_param(struct param_server *l, const struct asked *a, const struct param *p)
{
  struct desk_reply o = {
      .kind = DESK_VALUE, .count = p->count, .least = p->key->min, .greatest = p->key->max};
  snprintf(o.name, sizeof o.name, "%s", p->name);
  snprintf(o.unit, sizeof o.unit, "%s", p->key->unit);
  params_get(p, l->model, o.number);
  param_server_reply(l, a, &o);
}

/* One number of a parameter. */
static void show_part(struct param_server *l, const struct asked *a, const struct param *p,
                      const struct param_part *part)
{
  struct desk_reply o = {.kind = DESK_VALUE, .count = 1, .least = p->key->min, .greatest = p->key->max};
  double value[PARAM_NUMBERS];
  snprintf(o.name, sizeof o.name, "%s%s", p->name, part->name);
  snprintf(o.unit, sizeof o.unit, "%s", p->key->unit);
  params_get(p, l->model, value);
  o.number[0] = value[part->number];
  param_server_reply(l, a, &o);
}

/* numbers: 1, or 3 for the vector that begins at i. */
static void show_platform_param(struct param_server *l, const struct asked *a, int i, int numbers,
                                const double *value)
{
  const struct params_scalar *p = &params_table[i];
  struct desk_reply o = {.kind = DESK_VALUE, .count = numbers, .least = p->least, .greatest = p->greatest};
  memcpy(o.number, value, (size_t)numbers * sizeof *value);
  snprintf(o.name, sizeof o.name, "platform.%s", p->name);
  if (numbers == 3) *strrchr(o.name, '.') = '\0';
  snprintf(o.unit, sizeof o.unit, "%s", p->unit);
  param_server_reply(l, a, &o);
}

bool param_server_read_platform(struct param_server *l, double value[PARAMS])
{
  char error[DESK_TEXT];
  size_t size;
  struct platform_params now;
  void *bytes =
      l->config.cycle->drive.there ? param_server_copy_state(l, &size, &now, error, sizeof error) : NULL;
  if (bytes) memcpy(value, &now, sizeof now);
  free(bytes);
  return bytes != NULL;
}

static bool has_prefix(const char *name, const char *prefix)
{
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

void param_server_get_param(struct param_server *l, const struct asked *a)
{
  struct param_server_change c;
  double value[PARAMS];
  char text[DESK_TEXT] = "";
  bool found = param_server_find_change(l, a->request, &c);
  if (!found) param_server_explain_name(l, a->request->name, text, sizeof text);
  if (found && c.platform) {
    found = param_server_read_platform(l, value);
    if (found) show_platform_param(l, a, c.of.param, c.numbers, value + c.of.param);
  } else if (found && c.part) {
    show_part(l, a, &l->params.param[c.of.param], c.part);
  } else if (found) {
    show_param(l, a, &l->params.param[c.of.param]);
  }
  param_server_done(l, a, found ? RESULT_OK : RESULT_BAD_ARGUMENT, text);
}

/* The parameters whose names begin with the text of the request, from number[0] on. The text of the last reply tells where to go
 * on. */
void param_server_list_params(struct param_server *l, const struct asked *a)
{
  const char *prefix = a->request->name;
  const int first = a->request->count > 0 && a->request->number[0] > 0 ? (int)a->request->number[0] : 0;
  double value[PARAMS];
  int match = 0, shown = 0;
  /* The model's parameters come first, then the platform's. */
  for (int i = 0; i < l->params.count; i++) {
    if (!has_prefix(l->params.param[i].name, prefix) || match++ < first || shown == PARAM_SERVER_LISTED)
      continue;
    show_param(l, a, &l->params.param[i]);
    shown++;
  }
  const bool platform = (has_prefix("platform.", prefix) || has_prefix(prefix, "platform.")) &&
                        param_server_read_platform(l, value);
  for (int k = 0; platform && k < (int)PARAMS; k++) {
    char name[DESK_NAME];
    snprintf(name, sizeof name, "platform.%s", params_table[k].name);
    if (!has_prefix(name, prefix) || match++ < first || shown == PARAM_SERVER_LISTED) continue;
    show_platform_param(l, a, k, 1, &value[k]);
    shown++;
  }
  char text[DESK_TEXT] = "";
  if (first + shown < match)
    snprintf(text, sizeof text, "%d of %d; go on from %d", shown, match, first + shown);
  param_server_done(l, a, RESULT_OK, text);
}

static char *params_yaml(struct param_server *l, size_t *size)
{
  char *yaml = NULL, when[WALL_CLOCK_TEXT];
  FILE *out = open_memstream(&yaml, size);
  double value[PARAMS], number[PARAM_NUMBERS];
  if (!out) return NULL;
  /* One line for each parameter. */
  wall_clock_text(when);
  fprintf(out, "# Parameters of %s, version %u, saved %s.\n", ali3_model_name(l->model), l->version, when);
  for (int i = 0; i < l->params.count; i++) {
    char text[400];
    params_get(&l->params.param[i], l->model, number);
    params_value_text(&l->params.param[i], number, text, sizeof text);
    fprintf(out, "%s: %s\n", l->params.param[i].name, text);
  }
  if (param_server_read_platform(l, value))
    for (int k = 0; k < (int)PARAMS; k++)
      fprintf(out, "platform.%s: %.17g\n", params_table[k].name, value[k]);
  if (fclose(out) == 0) return yaml;
  free(yaml);
  return NULL;
}

void param_server_save_params(struct param_server *l, const struct asked *a)
{
  const char *name = a->request->name;
  char text[DESK_TEXT];
  size_t size = 0;
  if (l->store_error[0]) {
    param_server_done(l, a, RESULT_NOT_AUTHORISED, l->store_error);
    return;
  }
  if (!name[0] || !is_name(name)) {
    param_server_done(l, a, RESULT_BAD_ARGUMENT,
                      "name: expected at most 60 of the characters A-Z a-z 0-9 _ -");
    return;
  }
  /* Write the file, and say where it is. */
  char *yaml = params_yaml(l, &size);
  const int status = yaml ? store_write(&l->store, name, ".yaml", yaml, size) : ENOMEM;
  free(yaml);
  snprintf(text, sizeof text, "%.300s/%.60s.yaml: %s", l->store.folder, name, status ? strerror(status) : "");
  if (status == 0)
    param_server_note(l, LOG_LEVEL_INFO, "parameters saved: %s/%s.yaml, by %s", l->store.folder, name,
                      a->request->who);
  param_server_done(l, a, status == 0 ? RESULT_OK : RESULT_BUSY, status == 0 ? "" : text);
}
