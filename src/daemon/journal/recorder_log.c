/* SPDX-License-Identifier: MIT */
#include "journal/recorder_log.h"

#include "frames/recorder.h"
#include "rt/clock.h"

#include <inttypes.h>
#include <string.h>

static const uint64_t LOOK_NS = NS_PER_S / 4;

/* A reader that copies the block meanwhile sees no name: the first byte goes first and comes last. */
static void show_file_name(struct telemetry *t, const char *file)
{
  const size_t n = strnlen(file, sizeof t->recorder_file - 1);
  if (strncmp(t->recorder_file, file, sizeof t->recorder_file) == 0) return;
  __atomic_store_n(&t->recorder_file[0], '\0', __ATOMIC_SEQ_CST);
  for (size_t i = 1; i < sizeof t->recorder_file; i++) t->recorder_file[i] = i < n ? file[i] : '\0';
  __atomic_store_n(&t->recorder_file[0], n > 0 ? file[0] : '\0', __ATOMIC_SEQ_CST);
}

static void log_change(const struct telemetry *t, const struct recorder_report *r, struct log_limits *limits,
                       uint64_t now_ns)
{
  const bool bad = r->state == RECORDER_LOST || r->state == RECORDER_FULL;
  if (r->state == RECORDER_LOST && r->lost != t->recorder_lost)
    log_limited(limits, LOG_KIND_RECORDER, LOG_LEVEL_WARNING, now_ns,
                "recorder: %" PRIu64 " cycles lost, %" PRIu64 " since it began", r->lost - t->recorder_lost,
                r->lost);
  else if (r->state != t->recorder)
    log_limited(limits, LOG_KIND_RECORDER, bad ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, now_ns,
                "recorder: %s%s%s", recorder_state_name(r->state), *r->file ? ", " : "", r->file);
}

void recorder_log_tick(struct recorder_log *l, struct telemetry *t, struct log_limits *limits,
                       uint64_t now_ns)
{
  struct recorder_report r;
  if (now_ns - l->looked_ns < LOOK_NS) return;
  l->looked_ns = now_ns;
  if (!recorder_report_read(t->instance, t->start_ns, &r))
    r = (struct recorder_report){
        .state = RECORDER_OFF, .cycles = t->recorder_cycles, .lost = t->recorder_lost};
  log_change(t, &r, limits, now_ns);
  /* One word at a time; the loop reads the state. */
  show_file_name(t, r.file);
  __atomic_store_n(&t->recorder_cycles, r.cycles, __ATOMIC_RELAXED);
  __atomic_store_n(&t->recorder_lost, r.lost, __ATOMIC_RELAXED);
  __atomic_store_n(&t->recorder_bytes, r.file_bytes, __ATOMIC_RELAXED);
  __atomic_store_n(&t->recorder_flush_ns, r.flush_ns, __ATOMIC_RELAXED);
  __atomic_store_n(&t->recorder, r.state, __ATOMIC_RELAXED);
}
