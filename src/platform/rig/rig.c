/* SPDX-License-Identifier: MIT
 * RT except rig_init(). */
#include "rig/rig.h"

#include <math.h>
#include <string.h>

enum { HEARTBEATS = 65536 };

static void position_now(const struct rig *r, const struct platform *p, struct follow_position *o)
{
  *o = r->park;
  if (!platform_is_known(p)) return;
  memcpy(o->leg, p->out.legs, sizeof o->leg);
  memcpy(o->pose, p->out.pose, sizeof o->pose);
}

void rig_init(struct rig *r, const struct rig_spec *spec, const struct platform *platform)
{
  struct hexapod_state legs;
  memset(r, 0, sizeof *r);
  r->spec = *spec;
  r->period = platform->spec.period;
  follow_init(&r->follow, &spec->follow, r->period);
  hexapod_solve(&platform->hexapod, platform->spec.park, NULL, &legs);
  memcpy(r->park.leg, legs.leg, sizeof r->park.leg);
  memcpy(r->park.pose, platform->spec.park, sizeof r->park.pose);
  for (int i = 0; i < PLATFORM_DOF; i++) r->out.pose[i] = r->out.legs[i] = (double)NAN;
}

/* --- permissives --- */

/* True for a number that can be a status word. A fraction, or a number at the limit of its input, says nothing about bits. */
static bool is_word(double number)
{
  return fabs(number) < 1e15 && number == floor(number);
}

/* True if bit `bit` of a word is set. Negative numbers are in two's complement. */
static bool has_bit(double number, int bit)
{
  const uint64_t word = number < 0.0 ? (uint64_t)(int64_t)number : (uint64_t)number;
  return word >> bit & 1;
}

/* The time since the number changed counts while the number is fresh, too: a frozen controller repeats it. */
static bool is_alive(struct rig *r, int i, double number)
{
  r->still[i] = number == r->last[i] ? r->still[i] + r->period : 0.0;
  r->last[i] = number;
  const double alive = r->spec.permissive[i].alive;
  return alive == 0.0 || r->still[i] <= alive;
}

static void judge_permissives(struct rig *r, const struct rig_reading *reading)
{
  r->met = 0;
  for (int i = 0; i < r->spec.permissives; i++) {
    const struct rig_permissive *p = &r->spec.permissive[i];
    const double number = reading->value[p->channel];
    const bool lives = is_alive(r, i, number);
    if (!(reading->fresh >> i & 1) || !lives || (p->bit >= 0 && !is_word(number))) continue;
    const double judged = p->bit < 0 ? number : has_bit(number, p->bit);
    if (judged >= p->lower && judged <= p->upper) r->met |= UINT32_C(1) << i;
  }
}

static bool counts_now(const struct rig *r, enum rig_need need)
{
  return need == RIG_FOR_MOTION || (need == RIG_FOR_RIDE && r->rides);
}

/* The missing permissive with the stronger reaction; -1: none is missing. */
static int missing_permissive(const struct rig *r, bool for_reset)
{
  int missing = -1;
  for (int i = 0; i < r->spec.permissives; i++) {
    const struct rig_permissive *p = &r->spec.permissive[i];
    if ((r->met >> i & 1) || !(for_reset ? p->need == RIG_FOR_RESET : counts_now(r, p->need))) continue;
    if (missing < 0 || (p->on_loss == RIG_HOLD && r->spec.permissive[missing].on_loss != RIG_HOLD))
      missing = i;
  }
  return missing;
}

int rig_reset_lacks(const struct rig *r)
{
  return missing_permissive(r, true);
}

/* --- verdicts --- */

static bool has_feedback(const struct rig *r)
{
  return r->spec.feedback >= 0;
}

static bool judges_feedback(const struct rig *r)
{
  return has_feedback(r) && counts_now(r, r->spec.judged);
}

/* hold: only the signs with the reaction hold. */
static struct rig_verdict first_missing_sign(const struct rig *r, bool hold)
{
  int missing = missing_permissive(r, false);
  const bool counts = judges_feedback(r) && !(hold && r->spec.on_trip != RIG_HOLD);
  if (hold && missing >= 0 && r->spec.permissive[missing].on_loss != RIG_HOLD) missing = -1;
  const int erring = counts ? follow_beyond(&r->follow, &r->spec.follow.trip) : -1;
  if (missing >= 0)
    return (struct rig_verdict){
        .cause = RIG_UNMET, .item = missing, .reaction = r->spec.permissive[missing].on_loss};
  if (counts && !r->reports) return (struct rig_verdict){.cause = RIG_BLIND, .reaction = r->spec.on_trip};
  if (erring >= 0)
    return (struct rig_verdict){
        .cause = RIG_ERRING, .item = erring, .reaction = r->spec.on_trip, .value = r->follow.error[erring]};
  return (struct rig_verdict){.cause = RIG_FINE};
}

struct rig_verdict rig_lacks(const struct rig *r, bool to_park)
{
  const struct rig_verdict holds = first_missing_sign(r, true);
  return to_park || holds.cause != RIG_FINE ? holds : first_missing_sign(r, false);
}

