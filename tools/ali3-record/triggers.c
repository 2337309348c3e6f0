/* SPDX-License-Identifier: MIT
 * The conditions of --trigger in the signals of a daemon. */
#include "record.h"

#include <string.h>

bool triggers_open(struct triggers *t, const struct frames_reader *r, const char *words)
{
  char error[200];
  *t = (struct triggers){0};
  if (!words) return true;
  t->count = trigger_parse(words, t->one, error, sizeof error);
  if (t->count < 0) {
    fprintf(stderr, "ali3-record: trigger: %s\n", error);
    return false;
  }
  /* Find the signals. */
  for (int i = 0; i < t->count; i++) {
    if (t->one[i].kind != TRIGGER_SIGNAL) continue;
    while (t->signal[i] < r->head.signals && strcmp(frames_signal_name(r, t->signal[i]), t->one[i].name) != 0)
      t->signal[i]++;
    if (t->signal[i] < r->head.signals) continue;
    fprintf(stderr, "ali3-record: trigger: instance \"%s\" has no signal \"%s\"\n", r->telemetry.instance,
            t->one[i].name);
    return false;
  }
  return true;
}

static bool condition_holds(const struct triggers *t, int i, const double *values,
                            const struct frames_slot *slot)
{
  const struct trigger *c = &t->one[i];
  switch (c->kind) {
  case TRIGGER_MISS:
    return t->begun && slot->misses > t->misses;
  case TRIGGER_FAULT:
    return t->begun && slot->fault != 0 && slot->fault != t->fault;
  case TRIGGER_SIGNAL:
    break;
  }
  const double v = values[t->signal[i]];
  return c->above ? v > c->level : v < c->level;
}

bool triggers_judge(struct triggers *t, const struct frames_reader *r, const struct frames_slot *slot)
{
  const double *values = frames_values(r, slot);
  bool any = false;
  t->began = 0;
  for (int i = 0; i < t->count; i++) {
    const bool holds = condition_holds(t, i, values, slot);
    if (holds && !t->holds[i]) t->began |= 1u << i;
    t->holds[i] = holds;
    any |= holds;
  }
  t->misses = slot->misses;
  t->fault = slot->fault;
  t->begun = true;
  return any;
}

int triggers_marks(const struct triggers *t, const struct frames_reader *r, const struct frames_slot *slot,
                   struct frames_event mark[TRIGGERS])
{
  int n = 0;
  for (int i = 0; i < t->count; i++) {
    if (!(t->began & 1u << i)) continue;
    struct frames_event *m = &mark[n++];
    *m = (struct frames_event){
        .cycle = slot->cycle, .t_ns = slot->t_ns, .kind = FRAMES_EVENT_MARK, .code = FRAMES_MARK_TRIGGER};
    if (t->one[i].kind == TRIGGER_SIGNAL) {
      m->a = frames_values(r, slot)[t->signal[i]];
      m->b = t->one[i].level;
    }
    trigger_text(&t->one[i], m->text, sizeof m->text);
  }
  return n;
}
