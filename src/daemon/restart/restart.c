/* SPDX-License-Identifier: MIT */
#include "restart/restart.h"

#include "log/log.h"
#include "restart/restart_writer.h"
#include "restart/state_file.h"
#include "rt/clock.h"
#include "telemetry/shm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Pause between writes that make nothing safer, so that a client that toggles states does not wear out the disk. */
static const uint64_t WRITE_PAUSE_NS = NS_PER_S;

static struct state_copy copy_of(const struct telemetry_left *left)
{
  struct state_copy copy = {.found = !left->there ? COPY_MISSING : left->known ? COPY_READ : COPY_BROKEN};
  if (copy.found == COPY_READ) copy.record = state_record_of(&left->live, false, NULL);
  return copy;
}

static bool is_same_record(const struct state_record *a, const struct state_record *b)
{
  return a->ended == b->ended && a->disarmed == b->disarmed && a->state == b->state && a->fault == b->fault &&
         strcmp(a->who, b->who) == 0;
}

void restart_take(struct restart *r, const char *instance, const struct telemetry_left *left,
                  const char *state_dir, const struct restart_ports *ports)
{
  /* Read both copies. */
  const struct state_copy block = copy_of(left);
  struct state_copy file = {.found = COPY_MISSING};
  char text[1000];
  *r = (struct restart){.instance = instance, .ports = *ports};
  const bool placed =
      state_file_path(state_dir, r->instance, r->path, sizeof r->path, r->error, sizeof r->error);
  if (placed) file = state_file_read(r->path, r->instance, text, sizeof text);
  if (file.found == COPY_BROKEN)
    log_line(LOG_LEVEL_WARNING, "state file %s: not understood: %s", r->path, text);
  /* Decide, and log the decision. */
  const struct state_copy last = state_record_decide(&file, &block, &r->start);
  state_record_text(&last, &r->start, ports->commanded, r->path, text, sizeof text);
  if (text[0]) log_line(LOG_LEVEL_WARNING, "%s", text);
  if (last.found == COPY_MISSING || !placed) return;
  /* restart_begin() reports a failure, because it matters there. */
  if (file.found != COPY_READ || !is_same_record(&file.record, &last.record))
    (void)state_file_write(r->path, r->instance, &last.record);
}

bool restart_begin(struct restart *r, bool required)
{
  /* Make the record of the run that begins now. */
  r->shown =
      (struct state_record){.disarmed = r->start.disarmed, .state = STATE_INIT, .fault = r->start.fault};
  memcpy(r->shown.who, r->start.who, sizeof r->shown.who);
  memcpy(r->latched_by, r->start.who, sizeof r->latched_by);
  r->latch_client = LATCH_NO_NUMBER;
  /* Write it, and start the thread for later writes. */
  if (r->error[0] == '\0') {
    int status = state_file_write(r->path, r->instance, &r->shown);
    if (status == 0 && !(r->writer = restart_writer_start(r->path, r->instance))) status = errno;
    r->posted = r->shown;
    if (status == 0) return true;
    snprintf(r->error, sizeof r->error, "state file %.200s: %s", r->path, strerror(status));
  }
  /* Without a file a reboot forgets a stop. A platform with autostart refuses to start then. */
  if (required)
    log_line(LOG_LEVEL_ERROR,
             "%s: autostart with a platform needs it, to keep an e-stop over a restart; give --state-dir",
             r->error);
  else
    log_line(LOG_LEVEL_WARNING,
             "%s: a latched stop will not survive a reboot or a restart of the service; give --state-dir",
             r->error);
  return !required;
}

/* Look up the client's name when it stops the motion: the table of names forgets clients. */
static void name_latcher(struct restart *r, const struct telemetry_live *live, char who[TELEMETRY_LATCHER])
{
  for (int p = 0; p < r->ports.count; p++) {
    char client[CLIENT_NAME];
    if (live->latch_client == LATCH_NO_NUMBER || strcmp(r->ports.port[p]->name, live->latched_by) != 0)
      continue;
    clients_get(&r->ports.port[p]->clients, live->latch_client, client);
    const bool named = strncmp(client, "client ", strlen("client ")) != 0;
    snprintf(who, TELEMETRY_LATCHER, "%.20s %s%s", r->ports.port[p]->name, named ? "client " : "", client);
    return;
  }
  const struct state_record plain = state_record_of(live, false, NULL);
  memcpy(who, plain.who, sizeof plain.who);
}

static struct state_record record_of(struct restart *r, const struct telemetry_live *live)
{
  const bool same = live->fault == r->shown.fault && live->latch_client == r->latch_client &&
                    strcmp(live->latched_by, r->latched_by) == 0;
  char who[TELEMETRY_LATCHER];
  if (same)
    memcpy(who, r->shown.who, sizeof who);
  else
    name_latcher(r, live, who);
  r->latch_client = live->latch_client;
  memcpy(r->latched_by, live->latched_by, sizeof r->latched_by);
  return state_record_of(live, false, who);
}

/* A record that must survive a crash is written at once. */
static bool is_safer(const struct state_record *than, const struct state_record *r)
{
  return (r->fault != FAULT_NONE && r->fault != than->fault) || (r->disarmed && !than->disarmed);
}

static void tell_failure(struct restart *r)
{
  const int status = restart_writer_status(r->writer);
  if (status != 0 && r->failed == 0)
    log_line(LOG_LEVEL_WARNING,
             "state file %s: %s: a stop latched now may not survive the process; make the file writable",
             r->path, strerror(status));
  if (status == 0 && r->failed != 0) log_line(LOG_LEVEL_INFO, "state file %s: written again", r->path);
  r->failed = status;
}

void restart_tick(struct restart *r, const struct telemetry_live *live, bool stuck, uint64_t now_ns)
{
  if (!r->writer) return;
  /* A stuck loop counts as a latched stop. */
  struct telemetry_live seen = *live;
  if (stuck && seen.fault == FAULT_NONE) {
    seen.state = STATE_SAFE;
    seen.fault = FAULT_STUCK;
    seen.disarmed = 1;
    seen.latch_client = LATCH_NO_NUMBER;
    seen.latched_by[0] = '\0';
  }
  /* Make the current record. */
  tell_failure(r);
  const struct state_record next = record_of(r, &seen);
  r->shown = next;
  /* Post a new record: at once if it is safer, else after a pause. */
  const bool paused = now_ns - r->posted_ns >= WRITE_PAUSE_NS;
  const bool again = r->failed != 0 && paused;
  if (!again && (is_same_record(&next, &r->posted) || (!paused && !is_safer(&r->posted, &next)))) return;
  restart_writer_post(r->writer, &next);
  r->posted = next;
  r->posted_ns = now_ns;
}

void restart_end(struct restart *r, const struct telemetry_live *live, uint32_t state)
{
  if (!r->writer) return;
  struct state_record last = record_of(r, live);
  last.ended = true;
  last.state = state;
  restart_writer_post(r->writer, &last);
  const int status = restart_writer_end(r->writer);
  r->writer = NULL;
  if (status != 0)
    log_line(LOG_LEVEL_WARNING, "state file %s: %s: the next start will treat this end as unordered", r->path,
             strerror(status));
}

void restart_close(struct restart *r)
{
  if (r->writer) (void)restart_writer_end(r->writer);
  r->writer = NULL;
}