/* The force is compared with that of an upright rest, so that a tilted driver feels one too. */
static void judge_felt(struct rig *r, const struct platform *p)
{
  const double *f = p->out.specific_force, *w = p->out.angular_velocity;
  const double up = f[2] - p->live.washout.gravity;
  r->out.felt_force[0] = sqrt(f[0] * f[0] + f[1] * f[1] + up * up);
  r->out.felt_rate[0] = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  const bool rough = (r->spec.force_max > 0.0 && r->out.felt_force[0] > r->spec.force_max) ||
                     (r->spec.rate_max > 0.0 && r->out.felt_rate[0] > r->spec.rate_max);
  if (rough && !r->rough) {
    r->out.felt_beyond[0] += 1.0;
    r->ride.felt_beyond++;
  }
  r->rough = rough;
}

static struct rig_verdict felt_verdict(const struct rig *r)
{
  const bool rate = !(r->spec.force_max > 0.0 && r->out.felt_force[0] > r->spec.force_max);
  if (!r->rough || r->spec.on_felt == RIG_COUNT) return (struct rig_verdict){.cause = RIG_FINE};
  return (struct rig_verdict){.cause = RIG_ROUGH,
                              .reaction = r->spec.on_felt,
                              .item = rate,
                              .value = rate ? r->out.felt_rate[0] : r->out.felt_force[0]};
}

/* --- a cycle --- */

static double larger_magnitude(double a, double b)
{
  return fabs(b) > a ? fabs(b) : a;
}

static void count_ride(struct rig *r, const struct platform *p)
{
  struct rig_ride *ride = &r->ride;
  ride->cycles++;
  for (int k = 0; k < PLATFORM_DOF; k++) {
    ride->pose[k] = larger_magnitude(ride->pose[k], p->out.pose[k]);
    ride->velocity[k] = larger_magnitude(ride->velocity[k], p->out.velocity[k]);
  }
  for (int i = 0; i < FOLLOW_ERRORS; i++) {
    double *most = i < PLATFORM_LEGS       ? &ride->leg_error
                   : i < PLATFORM_LEGS + 3 ? &ride->position_error
                                           : &ride->angle_error;
    *most = larger_magnitude(*most, r->follow.error[i]);
  }
  ride->felt_force = larger_magnitude(ride->felt_force, r->out.felt_force[0]);
  ride->felt_rate = larger_magnitude(ride->felt_rate, r->out.felt_rate[0]);
}

static void show_rig(struct rig *r, const struct platform *p, bool reports)
{
  /* The actual position, and its error. */
  struct rig_output *o = &r->out;
  const bool judged = judges_feedback(r);
  r->reports = reports;
  if (r->follow.known) memcpy(o->pose, r->follow.actual.pose, sizeof o->pose);
  if (reports) memcpy(o->legs, r->follow.actual.leg, sizeof o->legs);
  memcpy(o->leg_error, r->follow.error, sizeof o->leg_error);
  memcpy(o->pose_error, r->follow.error + PLATFORM_LEGS, sizeof o->pose_error);
  o->permissives[0] = r->met;
  o->heartbeat[0] = fmod(o->heartbeat[0] + 1.0, HEARTBEATS);
  const unsigned beyond =
      (judged && follow_beyond(&r->follow, &r->spec.follow.warn) >= 0 ? (unsigned)RIG_WARNS : 0u) |
      (judged && follow_beyond(&r->follow, &r->spec.follow.trip) >= 0 ? (unsigned)RIG_TRIPS : 0u);
  o->flags[0] = (reports ? (unsigned)RIG_REPORTS : 0u) | beyond |
                (rig_lacks(r, false).cause == RIG_FINE ? (unsigned)RIG_PERMITS : 0u) |
                (rig_may_reset(r, p) ? (unsigned)RIG_MAY_RESET : 0u) | (r->held ? (unsigned)RIG_HELD : 0u) |
                (r->rough ? (unsigned)RIG_FELT_BEYOND : 0u);
}

void rig_step(struct rig *r, const struct platform *p, const struct rig_reading *reading)
{
  const bool known = platform_is_known(p), away = known && !platform_is_parked(p);
  struct follow_position commanded;
  /* Compare the rig with the command, and judge what is felt. */
  position_now(r, p, &commanded);
  const double *report =
      has_feedback(r) && reading->arrived ? reading->value + r->spec.feedback_channel : NULL;
  if (has_feedback(r)) follow_step(&r->follow, &p->hexapod, &commanded, report);
  judge_permissives(r, reading);
  r->rides = platform_rides(p);
  if (known) judge_felt(r, p);
  show_rig(r, p, has_feedback(r) && reading->reports);
  /* A rig in its park pose needs no stop. */
  r->verdict = (struct rig_verdict){.cause = RIG_FINE};
  if (!away) return;
  r->verdict = rig_lacks(r, false);
  if (r->verdict.cause == RIG_FINE) r->verdict = felt_verdict(r);
  if (r->verdict.cause != RIG_FINE && r->verdict.reaction == RIG_HOLD) rig_hold(r);
  count_ride(r, p);
}

bool rig_may_reset(const struct rig *r, const struct platform *p)
{
  const bool away = platform_is_known(p) && !platform_is_parked(p);
  if (rig_reset_lacks(r) >= 0) return false;
  if (away && rig_lacks(r, true).cause != RIG_FINE) return false;
  if (!away || r->spec.reset == RIG_RESET_ANYWHERE) return true;
  return r->spec.reset == RIG_RESET_AT_REST && r->held && envelope_at_rest(&p->envelope);
}
