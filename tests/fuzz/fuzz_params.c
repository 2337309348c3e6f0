/* SPDX-License-Identifier: MIT
 * libFuzzer: any text as a saved set of parameters, of the model and of a motion platform. The set is handed over once, with
 * values that their keys and rows allow, or the whole set is refused with a reason. */
#include "common/platform_defaults.h"
#include "parameters/param_server_parts.h"

#include <ali3/ali3.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define SET "set"

static struct param_server param_server;
static struct cycle cycle;
static struct {
  int handed, done;
  enum command_result result;
  char text[DESK_TEXT];
} seen;

static void require(bool holds)
{
  if (!holds) abort();
}

/* ---- in place of the thread and of the loop ---- */

void param_server_note(struct param_server *l, int level, const char *format, ...)
{
  (void)l, (void)level, (void)format;
}

void param_server_done(struct param_server *l, const struct asked *a, enum command_result result,
                       const char *text)
{
  (void)l, (void)a;
  seen.done++;
  seen.result = result;
  snprintf(seen.text, sizeof seen.text, "%s", text);
}

bool param_server_expects_no_reply(const struct param_server *l, const struct asked *a)
{
  (void)l, (void)a;
  return false;
}

bool param_server_read_platform(struct param_server *l, double value[PARAMS])
{
  struct platform_params p;
  (void)l;
  params_default(&p);
  memcpy(value, &p, sizeof p);
  return true;
}

enum command_result param_server_install(struct param_server *l, const struct param_server_set *set,
                                         char *error, size_t size)
{
  seen.handed++;
  require(set->models + set->platforms > 0);
  for (int i = 0; i < set->platforms; i++) {
    const struct platform_change *c = &set->platform[i];
    require(c->parameter < PARAMS);
    const struct params_scalar *of = &params_table[c->parameter];
    require(c->value >= of->least && c->value <= of->greatest);
  }
  if (set->models == 0) return RESULT_OK;
  ali3_model *m = params_apply(&l->params, l->model, set->model, set->models, error, size);
  if (!m) require(error[0] != '\0');
  ali3_model_free(m);
  return m ? RESULT_OK : RESULT_BAD_ARGUMENT;
}

/* ---- a model with parameters of one number, of three and of nine ---- */

static ali3_model *make_model(void)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec car = {.name = "car", .mass = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1}};
  ali3_joint_spec slide = {.name = "slide",
                           .type = ALI3_JOINT_PRISMATIC,
                           .body_a = ALI3_GROUND,
                           .axis_a = {0, 0, 1},
                           .axis_b = {0, 0, 1}};
  ali3_force_spec strut = ali3_force_spec_default(ALI3_FORCE_JOINT_SPRING);
  require(m && (slide.body_b = ali3_model_add_body(m, &car)) >= 0);
  strut.name = "strut";
  strut.stiffness[0] = 100;
  require((strut.joint = ali3_model_add_joint(m, &slide)) >= 0 && ali3_model_add_force(m, &strut) >= 0);
  const ali3_options o = ali3_options_default();
  require(ali3_model_freeze(m, &o) == ALI3_OK);
  return m;
}

static char path[sizeof param_server.store.folder + 20];

static void remove_folder(void)
{
  unlink(path);
  rmdir(param_server.store.folder);
}

static void set_up(void)
{
  param_server.model = make_model();
  param_server.config.cycle = &cycle;
  cycle.drive.there = true;
  require(params_list(&param_server.params, param_server.model));
  snprintf(param_server.store.folder, sizeof param_server.store.folder, "/dev/shm/fuzz-params-%d",
           (int)getpid());
  snprintf(path, sizeof path, "%s/" SET ".yaml", param_server.store.folder);
  require(mkdir(param_server.store.folder, 0700) == 0);
  atexit(remove_folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  if (!param_server.model) set_up();
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  require(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && close(fd) == 0);
  const struct desk_request r = {.code = DESK_PARAM_LOAD, .name = SET};
  memset(&seen, 0, sizeof seen);
  param_server_load_params(&param_server, &(struct asked){.request = &r});
  require(seen.done == 1 && seen.handed <= 1);
  require(seen.result == RESULT_OK ? !seen.text[0] : seen.text[0] != '\0');
  return 0;
}
