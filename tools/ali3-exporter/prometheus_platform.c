/* SPDX-License-Identifier: MIT
 * Motion platforms of the daemons that have one. */
#include "lines.h"
#include "prometheus.h"

/* True if the daemon has a platform and its figures are consistent. */
static bool has_platform(const struct present *p)
{
  return p->sample.t && p->sample.t->platform && p->sample.whole;
}

static void write_platform_states(const struct present *p, FILE *out)
{
  const uint32_t state = p->sample.t->live.platform.state;
#define STATE_LINE(id, code, text) write_line("ali3_platform_state", p, "state", text, state == (code), out);
  PLATFORM_STATE_LIST(STATE_LINE)
#undef STATE_LINE
}

static void write_flags(const struct present *p, FILE *out)
{
  const uint32_t flags = p->sample.t->live.platform.flags;
#define FLAG_LINE(id, bit, text) write_line("ali3_platform_flag", p, "flag", text, (flags & (id)) != 0, out);
  PLATFORM_FLAG_LIST(FLAG_LINE)
#undef FLAG_LINE
}

static void write_pose(const struct present *p, FILE *out)
{
  for (int k = 0; k < PLATFORM_DOF; k++)
    write_line("ali3_platform_pose", p, "coordinate", platform_coordinate_name[k],
               p->sample.t->live.platform.pose[k], out);
}

static void write_legs(const struct present *p, FILE *out)
{
  static const char *const name[PLATFORM_LEGS] = {"1", "2", "3", "4", "5", "6"};
  for (int i = 0; i < PLATFORM_LEGS; i++)
    write_line("ali3_platform_leg_normalised", p, "leg", name[i], p->sample.t->live.platform.legs[i], out);
}

void prometheus_platforms(const struct census *c, FILE *out)
{
  static const struct {
    const char *name, *help;
    void (*write)(const struct present *p, FILE *out);
  } figure[] = {
      {"ali3_platform_state", "1 for the state of the motion platform, 0 for other states",
       write_platform_states},
      {"ali3_platform_flag", "1 for each flag of the motion platform that is set", write_flags},
      {"ali3_platform_pose", "commanded pose of the motion platform, m and rad from neutral", write_pose},
      {"ali3_platform_leg_normalised", "legs or cranks of the motion platform, -1 and 1 at their ends",
       write_legs},
  };
  for (size_t f = 0; f < sizeof figure / sizeof *figure; f++) {
    write_heading("gauge", figure[f].name, figure[f].help, out);
    for (int i = 0; i < c->count; i++)
      if (has_platform(&c->one[i])) figure[f].write(&c->one[i], out);
  }
}
