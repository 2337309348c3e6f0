/* SPDX-License-Identifier: MIT
 * Each line is one write(): a reader sees complete lines only, and several daemons may share a file. */
#include "journal/miss_file.h"

#include "log/log.h"
#include "log/wall_clock.h"
#include "signals/clocking.h"
#include "signals/exchange.h"
#include "telemetry/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK: a pipe without a reader gives an error instead of blocking the supervisor. */
static int open_file(const char *path)
{
  return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);
}

/* A daemon that was killed, or a full disk, may have left an incomplete line. */
static bool ends_within_a_line(const char *path)
{
  struct stat st;
  char last = '\n';
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0 ||
      pread(fd, &last, 1, st.st_size - 1) != 1)
    last = '\n';
  close(fd);
  return last != '\n';
}

static void log_failure(const struct miss_file *f, int error)
{
  log_line(LOG_LEVEL_ERROR, "%s: cannot write the miss log: %s", f->path, strerror(error));
}

bool miss_file_open(struct miss_file *f, const char *path, int mb)
{
  *f = (struct miss_file){.path = path, .fd = -1, .most = (uint64_t)mb << 20, .rate.most = MISS_FILE_RATE};
  if (!path) return true;
  f->fd = open_file(path);
  if (f->fd < 0) log_failure(f, errno);
  f->torn = f->fd >= 0 && ends_within_a_line(path);
  return f->fd >= 0;
}

void miss_file_reopen(struct miss_file *f)
{
  if (!f->path) return;
  const int fd = open_file(f->path);
  if (fd < 0) {
    log_failure(f, errno);
    return;
  }
  close(f->fd);
  f->fd = fd;
  f->complained = false;
  f->torn = ends_within_a_line(f->path);
}

/* Another daemon that shares the file may have started the new one already; then reopen the path only. */
static void begin_new_file(struct miss_file *f, const struct stat *ours)
{
  struct stat named;
  char old[PATH_MAX];
  const int n = snprintf(old, sizeof old, "%s.1", f->path);
  const bool same =
      stat(f->path, &named) == 0 && named.st_dev == ours->st_dev && named.st_ino == ours->st_ino;
  if (n >= (int)sizeof old || (same && rename(f->path, old) != 0)) return; /* write_line() reports the size */
  miss_file_reopen(f);
}

/* Returns false if the line does not fit and the file cannot be renamed. */
static bool make_file_room(struct miss_file *f, uint64_t bytes)
{
  struct stat st;
  if (fstat(f->fd, &st) != 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size + bytes <= f->most) return true;
  begin_new_file(f, &st);
  return fstat(f->fd, &st) != 0 || (uint64_t)st.st_size + bytes <= f->most;
}

void miss_file_close(struct miss_file *f)
{
  if (f->path && f->fd >= 0) close(f->fd);
  f->fd = -1;
}

static json_t *json_seconds(uint64_t ns)
{
  return json_real((double)ns / (double)NS_PER_S);
}
static json_t *json_count(uint64_t n)
{
  return json_integer((json_int_t)n);
}

static json_t *usage_object(const struct usage *u)
{
  json_t *o = json_object();
  json_object_set_new(o, "cpu_s", json_seconds(u->cpu_ns));
  json_object_set_new(o, "voluntary_switches", json_count(u->voluntary));
  json_object_set_new(o, "involuntary_switches", json_count(u->involuntary));
  json_object_set_new(o, "minor_faults", json_count(u->minor));
  json_object_set_new(o, "major_faults", json_count(u->major));
  return o;
}

static json_t *phases_object(const uint64_t ns[static PHASES])
{
  json_t *o = json_object();
  for (unsigned i = 0; i < PHASES; i++) json_object_set_new(o, phase_name(i), json_seconds(ns[i]));
  return o;
}

static json_t *slowest_object(const struct miss *m, const struct histograms *levels)
{
  const int32_t level = m->slowest.level;
  if (level < 0) return json_null();
  json_t *o = json_object();
  json_object_set_new(o, "level", json_integer(level));
  if ((uint64_t)level < levels->levels && level < LEVELS_MAX)
    json_object_set_new(o, "name", json_string(levels->level[level].name));
  json_object_set_new(o, "worker", json_integer(m->slowest.share));
  json_object_set_new(o, "wait_s", json_seconds(m->slowest.wait_ns));
  json_object_set_new(o, "busy_s", json_seconds(m->slowest.busy_ns));
  json_object_set_new(o, "usage", usage_object(&m->worker));
  return o;
}

