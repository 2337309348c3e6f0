/* SPDX-License-Identifier: MIT
 * Rules of single sections that concern more than one key. Set-up only. */
#include "config/sections.h"
#include "frames/trigger.h"

#include <arpa/inet.h>
#include <string.h>

/* 0.0.0.0, :: and ::ffff:0.0.0.0, in any spelling. */
static bool is_any_address(const char *address)
{
  struct in6_addr a, any = {0}, mapped;
  inet_pton(AF_INET6, "::ffff:0.0.0.0", &mapped);
  return address_parse(address, &a) && (!memcmp(&a, &any, sizeof a) || !memcmp(&a, &mapped, sizeof a));
}

static void check_bind(const struct node *root, struct report *r, const char *section, const char *address,
                       bool any_allowed)
{
  const struct node *n = node_in_section(root, section, "bind");
  if (!n || !check_address(r, address, n) || !is_any_address(address) || any_allowed) return;
  report_error(r, n->at,
               "bind: %s opens the port to every network: expected an address of one network, or "
               "\"any_interface: true\" in %s",
               address, section);
}

static void check_prefix(const struct node *root, const struct file_values *v, struct report *r)
{
  const char *p = v->osc_prefix;
  const struct node *n = node_in_section(root, "osc", "prefix");
  if (!n) return;
  if (is_osc_address(p) && strlen(p) <= NAME_LENGTH_MAX) return;
  report_error(r, n->at,
               "prefix: expected an OSC address such as /ali3 (no slash at the end, none of \" #*,?[]{}\"), "
               "found %.40s",
               p);
}

/* Rules of the section cycle that concern more than one key. */
static void check_cycle(const struct node *root, struct file_values *v, struct report *r)
{
  struct settings *s = &v->settings;
  const struct node *clock = node_in_section(root, "cycle", "clock"),
                    *pull = node_in_section(root, "cycle", "pull");
  /* The protocol of the beats is served. */
  const bool beaten =
      (s->cycle.beat == BEAT_OSC && s->osc.enabled) || (s->cycle.beat == BEAT_MODBUS && s->modbus.enabled);
  if (s->cycle.beat != BEAT_NONE && !beaten)
    report_error(r, node_in_section(root, "cycle", "beat")->at,
                 "beat: the section %s is missing or not enabled: expected the section, or \"beat: none\"",
                 s->cycle.beat == BEAT_OSC ? "osc" : "modbus");
  if (s->cycle.beat == BEAT_MODBUS && beaten && !s->modbus.default_map)
    report_error(
        r, node_in_section(root, "cycle", "beat")->at,
        "beat: modbus needs register 164 of the default map: expected \"default_map: true\" in modbus");
  if (s->cycle.clock == CLOCKING_INPUT && s->cycle.beat == BEAT_NONE)
    report_error(r, clock->at,
                 "clock: input starts cycles at beats: expected \"beat: osc\" or \"beat: modbus\" in cycle");
  /* Each clock has the sections and keys that it needs, and no others. */
  if (s->cycle.clock == CLOCKING_LOCKSTEP && !s->osc.enabled && !s->modbus.enabled)
    report_error(r, clock->at,
                 "clock: lockstep takes a step for each command: expected a section osc or modbus, over "
                 "which commands come");
  if (s->cycle.clock != CLOCKING_TIMER && s->platform.enabled)
    report_error(r, clock->at, "clock: the limits of a platform hold per period of a timer: expected timer");
  if (s->cycle.live.overrun == OVERRUN_CATCH_UP && s->platform.enabled)
    report_error(
        r, node_in_section(root, "cycle", "overrun")->at,
        "overrun: catch_up would move the platform faster than its limits: expected skip, slip or stop");
  if (s->cycle.clock == CLOCKING_LOCKSTEP && s->cycle.publish == PUBLISH_NEXT_CYCLE)
    report_error(r, node_in_section(root, "cycle", "publish")->at,
                 "publish: in lockstep a frame answers each step: expected at_once");
  /* Only a timer has times within the period. */
  if (s->cycle.pull > 0 && (s->cycle.clock != CLOCKING_TIMER || s->cycle.beat == BEAT_NONE))
    report_error(
        r, pull->at,
        "pull: expected \"clock: timer\" and a beat other than none beside it; remove pull or change them");
  if (s->cycle.pull > 0.1 * s->options.dt)
    report_error(r, pull->at, "pull: expected at most a tenth of the period, %g s, found %g",
                 0.1 * s->options.dt, s->cycle.pull);
  if (s->cycle.spin > 0 && s->cycle.clock != CLOCKING_TIMER)
    report_error(r, node_in_section(root, "cycle", "spin")->at,
                 "spin: expected \"clock: timer\" beside it; remove spin or change the clock");
  if (s->cycle.spin > 0.5 * s->options.dt)
    report_error(r, node_in_section(root, "cycle", "spin")->at,
                 "spin: expected at most half the period, %g s, found %g", 0.5 * s->options.dt,
                 s->cycle.spin);
  if (s->cycle.live.overrun == OVERRUN_STOP && s->cycle.live.max_misses == 0) s->cycle.live.max_misses = 1;
}

