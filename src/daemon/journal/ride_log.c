/* SPDX-License-Identifier: MIT */
#include "journal/ride_log.h"

#include "cueing/params.h"
#include "log/log.h"
#include "log/wall_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXTS_MAX = 64 }; /* trips, and jogs, in one line */

/* A FIFO would stop the daemon until somebody reads it. NULL: errno says why. */
static FILE *open_regular(const char *path)
{
  struct stat st;
  const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0644);
  if (fd < 0) return NULL;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) return fdopen(fd, "a");
  close(fd);
  errno = EINVAL;
  return NULL;
}

bool ride_log_open(struct ride_log *l, const struct cycle_config *config)
{
  *l = (struct ride_log){.config = config, .path = config->rig ? config->rig->ride_log : NULL};
  if (!l->path) return true;
  l->trips = json_array();
  l->jogs = json_array();
  l->file = open_regular(l->path);
  if (l->file && l->trips && l->jogs) return true;
  log_line(LOG_LEVEL_ERROR, "rig.ride_log: cannot write %s: %s", l->path, strerror(errno));
  return false;
}

void ride_log_close(struct ride_log *l)
{
  if (l->file) fclose(l->file);
  json_decref(l->trips);
  json_decref(l->jogs);
  *l = (struct ride_log){0};
}

static void add_text(json_t *list, const char *text, uint64_t *left_out)
{
  if (json_array_size(list) < TEXTS_MAX)
    json_array_append_new(list, json_string(text));
  else
    ++*left_out;
}

void ride_log_event(struct ride_log *l, const struct cycle_event *e, const char *text)
{
  if (!l->file) return;
  const bool jogs = e->cause == CAUSE_JOG_BEGINS || e->cause == CAUSE_JOG_RESTS;
  const bool starts = e->cause == CAUSE_JOG_BEGINS ||
                      (e->cause == CAUSE_COMMAND && (e->code == COMMAND_ARM || e->code == COMMAND_RUN));
  if (starts && e->port >= 0) {
    const struct port *port = l->config->port[e->port];
    char client[CLIENT_NAME];
    clients_get(&port->clients, e->client, client);
    snprintf(l->who, sizeof l->who, "%s %s", port->name, client);
  }
  const bool estop = e->cause == CAUSE_COMMAND && e->code == COMMAND_ESTOP;
  if (jogs) add_text(l->jogs, text, &l->jogs_left_out);
  if (e->cause == CAUSE_FAULT || estop) add_text(l->trips, text, &l->trips_left_out);
}

static json_t *ride_numbers(const double *x, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) json_array_append_new(list, json_real(isfinite(x[i]) ? x[i] : 0.0));
  return list;
}

static json_t *ride_parameters(const struct platform_params *p)
{
  json_t *o = json_object();
  const double *value = (const double *)p;
  for (int i = 0; i < PARAMS; i++) json_object_set_new(o, params_table[i].name, json_real(value[i]));
  return o;
}

/* Largest values are in SI units, parameters in the units of the file. */
static json_t *ride_line(const struct ride_log *l, const struct ride *r)
{
  char when[WALL_CLOCK_TEXT];
  const struct rig_ride *f = &r->figures;
  const double period = 1e-9 * (double)l->config->period_ns;
  json_t *o = json_object(), *most = json_object();
  /* Time and person. */
  wall_clock_text(when);
  json_object_set_new(o, "end", json_string(when));
  json_object_set_new(o, "seconds", json_real((double)(r->last - r->first) * period));
  json_object_set_new(o, "first_cycle", json_integer((json_int_t)r->first));
  json_object_set_new(o, "last_cycle", json_integer((json_int_t)r->last));
  json_object_set_new(o, "parked", json_boolean(r->parked));
  json_object_set_new(o, "started_by", json_string(l->who));
  /* Figures and trips. */
  json_object_set_new(most, "pose", ride_numbers(f->pose, PLATFORM_DOF));
  json_object_set_new(most, "velocity", ride_numbers(f->velocity, PLATFORM_DOF));
  json_object_set_new(most, "leg_error", json_real(f->leg_error));
  json_object_set_new(most, "position_error", json_real(f->position_error));
  json_object_set_new(most, "angle_error", json_real(f->angle_error));
  json_object_set_new(most, "felt_force", json_real(f->felt_force));
  json_object_set_new(most, "felt_rate", json_real(f->felt_rate));
  json_object_set_new(o, "largest", most);
  json_object_set_new(o, "felt_beyond", json_integer((json_int_t)f->felt_beyond));
  json_object_set_new(o, "trips", json_integer((json_int_t)f->trips));
  json_object_set(o, "trip_texts", l->trips);
  json_object_set_new(o, "trip_texts_left_out", json_integer((json_int_t)l->trips_left_out));
  json_object_set(o, "jogs", l->jogs);
  json_object_set_new(o, "jogs_left_out", json_integer((json_int_t)l->jogs_left_out));
  json_object_set_new(o, "parameters", ride_parameters(&r->params));
  return o;
}

static void write_ride(struct ride_log *l, const struct ride *r)
{
  json_t *line = ride_line(l, r);
  const bool written = line && json_dumpf(line, l->file, JSON_COMPACT) == 0 && fputc('\n', l->file) != EOF &&
                       fflush(l->file) == 0;
  if (!written && !l->failed)
    log_line(LOG_LEVEL_ERROR, "rig.ride_log: cannot write %s: %s; rides are not logged", l->path,
             strerror(errno));
  l->failed = !written;
  json_decref(line);
  json_array_clear(l->trips);
  json_array_clear(l->jogs);
  l->trips_left_out = l->jogs_left_out = 0;
}

void ride_log_tick(struct ride_log *l, struct outbox *outbox)
{
  struct ride r;
  while (ring_pop(&outbox->rides, &r))
    if (l->file) write_ride(l, &r);
}
