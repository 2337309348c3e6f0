/* SPDX-License-Identifier: MIT
 * The loop's events in words. Pure. */
#include "journal/events.h"

#include "cueing/params.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Names the open joint or drive, and the drive that is the cause. */
static void describe_violation(const struct cycle_event *e, const ali3_model *m, char *text, size_t size)
{
  const size_t used = strlen(text);
  char open[400];
  if (ali3_violation_text(m, &e->violation, open, sizeof open) > 0)
    snprintf(text + used, size - used, "%s%s",
             e->code == FAULT_VIOLATED || e->cause == CAUSE_VIOLATED ? ": " : "; ", open);
}

static void describe_place(const struct cycle_event *e, const ali3_model *m, char *text, size_t size)
{
  const bool both = e->joint >= 0 && e->body >= 0;
  snprintf(text, size, ", worst at%s%s%s%s%s", e->joint >= 0 ? " joint " : "",
           e->joint >= 0 ? ali3_model_joint_name(m, e->joint) : "", both ? "," : "",
           e->body >= 0 ? " body " : "", e->body >= 0 ? ali3_model_body_name(m, e->body) : "");
}

/* Names the sign that is missing or wrong. */
static void rig_text(const struct rig_verdict *v, const struct cycle_config *g, char *text, size_t size)
{
  const struct rig_spec *spec = &g->rig->spec;
  const bool leg = v->item < PLATFORM_LEGS, turns = v->item >= PLATFORM_LEGS + 3;
  const bool cranks = g->platform->spec.geometry.crank;
  /* A sign has a name, an item and a value, as its cause tells. */
  switch (v->cause) {
  case RIG_FINE:
    snprintf(text, size, "the rig is ready");
    break;
  case RIG_UNMET:
    snprintf(text, size, "permissive %s of input %s is missing", spec->permissive[v->item].name,
             g->signals->input[spec->permissive[v->item].input].name);
    break;
  case RIG_BLIND:
    snprintf(text, size, "the feedback of input %s is not fresh", g->signals->input[spec->feedback].name);
    break;
  case RIG_MOVES:
    snprintf(text, size, "the rig is not yet where the key rig.reset asks for");
    break;
  case RIG_ROUGH:
    snprintf(text, size, "%s at the head is %.2f %s, limit %.2f",
             v->item ? "angular velocity" : "specific force", v->value, v->item ? "rad/s" : "m/s^2",
             v->item ? spec->rate_max : spec->force_max);
    break;
  case RIG_ERRING:
    if (leg)
      snprintf(text, size, "%s %d is off by %.4f %s", cranks ? "crank" : "leg", v->item + 1, v->value,
               cranks ? "rad" : "m");
    else
      snprintf(text, size, "%s is off by %.4f %s", platform_coordinate_name[v->item - PLATFORM_LEGS],
               v->value, turns ? "rad" : "m");
    break;
  }
}

/* The text after the cause: the client, or the input or joint. */
static void describe_origin(const struct cycle_event *e, const struct cycle_config *g, char *text,
                            size_t size)
{
  text[0] = '\0';
  /* Name the client. */
  if (e->port >= 0) {
    char client[CLIENT_NAME];
    clients_get(&g->port[e->port]->clients, e->client, client);
    if (g->port[e->port]->source == SOURCE_INNER)
      snprintf(text, size, " for %s", client); /* a request that came through the daemon itself */
    else
      snprintf(text, size, " by %s %s", g->port[e->port]->name, client);
    /* After the warm-up: the reason why the loop does not run. */
  } else if (e->cause == CAUSE_WARM && e->to == STATE_SAFE) {
    snprintf(text, size, "; the last run left a stop latched: %s", fault_text(e->code));
  } else if (e->cause == CAUSE_WARM && e->code == WARM_DISARMED) {
    snprintf(text, size, "; no autostart: the last run ended without an order, or before an arm");
  } else if (e->input >= 0 && e->cause == CAUSE_WARM) {
    snprintf(text, size, "; no autostart: input %s is required and not fresh",
             g->signals->input[e->input].name);
    /* Name the input or the joint of a fault. */
  } else if (e->input >= 0) {
    snprintf(text, size, ": %s", g->signals->input[e->input].name);
  } else if (e->cause == CAUSE_FAULT && e->to == STATE_FAULT) {
    if (e->code != FAULT_VIOLATED && (e->body >= 0 || e->joint >= 0)) describe_place(e, g->model, text, size);
    describe_violation(e, g->model, text, size);
  } else if (e->cause == CAUSE_FAULT && e->code == FAULT_STUCK && e->value > 0.0) {
    snprintf(text, size, ": the machine was suspended for %.1f s", e->value);
  } else if (e->cause == CAUSE_FAULT && e->rig.cause != RIG_FINE) {
    snprintf(text, size, ": ");
    rig_text(&e->rig, g, text + 2, size - 2);
  }
}

