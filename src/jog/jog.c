/* SPDX-License-Identifier: MIT
 * Commands of the jog: who may move which part, and until when. RT except jog_init(). */
#include "jog/jog.h"

#include "jog/path.h"

#include <math.h>
#include <string.h>

static const char *const jog_leg_name[PLATFORM_LEGS] = {"leg1", "leg2", "leg3", "leg4", "leg5", "leg6"};

const char *jog_part_name(unsigned part)
{
  if (part >= JOG_PARTS) return "?";
  return part < PLATFORM_DOF ? platform_coordinate_name[part] : jog_leg_name[part - PLATFORM_DOF];
}

int jog_part_of(const char *name)
{
  for (unsigned i = 0; i < JOG_PARTS; i++)
    if (strcmp(jog_part_name(i), name) == 0) return (int)i;
  return -1;
}

const char *jog_answer_text(unsigned answer)
{
#define TEXT(id, text) [id] = (text),
  static const char *const texts[] = {JOG_ANSWER_LIST(TEXT)};
  return answer < sizeof texts / sizeof *texts ? texts[answer] : "?";
}

const char *jog_cause_text(unsigned cause)
{
  static const char *const texts[] = {JOG_END_LIST(TEXT)};
#undef TEXT
  return cause < sizeof texts / sizeof *texts ? texts[cause] : "?";
}

void jog_init(struct jog *j, const struct jog_spec *spec, double period)
{
  memset(j, 0, sizeof *j);
  j->spec = *spec;
  j->period = period;
  j->part = -1;
  j->longest = (uint64_t)ceil(spec->timeout / period);
}

/* --- buttons --- */

void jog_refuse(struct jog *j, double fraction, uint32_t sender)
{
  if (fraction != 0.0) {
    j->pressed = true;
    j->presser = sender;
    j->press_silence = 0;
  } else if (j->pressed && j->presser == sender) {
    j->pressed = false;
  }
}

static void forget_presses(struct jog *j)
{
  if (j->pressed && ++j->press_silence > j->longest) j->pressed = false;
}

/* --- commands --- */

/* True where a jog may begin. In PLATFORM_UNKNOWN the first order states that the rig is in its park pose. */
static bool may_begin_in(enum platform_state state)
{
  return state == PLATFORM_JOG || state == PLATFORM_PARKED || state == PLATFORM_NEUTRAL ||
         state == PLATFORM_UNKNOWN;
}

static enum jog_answer begin_jog_of(struct jog *j, const struct platform *p, unsigned part, uint32_t sender)
{
  if (!may_begin_in(p->state)) return JOG_NOT_AT_REST;
  if (!path_begin(j, p, part)) return JOG_SINGULAR;
  j->part = (int)part;
  j->sender = sender;
  j->on = j->moves = true;
  return JOG_TAKEN;
}

enum jog_answer jog_ask(struct jog *j, const struct platform *p, unsigned part, double fraction,
                        uint32_t sender)
{
  const bool goes_on = j->moves && j->part == (int)part && j->sender == sender;
  enum jog_answer answer = JOG_TAKEN;
  /* A release of what moves, or of what was refused. */
  if (fraction == 0.0) {
    jog_refuse(j, 0.0, sender);
    if (j->moves && j->sender == sender) {
      if (j->wanted != 0.0) j->cause = JOG_RELEASED;
      j->wanted = 0.0;
    }
    return JOG_TAKEN;
  }
  /* A new motion needs buttons that are up, and a platform at rest. */
  if (j->moves && !goes_on)
    answer = JOG_OTHER;
  else if (j->pressed && !goes_on)
    answer = JOG_PRESSED;
  else if (!goes_on)
    answer = begin_jog_of(j, p, part, sender);
  if (answer != JOG_TAKEN) {
    jog_refuse(j, fraction, sender);
    return answer;
  }
  j->wanted = fraction;
  j->silence = 0;
  return JOG_TAKEN;
}

void jog_end(struct jog *j)
{
  if (!j->on) return;
  if (j->moves) jog_refuse(j, j->wanted, j->sender);
  j->ended = j->moves && !j->reported;
  j->went = j->at.p;
  j->cause = JOG_ENDED;
  j->on = j->moves = false;
  j->wanted = 0.0;
}

void jog_repeat(struct jog *j, const struct platform *p, int part, double fraction)
{
  if (part < 0) {
    jog_end(j);
    return;
  }
  if (!j->on || part != j->part || (!j->moves && fraction != 0.0)) begin_jog_of(j, p, (unsigned)part, 0);
  j->wanted = fraction;
  j->silence = 0;
}

/* --- a cycle --- */

/* Silence is a release. */
static void mind_silence(struct jog *j)
{
  if (j->wanted == 0.0 || ++j->silence <= j->longest) return;
  j->wanted = 0.0;
  j->cause = JOG_SILENT;
}

static void come_to_rest(struct jog *j)
{
  j->came_to_rest = !j->reported;
  j->reported = true;
  j->went = j->at.p;
}

const struct platform_motion *jog_step(struct jog *j, const struct platform *p)
{
  forget_presses(j);
  j->came_to_rest = j->ended;
  j->ended = false;
  j->acts = 0.0;
  if (!j->on) return NULL;
  mind_silence(j);
  j->acts = j->wanted;
  /* The platform stands still until it is in the state of the jog. */
  if (p->state != PLATFORM_JOG) {
    path_stand(j, p);
    return platform_is_known(p) ? &j->target : NULL;
  }
  if (!j->moves) return path_is_over(j, p) ? NULL : &j->target;
  if (path_advance(j, p)) return &j->target;
  /* At rest. At the end of the travel the part waits for the release, or for the way back. */
  if (j->wanted != 0.0 && !j->astray) {
    j->cause = JOG_AT_LIMIT;
    come_to_rest(j);
    return &j->target;
  }
  if (j->astray) j->cause = JOG_AT_LIMIT;
  jog_refuse(j, j->wanted, j->sender);
  come_to_rest(j);
  j->moves = false;
  j->wanted = 0.0;
  return &j->target;
}