/* A platform moves people: it starts by itself only if the file has even_with_platform, which nobody writes by chance. */
static void check_autostart(const struct node *root, struct file_values *v, struct report *r)
{
  struct settings *s = &v->settings;
  const struct node *autostart = node_in_section(root, "cycle", "autostart");
  if (!s->platform.enabled || s->cycle.autostart != AUTOSTART_ON) return;
  s->cycle.autostart = AUTOSTART_OFF;
  if (autostart)
    report_error(r, autostart->at,
                 "autostart: true would move the platform when the daemon starts: expected false, or "
                 "even_with_platform if "
                 "that is the intention");
}

void check_sections(const struct node *root, struct file_values *v, struct report *r)
{
  const struct settings *s = &v->settings;
  check_bind(root, r, "osc", v->osc_bind, v->osc_any_interface);
  check_bind(root, r, "modbus", v->modbus_bind, v->modbus_any_interface);
  check_prefix(root, v, r);
  check_cycle(root, v, r);
  check_autostart(root, v, r);
  if (s->modbus.enabled && !s->modbus.tcp && !v->modbus_serial)
    report_error(r, node_in_section(root, "modbus", "tcp")->at,
                 "tcp: false without a serial line serves nobody: expected true, or the key serial");
  if (v->instance && !is_name(v->instance))
    report_error(r, node_in_section(root, "telemetry", "name")->at, NAME_EXPECTED, NAME_LENGTH_MAX,
                 v->instance);
}

void check_record(const struct node *root, struct file_values *v, const struct signals *signals,
                  struct report *r)
{
  struct settings *s = &v->settings;
  struct trigger one[TRIGGERS];
  char error[200];
  const struct node *when = node_in_section(root, "record", "when"),
                    *trigger = node_in_section(root, "record", "trigger");
  if (s->record.enabled && s->frames.seconds <= 0)
    report_error(r, node_find(root, "record")->at,
                 "record: recorders read the frame ring: expected \"frames\" above 0 in telemetry");
  if (!trigger && s->record.when == RECORD_TRIGGER)
    report_error(r, when->at, "when: trigger needs conditions: expected the key trigger beside it");
  if (!trigger) return;
  /* Conditions alone mean recordings around them. */
  if (!when) s->record.when = RECORD_TRIGGER;
  const int n = trigger_parse(v->record_trigger, one, error, sizeof error);
  if (n < 0) report_error(r, trigger->at, "trigger: %s", error);
  for (int i = 0; i < n; i++)
    if (one[i].kind == TRIGGER_SIGNAL && signals_find(signals, one[i].name) < 0)
      report_error(r, trigger->at, "trigger: expected a signal of --print-map, found \"%s\"", one[i].name);
}