static const char *cause_text(const struct cycle_event *e)
{
  switch (e->cause) {
  case CAUSE_WARM:
    return "warm-up over";
  case CAUSE_COMMAND:
    return command_name(e->code);
  case CAUSE_FAULT:
    return fault_text(e->code);
  case CAUSE_EXIT:
    return "loop ended";
  default:
    return "?";
  }
}

static void injection_text(const struct cycle_event *e, const struct cycle_config *g, const char *origin,
                           char *text, size_t size)
{
  const struct injection *injection = &g->injection[e->code >> 1];
  const bool on = e->code & 1;
  const char *what = e->cause == CAUSE_INJECT_SWITCHED ? (on ? "switched on" : "switched off")
                     : on                              ? "starts acting"
                                                       : "stops acting";
  snprintf(text, size, "cycle %" PRIu64 ": FAULT INJECTION %s, %s of input %s: %s%s", e->cycle,
           injection->name, inject_kind_name(injection->kind), g->signals->input[injection->input].name, what,
           origin);
}

static void platform_text(const struct cycle_event *e, const char *origin, char *text, size_t size)
{
  if (e->cause == CAUSE_PLATFORM_SET)
    snprintf(text, size, "cycle %" PRIu64 ": platform: %s set to %g%s", e->cycle,
             e->code < PARAMS ? params_table[e->code].name : "?", e->value, origin);
  else
    snprintf(text, size, "cycle %" PRIu64 ": platform: %s -> %s%s", e->cycle, platform_state_name(e->from),
             platform_state_name(e->to),
             e->from == PLATFORM_UNKNOWN ? ": its outputs begin at the park pose" : "");
}

static void jog_text(const struct cycle_event *e, const struct cycle_config *g, const char *origin,
                     char *text, size_t size)
{
  const bool turns = e->code < PLATFORM_DOF ? e->code >= 3 : g->platform->spec.geometry.crank;
  if (e->cause == CAUSE_JOG_BEGINS)
    snprintf(text, size, "cycle %" PRIu64 ": jog of %s%s", e->cycle, jog_part_name(e->code), origin);
  else
    snprintf(text, size, "cycle %" PRIu64 ": jog of %s over, %+.2f %s: %s", e->cycle, jog_part_name(e->code),
             e->value * (turns ? 180.0 / M_PI : 1e3), turns ? "deg" : "mm", jog_cause_text(e->jog));
}

/* The signs that changed, and what the motion lacks now. */
static void signs_text(const struct cycle_event *e, const struct cycle_config *g, char *text, size_t size)
{
  static const struct {
    unsigned flag;
    const char *came, *gone;
  } sign[] = {
      {RIG_REPORTS, "feedback comes", "no feedback"},
      {RIG_WARNS, "following error beyond its warning level", "following error below its warning level"},
      {RIG_PERMITS, "ready to move", "not ready to move"},
      {RIG_HELD, "held where it is", "no longer held"},
      {RIG_FELT_BEYOND, "limit at the head exceeded", "limit at the head kept again"},
  };
  char lacks[200];
  size_t used = (size_t)snprintf(text, size, "cycle %" PRIu64 ": rig: ", e->cycle);
  bool first = true;
  /* Every sign that came or went. */
  for (size_t i = 0; i < sizeof sign / sizeof *sign; i++) {
    if (!((e->from ^ e->to) & sign[i].flag) || used >= size) continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s", first ? "" : ", ",
                             e->to & sign[i].flag ? sign[i].came : sign[i].gone);
    first = false;
  }
  rig_text(&e->rig, g, lacks, sizeof lacks);
  if (e->rig.cause != RIG_FINE && used < size) snprintf(text + used, size - used, ": %s", lacks);
}

