/* SPDX-License-Identifier: MIT
 * A saved set of parameters acts again: the lines "NAME: VALUE" that param_server_save_params() wrote, and that a person may have
 * edited. */
#include "base/bits.h"
#include "parameters/param_server_parts.h"
#include "settings/values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char VALUE_BLANKS[] = " \t,[]";

/* A number as YAML writes it. Returns the end; `text` itself if there is none. */
static const char *read_yaml_number(const char *text, double *out)
{
  static const struct {
    const char *word;
    double value;
  } words[] = {{".inf", INFINITY}, {"+.inf", INFINITY}, {"-.inf", -INFINITY}, {".nan", NAN}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strncmp(text, words[i].word, strlen(words[i].word)) == 0) {
      *out = words[i].value;
      return text + strlen(words[i].word);
    }
  char *end;
  *out = strtod(text, &end);
  return end;
}

/* Fills in name and numbers of a line without its end. False: it is no line of a set. */
static bool read_param_line(const char *line, struct desk_request *r)
{
  const char *colon = strstr(line, ": ");
  *r = (struct desk_request){.code = DESK_PARAM_SET};
  if (!colon || (size_t)(colon - line) >= sizeof r->name) return false;
  memcpy(r->name, line, (size_t)(colon - line));
  /* One number, or several in brackets. */
  const char *at = colon + 2;
  for (at += strspn(at, VALUE_BLANKS); *at; at += strspn(at, VALUE_BLANKS)) {
    double value;
    const char *end = read_yaml_number(at, &value);
    if (end == at || r->count == PARAM_NUMBERS) return false;
    r->number[r->count++] = value;
    at = end;
  }
  return r->count > 0;
}

/* Values that the model and the platform have already. */
static bool is_in_use(struct param_server *l, const struct param_server_change *c, const double *platform)
{
  double now[PARAM_NUMBERS] = {0};
  if (c->platform) return platform && same_bits(platform + c->of.param, c->of.value, (size_t)c->numbers);
  const struct param *p = &l->params.param[c->of.param];
  params_get(p, l->model, now);
  if (c->part) return now[c->part->number] == c->of.value[0];
  for (int i = 0; i < p->count; i++)
    if (now[i] != c->of.value[i] && !(isnan(now[i]) && isnan(c->of.value[i]))) return false;
  return true;
}

/* The changes that the text asks for. Returns their number; -1 with the reason in error. */
static int read_changes(struct param_server *l, char *text, struct param_server_change *change, int most,
                        char *error, size_t size)
{
  double value[PARAMS];
  const double *platform = param_server_read_platform(l, value) ? value : NULL;
  int changes = 0, number = 0;
  for (char *line = text, *end; line && *line; line = end) {
    struct desk_request r;
    end = strchr(line, '\n');
    if (end) *end++ = '\0';
    number++;
    if (*line == '#' || !line[strspn(line, VALUE_BLANKS)]) continue;
    /* Values in use may have numbers, such as no limit, that nobody can set. */
    struct param_server_change *c = &change[changes];
    char why[DESK_TEXT] = "expected NAME: NUMBER or NAME: [NUMBER, ...]";
    const bool read = read_param_line(line, &r), found = read && param_server_find_change(l, &r, c);
    if (found && r.count == c->numbers && is_in_use(l, c, platform)) continue;
    if (!read || changes == most || !param_server_read_change(l, &r, c, why, sizeof why)) {
      snprintf(error, size, "line %d: %.300s", number, changes == most ? "too many lines" : why);
      return -1;
    }
    changes++;
  }
  return changes;
}

void param_server_load_params(struct param_server *l, const struct asked *a)
{
  const char *name = a->request->name;
  char text[DESK_TEXT] = "", path[sizeof l->store.folder + DESK_NAME + 8];
  size_t size;
  if (l->store_error[0] || !is_name(name)) {
    param_server_done(l, a, l->store_error[0] ? RESULT_NOT_AUTHORISED : RESULT_BAD_ARGUMENT,
                      l->store_error[0] ? l->store_error
                                        : "name: expected at most 60 of the characters A-Z a-z 0-9 _ -");
    return;
  }
  /* Read the file, then change all that differs as one set. */
  snprintf(path, sizeof path, "%s/%s.yaml", l->store.folder, name);
  char *bytes = store_read(&l->store, name, path, &size);
  const int most = l->params.count + (int)PARAMS;
  struct param_server_change *change = calloc((size_t)most + 1, sizeof *change);
  enum command_result result = RESULT_BAD_ARGUMENT;
  if (!bytes || !change) {
    snprintf(text, sizeof text, "%.300s: %s", path, strerror(bytes ? ENOMEM : errno));
  } else {
    bytes[size] = '\0';
    const int changes = read_changes(l, bytes, change, most, text, sizeof text);
    if (changes >= 0)
      result = changes ? param_server_commit_changes(l, change, changes, text, sizeof text) : RESULT_OK;
  }
  free(change);
  free(bytes);
  param_server_done(l, a, result, result == RESULT_OK ? "" : text);
}
