/* SPDX-License-Identifier: MIT
 * States: from the loop into files, and back. */
#include "log/log.h"
#include "parameters/param_server_parts.h"
#include "rt/clock.h"
#include "settings/values.h"

#include <ali3/state.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A name for a file: the client's, or `fallback`. NULL: the request was refused. */
static const char *checked_name(struct param_server *l, const struct asked *a, const char *fallback)
{
  const char *name = a->request->name[0] ? a->request->name : fallback;
  if (l->store_error[0]) {
    param_server_finish(l, a, RESULT_NOT_AUTHORISED, l->store_error);
    return NULL;
  }
  if (name && is_name(name) && strlen(name) <= NAME_LENGTH_MAX) return name;
  param_server_finish(l, a, RESULT_BAD_ARGUMENT,
                      "name: expected at most 60 of the characters A-Z a-z 0-9 _ -");
  return NULL;
}

void param_server_save_state(struct param_server *l, const struct asked *a)
{
  char text[DESK_TEXT];
  size_t size;
  const char *name = checked_name(l, a, "saved");
  if (!name) return;
  void *bytes = param_server_copy_state(l, &size, NULL, text, sizeof text);
  if (!bytes) {
    param_server_finish(l, a, RESULT_WRONG_STATE, text);
    return;
  }
  /* Write the file, and answer only then. */
  const int status = store_write(&l->store, name, ".state", bytes, size);
  free(bytes);
  if (status == 0) {
    param_server_note(l, LOG_LEVEL_INFO, "state saved: %s/%s.state, by %s", l->store.folder, name,
                      a->request->who);
    param_server_finish(l, a, RESULT_OK, "");
    return;
  }
  snprintf(text, sizeof text, "%.300s/%.60s.state: %s", l->store.folder, name, strerror(status));
  param_server_note(l, LOG_LEVEL_WARNING, "state not saved: %s", text);
  param_server_finish(l, a, RESULT_BUSY, text);
}

/* The bytes of a state that fits the model in use; NULL with the reason in error. */
static void *read_fitting(struct param_server *l, const char *name, const char *path, size_t *size,
                          char *error, size_t error_size)
{
  char why[300] = "";
  void *bytes = store_read(&l->store, name, path, size);
  if (!bytes) {
    if (path)
      snprintf(error, error_size, "%.300s: %s", path, strerror(errno));
    else
      snprintf(error, error_size, "%.200s/%.60s.state: %s", l->store.folder, name, strerror(errno));
    return NULL;
  }
  if (ali3_state_text(l->model, bytes, *size, why, sizeof why) == 0) return bytes;
  snprintf(error, error_size, "%.100s: %s", path ? path : name, why);
  free(bytes);
  return NULL;
}

void param_server_load_state(struct param_server *l, const struct asked *a)
{
  struct handover *h = &l->config.cycle->handover;
  char text[DESK_TEXT] = "";
  size_t size;
  const char *name = checked_name(l, a, NULL);
  void *bytes = name ? read_fitting(l, name, NULL, &size, text, sizeof text) : NULL;
  if (!name) return;
  if (!bytes) {
    param_server_finish(l, a, RESULT_BAD_ARGUMENT, text);
    return;
  }
  /* A loop that answers too late may still read the last one. */
  free(l->staged);
  l->staged = bytes;
  const void *resumed = h->state;
  const size_t resumed_size = h->state_size;
  h->state = bytes;
  h->state_size = size;
  clients_name(&l->config.port->clients, 0, a->request->who);
  const enum command_result result = param_server_command(
      l, &(struct command){.code = COMMAND_LOAD, .id = a->request->id, .t_ns = clock_now_ns()});
  h->state = resumed;
  h->state_size = resumed_size;
  if (result == RESULT_OK)
    param_server_note(l, LOG_LEVEL_INFO, "state loaded: %s/%s.state, by %s", l->store.folder, name,
                      a->request->who);
  else
    snprintf(text, sizeof text, "a state is loaded in STOPPED and PAUSED only");
  param_server_done(l, a, result, text);
}

void param_server_list_states(struct param_server *l, const struct asked *a)
{
  struct store_found found[PARAM_SERVER_LISTED];
  const int count = l->store_error[0] ? 0 : store_list(&l->store, found, PARAM_SERVER_LISTED);
  for (int i = 0; i < count; i++) {
    struct desk_reply o = {.kind = DESK_FOUND, .count = 2};
    snprintf(o.name, sizeof o.name, "%.159s", found[i].name);
    o.number[0] = (double)found[i].written_s;
    o.number[1] = (double)found[i].bytes;
    param_server_reply(l, a, &o);
  }
  param_server_done(l, a, l->store_error[0] ? RESULT_NOT_AUTHORISED : RESULT_OK, l->store_error);
}

static void write_auto(struct param_server *l, const void *bytes, size_t size)
{
  const int status = store_write_auto(&l->store, bytes, size);
  if (status != 0)
    param_server_note(l, LOG_LEVEL_WARNING, "state not saved: %s: %s", l->store.folder, strerror(status));
}

void param_server_save_auto(struct param_server *l)
{
  char text[DESK_TEXT];
  size_t size;
  void *bytes = param_server_copy_state(l, &size, NULL, text, sizeof text);
  if (bytes)
    write_auto(l, bytes, size);
  else
    param_server_note(l, LOG_LEVEL_WARNING, "state not saved: %s", text);
  free(bytes);
}

/* The loop has ended, and no longer uses the plant. */
void param_server_save_last(struct param_server *l)
{
  struct plant *p = &l->config.cycle->plant;
  const size_t size = ali3_state_size(p->model);
  void *bytes = malloc(size);
  if (l->store_error[0] == '\0' && bytes) {
    ali3_unprepare(p->model, p->data);
    if (ali3_state_save(p->model, p->data, bytes) == ALI3_OK) write_auto(l, bytes, size);
  }
  free(bytes);
}

bool param_server_resume(struct param_server *l, const char *file, bool *found, char *error, size_t size)
{
  struct store_found newest;
  struct handover *h = &l->config.cycle->handover;
  *found = file != NULL;
  if (!file && l->store_error[0]) {
    snprintf(error, size, "%s", l->store_error);
    return false;
  }
  if (!file) *found = store_list(&l->store, &newest, 1) == 1;
  if (!*found) {
    snprintf(error, size, "%s: no state to continue from", l->store.folder);
    return false;
  }
  l->resumed = read_fitting(l, STORE_AUTO, file, &h->state_size, error, size);
  if (!l->resumed) return false;
  h->state = l->resumed;
  l->config.cycle->config.resume = true;
  return true;
}