/* Why a parameter of the platform was refused. */
static const char *parameter_text(const struct cycle_event *e, const struct cycle_config *g, char *text,
                                  size_t size)
{
  if (!g->platform || e->parameter >= PARAMS) return "the file has no platform";
  const struct params_scalar *p = &params_table[e->parameter];
  if (!(e->asked >= p->least && e->asked <= p->greatest))
    snprintf(text, size, "%s: %g is out of range: expected %g to %g %s", p->name, e->asked, p->least,
             p->greatest, p->unit);
  else if (e->asked > e->ceiling)
    snprintf(text, size,
             "%s: %g is above %g %s, its limit in the file, which a command may only lower; raise it in the "
             "file, and reload",
             p->name, e->asked, e->ceiling, p->unit);
  else
    snprintf(
        text, size,
        "%s: %g %s contradicts another parameter: lp_wn must be at least twice the larger one of hp_wn.x "
        "and hp_wn.y",
        p->name, e->asked, p->unit);
  return text;
}

/* Why a command was refused, and the command that leads on. */
static const char *refusal_text(const struct cycle_event *e, const struct cycle_config *g, char *text,
                                size_t size)
{
  /* The result says enough, except for a wrong state. */
  if (e->code == COMMAND_JOG && e->jog != JOG_TAKEN) return jog_answer_text(e->jog);
  switch ((enum command_result)e->value) {
  case RESULT_TOO_SOON:
    if (e->code == COMMAND_RESET) return "it was sent before a frame showed the stop: send it again";
    return "too soon after a stop: send it 0.5 s or more after STOPPED is shown";
  case RESULT_NOT_READY:
    if (e->rig.cause != RIG_FINE) {
      rig_text(&e->rig, g, text, size);
      return text;
    }
    return "a required input is not fresh: send its values first";
  case RESULT_BAD_ARGUMENT:
    return e->code == COMMAND_PLATFORM ? parameter_text(e, g, text, size) : "bad argument";
  default:
    break;
  }
  if (e->to == STATE_SAFE || e->to == STATE_FAULT) return "a stop is latched: send reset first";
  if (e->to == STATE_STOPPED && (e->code == COMMAND_RUN || e->code == COMMAND_JOG))
    return "motion needs an arm: send arm first";
  return e->code == COMMAND_JOG ? "expected STOPPED or READY" : "not possible in this state";
}

void event_text(const struct cycle_event *e, const struct cycle_config *g, char *text, size_t size)
{
  /* Injections, the platform and open rows have their own texts. */
  char change[64], origin[600];
  describe_origin(e, g, origin, sizeof origin);
  if (e->cause == CAUSE_INJECT_SWITCHED || e->cause == CAUSE_INJECT_ACTS) {
    injection_text(e, g, origin, text, size);
    return;
  }
  if (e->cause == CAUSE_PLATFORM_STATE || e->cause == CAUSE_PLATFORM_SET) {
    platform_text(e, origin, text, size);
    return;
  }
  if (e->cause == CAUSE_JOG_BEGINS || e->cause == CAUSE_JOG_RESTS) {
    jog_text(e, g, origin, text, size);
    return;
  }
  if (e->cause == CAUSE_RIG) {
    signs_text(e, g, text, size);
    return;
  }
  if (e->cause == CAUSE_REFUSED) {
    char lacks[200];
    snprintf(text, size, "cycle %" PRIu64 ": %s: %s%s refused: %s", e->cycle, run_state_name(e->to),
             command_name(e->code), origin, refusal_text(e, g, lacks, sizeof lacks));
    return;
  }
  if (e->cause == CAUSE_VIOLATED) {
    describe_violation(e, g->model, origin, sizeof origin);
    snprintf(text, size, "cycle %" PRIu64 ": violated%s", e->cycle, origin);
    return;
  }
  if (e->cause == CAUSE_UNRESOLVED) {
    const ali3_report turned = {
        .worst_body = e->body, .worst_joint = e->joint, .worst_force = e->violation.force, .turn = e->value};
    char turn[400];
    ali3_turn_text(g->model, &turned, turn, sizeof turn);
    snprintf(text, size, "cycle %" PRIu64 ": degraded: %s", e->cycle, turn);
    return;
  }
  /* Describe a change of state, or a command that kept the state. */
  if (e->from != e->to)
    snprintf(change, sizeof change, "%s -> %s", run_state_name(e->from), run_state_name(e->to));
  else
    snprintf(change, sizeof change, "%s", run_state_name(e->to));
  const bool restored = e->cause == CAUSE_COMMAND && e->code == COMMAND_RESET;
  snprintf(text, size, "cycle %" PRIu64 ": %s: %s%s%s", e->cycle, change, cause_text(e), origin,
           restored ? ", model at its initial state" : "");
}
