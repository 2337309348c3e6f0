/* SPDX-License-Identifier: MIT
 * One cycle of the platform block. RT; platform_setup.c has the set-up. */
#include "platform/platform.h"

#include "cueing/params.h"
#include "hexapod/pose.h"
#include "math/vec3.h"
#include "platform/platform_parts.h"

#include <math.h>
#include <string.h>

enum { WAYPOINTS = 16 }; /* poses on a straight move that are checked before it begins */
#define SPARE   0.9      /* fraction of the limits that a move from pose to pose uses */
#define ARRIVED 1e-6     /* m and rad from a goal, and per s */
#define COAST   0.5      /* s, duration of a soft stop */

static const double nowhere[PLATFORM_DOF] = {0};

/* The park pose and the start of a move may be beyond the limits of position of a run. */
static void apply_limits(struct platform *p)
{
  struct platform_limits l;
  params_limits(&p->spec.params, &l);
  for (int k = 0; k < PLATFORM_DOF; k++)
    if (!p->engaged && l.pos[k] < p->room[k]) l.pos[k] = p->room[k];
  envelope_limits(&p->envelope, &l);
}

/* Duration of the move to the goal, at least `duration`. straight: the legs reach every pose on the straight line. */
static double time_of_move(const struct platform *p, const double goal[PLATFORM_DOF], double duration,
                           bool *straight)
{
  const struct envelope *e = &p->envelope;
  const double *from = e->now.p, leg_rate = p->spec.geometry.leg_rate;
  /* Stretch the time until every coordinate keeps its limits. */
  double t = duration;
  for (int k = 0; k < PLATFORM_DOF; k++) {
    const struct axis *x = &e->aim.axis[k];
    const double d = fabs(goal[k] - from[k]) / SPARE;
    t = fmax(t, GLIDE_RATE * d / x->velocity);
    t = fmax(t, sqrt(GLIDE_ACCELERATION * d / x->acceleration));
    t = fmax(t, cbrt(GLIDE_JERK * d / x->jerk));
  }
  /* Check poses on the straight line: the reach of the legs, and their rates. */
  *straight = true;
  for (int i = 1; i <= WAYPOINTS; i++) {
    const double s = (double)i / WAYPOINTS, rest = 1.0 - s;
    const double gone = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s), rate = 30.0 * s * s * rest * rest;
    double pose[PLATFORM_DOF], v[PLATFORM_DOF];
    struct hexapod_state legs;
    for (int k = 0; k < PLATFORM_DOF; k++) {
      pose[k] = from[k] + gone * (goal[k] - from[k]);
      v[k] = rate * (goal[k] - from[k]);
    }
    *straight = *straight && envelope_reaches(e, pose);
    if (!hexapod_solve(&p->hexapod, pose, v, &legs)) continue;
    for (int k = 0; k < PLATFORM_LEGS; k++) t = fmax(t, fabs(legs.rate[k]) / (SPARE * leg_rate));
  }
  return t;
}

static void begin_glide(struct platform *p, const double goal[PLATFORM_DOF], double duration)
{
  const struct platform_motion end = {.p = {goal[0], goal[1], goal[2], goal[3], goal[4], goal[5]}};
  memcpy(p->goal, goal, sizeof p->goal);
  glide_begin(&p->glide, &p->envelope.now, &end, duration);
}

/* Begins a straight move to the goal. If legs block it, the envelope finds a detour. */
static void begin_move(struct platform *p, const double goal[PLATFORM_DOF], double duration)
{
  bool straight;
  p->via_neutral = false;
  begin_glide(p, goal, time_of_move(p, goal, duration, &straight));
}

/* Neutral can be reached from every pose, and the park pose from neutral, which platform_init() checks. */
static void begin_parking(struct platform *p)
{
  const double duration = p->spec.params.park_time[0];
  bool straight;
  const double time = time_of_move(p, p->spec.park, duration, &straight);
  if (straight)
    begin_glide(p, p->spec.park, time);
  else
    begin_move(p, nowhere, duration);
  p->via_neutral = !straight;
}

static void begin_anew(struct platform *p, const struct platform_input *in)
{
  live_reset(&p->live, in);
  cue_reset(&p->cue);
  memset(p->excess, 0, sizeof p->excess);
  p->blend = true;
  p->anew = false;
}

/* A move begins at the present pose, which may be beyond limits that have become tighter. */
static void widen_room(struct platform *p)
{
  for (int k = 0; k < PLATFORM_DOF; k++) p->room[k] = fmax(p->widest[k], fabs(p->envelope.now.p[k]));
}

/* Begins to come to rest from the present motion. */
static void begin_stop(struct platform *p)
{
  struct platform_motion rest;
  glide_coast(&p->glide, &p->envelope.now, COAST, &rest);
  memcpy(p->goal, rest.p, sizeof p->goal);
  p->brakes = false;
}

