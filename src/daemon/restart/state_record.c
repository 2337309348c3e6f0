/* SPDX-License-Identifier: MIT */
#include "restart/state_record.h"

#include <stdio.h>
#include <string.h>

struct state_record state_record_of(const struct telemetry_live *live, bool ended, const char *who)
{
  struct state_record r = {
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

/* The block is newer if both have latched a stop; the file has the client's name. */
static void merge_stops(struct state_record *last, const struct state_record *file,
                        const struct state_record *block)
{
  const bool names = file->fault == block->fault && file->who[0];
  const struct state_record *stop = block->fault != FAULT_NONE ? block : file;
  last->state = stop->state;
  last->fault = stop->fault;
  memcpy(last->who, names ? file->who : stop->who, sizeof last->who);
}

struct state_copy state_record_decide(const struct state_copy *file, const struct state_copy *block,
                                      struct last_run *start)
{
  /* A missing or broken copy counts as a clean end here. */
  static const struct state_record none = {.ended = true};
  const struct state_record *f = file->found == COPY_READ ? &file->record : &none;
  const struct state_record *b = block->found == COPY_READ ? &block->record : &none;
  *start = (struct last_run){0};
  if (file->found == COPY_MISSING && block->found == COPY_MISSING)
    return (struct state_copy){COPY_MISSING, none};

  /* Merge both copies: the safer value counts. */
  struct state_copy last = {.found = file->found == COPY_BROKEN ? COPY_BROKEN : COPY_READ};
  last.record = block->found == COPY_READ ? *b : *f;
  last.record.ended = file->found != COPY_BROKEN && f->ended && block->found == COPY_MISSING;
  last.record.disarmed = f->disarmed || b->disarmed;
  if (f->fault != FAULT_NONE || b->fault != FAULT_NONE) merge_stops(&last.record, f, b);

  /* Derive the start from the merged record. */
  start->fault = (enum fault_code)last.record.fault;
  start->disarmed = last.record.disarmed || !last.record.ended || start->fault != FAULT_NONE;
  memcpy(start->who, last.record.who, sizeof start->who);
  last.record.disarmed = start->disarmed;
  return last;
}

void state_record_text(const struct state_copy *last, const struct last_run *start, bool commanded,
                       const char *file, char *text, size_t size)
{
  /* Words for an end without an order. */
  const struct state_record *r = &last->record;
  const bool latched = start->fault != FAULT_NONE;
  const char *how = !r->ended ? ", without an order"
                    : latched ? ", as ordered"
                              : ", as ordered, before an arm";
  char found[512], stop[200] = "";
  text[0] = '\0';
  if (!start->disarmed) return;
  /* The finding. */
  if (latched)
    snprintf(stop, sizeof stop, " (%s%s%s)", fault_text(start->fault), r->who[0] ? ", by " : "", r->who);
  if (last->found == COPY_BROKEN)
    snprintf(found, sizeof found, "%s cannot be understood, which counts as an end without an order%s", file,
             stop);
  else
    snprintf(found, sizeof found, "the last run ended in %s%s%s", run_state_name(r->state), stop, how);
  /* The advice. */
  if (commanded)
    snprintf(text, size, "%s; starting in %s: send %sarm, then run", found, latched ? "SAFE" : "STOPPED",
             latched ? "reset, wait 0.5 s, send " : "");
  else
    snprintf(text, size,
             "%s; starting in %s; osc and modbus are off, so nobody can send %sarm: stop ali3d, delete %s, "
             "start it again",
             found, latched ? "SAFE" : "STOPPED", latched ? "reset and " : "", file);
}
