/* SPDX-License-Identifier: MIT */
#include "restart/kept.h"

#include <stdio.h>
#include <string.h>

struct kept_record kept_record_of(const struct telemetry_live *live, bool ended, const char *who)
{
  struct kept_record r = {
      .ended = ended, .disarmed = live->disarmed != 0, .state = live->state, .fault = live->fault};
  const char *by = live->latched_by;
  const int most = (int)strnlen(by, sizeof live->latched_by - 1);
  if (r.fault == FAULT_NONE || (!who && most == 0)) return r;
  if (who)
    snprintf(r.who, sizeof r.who, "%s", who);
  else if (live->latch_client == LATCH_NO_NUMBER)
    snprintf(r.who, sizeof r.who, "%.*s", most, by);
  else
    snprintf(r.who, sizeof r.who, "%.*s client %u", most < 64 ? most : 64, by, live->latch_client);
  return r;
}

/* The block is newer where both have latched a stop; the file knows names. */
static void merge_stops(struct kept_record *last, const struct kept_record *file,
                        const struct kept_record *block)
{
  const bool names = file->fault == block->fault && file->who[0];
  const struct kept_record *stop = block->fault != FAULT_NONE ? block : file;
  last->state = stop->state;
  last->fault = stop->fault;
  memcpy(last->who, names ? file->who : stop->who, sizeof last->who);
}

struct kept_home kept_decide(const struct kept_home *file, const struct kept_home *block, struct kept *start)
{
  static const struct kept_record none = {.ended = true};
  const struct kept_record *f = file->found == KEPT_RECORD ? &file->record : &none;
  const struct kept_record *b = block->found == KEPT_RECORD ? &block->record : &none;
  *start = (struct kept){0};
  if (file->found == KEPT_NOTHING && block->found == KEPT_NOTHING)
    return (struct kept_home){KEPT_NOTHING, none};

  struct kept_home last = {.found = file->found == KEPT_BROKEN ? KEPT_BROKEN : KEPT_RECORD};
  last.record = block->found == KEPT_RECORD ? *b : *f;
  last.record.ended = file->found != KEPT_BROKEN && f->ended && block->found == KEPT_NOTHING;
  last.record.disarmed = f->disarmed || b->disarmed;
  if (f->fault != FAULT_NONE || b->fault != FAULT_NONE) merge_stops(&last.record, f, b);

  start->fault = (enum fault_code)last.record.fault;
  start->disarmed = last.record.disarmed || !last.record.ended || start->fault != FAULT_NONE;
  memcpy(start->who, last.record.who, sizeof start->who);
  last.record.disarmed = start->disarmed;
  return last;
}

void kept_text(const struct kept_home *last, const struct kept *start, bool commanded, const char *file,
               char *text, size_t size)
{
  const struct kept_record *r = &last->record;
  const bool latched = start->fault != FAULT_NONE;
  const char *how = !r->ended ? ", which nobody ordered"
                    : latched ? ", as ordered"
                              : ", as ordered, before an arm";
  char found[512], stop[200] = "";
  text[0] = '\0';
  if (!start->disarmed) return;
  if (latched)
    snprintf(stop, sizeof stop, " (%s%s%s)", fault_text(start->fault), r->who[0] ? ", by " : "", r->who);
  if (last->found == KEPT_BROKEN)
    snprintf(found, sizeof found, "%s cannot be understood, which counts as an end that nobody ordered%s",
             file, stop);
  else
    snprintf(found, sizeof found, "the last run ended in %s%s%s", run_state_name(r->state), stop, how);
  if (commanded)
    snprintf(text, size, "%s; starting in %s: send %sarm, then run", found, latched ? "SAFE" : "STOPPED",
             latched ? "reset, wait 0.5 s, send " : "");
  else
    snprintf(text, size,
             "%s; starting in %s; osc and modbus are off, so nobody can send %sarm: stop ali3d, delete %s, "
             "start it again",
             found, latched ? "SAFE" : "STOPPED", latched ? "reset and " : "", file);
}