static void enter_state(struct platform *p, enum platform_state state)
{
  const struct platform_params *q = &p->spec.params;
  p->state = state;
  /* Set the room that the platform may use in this state. */
  const bool leaves = states_moves(state) || state == PLATFORM_JOG;
  if (leaves) p->engaged = false;
  if (leaves || state == PLATFORM_PARKED) widen_room(p);
  if (state == PLATFORM_NEUTRAL) p->engaged = p->anew = true;
  apply_limits(p);
  /* Begin the motion of the state. */
  switch (state) {
  case PLATFORM_ENGAGE:
    begin_move(p, nowhere, q->engage_time[0]);
    break;
  case PLATFORM_FAULT:
    begin_move(p, nowhere, q->fault_time[0]);
    break;
  case PLATFORM_PARK:
    begin_parking(p);
    break;
  case PLATFORM_STOP:
    begin_stop(p);
    break;
  case PLATFORM_RUN:
    p->blend = true;
    break;
  default:
    break;
  }
}

static bool has_arrived(const struct platform *p)
{
  if (!glide_over(&p->glide)) return false;
  for (int k = 0; k < PLATFORM_DOF; k++)
    if (fabs(p->envelope.now.p[k] - p->goal[k]) > ARRIVED || fabs(p->envelope.now.v[k]) > ARRIVED)
      return false;
  return true;
}

static void end_move(struct platform *p)
{
  if (p->via_neutral)
    begin_move(p, p->spec.park, p->spec.params.park_time[0]);
  else
    enter_state(p, states_arrived(p->state));
}

/* Follows the rest of a glide, which ends at rest at `goal`. */
static void follow_glide(struct platform *p, const double goal[PLATFORM_DOF],
                         void (*follow)(struct envelope *, const struct platform_motion *))
{
  struct platform_motion target = {0};
  memcpy(target.p, goal, sizeof target.p);
  glide_advance(&p->glide, p->spec.period);
  glide_add(&p->glide, &target);
  memcpy(p->out.target, target.p, sizeof target.p);
  follow(&p->envelope, &target);
}

static void follow_live(struct platform *p, const struct platform_input *in)
{
  struct platform_motion target;
  /* Get the target of the mode. */
  if (p->anew) begin_anew(p, in);
  live_step(&p->live, p->spec.mode, in, &p->hexapod, p->envelope.aim.limits.pos, p->excess, &target);
  /* Fade in from the motion before. */
  if (p->blend) fade_begin(&p->fade, &p->envelope.now, p->spec.params.blend[0]);
  p->blend = false;
  fade_advance(&p->fade, p->spec.period);
  fade_mix(&p->fade, &target);
  /* Follow within the limits, and tell the washout what was out of reach. */
  memcpy(p->out.target, target.p, sizeof target.p);
  envelope_step(&p->envelope, &target);
  for (int k = 0; k < PLATFORM_DOF; k++) p->excess[k] = p->envelope.reachable[k] - target.p[k];
}

static void brake_platform(struct platform *p)
{
  envelope_brake(&p->envelope);
  memcpy(p->out.target, p->envelope.now.p, sizeof p->out.target);
}

/* Follows the target of a jog, and nothing but that: a detour would move other coordinates. */
static void follow_jog(struct platform *p, const struct platform_motion *jog)
{
  if (!jog) {
    brake_platform(p);
    return;
  }
  envelope_step_directly(&p->envelope, jog);
  memcpy(p->out.target, jog->p, sizeof p->out.target);
}

/* Comes to rest softly, or at the limits if a request of this stop asked for that. The glide leaves a small remainder, which
 * the limits stop, too: the law that follows a target never quite ends. */
static void follow_stop(struct platform *p, enum platform_request request)
{
  p->brakes = p->brakes || platform_request_brakes(request);
  if (p->brakes || glide_over(&p->glide))
    brake_platform(p);
  else
    follow_glide(p, p->goal, envelope_step_directly);
}

static void follow_state(struct platform *p, const struct platform_input *in)
{
  static const struct platform_motion neutral = {0};
  switch (p->state) {
  case PLATFORM_RUN:
    follow_live(p, in);
    return;
  case PLATFORM_STOP:
    follow_stop(p, in->request);
    return;
  case PLATFORM_FREEZE:
    brake_platform(p);
    return;
  case PLATFORM_UNKNOWN: /* the output stays NaN */
    return;
  case PLATFORM_JOG:
    follow_jog(p, in->jog);
    return;
  case PLATFORM_NEUTRAL:
    memcpy(p->out.target, nowhere, sizeof p->out.target);
    envelope_step(&p->envelope, &neutral);
    return;
  default:
    follow_glide(p, p->goal, envelope_step);
  }
}