static json_t *record_object(const struct miss *m, const struct histograms *levels, uint64_t now_ns)
{
  /* Say when, which miss, and why. */
  char written[WALL_CLOCK_TEXT], text[400];
  wall_clock_text(written);
  miss_text(m, levels, text, sizeof text);
  json_t *o = json_object();
  json_object_set_new(o, "written", json_string(written));
  json_object_set_new(o, "written_s", json_seconds(now_ns)); /* CLOCK_MONOTONIC, like the following times */
  json_object_set_new(o, "miss", json_count(m->number));
  json_object_set_new(o, "cycle", json_count(m->cycle));
  json_object_set_new(o, "cause", json_string(miss_cause_name(m->cause)));
  json_object_set_new(o, "phase", m->phase < PHASES ? json_string(phase_name(m->phase)) : json_null());
  json_object_set_new(o, "text", json_string(text));
  /* Add the times of the cycle. */
  json_object_set_new(o, "start_s", json_seconds(m->start_ns));
  json_object_set_new(o, "wake_s", json_seconds(m->wake_ns));
  json_object_set_new(o, "end_s", json_seconds(m->end_ns));
  json_object_set_new(o, "period_s", json_seconds(m->period_ns));
  json_object_set_new(o, "phases_s", phases_object(m->phase_ns));
  json_object_set_new(o, "usual_s", phases_object(m->usual_ns));
  json_object_set_new(o, "skipped", json_count(m->skipped));
  json_object_set_new(o, "late_since_s",
                      m->waiting_since_ns ? json_seconds(m->waiting_since_ns) : json_null());
  /* Add what the kernel did to the loop's thread, and how long the loop waited for workers. */
  json_object_set_new(o, "loop", usage_object(&m->own));
  json_object_set_new(o, "held_s", json_seconds(m->held_ns));
  json_object_set_new(o, "usual_held_s", json_seconds(m->usual_held_ns));
  json_object_set_new(o, "woke_late_s", json_seconds(m->woke_late_ns));
  json_object_set_new(o, "slowest", slowest_object(m, levels));
  json_object_set_new(o, "lost_worker", m->lost_worker ? json_integer(m->lost_worker) : json_null());
  /* Add the state and the policy of the loop. */
  json_object_set_new(o, "overrun", json_string(overrun_name(m->overrun)));
  json_object_set_new(o, "grace", json_boolean(m->grace));
  json_object_set_new(o, "state", json_string(run_state_name(m->state)));
  json_object_set_new(o, "input_age_s",
                      m->input_age_ns == UINT64_MAX ? json_null() : json_seconds(m->input_age_ns));
  /* Add the events of the host. */
  json_object_set_new(o, "suspended_s", json_seconds(m->suspended_ns));
  json_object_set_new(o, "host_asleep_s", json_seconds(m->host_asleep_ns));
  json_object_set_new(o, "wall_clock_step_s", json_real((double)m->wall_clock_step_ns / (double)NS_PER_S));
  json_object_set_new(o, "stolen_s", json_seconds(m->stolen_ns));
  json_object_set_new(o, "culprit", culprit_json(&m->culprit));
  json_object_set_new(o, "debugger", m->debugger ? json_count(m->debugger) : json_null());
  return o;
}

static void lose_record(struct miss_file *f, int error)
{
  f->lost++;
  if (f->complained) return;
  f->complained = true;
  log_failure(f, error);
}

/* Takes over o. A line that did not fit leaves a part of itself; the next record then begins with a line feed. */
static void write_record(struct miss_file *f, json_t *o)
{
  /* Format the line, with a line feed first where the last line is torn. */
  char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(15));
  json_decref(o);
  char *line = NULL;
  const bool room = text && make_file_room(f, strlen(text) + 2);
  const int n = room ? asprintf(&line, "%s%s\n", f->torn ? "\n" : "", text) : -1;
  free(text);
  if (n < 0) {
    lose_record(f, room ? ENOMEM : EFBIG);
    return;
  }
  /* Write the line by one call. */
  const ssize_t written = write(f->fd, line, (size_t)n);
  const int error = written < 0 ? errno : ENOSPC;
  if (written >= 0) f->torn = written > 0 && written < n;
  free(line);
  /* Check the result: a short write leaves a torn line. */
  if (written == n)
    f->complained = false; /* the file works again: report the next failure */
  else
    lose_record(f, error);
}

void miss_file_write(struct miss_file *f, const struct miss *m, const struct histograms *levels,
                     uint64_t now_ns)
{
  if (f->path && rate_limit_passes(&f->rate, now_ns)) write_record(f, record_object(m, levels, now_ns));
}

void miss_file_tick(struct miss_file *f, uint64_t now_ns, bool last)
{
  double over = 0.0;
  if (last && f->lost)
    log_line(LOG_LEVEL_WARNING, "%s: %" PRIu64 " record%s of misses could not be written", f->path, f->lost,
             f->lost == 1 ? "" : "s");
  const uint64_t left_out = f->path ? rate_limit_sum(&f->rate, now_ns, last, &over) : 0;
  if (!left_out) return;
  char written[WALL_CLOCK_TEXT];
  wall_clock_text(written);
  json_t *o = json_object();
  json_object_set_new(o, "written", json_string(written));
  json_object_set_new(o, "written_s", json_seconds(now_ns));
  json_object_set_new(o, "left_out", json_count(left_out));
  json_object_set_new(o, "within_s", json_real(over));
  write_record(f, o);
}
