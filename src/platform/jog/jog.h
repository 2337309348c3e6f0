/* SPDX-License-Identifier: MIT
 * The jog: one coordinate or one leg of the platform moves at crawl speed while a person asks for it again and again. Pure: no
 * clock, no model, no loop, no allocation. RT except jog_init().
 *
 *   jog_ask       a command; it holds for spec.timeout, after which its sender must have sent it again (dead-man)
 *   jog_step      in every cycle: the target of the platform
 *   jog_end       another request moves or stops the platform
 *
 * A coordinate moves on its own. A leg moves on the curve on which the other five keep their lengths. The distance on that line
 * has a law of its own (envelope/axis.h). A cycle is only taken if the place where the jog would come to rest is within the reach
 * of the legs, so a jog stops in front of every limit. The envelope of the platform holds its limits besides.
 *
 * A hand is a program or an open page that presses buttons. Each of its commands has a number, and the jog remembers the newest
 * one of each hand.
 *
 * Invariants: 1. Without an accepted command younger than the timeout the wanted speed is 0. 2. A command whose number does not
 * rise moves nothing: it is late or repeated. 3. A hand begins a motion only if its last command was a release, so a late command
 * of a hand that fell silent, or that nobody knows, begins none. 4. After the end of a motion nothing begins for the timeout, and
 * nothing begins while another hand presses. 5. Only one part moves, and only its hand moves it. */
#ifndef JOG_JOG_H
#define JOG_JOG_H

#include "platform/platform.h"

#include <stdint.h>

/* Parts: the coordinates, then legs or cranks 1 to 6. */
enum { JOG_PARTS = PLATFORM_DOF + PLATFORM_LEGS };
const char *jog_part_name(unsigned part); /* "surge", ..., "leg6"; "?": no such part */
int jog_part_of(const char *name);        /* -1: no such part */

struct jog_spec {
  double speed, turn_speed, leg_speed; /* at full speed: m/s; rad/s; m/s, or rad/s of a crank */
  double ramp;                         /* s, from rest to full speed and back */
  double timeout;                      /* s */
};

/* Results of a command, and their meaning. */
#define JOG_ANSWER_LIST(X)                                                                                   \
  X(JOG_TAKEN, "taken")                                                                                      \
  X(JOG_NOT_AT_REST, "a jog begins only while the platform is at rest, parked, at neutral or after a jog")   \
  X(JOG_PRESSED, "a press begins after a release: send speed 0 first, from every hand that presses")         \
  X(JOG_OTHER, "another coordinate or leg, or another hand, has not come to rest yet")                       \
  X(JOG_LATE, "its number does not rise: the command is late or repeated")                                   \
  X(JOG_QUIET, "after the end of a motion nothing begins for platform.jog.timeout")                          \
  X(JOG_CROWDED, "too many hands in the last minute")                                                        \
  X(JOG_OLD, "it has waited longer than platform.jog.timeout")                                               \
  X(JOG_SINGULAR, "this leg alone cannot move here: the pose is too close to a singular one")
enum jog_answer {
#define JOG_ENUM(id, text) id,
  JOG_ANSWER_LIST(JOG_ENUM)
#undef JOG_ENUM
};
const char *jog_answer_text(unsigned answer);

/* Why a jog came to rest. */
#define JOG_END_LIST(X)                                                                                      \
  X(JOG_RELEASED, "released")                                                                                \
  X(JOG_SILENT, "its command was not repeated in time")                                                      \
  X(JOG_AT_LIMIT, "at the end of its travel")                                                                \
  X(JOG_ENDED, "ended by another command or by a stop")
enum jog_cause {
#define JOG_ENUM(id, text) id,
  JOG_END_LIST(JOG_ENUM)
#undef JOG_ENUM
};
const char *jog_cause_text(unsigned cause);

enum { JOG_HANDS = 32 };
struct jog_hand {
  bool known;
  bool up; /* its last command was a release */
  uint32_t id;
  uint32_t number; /* the largest one so far */
  uint64_t heard;  /* step after which it came */
};

struct jog {
  bool on;              /* the platform was jogged, and stays where it is; until jog_end() */
  bool moves;           /* a part has not come to rest yet */
  int part;             /* that moves or has moved last; -1: none */
  double wanted;        /* -1 to 1: fraction of full speed, of the last command */
  double acts;          /* that of the last step */
  bool came_to_rest;    /* in the last step, for `cause` */
  enum jog_cause cause; /* of the last rest */
  double went;          /* m or rad, of the last motion, signed */

  /* private */
  struct jog_spec spec;
  double period;
  uint64_t silence, longest; /* cycles since the last command, and its limit */
  uint64_t steps, quiet;     /* steps so far; the one before which no motion begins */
  uint64_t memory;           /* cycles after which a silent hand is forgotten */
  uint32_t sender;           /* hand of the part that moves */
  struct jog_hand hand[JOG_HANDS];
  double blocked;              /* 1 or -1: the travel ends in this direction; 0: not known */
  bool off_path;               /* the platform keeps a limit that the jog does not know */
  bool ended;                  /* by jog_end(), since the last step */
  bool held;                   /* the platform has reached the place of the last rest, and brakes there */
  bool reported;               /* this end of the travel was reported */
  struct axis law;             /* of the distance */
  struct axis_state at;        /* distance from the origin, its rate and acceleration */
  double origin[PLATFORM_DOF]; /* pose */
  double leg[PLATFORM_LEGS];   /* there */
  struct platform_motion target;
};

/* Set-up. */
void jog_init(struct jog *j, const struct jog_spec *spec, double period);

/* A command: moves `part` at a fraction of full speed, -1 to 1; 0 stops it. hand: the number of a program or page; number: rises
 * with each command of a hand. JOG_TAKEN: the next steps follow it. A refusal changes nothing but the memory of hands. */
enum jog_answer jog_ask(struct jog *j, const struct platform *p, unsigned part, double fraction,
                        uint32_t hand, uint32_t number);
/* A command that others have refused: it counts as a pressed button, or as its release. */
void jog_refuse(struct jog *j, double fraction, uint32_t hand, uint32_t number);
/* Ends the jog: another request moves the platform now. */
void jog_end(struct jog *j);

/* For a replay: the command that acted in the cycle that comes. part -1: the jog is not on. */
void jog_repeat(struct jog *j, const struct platform *p, int part, double fraction);

/* One cycle, before platform_step(). The target to give to the platform with PLATFORM_TO_JOG; NULL: the jog is not
 * on, or the platform holds its pose. */
const struct platform_motion *jog_step(struct jog *j, const struct platform *p);

#endif