static unsigned output_flags(const struct platform *p)
{
  const struct envelope *e = &p->envelope;
  const bool runs = p->state == PLATFORM_RUN;
  /* Only the washout brings its parameters to their new values, so in the other modes they wait. */
  const bool washes = p->spec.mode == PLATFORM_WASHOUT;
  const bool blends = runs && (!fade_over(&p->fade) || (washes && p->live.washout.blending));
  return (p->engaged ? PLATFORM_ENGAGED : 0u) | (platform_is_parked(p) ? PLATFORM_IS_PARKED : 0u) |
         (e->limited ? PLATFORM_LIMITED : 0u) | (e->rate_limited ? PLATFORM_RATE_LIMITED : 0u) |
         (runs && washes && p->live.washout.tilt_limited ? PLATFORM_TILT_LIMITED : 0u) |
         (e->unreachable ? PLATFORM_UNREACHABLE : 0u) | (runs && p->live.bad ? PLATFORM_BAD_INPUT : 0u) |
         (blends ? PLATFORM_BLENDING : 0u) | (e->pending ? PLATFORM_PENDING : 0u);
}

static void output_motion(struct platform *p)
{
  const struct envelope *e = &p->envelope;
  const struct platform_geometry *g = &p->spec.geometry;
  struct platform_output *o = &p->out;
  struct platform_limits l;
  params_limits(&p->spec.params, &l);
  /* Copy the motion in SI units. */
  memcpy(o->pose, e->now.p, sizeof o->pose);
  memcpy(o->velocity, e->now.v, sizeof o->velocity);
  memcpy(o->acceleration, e->now.a, sizeof o->acceleration);
  memcpy(o->legs, e->legs.leg, sizeof o->legs);
  memcpy(o->leg_rates, e->legs.rate, sizeof o->leg_rates);
  /* Normalise it by the limits, and compute what the driver feels. */
  for (int k = 0; k < PLATFORM_LEGS; k++)
    o->legs_normalised[k] = (2.0 * o->legs[k] - g->leg_min - g->leg_max) / (g->leg_max - g->leg_min);
  for (int k = 0; k < PLATFORM_DOF; k++) o->pose_normalised[k] = o->pose[k] / l.pos[k];
  pose_felt(o->specific_force, o->angular_velocity, &e->now, p->spec.head, p->live.washout.gravity);
  o->margin[0] = e->legs.margin;
}

/* Compares what is felt with what the washout asks for, where the platform follows the washout alone. */
static void judge_cue(struct platform *p)
{
  struct platform_output *o = &p->out;
  if (p->state != PLATFORM_RUN || p->spec.mode != PLATFORM_WASHOUT)
    cue_pause(&p->cue);
  else
    cue_step(&p->cue, &p->live.washout, o->specific_force, o->angular_velocity, fade_over(&p->fade));
  v3_copy(o->false_force, p->cue.force);
  v3_copy(o->false_rate, p->cue.rate);
  o->false_force_jump[0] = p->cue.force_jump;
  o->false_rate_jump[0] = p->cue.rate_jump;
  o->false_force_most[0] = p->cue.force_most;
  o->false_rate_most[0] = p->cue.rate_most;
}

static void output_state(struct platform *p)
{
  struct platform_output *o = &p->out;
  if (platform_is_known(p)) output_motion(p);
  judge_cue(p);
  o->state[0] = p->state;
  o->mode[0] = p->spec.mode;
  o->flags[0] = output_flags(p);
}

void platform_tune(struct platform *p, enum platform_mode mode, const struct platform_params *params)
{
  p->anew |= mode != p->spec.mode;
  p->spec.mode = mode;
  p->spec.params = *params;
  live_tune(&p->live, params, p->spec.period);
  apply_limits(p);
}

void platform_step(struct platform *p, const struct platform_input *in)
{
  p->anew |= in->restart;
  if (in->restart || !p->live.zeroed) p->blend |= live_zero(&p->live, in) && p->spec.mode == PLATFORM_POSE;
  if (states_moves(p->state) && has_arrived(p)) end_move(p);
  const enum platform_state next =
      states_next(p->state, in->request, p->engaged, envelope_at_rest(&p->envelope));
  if (next != p->state) enter_state(p, next);
  follow_state(p, in);
  output_state(p);
}

bool platform_is_parked(const struct platform *p)
{
  return p->state == PLATFORM_PARKED;
}

bool platform_is_known(const struct platform *p)
{
  return p->state != PLATFORM_UNKNOWN;
}

bool platform_rides(const struct platform *p)
{
  return p->engaged &&
         (p->state == PLATFORM_NEUTRAL || p->state == PLATFORM_RUN || p->state == PLATFORM_FREEZE);
}
