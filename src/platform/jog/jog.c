/* SPDX-License-Identifier: MIT
 * Commands of the jog: who may move which part, and until when. RT except jog_init(). */
#include "jog/jog.h"

#include "jog/jog_parts.h"

#include <math.h>
#include <string.h>

static const double MEMORY_S = 60.0; /* no network delivers a datagram later than this */

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
  j->memory = (uint64_t)ceil(MEMORY_S / period);
}

/* --- hands --- */

static struct jog_hand *find_hand(struct jog *j, uint32_t id)
{
  for (int i = 0; i < JOG_HANDS; i++) {
    struct jog_hand *h = &j->hand[i];
    if (h->known && h->id == id && j->steps - h->heard <= j->memory) return h;
  }
  return NULL;
}

/* A place for a hand that is not known. NULL: there is none. */
static struct jog_hand *add_hand(struct jog *j, uint32_t id)
{
  for (int i = 0; i < JOG_HANDS; i++) {
    struct jog_hand *h = &j->hand[i];
    if (h->known && j->steps - h->heard <= j->memory) continue;
    *h = (struct jog_hand){.known = true, .id = id};
    return h;
  }
  return NULL;
}

/* Hears a command of a hand. A late release still stops, and only its number is too old to count. */
static enum jog_answer hear_hand(struct jog *j, double fraction, uint32_t id, uint32_t number,
                                 struct jog_hand **hand)
{
  struct jog_hand *h = find_hand(j, id);
  if (!h) h = add_hand(j, id);
  *hand = h;
  if (!h) return fraction == 0.0 ? JOG_TAKEN : JOG_CROWDED;
  const bool rises = number > h->number;
  if (fraction != 0.0 && !rises) return JOG_LATE;
  if (rises) h->number = number;
  h->heard = j->steps;
  return JOG_TAKEN;
}

/* True if a hand other than this one presses. Silence is a release. */
static bool another_presses(const struct jog *j, const struct jog_hand *mine)
{
  for (int i = 0; i < JOG_HANDS; i++) {
    const struct jog_hand *h = &j->hand[i];
    if (h != mine && h->known && !h->up && j->steps - h->heard <= j->longest) return true;
  }
  return false;
}

void jog_refuse(struct jog *j, double fraction, uint32_t hand, uint32_t number)
{
  struct jog_hand *h;
  if (hear_hand(j, fraction, hand, number, &h) == JOG_TAKEN && h) h->up = fraction == 0.0;
}

/* --- commands --- */

/* A motion ends, and no other one begins for the timeout. */
static void let_go(struct jog *j, enum jog_cause cause)
{
  if (j->wanted == 0.0) return;
  j->wanted = 0.0;
  j->cause = cause;
  j->quiet = j->steps + j->longest + 1;
}

/* True where a jog may begin. In PLATFORM_UNKNOWN the first request states that the rig is in its park pose. */
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

/* A new motion needs hands that are all up, a while since the last motion, and a platform at rest. up: the hand was, before this
 * press. */
static enum jog_answer begin_press(struct jog *j, const struct platform *p, unsigned part,
                                   const struct jog_hand *h, bool up)
{
  const bool mine = j->part == (int)part && j->sender == h->id;
  if (j->moves && !mine) return JOG_OTHER;
  if (!up || another_presses(j, h)) return JOG_PRESSED;
  if (j->steps < j->quiet) return JOG_QUIET;
  return j->moves ? JOG_TAKEN : begin_jog_of(j, p, part, h->id);
}

enum jog_answer jog_ask(struct jog *j, const struct platform *p, unsigned part, double fraction,
                        uint32_t hand, uint32_t number)
{
  struct jog_hand *h;
  enum jog_answer answer = hear_hand(j, fraction, hand, number, &h);
  if (answer != JOG_TAKEN) return answer;
  if (fraction == 0.0) {
    if (h) h->up = true;
    if (j->moves && j->sender == hand) let_go(j, JOG_RELEASED);
    return JOG_TAKEN;
  }
  const bool up = h->up, goes_on = j->moves && j->wanted != 0.0 && j->part == (int)part && j->sender == hand;
  h->up = false;
  if (!goes_on) answer = begin_press(j, p, part, h, up);
  if (answer != JOG_TAKEN) return answer;
  j->wanted = fraction;
  j->silence = 0;
  return JOG_TAKEN;
}

void jog_end(struct jog *j)
{
  if (!j->on) return;
  j->ended = j->moves && !j->reported;
  j->went = j->at.p;
  let_go(j, JOG_ENDED);
  j->cause = JOG_ENDED;
  j->on = j->moves = false;
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
  if (j->wanted != 0.0 && ++j->silence > j->longest) let_go(j, JOG_SILENT);
}

static void come_to_rest(struct jog *j)
{
  j->came_to_rest = !j->reported;
  j->reported = true;
  j->went = j->at.p;
}

const struct platform_motion *jog_step(struct jog *j, const struct platform *p)
{
  j->steps++;
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
  if (j->wanted != 0.0 && !j->off_path) {
    j->cause = JOG_AT_LIMIT;
    come_to_rest(j);
    return &j->target;
  }
  let_go(j, JOG_AT_LIMIT);
  if (j->off_path) j->cause = JOG_AT_LIMIT;
  come_to_rest(j);
  j->moves = false;
  return &j->target;
}
